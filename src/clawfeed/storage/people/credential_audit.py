"""What is written down of what opens doors: who made or ended it, and whose it is."""

from __future__ import annotations

from clawfeed.domain.ids import UserId
from clawfeed.storage.audit import Action, Hand, audit_line
from clawfeed.storage.database import Statement


def line_of(hand: Hand, action: Action, what: str, owner: UserId) -> Statement:
    """As part of the transaction that does it; *owner* is named where it is not their own hand."""
    detail = what if hand.by == owner else f"{what} of user {owner}"
    return audit_line(action, user_id=hand.by, detail=detail, client=hand.client, now=hand.now)

"""What is written down of who moved an edition: begun, triggered, or changed by hand (S002-16)."""

from __future__ import annotations

from clawfeed.domain.editions.edition import EditionTask
from clawfeed.domain.editions.edition_interventions import PersonMove, PersonTrigger
from clawfeed.storage.audit import Action, Hand, audit_line
from clawfeed.storage.database import Statement


def by_hand(hand: Hand, move: PersonMove | PersonTrigger, task: EditionTask) -> Statement:
    """Who moved an edition, as part of the transaction that moves it."""
    return audit_line(
        Action.EDITION_MOVED,
        user_id=hand.by,
        detail=f"{move} {task.title}",
        client=hand.client,
        now=hand.now,
    )

"""Who does something, where a test does not care."""

from __future__ import annotations

from datetime import datetime

from clawfeed.domain.ids import UserId
from clawfeed.storage.audit import Hand
from tests.support.clocks import NOON


def a_hand(now: datetime = NOON, by: UserId | None = None) -> Hand:
    return Hand(by=by, client="a test", now=now)

"""The only clock and the only dice in the house; everyone else is handed them."""

from __future__ import annotations

import random
from datetime import UTC, datetime


def system_clock() -> datetime:
    """Now, in UTC."""
    return datetime.now(UTC)


def system_dice() -> float:
    """A number in [0, 1)."""
    return random.random()

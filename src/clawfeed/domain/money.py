"""Money as it is counted and stored: whole millionths of the currency that prices are in."""

from __future__ import annotations

from typing import Final

MICROS: Final = 1_000_000


def in_money(micros: int) -> float:
    """As people read it."""
    return micros / MICROS

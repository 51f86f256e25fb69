"""Numbers with their nouns, singular or plural, as several commands say them."""

from __future__ import annotations


def counted(number: int, noun: str) -> str:
    """*number* and its noun: 1 source, 2 sources."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"

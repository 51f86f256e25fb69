"""Dice without chance: the same words always fall the same way, on any machine."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


def roll(*words: object) -> int:
    """A number in [0, 2**64) that depends on *words* alone."""
    return int.from_bytes(_hash(words, 8), "big")


def share(*words: object) -> float:
    """A number in [0, 1) that depends on *words* alone."""
    # 53 bits are what a float holds; all 64 could round up to 1.0.
    return (roll(*words) >> 11) / 2**53


def pick(options: Sequence[T], *words: object) -> T:
    return options[roll(*words) % len(options)]


def between(low: int, high: int, *words: object) -> int:
    """A whole number from *low* to *high*, both included."""
    return low + roll(*words) % (high - low + 1)


class RandomDraws:
    """Dice thrown once for *words*; draws come in a fixed order.

    One hash serves about fifty draws: telling a story needs twenty of them.
    """

    def __init__(self, *words: object) -> None:
        self._left = int.from_bytes(_hash(words, 64), "big")

    def below(self, limit: int) -> int:
        self._left, drawn = divmod(self._left, limit)
        return drawn

    def pick(self, options: Sequence[T]) -> T:
        return options[self.below(len(options))]

    def between(self, low: int, high: int) -> int:
        return low + self.below(high - low + 1)


def _hash(words: tuple[object, ...], size: int) -> bytes:
    text = "\x1f".join(map(str, words))
    return hashlib.blake2b(text.encode(), digest_size=size).digest()

"""What a reader cares about: words with weights, muted words, and what they voted for."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class InterestKind(StrEnum):
    """Stored and shown."""

    TOPIC = "topic"  # a name for a section, and words to find
    WORD = "word"
    MUTED = "muted"  # nothing of it, whatever else speaks for a story


# How much more or less than an ordinary story: -3 to 3.
HEAVIEST = 3.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Interest:
    kind: InterestKind
    text: str
    weight: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Vote:
    """More (1) or less (-1) like the story of this headline; a mark counts as one."""

    headline: str
    vote: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderInterests:
    """Everything that makes one reader's selection their own; empty for shared editions."""

    interests: tuple[Interest, ...] = ()
    votes: tuple[Vote, ...] = ()

"""What is not in an edition: the best of it, and how much there is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Generic, Protocol, TypeVar

from clawfeed.domain.editions.selection import DropReason

# What a reader may want to see of what was left out.
MOST_LEFT_OUT: Final = 100


class JudgedStory(Protocol):
    """A story with its verdict; None if it was chosen."""

    @property
    def dropped(self) -> DropReason | None: ...


S = TypeVar("S", bound=JudgedStory)


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut(Generic[S]):
    """The best of what is not in, and how many there are in all, by reason.

    What the reader muted is counted and never shown.
    """

    best: tuple[S, ...]
    counts: dict[DropReason, int]


def left_out(stories: Iterable[S], most: int = MOST_LEFT_OUT) -> LeftOut[S]:
    """What of *stories*, the best first, is not in the edition."""
    dropped = [(story, story.dropped) for story in stories if story.dropped is not None]
    shown = [story for story, why in dropped if why is not DropReason.MUTED]
    return LeftOut(best=tuple(shown[:most]), counts=dict(Counter(why for _, why in dropped)))

"""Which stories an edition tells: scored in parts people can read, then chosen under quotas."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum

from clawfeed.domain.ids import ItemId, SourceId

# Fifteen to twenty stories are three minutes, however many came in.
MOST_STORIES = 18
MOST_PER_SOURCE = 2
# So many independent publishers make a story one that everybody tells.
TOLD_BY_MANY = 3
# Where a story stands alone, is old and ordinary for its source, it is padding.
FLOOR = 0.5
# After this long a story is half as fresh.
HALF_LIFE = timedelta(hours=12)


class DropReason(StrEnum):
    """Why a story is not in the edition. Stored and shown."""

    MUTED = "muted"
    ALREADY_TOLD = "already_told"  # these readers know it, and there is nothing new
    BELOW_FLOOR = "below_floor"
    SOURCE_FULL = "source_full"  # its source has told its share
    EDITION_FULL = "edition_full"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryItem:
    """One item of a story, as far as choosing goes.

    *publisher* is who says it, whatever list brought it. *signal* is how loud it was among what
    its own source usually brings, 0 to 1; None where a source has no signals (S001-3).
    """

    item_id: ItemId
    source_id: SourceId
    publisher: str
    at: datetime
    signal: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """The parts of a story's score; their sum decides. *lasting* is for weeks and months alone."""

    corroboration: float
    signal: float
    recency: float
    interest: float
    lasting: float = 0.0

    @property
    def total(self) -> float:
        return self.corroboration + self.signal + self.recency + self.interest + self.lasting


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A story that could be told. *interest* is what the reader's own words say about it.

    Its items, the one that tells it best first.
    """

    items: tuple[StoryItem, ...]
    interest: float = 0.0
    is_muted: bool = False
    is_old_news: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectionResult:
    """What became of a candidate: chosen, or why not."""

    candidate: Candidate
    score: Score
    dropped: DropReason | None = None


def score(candidate: Candidate, now: datetime) -> Score:
    """How much a story matters, by its own facts.

    1. Corroboration: each doubling of independent publishers counts one. Ten feeds of one house are
       one publisher.
    2. Signal: the loudest item, measured against its own source's usual.
    3. Recency of the newest item.
    4. The reader's interest.
    """
    publishers = len({item.publisher for item in candidate.items})
    newest = max(item.at for item in candidate.items)
    age = max(timedelta(), now - newest)
    return Score(
        corroboration=math.log2(publishers),
        signal=max((t.signal for t in candidate.items if t.signal is not None), default=0.0),
        recency=0.5 ** (age / HALF_LIFE),
        interest=candidate.interest,
    )


def choose(candidates: Iterable[Candidate], now: datetime) -> list[SelectionResult]:
    """Every candidate with its verdict, the best first; equal ones by their first item.

    A quiet day is short, not padded. A story counts for the source that tells it best and has not
    told its share yet; that one becomes its first item.
    """
    scored = sorted(
        ((score(candidate, now), candidate) for candidate in candidates),
        key=lambda each: (-each[0].total, each[1].items[0].item_id),
    )
    told: Counter[SourceId] = Counter()
    return [_verdict(candidate, points, told) for points, candidate in scored]


def _verdict(candidate: Candidate, points: Score, told: Counter[SourceId]) -> SelectionResult:
    free = next((t for t in candidate.items if told[t.source_id] < MOST_PER_SOURCE), None)
    dropped = _why_not(candidate, points, told.total(), is_source_full=free is None)
    if dropped is None and free is not None:
        told[free.source_id] += 1
        others = tuple(item for item in candidate.items if item is not free)
        candidate = replace(candidate, items=(free, *others))
    return SelectionResult(candidate=candidate, score=points, dropped=dropped)


def _why_not(
    candidate: Candidate, points: Score, chosen: int, *, is_source_full: bool
) -> DropReason | None:
    if candidate.is_muted:
        return DropReason.MUTED
    if candidate.is_old_news:
        return DropReason.ALREADY_TOLD
    if points.total < FLOOR:
        return DropReason.BELOW_FLOOR
    if is_source_full:
        return DropReason.SOURCE_FULL
    return DropReason.EDITION_FULL if chosen >= MOST_STORIES else None


def percentile(value: float, usual: Sequence[float]) -> float:
    """The share of *usual* values, sorted, that *value* exceeds, 0 to 1; ties count half."""
    if not usual:
        return 0.5
    return (bisect_left(usual, value) + bisect_right(usual, value)) / 2 / len(usual)

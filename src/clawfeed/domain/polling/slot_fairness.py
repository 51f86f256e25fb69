"""Who may have a free slot: nobody's long polls keep the others waiting (I9).

A slot is lent for a whole poll. So those that tend to keep theirs for long get only some of the
slots while others need them, and one owner's crowd does not go ahead of everybody else's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from enum import StrEnum
from itertools import accumulate
from typing import Final, TypeVar

from clawfeed.domain.ids import UserId

# A healthy feed answers within a second. Who kept a slot for this long may do so again.
SLOW_AFTER: Final = timedelta(seconds=3)
# No poll that goes well takes longer: one that begins earlier is over when the others are due.
DUE_HORIZON: Final = timedelta(seconds=10)
T = TypeVar("T")


class PollCost(StrEnum):
    """What a source's last poll lets us expect of its next one, the costliest first."""

    FAILING = "failing"  # tends to cost a whole time-out
    SLOW = "slow"
    UNTRIED = "untried"  # may be any of these
    PROVEN = "proven"


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotsHeld:
    """The slots in use: by how many of each kind, and of each owner (None: nobody's own)."""

    kinds: Mapping[PollCost, int] = field(default_factory=dict)
    owners: Mapping[UserId | None, int] = field(default_factory=dict)


def kind_of(*, failures: int, polls: int, took: timedelta) -> PollCost:
    """The kind of a source that failed so often in a row, of *polls*, the last of which *took*."""
    if failures:
        return PollCost.FAILING
    if not polls:
        return PollCost.UNTRIED
    return PollCost.SLOW if took >= SLOW_AFTER else PollCost.PROVEN


def places(kind: PollCost, slots: int, *, is_needed: bool) -> int:
    """How many of the *slots* this kind and the costlier ones may hold at once.

    *is_needed*: a proven source is due now or soon. While none is, a long poll is in nobody's way,
    and the slots would only stand empty. Failing ones never hold more than a third.
    """
    third = max(1, slots // 3)
    match kind:
        case PollCost.FAILING:
            return third
        case PollCost.SLOW:
            return third if is_needed else slots
        case PollCost.UNTRIED:
            return max(1, slots - slots // 3) if is_needed else slots
        case PollCost.PROVEN:
            return slots


def has_room(kind: PollCost, held: Mapping[PollCost, int], slots: int, *, is_needed: bool) -> bool:
    """Whether one more of this kind may be polled beside those that are *held*."""
    order = list(PollCost)
    in_all = dict(zip(order, accumulate(held.get(each, 0) for each in order), strict=True))
    # It counts in its own places, and in those of all that cost less.
    return all(
        in_all[each] < places(each, slots, is_needed=is_needed)
        for each in order[order.index(kind) :]
    )


def full_kinds(held: Mapping[PollCost, int], slots: int) -> frozenset[PollCost]:
    """The kinds of which no more may be polled while others need the slots."""
    return frozenset(kind for kind in PollCost if not has_room(kind, held, slots, is_needed=True))


def in_turn(
    waiting: Sequence[tuple[UserId | None, T]], held: Mapping[UserId | None, int]
) -> list[T]:
    """*waiting*, the longest first, put in an order in which owners take turns.

    Each owner's first comes before anybody's second; whoever holds slots already has had as many
    turns. Among equals the order stays.
    """
    turns = dict(held)
    ranked: list[tuple[int, T]] = []
    for owner, each in waiting:
        turn = turns.get(owner, 0)
        turns[owner] = turn + 1
        ranked.append((turn, each))
    return [each for _, each in sorted(ranked, key=lambda pair: pair[0])]

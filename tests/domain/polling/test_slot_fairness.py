"""Who may have a free slot: a table, and owners in turn (I9)."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clawfeed.domain.ids import UserId
from clawfeed.domain.polling.slot_fairness import (
    SLOW_AFTER,
    PollCost,
    full_kinds,
    has_room,
    in_turn,
    kind_of,
)

FAILING, SLOW, UNTRIED, PROVEN = PollCost.FAILING, PollCost.SLOW, PollCost.UNTRIED, PollCost.PROVEN
ZERO, MOMENT = timedelta(0), timedelta(milliseconds=1)


@pytest.mark.parametrize(
    ("failures", "polls", "took", "kind"),
    [
        (0, 0, ZERO, UNTRIED),
        (1, 1, ZERO, FAILING),
        (1, 9, SLOW_AFTER, FAILING),
        (0, 9, SLOW_AFTER - MOMENT, PROVEN),
        (0, 9, SLOW_AFTER, SLOW),
    ],
)
def test_the_last_poll_says_what_to_expect(
    failures: int, polls: int, took: timedelta, kind: PollCost
) -> None:
    assert kind_of(failures=failures, polls=polls, took=took) is kind


@pytest.mark.parametrize(
    ("slots", "is_needed", "most"),
    [
        (1, True, {FAILING: 1, SLOW: 1, UNTRIED: 1, PROVEN: 1}),
        (2, True, {FAILING: 1, SLOW: 1, UNTRIED: 2, PROVEN: 2}),
        (5, True, {FAILING: 1, SLOW: 1, UNTRIED: 4, PROVEN: 5}),
        (5, False, {FAILING: 1, SLOW: 5, UNTRIED: 5, PROVEN: 5}),
        (30, True, {FAILING: 10, SLOW: 10, UNTRIED: 20, PROVEN: 30}),
        (30, False, {FAILING: 10, SLOW: 30, UNTRIED: 30, PROVEN: 30}),
    ],
)
def test_long_polls_get_some_of_the_slots_while_others_need_them(
    slots: int, is_needed: bool, most: dict[PollCost, int]
) -> None:
    """(I9): and all of them while nobody else is due soon; failing ones a third at most."""
    held = {kind: _fill(kind, slots, is_needed=is_needed) for kind in PollCost}

    assert held == most


def _fill(kind: PollCost, slots: int, *, is_needed: bool) -> int:
    held: Counter[PollCost] = Counter()
    while has_room(kind, held, slots, is_needed=is_needed):
        held[kind] += 1
    return held[kind]


@given(
    wanted=st.lists(st.sampled_from([FAILING, SLOW, UNTRIED]), max_size=60),
    slots=st.integers(3, 20),
)
def test_however_they_come_a_slot_is_left_for_the_proven(
    wanted: list[PollCost], slots: int
) -> None:
    held: Counter[PollCost] = Counter()
    for kind in wanted:
        held[kind] += has_room(kind, held, slots, is_needed=True)

    assert held.total() < slots
    assert PROVEN not in full_kinds(held, slots)


def test_owners_take_turns_and_who_holds_slots_has_had_some() -> None:
    ann, ben, eve = UserId(1), UserId(2), UserId(3)
    waiting = [(ann, "a1"), (ann, "a2"), (ann, "a3"), (None, "n1"), (ben, "b1"), (eve, "e1")]

    assert in_turn(waiting, {}) == ["a1", "n1", "b1", "e1", "a2", "a3"]
    assert in_turn(waiting, {ben: 1, ann: 2}) == ["n1", "e1", "b1", "a1", "a2", "a3"]

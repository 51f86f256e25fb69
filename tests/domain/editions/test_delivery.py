"""A message on its way, and what an edition's messages to one channel come to."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clawfeed.domain.editions.delivery import (
    DeliveryState,
    MessageMove,
    MessageState,
    Recovery,
    after_unknown,
    delivery_state,
    may_become,
    move_message_by_person,
)
from clawfeed.domain.errors import InvalidInputError

MACHINE = {
    ("pending", "sending"), ("retry", "sending"), ("sending", "sent"), ("sending", "retry"),
    ("sending", "uncertain"), ("sending", "dead"), ("pending", "dead"), ("retry", "dead"),
}  # fmt: skip
PEOPLE = {
    ("uncertain", "resend"): "retry", ("dead", "resend"): "retry", ("pending", "drop"): "dead",
    ("retry", "drop"): "dead", ("uncertain", "drop"): "dead",
}  # fmt: skip


@pytest.mark.parametrize("to", MessageState)
@pytest.mark.parametrize("state", MessageState)
def test_a_message_is_sending_before_it_is_anything_but_given_up(
    state: MessageState, to: MessageState
) -> None:
    """(RELIABILITY 4.5, I7): what was sent or is uncertain never leaves again by itself."""
    assert (state in may_become(to)) == ((state, to) in MACHINE)


@pytest.mark.parametrize("move", MessageMove)
@pytest.mark.parametrize("state", MessageState)
def test_people_resend_what_was_given_up_and_drop_what_waits(
    state: MessageState, move: MessageMove
) -> None:
    if (state, move) in PEOPLE:
        assert move_message_by_person(state, move) == PEOPLE[state, move]
    else:
        with pytest.raises(InvalidInputError, match=f"is {state}: {move} is for messages"):
            move_message_by_person(state, move)


@pytest.mark.parametrize(
    ("recovery", "state"), [("resend", "retry"), ("read_back", "retry"), ("ask", "uncertain")]
)
def test_only_a_channel_that_can_tell_sends_again_what_may_have_left(
    recovery: str, state: str
) -> None:
    """(F20, I7)."""
    assert after_unknown(Recovery(recovery)) == state


@pytest.mark.parametrize(
    ("parts", "state"),
    [
        ("sent", "sent"),
        ("sent sent", "sent"),
        ("pending", "pending"),
        ("sent sending pending", "pending"),
        ("sent retry pending", "pending"),
        # F21: part 2 of 3 failed for ever; part 1 stays sent.
        ("sent dead pending", "partial"),
        ("dead pending pending", "failed"),
        # Whether it arrived is shown before all else.
        ("sent uncertain pending", "uncertain"),
        ("uncertain dead", "uncertain"),
    ],
)
def test_a_deliverys_state_is_what_its_parts_come_to(parts: str, state: str) -> None:
    """(S002-17, F21)."""
    assert delivery_state([MessageState(part) for part in parts.split()]) == state


@given(st.lists(st.sampled_from(MessageState), min_size=1))
def test_a_delivery_is_settled_when_no_part_can_move_without_a_person(
    parts: list[MessageState],
) -> None:
    is_stuck = any(part in {MessageState.UNCERTAIN, MessageState.DEAD} for part in parts)
    is_done = all(part is MessageState.SENT for part in parts)

    assert delivery_state(parts).is_settled == (is_stuck or is_done)
    assert (delivery_state(parts) is DeliveryState.SENT) == is_done


def test_a_delivery_without_parts_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="at least one part"):
        delivery_state([])

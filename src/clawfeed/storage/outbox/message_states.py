"""The states of messages as lists for SQL, from the rules that say what they mean (S004, I7)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from clawfeed.domain.editions.delivery import GIVEN_UP, UNDER_WAY, WAITING_STATES, MessageState


def states_list(states: Iterable[MessageState]) -> str:
    """For `state IN`. In the order of the states: SQLite's partial indexes compare texts."""
    wanted = set(states)
    return f"({', '.join(repr(str(state)) for state in MessageState if state in wanted)})"


WAITING: Final = states_list(WAITING_STATES)
MOVING: Final = states_list(UNDER_WAY)
STUCK: Final = states_list(GIVEN_UP)
OVER: Final = states_list(set(MessageState) - set(UNDER_WAY))

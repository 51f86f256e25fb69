"""The states of an edition."""

from __future__ import annotations

from datetime import timedelta

import pytest

from clawfeed.domain.edition import (
    MOVES,
    EditionTask,
    EditionType,
    Plan,
    TaskState,
    plan_batches,
)
from clawfeed.domain.ids import TaskId


@pytest.mark.parametrize(
    ("articles", "batch", "batches", "minutes"),
    [(30, 6, 5, 50), (1, 8, 1, 10), (0, 8, 0, 0), (17, 8, 3, 30)],
)
def test_the_plan_is_told_beforehand(articles: int, batch: int, batches: int, minutes: int) -> None:
    """(S002-11)."""
    plan = plan_batches(articles, batch, timedelta(minutes=10))

    assert plan == Plan(batches=batches, duration=timedelta(minutes=minutes))


def test_every_state_knows_its_moves_and_two_of_them_are_final() -> None:
    """(S002-3, S002-8)."""
    final = {state for state, moves in MOVES.items() if not moves}

    assert set(MOVES) == set(TaskState)
    assert final == {TaskState.PUBLISHED, TaskState.ARCHIVED}


def test_a_published_edition_is_over() -> None:
    task = EditionTask(
        id=TaskId(1),
        scope="system",
        type=EditionType.DAILY,
        period="2026-11-15",
        state=TaskState.PUBLISHED,
    )

    assert task.is_over

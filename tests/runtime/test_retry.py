"""Trying again: how often, after what, and what is told meanwhile."""

from __future__ import annotations

from datetime import timedelta
from itertools import islice

import pytest

from clawfeed.runtime.retry import growing_waits, retried

SECOND = timedelta(seconds=1)


def test_waits_double_up_to_the_longest() -> None:
    waits = islice(growing_waits(SECOND, longest=5 * SECOND), 5)

    assert [wait / SECOND for wait in waits] == [1, 2, 4, 5, 5]


def test_waits_never_overflow() -> None:
    [last] = islice(growing_waits(SECOND), 2_000, 2_001)

    assert last > timedelta(days=365)


class Work:
    """Fails with each of *errors* in turn, then succeeds."""

    def __init__(self, *errors: Exception) -> None:
        self.errors = list(errors)
        self.told: list[str] = []

    async def __call__(self) -> str:
        if self.errors:
            raise self.errors.pop(0)
        return "done"

    async def tried(self, tries: int) -> str:
        return await retried(
            self,
            tries=tries,
            first_wait=timedelta(0),
            errors=OSError,
            on_failure=lambda error: self.told.append(str(error)),
        )


async def test_work_that_fails_for_a_while_succeeds_in_the_end() -> None:
    work = Work(OSError("one"), OSError("two"))

    assert await work.tried(3) == "done"
    assert work.told == ["one", "two"]


async def test_the_last_failure_is_raised() -> None:
    work = Work(OSError("one"), OSError("two"), OSError("three"))

    with pytest.raises(OSError, match="two"):
        await work.tried(2)

    assert work.told == ["one"]


async def test_another_error_is_no_reason_to_try_again() -> None:
    work = Work(ValueError("a bug"))

    with pytest.raises(ValueError, match="a bug"):
        await work.tried(3)

    assert work.told == []

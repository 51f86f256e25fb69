"""Trying again: how often, after what, and what is told meanwhile."""

from __future__ import annotations

from datetime import timedelta
from itertools import islice

import pytest

from clawfeed.runtime.retry import growing, growing_waits, growing_within, retried

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
            errors=(OSError, EOFError),
            wait_after=growing(timedelta(0), tries=tries),
            on_failure=lambda error: self.told.append(str(error)),
        )


async def test_work_that_fails_for_a_while_succeeds_in_the_end() -> None:
    work = Work(OSError("one"), EOFError("two"))

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


async def test_each_error_says_how_long_it_is_worth_waiting() -> None:
    work = Work(OSError("soon"), OSError("never"), OSError("later"))

    def wait_after(error: OSError) -> timedelta | None:
        return None if str(error) == "never" else timedelta(0)

    with pytest.raises(OSError, match="never"):
        await retried(work, errors=OSError, wait_after=wait_after)

    assert len(work.errors) == 1


async def test_once_its_time_has_passed_there_is_no_other_try() -> None:
    in_time = growing_within(timedelta(days=1), SECOND, longest=3 * SECOND)
    too_late = growing_within(-SECOND, SECOND, longest=3 * SECOND)

    assert [in_time(OSError()) for _ in range(3)] == [SECOND, 2 * SECOND, 3 * SECOND]
    assert too_late(OSError()) is None

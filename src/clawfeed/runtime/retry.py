"""Trying again, with waits that double."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from datetime import timedelta
from itertools import count, islice
from typing import TypeVar

T = TypeVar("T")
E = TypeVar("E", bound=Exception)
# Beyond this, doubling only overflows timedelta.
MAX_DOUBLINGS = 30


def growing_waits(first: timedelta, *, longest: timedelta = timedelta.max) -> Iterator[timedelta]:
    """*first*, twice that, and so on; never more than *longest*, and never an end."""
    for doublings in count():
        yield min(first * 2 ** min(doublings, MAX_DOUBLINGS), longest)


def growing(first: timedelta, *, tries: int) -> Callable[[Exception], timedelta | None]:
    """For `retried`: *tries* in all, with growing waits in between, whatever the error."""
    waits = islice(growing_waits(first), tries - 1)
    return lambda _error: next(waits, None)


def growing_within(
    time: timedelta, first: timedelta, *, longest: timedelta
) -> Callable[[Exception], timedelta | None]:
    """For `retried`: growing waits up to *longest*, and no other try once *time* has passed."""
    loop = asyncio.get_running_loop()
    ends_at = loop.time() + time.total_seconds()
    waits = growing_waits(first, longest=longest)
    return lambda _error: None if loop.time() > ends_at else next(waits)


async def retried(
    work: Callable[[], Awaitable[T]],
    *,
    errors: type[E] | tuple[type[E], ...],
    wait_after: Callable[[E], timedelta | None],
    on_failure: Callable[[E], None] = lambda _error: None,
) -> T:
    """What *work* gives, tried until an error after which nothing is waited for; that is raised.

    *wait_after* says how long to wait after an error of these kinds, None for no other try.
    *on_failure* hears of each that is followed by one. Any other exception is raised at once.
    """
    while True:
        try:
            return await work()
        except errors as error:
            wait = wait_after(error)
            if wait is None:
                raise
            on_failure(error)
        await asyncio.sleep(wait.total_seconds())

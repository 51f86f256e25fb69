"""Trying again, with waits that double."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from datetime import timedelta
from itertools import count
from typing import TypeVar

T = TypeVar("T")
# Beyond this, doubling only overflows timedelta.
MAX_DOUBLINGS = 30


def growing_waits(first: timedelta, *, longest: timedelta = timedelta.max) -> Iterator[timedelta]:
    """*first*, twice that, and so on; never more than *longest*, and never an end."""
    for doublings in count():
        yield min(first * 2 ** min(doublings, MAX_DOUBLINGS), longest)


async def retried(
    work: Callable[[], Awaitable[T]],
    *,
    tries: int,
    first_wait: timedelta,
    errors: type[Exception],
    on_failure: Callable[[Exception], None],
) -> T:
    """What *work* gives, tried up to *tries* times; the last try's error is raised.

    *on_failure* hears of each error of this kind that is followed by another try. Any other
    exception is raised at once.
    """
    waits = growing_waits(first_wait)
    for _ in range(tries - 1):
        try:
            return await work()
        except errors as error:
            on_failure(error)
        await asyncio.sleep(next(waits).total_seconds())
    return await work()

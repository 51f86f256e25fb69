"""Long work on the event loop, in pieces: everybody else gets a turn in between."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from itertools import islice
from typing import TypeVar

A = TypeVar("A")
B = TypeVar("B")
# A few milliseconds of converting rows.
PIECE = 100


async def in_turns(items: Iterable[A], convert: Callable[[A], B]) -> list[B]:
    """`[convert(item) for item in items]`, with a turn of the loop after every `PIECE`."""
    found: list[B] = []
    waiting = iter(items)
    while piece := list(islice(waiting, PIECE)):
        found += [convert(each) for each in piece]
        await asyncio.sleep(0)
    return found

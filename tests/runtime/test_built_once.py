"""What is built when it is first wanted is built once."""

from __future__ import annotations

import asyncio

import pytest

from clawfeed.runtime.built_once import BuiltOnce


class Builder:
    """Counts how often it builds; fails as often as it is told to."""

    def __init__(self, *, failures: int = 0) -> None:
        self.built, self.failures = 0, failures

    async def __call__(self) -> str:
        await asyncio.sleep(0)
        self.built += 1
        if self.built <= self.failures:
            raise OSError("no room")
        return "built"


async def test_it_is_built_once_however_many_ask() -> None:
    builder = Builder()
    once = BuiltOnce(builder)
    assert not once.is_built

    await asyncio.gather(once.get(), once.get())
    await once.get()

    assert builder.built == 1
    assert once.is_built


async def test_what_could_not_be_built_is_tried_again() -> None:
    builder = Builder(failures=1)
    once = BuiltOnce(builder)

    with pytest.raises(OSError, match="no room"):
        await once.get()
    assert not once.is_built

    await once.get()
    assert once.is_built


async def test_what_was_forgotten_is_built_anew() -> None:
    builder = Builder()
    once = BuiltOnce(builder)
    await once.get()

    once.forget()
    assert not once.is_built
    await once.get()

    assert builder.built == 2

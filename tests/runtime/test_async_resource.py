"""What is used as `async with` is closed at its end."""

from __future__ import annotations

import pytest

from clawfeed.runtime.async_resource import AsyncResource


class Door(AsyncResource):
    is_closed = False

    async def close(self) -> None:
        self.is_closed = True


async def test_it_is_open_within_and_closed_afterwards() -> None:
    async with Door() as door:
        was_closed = door.is_closed

    assert (was_closed, door.is_closed) == (False, True)


async def test_it_is_closed_whatever_happened_and_hides_nothing() -> None:
    door = Door()

    with pytest.raises(RuntimeError, match="within"):
        async with door:
            raise RuntimeError("within")

    assert door.is_closed

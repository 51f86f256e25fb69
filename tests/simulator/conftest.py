from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from clawfeed.simulator import Origin, World, demo_world, serve


class HandClock:
    """A clock that moves only when told."""

    def __init__(self) -> None:
        self.now = datetime(2026, 11, 11, 12, tzinfo=UTC)  # a Wednesday

    def __call__(self) -> datetime:
        return self.now

    def pass_time(self, duration: timedelta) -> None:
        self.now += duration


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def world(clock: HandClock) -> World:
    return demo_world(seed=7, clock=clock)


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    return tmp_path / "journal.jsonl"


@pytest.fixture
async def origin(world: World, journal: Path) -> AsyncIterator[Origin]:
    async with serve(world, journal=journal) as running:
        yield running

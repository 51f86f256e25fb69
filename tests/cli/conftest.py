"""Fixtures for tests of the command."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from tests.cli.collect_command import CollectCommand
from tests.end_to_end.fleet import follow, opened, running_fleet
from tests.support.databases import migrated
from tests.support.in_process import only_environment
from tests.support.processes import clean_environment


@pytest.fixture(autouse=True)
def _nothing_of_the_developers() -> Iterator[None]:
    """What runs in the test's own process reads the settings of a house without any."""
    with only_environment(clean_environment()):
        yield


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[CollectCommand]:
    url = f"sqlite:///{tmp_path / 'desk.db'}"
    await migrated(url)
    async with running_fleet(tmp_path, 3) as fleet:
        async with opened(url) as database:
            await follow(database, fleet)
        yield CollectCommand(fleet=fleet, url=url, folder=tmp_path)

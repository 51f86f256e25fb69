"""Long lists of who runs the house go on where they stopped, and begin anew at nonsense."""

from __future__ import annotations

from pathlib import Path

import pytest

from clawfeed.storage.database import Database, execute
from clawfeed.web.operations.admin_context import PAGE
from tests.app.whole_server import whole_house
from tests.support.clocks import NOON
from tests.web.test_operations_admin import a_task, look

pytestmark = pytest.mark.slow
LONG = PAGE + 3
OLDER = "nav.pager a[rel=prev]"


async def test_editions_go_on_where_they_stopped(database: Database, tmp_path: Path) -> None:
    for number in range(LONG):
        await a_task(database, f"{2020 + number // 12}-{number % 12 + 1:02}-01", "init")
    async with whole_house(database, tmp_path) as house:
        first = await look(house, "/operations/editions")
        [older] = first.values(OLDER, "href")
        rest = await look(house, str(older))
        anew = await look(house, "/operations/editions?before=nonsense")

    assert [len(page.texts("tbody tr")) for page in (first, rest)] == [PAGE, LONG - PAGE]
    assert not set(first.texts("tbody th")) & set(rest.texts("tbody th"))
    assert rest.values(OLDER, "href") == []
    assert anew.texts("tbody tr") == first.texts("tbody tr")


async def test_alarms_go_on_where_they_stopped(database: Database, tmp_path: Path) -> None:
    for number in range(LONG):
        await execute(
            database,
            "INSERT INTO alarms (code, subject, parameters, raised_at, cleared_at) "
            "VALUES ('no_collector', '', '{}', :at, :over)",
            {"at": NOON.timestamp() + number / 3, "over": NOON.timestamp() + 60},
        )
    async with whole_house(database, tmp_path) as house:
        first = await look(house, "/operations/alarms")
        [older] = first.values(OLDER, "href")
        rest = await look(house, str(older))

    assert [len(page.texts("tbody tr")) for page in (first, rest)] == [PAGE, LONG - PAGE]
    assert rest.values(OLDER, "href") == []

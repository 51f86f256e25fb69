"""A database that is full, read-only or gone: nothing can be stored, and somebody is told."""

from __future__ import annotations

import logging
import re
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import TYPE_CHECKING, cast
from urllib.parse import urlsplit

import asyncpg
import pytest

from clawfeed.domain.alarm import AlarmCode, Trouble
from clawfeed.domain.channels.channel import ChannelDraft
from clawfeed.domain.errors import StorageError
from clawfeed.publish.alarm_notices import NoticeWriter
from clawfeed.publish.alarm_watcher import LOOK_AGAIN, AlarmWatcher, DatabaseOutage, WatchTools
from clawfeed.publish.channel_type import PublishConfig, SendingTools
from clawfeed.publish.direct_alarms import DirectNotices
from clawfeed.storage.database import Database, execute
from clawfeed.storage.drivers.connect import StorageConfig, open_database
from clawfeed.storage.drivers.write_probe import try_to_write
from clawfeed.storage.operations.alarms import AlarmStore
from clawfeed.storage.operations.troubles import TroubleRules
from tests.support.alarm_channels import Loft, pigeons
from tests.support.broken_installations import MINUTE, all_is_well
from tests.support.clocks import FakeClock

if TYPE_CHECKING:
    from clawfeed.egress.client import Egress

Change = Callable[[Database, str], Awaitable[None]]


async def _fill(database: Database, _url: str) -> None:
    [pages] = await execute(database, "PRAGMA page_count")
    await execute(database, f"PRAGMA max_page_count = {pages['page_count']}")
    while True:  # what is free within the file is used up first
        try:
            await execute(
                database,
                "INSERT INTO config (key, value, updated_at) "
                "VALUES (hex(randomblob(9)), hex(zeroblob(1500)), 0)",
            )
        except StorageError:
            return


async def _empty(database: Database, _url: str) -> None:
    await execute(database, "PRAGMA max_page_count = 100000")


async def _as_operator(url: str, change: str) -> None:
    """On the server, from outside; whoever is connected is sent away."""
    name = urlsplit(url).path.removeprefix("/")
    server = await asyncpg.connect(url, database="postgres")
    try:
        await server.execute(f"ALTER DATABASE {name} {change}")
        await server.execute(
            f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'"
        )
    finally:
        await server.close()


async def _close_server(_database: Database, url: str) -> None:
    await _as_operator(url, "ALLOW_CONNECTIONS false")


async def _open_server(_database: Database, url: str) -> None:
    await _as_operator(url, "ALLOW_CONNECTIONS true")


async def _only_read(_database: Database, url: str) -> None:
    await _as_operator(url, "SET default_transaction_read_only = on")


async def _write_again(_database: Database, url: str) -> None:
    await _as_operator(url, "RESET default_transaction_read_only")


# By the kind of database: how it begins, how it ends, what is said of it. Who was connected to a
# server may be told first that it was sent away.
OUTAGES = [
    pytest.param("sqlite", (_fill, _empty, "is full"), id="full"),
    pytest.param(
        "postgresql",
        (_close_server, _open_server, "not currently accepting|cannot be reached"),
        marks=pytest.mark.slow,
        id="gone",
    ),
    pytest.param(
        "postgresql",
        (_only_read, _write_again, "read-only transaction|cannot be reached"),
        marks=pytest.mark.slow,
        id="read-only",
    ),
]


@pytest.mark.parametrize(("database_url", "outage"), OUTAGES, indirect=["database_url"])
async def test_an_outage_is_logged_and_told_directly_once_and_so_is_its_end(
    database_url: str, outage: tuple[Change, Change, str], caplog: pytest.LogCaptureFixture
) -> None:
    """F5: the house's alarm channels are reached without the database; later it is in the list."""
    begin, end, why = outage
    caplog.set_level(logging.INFO, "clawfeed.publish")
    database = await open_database(StorageConfig(url=database_url))
    clock, known, loft = FakeClock(), DatabaseOutage(), Loft()
    await all_is_well(database, clock())
    watcher = AlarmWatcher(_tools(database, clock, loft), known)
    waits: list[timedelta] = [await watcher.look()]
    await begin(database, database_url)
    waits += [await watcher.look()]
    is_known_at_once = known.trouble is not None
    clock.advance(MINUTE)
    waits += [await watcher.look(), await watcher.look()]
    during = known.trouble
    await end(database, database_url)
    clock.advance(MINUTE)
    await watcher.look()
    for _ in range(5):  # a connection that is sent away on a busy machine may be told so once more
        await watcher.look()
        if known.trouble is None:
            break
    stored = await AlarmStore(database).list(limit=10)
    await database.close()

    assert (waits[1], is_known_at_once) == (LOOK_AGAIN, False)
    assert during is not None
    assert re.search(why, str(during.parameters["why"]))
    assert known.trouble is None
    assert [where for where, _ in loft.arrived] == ["alarms only", "alarms only"]
    assert re.search(why, str(loft.arrived[0]))
    assert "can be written again" in str(loft.arrived[1])
    lines = [each.levelname for each in caplog.records if each.name.endswith("watcher")]
    assert lines == ["ERROR", "INFO"]
    assert [(each.trouble.code, each.is_raised) for each in stored] == [
        (AlarmCode.DATABASE_FAILED, False)
    ]


async def test_who_cannot_be_reached_either_is_a_warning_and_stops_nothing(
    database_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    database = await open_database(StorageConfig(url=database_url))
    loft = Loft()
    loft.is_shut = True
    watcher = AlarmWatcher(_tools(database, FakeClock(), loft))
    await database.close()

    await watcher.look()
    await watcher.look()

    assert [each.levelname for each in caplog.records] == ["ERROR", "WARNING"]
    assert "s3cret" not in caplog.text


async def test_several_processes_note_an_outage_once(database: Database) -> None:
    clock = FakeClock()
    trouble = Trouble(code=AlarmCode.DATABASE_FAILED, parameters={"why": "it was full"})
    store = AlarmStore(database)
    since = clock() - MINUTE

    for _ in range(3):
        await store.note_outage(trouble, since=since, now=clock())

    assert len(await store.list(limit=10)) == 1


async def test_trying_to_write_leaves_nothing(database: Database) -> None:
    await try_to_write(database)
    await try_to_write(database)

    assert await database.read("SELECT key FROM config") == []


def _tools(database: Database, clock: FakeClock, loft: Loft) -> WatchTools:
    types = pigeons(loft)
    house = [
        ChannelDraft(kind="pigeon", address="editions only"),
        ChannelDraft(kind="pigeon", address="alarms only", gets_alarms=True),
        ChannelDraft(kind="of another version", address="x", gets_alarms=True),
    ]
    sending = SendingTools(
        egress=cast("Egress", None),  # a loft needs none
        config=PublishConfig(base_url="https://house.example"),
        clock=clock,
        unsubscribe_link=str,
    )
    return WatchTools(
        database=database,
        rules=TroubleRules(),
        clock=clock,
        write=NoticeWriter(types=types, link=""),
        direct=DirectNotices(types=types, tools=sending, house=house),
    )

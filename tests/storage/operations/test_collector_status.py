"""Figures that people read: who waits for a turn, when each is next, what came in."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from clawfeed.sources.source_types.built_in import BUILT_IN
from clawfeed.storage.database import Database, execute
from clawfeed.storage.items.items import ItemStore
from clawfeed.storage.operations.collector_status import collector_status, waiting_for_turns
from clawfeed.storage.polling.host_queue import ClaimRequest
from clawfeed.storage.polling.poll_queue import PollQueue
from clawfeed.storage.sources.sources import NewSource, SourceStore
from clawfeed.storage.sources.visible_sources import VisibleSources
from tests.support.api_callers import ANNA
from tests.support.clocks import NOON

HOUR = timedelta(hours=1)


async def test_sources_at_a_resting_host_wait_and_the_first_has_a_date(database: Database) -> None:
    for name, host in (("a", "busy"), ("b", "busy"), ("c", "free")):
        new = NewSource(type="rss", name=name, config={"url": f"https://{name}.example"}, host=host)
        await SourceStore(database).add(new, now=NOON)
    until = NOON + timedelta(seconds=50)
    await execute(
        database,
        "INSERT INTO host_cooldowns (host, until, because) VALUES ('busy', :until, 'resting')",
        {"until": until.timestamp()},
    )
    before = await waiting_for_turns(database)

    order = ClaimRequest(now=NOON, limit=5, lease=timedelta(minutes=3), worker="w")
    claims = await PollQueue(database, types=BUILT_IN).claim_due(order)

    waiting = await waiting_for_turns(database)
    assert before is None
    assert [claim.source.name for claim in claims] == ["c"]
    assert waiting is not None
    assert waiting.count == 2
    assert until <= waiting.first_at <= until + order.spacing


@pytest.mark.parametrize(
    ("source", "stats", "expected"),
    [
        # Of an older system: no date of its own yet, so its interval rules.
        ({"last_fetched_at": NOON - HOUR}, {}, NOON + 3 * HOUR),
        (
            {"last_fetched_at": NOON},
            {"last_check_at": NOON, "next_due_at": NOON + HOUR},
            NOON + HOUR,
        ),
        # A rest that lasts longer than the date.
        (
            {},
            {"last_check_at": NOON, "next_due_at": NOON, "backoff_until": NOON + 6 * HOUR},
            NOON + 6 * HOUR,
        ),
        # Never polled: waiting for its host, or not planned at all.
        ({}, {"next_due_at": NOON + HOUR}, None),
        ({}, {}, None),
        ({"is_active": 0}, {"last_check_at": NOON, "next_due_at": NOON}, None),
    ],
    ids=["older", "dated", "resting", "waiting", "new", "paused"],
)
async def test_the_next_date_is_the_same_for_operators_and_readers(
    database: Database,
    source: dict[str, datetime | int],
    stats: dict[str, datetime],
    expected: datetime | None,
) -> None:
    """(S000-18, S000-20, S000-21)."""
    added = await SourceStore(database).add(NewSource(type="rss", name="a"), now=NOON)
    for column, value in source.items():
        number = value.timestamp() if isinstance(value, datetime) else value
        await execute(database, f"UPDATE sources SET {column} = :value", {"value": number})
    if stats:
        await execute(
            database,
            "INSERT INTO source_stats (source_id, source_type, created_at, updated_at) "
            "VALUES (:id, 'rss', 0, 0)",
            {"id": added.id},
        )
    for column, at in stats.items():
        sql = f"UPDATE source_stats SET {column} = :at"
        await execute(database, sql, {"at": at.timestamp()})

    status = await collector_status(
        database, now=NOON, day_start=NOON, minutes_of=lambda _source: 240
    )
    row = await VisibleSources(database, BUILT_IN).get(added.id, None)

    told = row.next_fetch_at(240 * 60)
    assert status.sources[0].next_fetch_at == expected
    assert told == (expected.timestamp() if expected else None)


async def test_items_of_the_last_day_are_those_that_came_in_whenever_they_were_published(
    database: Database,
) -> None:
    """(S000-19, S001-13): one meaning of `items_24h`, in all and per source."""
    source = await SourceStore(database).add(NewSource(type="rss", name="a"), now=NOON)
    for n, hours in enumerate((1, 23, 25)):
        await execute(
            database,
            "INSERT INTO raw_items (source_id, title, dedup_key, fetched_at, published_at) "
            "VALUES (:id, 'x', :key, :at, 5)",
            {"id": source.id, "key": str(n), "at": (NOON - hours * HOUR).timestamp()},
        )

    status = await collector_status(
        database, now=NOON, day_start=NOON, minutes_of=lambda _source: 240
    )
    [of_source] = await ItemStore(database).stats(ANNA, now=NOON, limit=9)

    counted = (status.stats.items_24h, status.stats.raw_items_24h, of_source["items_24h"])
    assert counted == (2, 2, 2)

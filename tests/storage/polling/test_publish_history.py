"""What a backtest reads of each source."""

from __future__ import annotations

from datetime import timedelta

import pytest

from clawfeed.storage.database import Database, execute
from clawfeed.storage.polling.publish_history import HistoryStore
from clawfeed.storage.sources.sources import NewSource, SourceStore
from tests.support.clocks import NOON

HOUR = timedelta(hours=1)


@pytest.mark.parametrize(
    ("cursor", "asked"),
    [
        ('{"ttl_seconds": 3600}', HOUR),
        ('{"ttl_seconds": -1}', None),
        ('{"ttl_seconds": "soon"}', None),
        ("damaged", None),
        ("{}", None),
    ],
)
async def test_a_history_carries_dates_type_config_and_what_the_feed_asks_for(
    database: Database, cursor: str, asked: timedelta | None
) -> None:
    new = NewSource(type="rss", name="A", config={"fetch_interval_minutes": 15})
    source = await SourceStore(database).add(new, now=NOON)
    await SourceStore(database).add(NewSource(type="reddit", name="without items"), now=NOON)
    await execute(
        database,
        "UPDATE sources SET cursor = :cursor WHERE id = :id",
        {"id": source.id, "cursor": cursor},
    )
    for hours in (1, 3, 2):
        await execute(
            database,
            "INSERT INTO seen_items (source_id, dedup_key, published_at, first_seen_at)"
            " VALUES (:id, :key, :at, :at)",
            {"id": source.id, "key": str(hours), "at": (NOON - hours * HOUR).timestamp()},
        )

    [history] = await HistoryStore(database).all_published()

    assert (history.name, history.type) == (f"{source.id} A", "rss")
    assert history.config == {"fetch_interval_minutes": 15}
    assert list(history.dates) == [NOON - hours * HOUR for hours in (3, 2, 1)]
    assert history.feed_wait == asked

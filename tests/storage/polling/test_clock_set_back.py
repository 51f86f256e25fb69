"""What a clock that went back left in the database freezes nobody (F15)."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from clawfeed.domain.sources.source import Source
from clawfeed.sources.source_types.built_in import BUILT_IN
from clawfeed.storage.database import Database, execute
from clawfeed.storage.polling.due_date_repair import FURTHEST_DATE
from clawfeed.storage.polling.host_queue import ClaimRequest
from clawfeed.storage.polling.poll_queue import PollQueue
from clawfeed.storage.sources.sources import NewSource, SourceStore
from tests.support.clocks import NOON

MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)
ORDER = ClaimRequest(now=NOON, limit=5, lease=5 * MINUTE, worker="tester")


async def add_source(database: Database) -> Source:
    new = NewSource(type="rss", name="A", config={"url": "a"}, host="a.example")
    return await SourceStore(database).add(new, now=NOON)


@pytest.mark.parametrize(
    ("lease", "claims"), [(59 * MINUTE, 0), (61 * MINUTE, 1), (timedelta(days=365), 1)]
)
async def test_a_lease_longer_than_any_is_from_the_future_and_freed(
    database: Database, lease: timedelta, claims: int
) -> None:
    """(F15, I3): its holder was given it before the database's clock went back."""
    await add_source(database)
    schedule = PollQueue(database, types=BUILT_IN)
    lost = ClaimRequest(now=NOON, limit=5, lease=lease, worker="other")
    assert len(await schedule.claim_due(lost)) == 1

    claimed = await schedule.claim_due(ORDER)

    assert len(claimed) == claims


@pytest.mark.parametrize(
    ("rest", "claims"),
    [
        (24 * HOUR, 0),
        (24 * HOUR + 4 * MINUTE, 0),  # by the clock of another machine, a day
        (24 * HOUR + 6 * MINUTE, 1),
        (timedelta(days=365), 1),
    ],
)
async def test_a_host_that_would_rest_for_longer_than_any_is_asked(
    database: Database, rest: timedelta, claims: int
) -> None:
    """(F15, I3): and the door out is told of no such rest."""
    await add_source(database)
    await execute(
        database,
        "INSERT INTO host_cooldowns (host, until, because) VALUES ('a.example', :until, 'asked')",
        {"until": (NOON + rest).timestamp()},
    )
    schedule = PollQueue(database, types=BUILT_IN)

    claimed = await schedule.claim_due(ORDER)
    cooldowns = (await schedule.overview(NOON)).cooldowns

    assert len(claimed) == claims
    assert cooldowns == ({} if claims else {"a.example": NOON + rest})


@pytest.mark.parametrize(
    ("column", "ahead", "is_mended"),
    [
        ("backoff_until", 24 * HOUR, False),
        ("backoff_until", 24 * HOUR + 6 * MINUTE, True),
        ("backoff_until", timedelta(days=365), True),
        ("updated_at", 4 * MINUTE, False),
        ("updated_at", 6 * MINUTE, True),
        ("next_due_at", FURTHEST_DATE, False),
        ("next_due_at", FURTHEST_DATE + MINUTE, True),
    ],
)
async def test_a_moment_further_ahead_than_any_we_write_is_mended(
    database: Database, column: str, ahead: timedelta, is_mended: bool
) -> None:
    """(F15, I3): its source is due now; a moment that may be right stays as it is."""
    source = await add_source(database)
    await execute(
        database,
        "INSERT INTO source_stats (source_id, source_type, next_due_at, created_at, updated_at) "
        "VALUES (:id, 'rss', :later, :now, :now)",
        {"id": source.id, "later": (NOON + HOUR).timestamp(), "now": NOON.timestamp()},
    )
    await execute(database, "UPDATE sources SET has_stats = 1")
    await execute(
        database, f"UPDATE source_stats SET {column} = :at", {"at": (NOON + ahead).timestamp()}
    )
    schedule = PollQueue(database, types=BUILT_IN)

    mended = await schedule.mend_dates(now=NOON)
    claimed = await schedule.claim_due(ORDER)

    assert (mended, len(claimed)) == (int(is_mended), int(is_mended))
    [row] = await database.read(f"SELECT {column} AS at FROM source_stats")
    assert (row["at"] == (NOON + ahead).timestamp()) is not is_mended


async def test_who_was_sent_to_wait_by_a_clock_that_went_back_is_mended(
    database: Database,
) -> None:
    """(F15, I3): its turn at its host belongs to another time."""
    for name in ("a", "b"):
        new = NewSource(type="rss", name=name, config={"url": name}, host="a.example")
        await SourceStore(database).add(new, now=NOON)
    schedule = PollQueue(database, types=BUILT_IN)
    for claim in await schedule.claim_due(ORDER):
        await schedule.release(claim)
    month = timedelta(days=30)
    await schedule.claim_due(replace(ORDER, now=NOON + month, per_host=1))

    mended = await schedule.mend_dates(now=NOON)

    assert mended == 1

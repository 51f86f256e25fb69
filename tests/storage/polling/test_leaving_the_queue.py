"""Who may not be polled has no date: claims must not wade through them."""

from __future__ import annotations

from datetime import timedelta

import pytest

from clawfeed.domain.ids import SourceId
from clawfeed.sources.source_types.built_in import BUILT_IN
from clawfeed.storage.database import Database, execute
from clawfeed.storage.polling.host_queue import ClaimRequest
from clawfeed.storage.polling.poll_queue import PollQueue
from clawfeed.storage.source_changes.source_changes import SourceChanges
from clawfeed.storage.sources.source_resuming import resume_sources
from clawfeed.storage.sources.sources import NewSource, SourceStore
from tests.support.api_callers import ANNA, add_people
from tests.support.clocks import NOON

MINUTE = timedelta(minutes=1)
ORDER = ClaimRequest(now=NOON, limit=5, lease=5 * MINUTE, worker="tester")


@pytest.fixture
async def source_id(database: Database) -> SourceId:
    """Anna's source; it was polled, and now waits for its turn at its host."""
    await add_people(database)
    new = NewSource(type="rss", name="annas", config={"url": "a"}, created_by=ANNA)
    source = await SourceStore(database).add(new, now=NOON)
    schedule = PollQueue(database, types=BUILT_IN)
    [claim] = await schedule.claim_due(ORDER)
    await schedule.release(claim)
    await execute(
        database,
        "UPDATE source_stats SET next_due_at = :soon, waiting_since = :before",
        {"soon": (NOON + MINUTE).timestamp(), "before": (NOON - MINUTE).timestamp()},
    )
    return source.id


async def dates(database: Database) -> list[tuple[float | None, float | None]]:
    rows = await database.read("SELECT next_due_at, waiting_since FROM source_stats")
    return [(row["next_due_at"], row["waiting_since"]) for row in rows]


async def test_a_paused_source_has_no_date_and_a_resumed_one_has_one_again(
    database: Database, source_id: SourceId
) -> None:
    """(S000-3, I3): nor is the missing date mended while it is paused."""
    schedule = PollQueue(database, types=BUILT_IN)
    await SourceChanges(database, BUILT_IN).pause(source_id, ANNA, lambda _: None, now=NOON)
    mended = await schedule.mend_dates(now=NOON)
    paused = await dates(database)

    await resume_sources(database, [source_id], BUILT_IN, now=NOON)

    assert (paused, mended) == ([(None, None)], 0)
    assert await dates(database) == [((NOON - timedelta(seconds=1)).timestamp(), None)]
    assert [claim.source.id for claim in await schedule.claim_due(ORDER)] == [source_id]


async def test_a_deleted_source_has_no_date_any_more(
    database: Database, source_id: SourceId
) -> None:
    """(S000-3)."""
    await SourceChanges(database, BUILT_IN).delete(source_id, ANNA, lambda _: None, now=NOON)

    assert await dates(database) == [(None, None)]

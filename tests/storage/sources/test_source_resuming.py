"""Sources resumed: by a person, or all that stopped by themselves."""

from __future__ import annotations

import pytest

from clawfeed.domain.because import Because, Rule
from clawfeed.domain.errors import NotFoundError
from clawfeed.domain.ids import SourceId
from clawfeed.domain.sources.source_status import Status
from clawfeed.sources.source_types.built_in import BUILT_IN
from clawfeed.storage.database import Database, execute
from clawfeed.storage.polling.poll_queue import PollQueue
from clawfeed.storage.sources.source_resuming import resume_failed, resume_sources
from clawfeed.storage.sources.source_status import SourceStates
from clawfeed.storage.sources.sources import SourceStore
from tests.storage.sources.polled import BROKEN, HOUR, ORDER, feed, poll
from tests.support.clocks import NOON


async def test_a_resumed_source_is_as_new_and_due_at_once(database: Database) -> None:
    """(S001-9)."""
    source = await SourceStore(database).add(feed(1), now=NOON)
    await poll(database, source.id, BROKEN, failures=5, backoff=HOUR, paused="errors")
    schedule = PollQueue(database, types=BUILT_IN)
    before = await schedule.claim_due(ORDER)

    await resume_sources(database, [source.id, source.id], BUILT_IN, now=NOON)

    [state] = await SourceStates(database).states()
    claims = await schedule.claim_due(ORDER)
    assert before == []
    assert (state.errors, state.last_error, state.backoff_until) == (0, None, None)
    assert (state.source.is_active, state.paused_because) == (True, None)
    assert state.because == Because(Rule.RESUMED)
    assert [(claim.source.id, claim.rhythm.fail_count) for claim in claims] == [(source.id, 0)]


async def test_a_source_of_an_older_system_is_due_too_once_resumed(database: Database) -> None:
    """It was fetched, but nobody has planned it yet: its interval would rule."""
    source = await SourceStore(database).add(feed(1), now=NOON)
    await execute(
        database,
        "UPDATE sources SET last_fetched_at = :now, is_active = 0, paused_because = 'errors'",
        {"now": NOON.timestamp()},
    )
    schedule = PollQueue(database, lambda _source: HOUR, types=BUILT_IN)

    resumed = await resume_failed(database, BUILT_IN, now=NOON)

    claims = await schedule.claim_due(ORDER)
    assert resumed == [source.id]
    assert [claim.source.id for claim in claims] == [source.id]


async def test_an_unknown_id_resumes_nothing_at_all(database: Database) -> None:
    source = await SourceStore(database).add(feed(1), now=NOON)
    await poll(database, source.id, BROKEN, failures=5, paused="errors")

    with pytest.raises(NotFoundError, match="no source 98, 99"):
        await resume_sources(database, [source.id, SourceId(98), SourceId(99)], BUILT_IN, now=NOON)

    [state] = await SourceStates(database).states()
    assert not state.source.is_active


async def test_all_failed_leaves_alone_what_a_person_paused(database: Database) -> None:
    store = SourceStore(database)
    sources = [await store.add(feed(number), now=NOON) for number in range(3)]
    await poll(database, sources[0].id, BROKEN, failures=5, paused="errors")
    await poll(database, sources[1].id, BROKEN, failures=3, paused="gone")
    await execute(
        database,
        "UPDATE sources SET is_active = 0, paused_because = 'person' WHERE id = :id",
        {"id": sources[2].id},
    )

    resumed, again = [await resume_failed(database, BUILT_IN, now=NOON) for _ in range(2)]

    assert (resumed, again) == ([sources[0].id, sources[1].id], [])
    assert (await SourceStates(database).state(sources[2].id)).status(NOON) is Status.PAUSED


async def test_deleted_sources_are_neither_listed_nor_resumed(database: Database) -> None:
    source = await SourceStore(database).add(feed(1), now=NOON)
    await execute(
        database, "UPDATE sources SET is_deleted = 1, is_active = 0, paused_because = 'errors'"
    )

    with pytest.raises(NotFoundError):
        await resume_sources(database, [source.id], BUILT_IN, now=NOON)

    assert await SourceStates(database).states() == []
    assert await resume_failed(database, BUILT_IN, now=NOON) == []

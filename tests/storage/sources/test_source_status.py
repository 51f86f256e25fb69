"""How each source is doing, on both databases."""

from __future__ import annotations

from dataclasses import replace

import pytest

from clawfeed.domain.errors import Reason
from clawfeed.domain.ids import SourceId
from clawfeed.domain.sources.source import Failed, Fetched
from clawfeed.domain.sources.source_status import Status
from clawfeed.storage.database import Database, execute
from clawfeed.storage.sources.source_status import SourceStates
from clawfeed.storage.sources.sources import SourceStore
from tests.storage.sources.polled import BECAUSE, BROKEN, HOUR, feed, poll
from tests.support.clocks import NOON

NO_LOGIN = Failed(reason=Reason.AUTH_REQUIRED, detail="the server answered 401", status=401)


async def statuses(database: Database) -> dict[str, Status]:
    states = await SourceStates(database).states()
    return {each.source.name: each.status(NOON) for each in states}


async def test_every_source_has_a_status_people_understand(database: Database) -> None:
    """(S001-9, settled 4): paused is not paused_by_error."""
    store = SourceStore(database)
    sources = [await store.add(feed(number), now=NOON) for number in range(7)]
    await poll(database, sources[1].id, Fetched(drafts=()))
    await poll(database, sources[2].id, BROKEN, failures=1, backoff=HOUR)
    await poll(database, sources[3].id, NO_LOGIN, failures=1)
    await poll(database, sources[4].id, BROKEN, failures=5, paused="errors")
    await poll(database, sources[5].id, BROKEN, failures=3, paused="gone")
    await execute(
        database,
        "UPDATE sources SET is_active = 0, paused_because = 'person' WHERE id = :id",
        {"id": sources[6].id},
    )

    found = await statuses(database)

    assert found == {
        "Feed 0": Status.NEVER_FETCHED,
        "Feed 1": Status.OK,
        "Feed 2": Status.BACKING_OFF,
        "Feed 3": Status.AUTH_REQUIRED,
        "Feed 4": Status.PAUSED_BY_ERROR,
        "Feed 5": Status.PAUSED_BY_ERROR,
        "Feed 6": Status.PAUSED,
    }
    failing = [
        each.source.name for each in await SourceStates(database).states() if each.is_failing
    ]
    assert failing == ["Feed 2", "Feed 3", "Feed 4", "Feed 5"]


async def test_a_state_tells_when_why_and_what_went_wrong(database: Database) -> None:
    source = await SourceStore(database).add(feed(1), now=NOON)
    await poll(database, source.id, BROKEN, failures=1, backoff=HOUR)

    [state] = await SourceStates(database).states()

    assert state.polled_at == NOON
    assert state.source.last_fetched_at is None
    assert (state.next_poll, state.because) == (NOON + HOUR, BECAUSE)
    assert state.errors == 1
    assert state.last_error is not None
    assert state.last_error.reason is Reason.BROKEN
    assert state.last_error.message == "the server answered 500"


@pytest.mark.parametrize(
    ("stored", "message"),
    [
        ("plain text", "plain text"),
        ('["odd"]', '["odd"]'),
        ('{"message": "m", "reason": "?"}', "m"),
    ],
)
async def test_an_error_another_program_wrote_is_shown_as_it_is(
    database: Database, stored: str, message: str
) -> None:
    source = await SourceStore(database).add(feed(1), now=NOON)
    await execute(
        database,
        "UPDATE sources SET last_error = :error WHERE id = :id",
        {"error": stored, "id": source.id},
    )

    [state] = await SourceStates(database).states()

    assert state.last_error is not None
    assert (state.last_error.message, state.last_error.reason) == (message, None)


def test_a_poll_that_lies_behind_is_no_back_off() -> None:
    """The date is compared with now, not merely present."""
    from clawfeed.domain.sources.source import Source
    from clawfeed.storage.sources.source_status import SourceState

    state = SourceState(
        source=Source(id=SourceId(1), type="rss", name="n"),
        errors=1,
        last_error=None,
        paused_because=None,
        polled_at=NOON - HOUR,
        next_poll=NOON,
        backoff_until=NOON,
        because=None,
    )

    assert state.status(NOON) is Status.OK
    assert replace(state, backoff_until=NOON + HOUR).status(NOON) is Status.BACKING_OFF

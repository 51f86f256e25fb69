"""Sources as their operator sees them, on both databases."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from clawfeed.domain.because import Because, Rule
from clawfeed.domain.errors import NotFoundError, Reason
from clawfeed.domain.ids import SourceId
from clawfeed.domain.schedule.schedule import Mode, NextPoll, PollDecision, PollFindings, Rhythm
from clawfeed.domain.sources.item import Draft
from clawfeed.domain.sources.source import Failed, Fetched, Outcome
from clawfeed.domain.sources.source_status import Status
from clawfeed.sources.source_types.built_in import BUILT_IN
from clawfeed.storage.database import Database, execute
from clawfeed.storage.polling.host_queue import ClaimRequest
from clawfeed.storage.polling.poll_queue import PollQueue
from clawfeed.storage.polling.poll_results import PollFinisher, PollRecord
from clawfeed.storage.sources.source_states import SourceStates
from clawfeed.storage.sources.sources import NewSource, SourceStore
from tests.support.clocks import NOON

HOUR = timedelta(hours=1)
ORDER = ClaimRequest(now=NOON, limit=10, lease=timedelta(minutes=5), worker="test")
BECAUSE = Because(Rule.BACK_OFF, {"failures": 1})


def feed(number: int) -> NewSource:
    url = f"https://{number}.example/feed"
    return NewSource(type="rss", name=f"Feed {number}", config={"url": url}, host=f"{number}")


async def poll(
    database: Database,
    source_id: SourceId,
    outcome: Outcome,
    *,
    failures: int = 0,
    backoff: timedelta | None = None,
    paused: str | None = None,
) -> None:
    """One poll at NOON that ends in *outcome*, with the decision given."""
    claim = await PollQueue(database, types=BUILT_IN).claim_one(source_id, ORDER)
    assert claim
    next_poll = NextPoll(
        at=None if paused else NOON + (backoff or HOUR),
        because=BECAUSE,
        mode=Mode.FIXED,
        backoff_until=NOON + backoff if backoff else None,
    )
    decision = PollDecision(
        rhythm=Rhythm(fail_count=failures), next_poll=next_poll, paused_because=paused
    )

    def decide(_found: PollFindings) -> PollDecision:
        return decision

    await PollFinisher(database).finish(
        PollRecord(
            claim=claim,
            outcome=outcome,
            started_at=NOON,
            finished_at=NOON,
            worker="test",
            decide=decide,
        )
    )


async def statuses(database: Database) -> dict[str, Status]:
    states = await SourceStates(database).states()
    return {each.source.name: each.status(NOON) for each in states}


BROKEN = Failed(reason=Reason.BROKEN, detail="the server answered 500")
NO_LOGIN = Failed(reason=Reason.AUTH_REQUIRED, detail="the server answered 401", status=401)


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


async def test_a_standing_tells_when_why_and_what_went_wrong(database: Database) -> None:
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


async def test_a_resumed_source_is_as_new_and_due_at_once(database: Database) -> None:
    """(S001-9)."""
    source = await SourceStore(database).add(feed(1), now=NOON)
    await poll(database, source.id, BROKEN, failures=5, backoff=HOUR, paused="errors")
    admin, schedule = SourceStates(database), PollQueue(database, types=BUILT_IN)
    before = await schedule.claim_due(ORDER)

    await admin.resume([source.id, source.id], BUILT_IN, now=NOON)

    [state] = await admin.states()
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

    resumed = await SourceStates(database).resume_failed(BUILT_IN, now=NOON)

    claims = await schedule.claim_due(ORDER)
    assert resumed == [source.id]
    assert [claim.source.id for claim in claims] == [source.id]


async def test_an_unknown_id_resumes_nothing_at_all(database: Database) -> None:
    source = await SourceStore(database).add(feed(1), now=NOON)
    await poll(database, source.id, BROKEN, failures=5, paused="errors")
    admin = SourceStates(database)

    with pytest.raises(NotFoundError, match="no source 98, 99"):
        await admin.resume([source.id, SourceId(98), SourceId(99)], BUILT_IN, now=NOON)

    [state] = await admin.states()
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
    admin = SourceStates(database)

    resumed, again = [await admin.resume_failed(BUILT_IN, now=NOON) for _ in range(2)]

    assert (resumed, again) == ([sources[0].id, sources[1].id], [])
    assert (await statuses(database))["Feed 2"] is Status.PAUSED


async def test_many_are_added_at_once_and_what_is_there_is_left_out(database: Database) -> None:
    store, admin = SourceStore(database), SourceStates(database)
    await store.add(feed(0), now=NOON)
    new = [feed(number) for number in range(700)]

    ids = await admin.add_many([*new, feed(1)], now=NOON)

    assert set(ids) == {each.identity for each in new[1:]}
    assert len(await store.list()) == 700
    assert dict((await store.get(ids[new[7].identity])).config) == new[7].config


async def test_known_keys_outlive_their_items(database: Database) -> None:
    """(settled 5): `source check` says "known" for what a poll would not store again."""
    source = await SourceStore(database).add(feed(1), now=NOON)
    drafts = tuple(Draft(title=str(n), url=f"https://1.example/{n}") for n in range(3))
    await poll(database, source.id, Fetched(drafts=drafts[:2]))
    await execute(database, "DELETE FROM raw_items")
    keys = [f"{source.id}:{draft.url}" for draft in drafts]

    known = await SourceStates(database).known_keys(source.id, [*keys, *map(str, range(600))])

    assert known == set(keys[:2])
    assert await SourceStates(database).known_keys(source.id, []) == set()


async def test_deleted_sources_are_neither_listed_nor_resumed(database: Database) -> None:
    source = await SourceStore(database).add(feed(1), now=NOON)
    await execute(
        database, "UPDATE sources SET is_deleted = 1, is_active = 0, paused_because = 'errors'"
    )
    admin = SourceStates(database)

    with pytest.raises(NotFoundError):
        await admin.resume([source.id], BUILT_IN, now=NOON)

    assert await admin.states() == []
    assert await admin.resume_failed(BUILT_IN, now=NOON) == []


def test_a_poll_that_lies_behind_is_no_back_off() -> None:
    """The date is compared with now, not merely present."""
    from clawfeed.domain.sources.source import Source
    from clawfeed.storage.sources.source_states import SourceState

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

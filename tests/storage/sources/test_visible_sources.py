"""Sources as one person sees and changes them, on both databases."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from datetime import timedelta

import pytest

from clawfeed.domain.because import Because, Rule
from clawfeed.domain.errors import (
    InvalidInputError,
    LeaseLostError,
    NotAllowedError,
    NotFoundError,
)
from clawfeed.domain.ids import SourceId, UserId
from clawfeed.domain.schedule.schedule import Mode, NextPoll, PollDecision, PollFindings, Rhythm
from clawfeed.domain.sources.source import Fetched
from clawfeed.sources.source_types.built_in import BUILT_IN
from clawfeed.storage.database import Database, execute
from clawfeed.storage.polling.host_queue import ClaimRequest
from clawfeed.storage.polling.poll_history import latest_polls
from clawfeed.storage.polling.poll_queue import PollQueue
from clawfeed.storage.polling.poll_results import PollFinisher, PollRecord
from clawfeed.storage.source_changes.source_changes import SourceChanges, SourceExists, SourceStored
from clawfeed.storage.sources.source_row import SourceRow
from clawfeed.storage.sources.source_status import SourceStates
from clawfeed.storage.sources.sources import NewSource, SourceStore
from clawfeed.storage.sources.visible_sources import SourceFilter, SourceScope, VisibleSources
from clawfeed.storage.timestamps import ONE_SECOND
from tests.support.api_callers import ANNA, BEN, add_people
from tests.support.clocks import NOON

HOUR = timedelta(hours=1)
ORDER = ClaimRequest(now=NOON, limit=10, lease=timedelta(minutes=5), worker="test")


def feed(name: str, *, owner: UserId | None = None, **other: str) -> NewSource:
    return NewSource(
        type=other.get("type", "rss"),
        name=name,
        config={"url": f"https://{name}.example/feed?token=hidden"},
        host=f"{name}.example",
        is_public=owner is None,
        created_by=owner,
    )


@pytest.fixture
async def sources(database: Database) -> VisibleSources:
    """Two public ones (1, 2), Anna's (3), Ben's (4), and a deleted one (5)."""
    await add_people(database)
    store = SourceStore(database)
    for new in (
        feed("harbour"),
        feed("100%_Sure", type="twitter_account"),
        feed("annas", owner=ANNA),
        feed("bens", owner=BEN),
        feed("gone"),
    ):
        await store.add(new, now=NOON)
    await execute(database, "UPDATE sources SET is_deleted = 1 WHERE id = 5")
    for user, source in ((ANNA, 1), (BEN, 1), (ANNA, 3), (ANNA, 4), (ANNA, 5)):
        await execute(
            database,
            "INSERT INTO user_subscriptions (user_id, source_id, created_at) VALUES (:u, :s, 0)",
            {"u": user, "s": source},
        )
    return VisibleSources(database, BUILT_IN)


def ids(lines: list[SourceRow]) -> list[int]:
    return [row.id for row in lines]


@pytest.mark.parametrize(
    ("viewer", "wish", "expected"),
    [
        (None, SourceFilter(), [1, 2]),
        (ANNA, SourceFilter(), [1, 2, 3]),
        (BEN, SourceFilter(), [1, 2, 4]),
        (ANNA, SourceFilter(which=SourceScope.PUBLIC), [1, 2]),
        (ANNA, SourceFilter(which=SourceScope.OWN), [3]),
        # A subscription does not show what is somebody else's, nor what was deleted.
        (ANNA, SourceFilter(which=SourceScope.SUBSCRIBED), [1, 3]),
        (None, SourceFilter(which=SourceScope.OWN), []),
        (ANNA, SourceFilter(text="HARB"), [1]),
        (ANNA, SourceFilter(text="bens"), []),
        (ANNA, SourceFilter(text="%"), [2]),
        (ANNA, SourceFilter(text="_"), [2]),
        (ANNA, SourceFilter(text="100%_s"), [2]),
        # The config is never searched: it may hold secrets.
        (ANNA, SourceFilter(text="hidden"), []),
        (ANNA, SourceFilter(type="twitter-feed"), [2]),
        (ANNA, SourceFilter(type="RSS"), [1, 3]),
        (ANNA, SourceFilter(limit=1, after=1), [2]),
        (ANNA, SourceFilter(after=1), [2, 3]),
    ],
)
async def test_what_a_person_may_see_and_wishes_for_is_listed(
    sources: VisibleSources, viewer: UserId | None, wish: SourceFilter, expected: list[int]
) -> None:
    """(T13, T18)."""
    assert ids(await sources.list(viewer, wish)) == expected


async def test_subscribers_are_counted_and_the_viewer_told_apart(sources: VisibleSources) -> None:
    [of_anna, *_] = await sources.list(ANNA, SourceFilter())
    [of_stranger, *_] = await sources.list(None, SourceFilter())

    assert (of_anna.subscribers, of_anna.is_subscribed, of_anna.other_subscribers) == (2, 1, 1)
    assert (of_stranger.subscribers, of_stranger.is_subscribed) == (2, 0)


async def test_a_foreign_private_source_is_not_there(sources: VisibleSources) -> None:
    assert (await sources.get(SourceId(4), BEN)).name == "bens"

    for viewer, source_id in ((ANNA, 4), (None, 4), (ANNA, 5), (ANNA, 404)):
        with pytest.raises(NotFoundError, match=f"no source {source_id}"):
            await sources.get(SourceId(source_id), viewer)


async def test_the_status_is_the_one_operators_see(
    database: Database, sources: VisibleSources
) -> None:
    """Two ways to the same word, by the stored code: an error's words decide nothing again."""
    login = json.dumps({"message": "401", "at": "", "reason": "auth_required"})
    for sql in (
        "UPDATE sources SET is_active = 0, paused_because = 'errors' WHERE id = 1",
        f"UPDATE sources SET last_error = '{login}' WHERE id = 2",
        "UPDATE sources SET is_active = 0, paused_because = 'person' WHERE id = 3",
        "UPDATE sources SET last_error = 'login expired' WHERE id = 4",
    ):
        await execute(database, sql)
    await PollQueue(database, types=BUILT_IN).claim_one(SourceId(4), ORDER)
    await execute(
        database,
        "UPDATE source_stats SET backoff_until = :at",
        {"at": (NOON + HOUR).timestamp()},
    )

    seen = {each.source.id: each.status(NOON) for each in await SourceStates(database).states()}
    lines = await sources.list(ANNA, SourceFilter()) + [await sources.get(SourceId(4), BEN)]

    assert {row.id: row.status(NOON.timestamp()) for row in lines} == seen
    assert [str(status) for status in seen.values()] == [
        "paused_by_error",
        "auth_required",
        "paused",
        "backing_off",
    ]


@pytest.mark.usefixtures("sources")
async def test_the_same_thing_is_found_and_not_stored_again(database: Database) -> None:
    """(S001-17): among what is public and one's own; an alias is the same type."""
    changes = SourceChanges(database, BUILT_IN)
    public = replace(feed("100%_Sure"), type="twitter_feed", name="other", is_public=False)

    for new, owner, twin in (
        (public, ANNA, 2),
        (feed("annas", owner=ANNA), ANNA, 3),
        (replace(feed("annas"), is_public=True), ANNA, 3),
    ):
        result = await changes.add(new, owner, most=9, now=NOON)
        assert isinstance(result, SourceExists)
        assert result.row.id == twin
    of_ben = await changes.add(feed("annas", owner=BEN), BEN, most=9, now=NOON)

    assert isinstance(of_ben, SourceStored)
    assert (of_ben.row.created_by, of_ben.row.is_public) == (BEN, 0)


async def test_nobody_gets_more_than_their_share_even_at_once(database: Database) -> None:
    """(T26): at the limit and one more; deleted ones do not count."""
    await add_people(database)
    changes = SourceChanges(database, BUILT_IN)

    results = await asyncio.gather(
        *(changes.add(feed(f"n{n}", owner=ANNA), ANNA, most=3, now=NOON) for n in range(6)),
        return_exceptions=True,
    )
    stored = [each for each in results if isinstance(each, SourceStored)]
    await changes.delete(stored[0].row.id, ANNA, lambda _: None, now=NOON)
    again = await changes.add(feed("n9", owner=ANNA), ANNA, most=3, now=NOON)

    assert len(stored) == 3
    assert sum(isinstance(each, NotAllowedError) for each in results) == 3
    assert isinstance(again, SourceStored)


async def test_what_was_deleted_can_be_added_again(
    database: Database, sources: VisibleSources
) -> None:
    changes = SourceChanges(database, BUILT_IN)
    await changes.delete(SourceId(3), ANNA, lambda _: None, now=NOON)

    result = await changes.add(feed("annas", owner=ANNA), ANNA, most=9, now=NOON)

    assert isinstance(result, SourceStored)
    assert result.row.id != 3
    with pytest.raises(NotFoundError):
        await sources.get(SourceId(3), ANNA)
    assert ids(await sources.list(ANNA, SourceFilter(which=SourceScope.SUBSCRIBED))) == [1, 6]


async def test_a_rule_that_says_no_leaves_no_trace(
    database: Database, sources: VisibleSources
) -> None:
    def no(_line: SourceRow) -> None:
        raise NotAllowedError("no")

    changes = SourceChanges(database, BUILT_IN)
    for act in (changes.delete, changes.pause, changes.poll_soon):
        with pytest.raises(NotAllowedError):
            await act(SourceId(3), ANNA, no, now=NOON)

    assert (await sources.get(SourceId(3), ANNA)).is_active == 1


@pytest.mark.usefixtures("sources")
async def test_a_poll_of_the_old_config_does_not_count_for_the_new_one(database: Database) -> None:
    """Its cursor belongs to another address: the fence drops it."""
    claim = await PollQueue(database, types=BUILT_IN).claim_one(SourceId(3), ORDER)
    assert claim
    await execute(database, 'UPDATE sources SET cursor = \'{"etag":"old"}\' WHERE id = 3')
    new = replace(feed("annas", owner=ANNA), config={"url": "https://new.example/"})

    await SourceChanges(database, BUILT_IN).update(SourceId(3), ANNA, lambda _: new, now=NOON)

    def decide(_found: PollFindings) -> PollDecision:
        poll = NextPoll(at=NOON + HOUR, because=Because(Rule.ASKED), mode=Mode.FIXED)
        return PollDecision(rhythm=Rhythm(), next_poll=poll)

    late = PollRecord(
        claim=claim,
        outcome=Fetched(drafts=(), cursor={"etag": "late"}),
        started_at=NOON,
        finished_at=NOON,
        worker="test",
        decide=decide,
    )
    with pytest.raises(LeaseLostError):
        await PollFinisher(database).finish(late)
    assert (await SourceStore(database).get(SourceId(3))).cursor == {}
    again = {
        each.source.id: each.source
        for each in await PollQueue(database, types=BUILT_IN).claim_due(ORDER)
    }
    assert again[SourceId(3)].config == {"url": "https://new.example/"}


@pytest.mark.usefixtures("sources")
async def test_another_interval_is_no_other_place(database: Database) -> None:
    await execute(database, 'UPDATE sources SET cursor = \'{"etag":"1"}\' WHERE id = 3')
    old = feed("annas", owner=ANNA)
    new = replace(old, config={**old.config, "fetch_interval_minutes": 30})

    await SourceChanges(database, BUILT_IN).update(SourceId(3), ANNA, lambda _: new, now=NOON)

    assert (await SourceStore(database).get(SourceId(3))).cursor == {"etag": "1"}


async def planned(database: Database, source_id: int, *, backoff: timedelta | None = None) -> None:
    """A source that was polled, and is due in an hour."""
    await PollQueue(database, types=BUILT_IN).claim_one(SourceId(source_id), ORDER)
    await execute(
        database,
        "UPDATE source_stats SET lease_until = NULL, next_due_at = :due, backoff_until = :off "
        "WHERE source_id = :id",
        {
            "due": (NOON + HOUR).timestamp(),
            "off": (NOON + backoff).timestamp() if backoff else None,
            "id": source_id,
        },
    )


async def claimed(database: Database) -> set[int]:
    return {claim.source.id for claim in await PollQueue(database, types=BUILT_IN).claim_due(ORDER)}


@pytest.mark.usefixtures("sources")
async def test_a_poll_that_was_asked_for_is_due_at_once(database: Database) -> None:
    """Whatever its date and its back-off; also for rows of an older system without a plan."""
    await execute(database, "UPDATE sources SET is_active = 0 WHERE id IN (2, 4)")
    await execute(
        database,
        "UPDATE sources SET last_fetched_at = :at WHERE id = 1",
        {"at": (NOON - HOUR).timestamp()},
    )
    await planned(database, 3, backoff=2 * HOUR)
    schedule = PollQueue(database, lambda _: timedelta(hours=4), types=BUILT_IN)
    assert await schedule.claim_due(ORDER) == []

    for source_id in (1, 3):
        soon = await SourceChanges(database, BUILT_IN).poll_soon(
            SourceId(source_id), ANNA, lambda _: None, now=NOON
        )
        state = await SourceStates(database).state(SourceId(source_id))
        assert (soon.at, soon.because) == (NOON - ONE_SECOND, Because(Rule.ASKED))
        assert (state.next_poll, state.because) == (soon.at, soon.because)

    assert {claim.source.id for claim in await schedule.claim_due(ORDER)} == {1, 3}


@pytest.mark.usefixtures("sources")
async def test_a_poll_that_was_asked_for_waits_for_a_host_that_rests(database: Database) -> None:
    """(S001-10): a fetch-now never overrides a cool-down, and the back-off stays."""
    await execute(database, "UPDATE sources SET is_active = 0 WHERE id <> 3")
    await planned(database, 3, backoff=2 * HOUR)
    await execute(
        database,
        "INSERT INTO host_cooldowns (host, until, because) VALUES ('annas.example', :at, 'asked')",
        {"at": (NOON + HOUR).timestamp()},
    )

    soon = await SourceChanges(database, BUILT_IN).poll_soon(
        SourceId(3), ANNA, lambda _: None, now=NOON
    )

    assert (soon.at, soon.because) == (NOON + 2 * HOUR, Because(Rule.ASKED_HOST_RESTS))
    # What is told now is what `GET` tells later: one date, one reason.
    state = await SourceStates(database).state(SourceId(3))
    assert (state.next_poll, state.because) == (soon.at, soon.because)
    assert await claimed(database) == set()


@pytest.mark.usefixtures("sources")
async def test_a_server_that_said_too_often_is_not_asked_sooner(database: Database) -> None:
    error = json.dumps({"message": "HTTP 429", "at": "", "reason": "busy"})
    await execute(database, "UPDATE sources SET is_active = 0 WHERE id <> 3")
    await execute(database, f"UPDATE sources SET last_error = '{error}' WHERE id = 3")
    await planned(database, 3, backoff=2 * HOUR)

    soon = await SourceChanges(database, BUILT_IN).poll_soon(
        SourceId(3), ANNA, lambda _: None, now=NOON
    )

    assert soon.at == NOON + 2 * HOUR
    assert await claimed(database) == set()


@pytest.mark.usefixtures("sources")
async def test_a_paused_source_is_not_polled_because_somebody_asks(database: Database) -> None:
    changes = SourceChanges(database, BUILT_IN)
    row = await changes.pause(SourceId(3), ANNA, lambda _: None, now=NOON)

    with pytest.raises(InvalidInputError, match="source 3 is paused; resume it first"):
        await changes.poll_soon(SourceId(3), ANNA, lambda _: None, now=NOON)

    assert (row.is_active, row.paused_because) == (0, "person")


@pytest.mark.usefixtures("sources")
async def test_who_was_paused_by_a_person_says_so_and_one_paused_by_errors_stays_so(
    database: Database,
) -> None:
    await planned(database, 3)
    await planned(database, 1)
    await execute(
        database,
        "UPDATE sources SET is_active = 0, paused_because = 'errors' WHERE id = 1",
    )
    before = await SourceStates(database).state(SourceId(1))

    for source_id in (SourceId(3), SourceId(1)):
        await SourceChanges(database, BUILT_IN).pause(source_id, ANNA, lambda _: None, now=NOON)

    by_person = await SourceStates(database).state(SourceId(3))
    by_errors = await SourceStates(database).state(SourceId(1))
    assert by_person.because == Because(Rule.PAUSED_PERSON)
    assert by_errors.because == before.because


@pytest.mark.usefixtures("sources")
async def test_a_log_is_read_newest_first_and_in_parts(database: Database) -> None:
    for minute in (0, 1, 1, 2):
        await execute(
            database,
            "INSERT INTO fetch_log (source_id, started_at, finished_at, outcome, worker) "
            "VALUES (1, :at, :at, 'new', 'w')",
            {"at": (NOON + timedelta(minutes=minute)).timestamp()},
        )

    first = await latest_polls(database, SourceId(1), limit=2)
    before = (first[-1].started_at, first[-1].id)
    rest = await latest_polls(database, SourceId(1), limit=9, before=before)

    assert [poll.id for poll in first] == [4, 3]
    assert [poll.id for poll in rest] == [2, 1]

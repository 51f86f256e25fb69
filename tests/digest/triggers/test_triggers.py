"""Which editions there are at a moment, and for whom (S002-1, S002-13, S001-19, settled 12)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta

import pytest

from clawfeed.digest.driver.driver import action_of
from clawfeed.digest.edition_config import EditionConfig
from clawfeed.digest.edition_lists.list_maker import ItemListMaker
from clawfeed.digest.triggers.reader_editions import MOST_A_DAY
from clawfeed.digest.triggers.triggers import EditionTriggers
from clawfeed.domain.editions.edition import SYSTEM_SCOPE, ArticleState, EditionTask, TaskState
from clawfeed.domain.editions.edition_decision import StartBatch, after_step
from clawfeed.domain.editions.edition_list import EditionList
from clawfeed.domain.editions.edition_period import EditionType
from clawfeed.domain.editions.edition_scope import LEAD_TIME, ReaderSettings
from clawfeed.domain.errors import QuotaError, StorageError
from clawfeed.domain.ids import SourceId, UserId
from clawfeed.storage.database import Database, execute
from clawfeed.storage.digests.digests import DigestStore
from clawfeed.storage.editions.edition_articles import article_counts, start_batch
from clawfeed.storage.editions.edition_claims import EDITION_TABLES, EditionClaims
from clawfeed.storage.editions.edition_readers import readers_of
from clawfeed.storage.editions.edition_scopes import ReaderScopes, scope_named
from clawfeed.storage.editions.editions import EditionStore
from clawfeed.storage.editions.reader_queue import DueReader
from clawfeed.storage.editions.stories import known_stories
from tests.support.api_callers import ADMIN, ANNA, BEN, add_people
from tests.support.clocks import NOON, FakeClock
from tests.support.edition_driving import HOLDER, Lists, Words, driver_of
from tests.support.items import add_item, add_source, subscribe

DAY, HOUR, MINUTE = timedelta(days=1), timedelta(hours=1), timedelta(minutes=1)
DAILY, WEEKLY = EditionType.DAILY, EditionType.WEEKLY


def triggers_of(
    database: Database,
    clock: FakeClock,
    *,
    config: EditionConfig | None = None,
    lists: Lists | None = None,
    words: Words | None = None,
    is_dead: Callable[[str], bool] = lambda _: False,
) -> EditionTriggers:
    driver = driver_of(database, lists=lists, words=words, clock=clock)
    return EditionTriggers(database, driver, config or EditionConfig(), clock, is_dead)


async def tasks(database: Database, scope: str | None = None) -> list[EditionTask]:
    found = reversed(await EditionStore(database).recent(limit=100))
    return [task for task in found if scope in (None, task.scope)]


async def settled_house(database: Database) -> int:
    """A house that has had an edition before: a public source with an item."""
    source = await add_source(database, "a")
    await add_item(database, source, "first", at=NOON - HOUR)
    return source


async def test_every_day_has_its_edition_and_the_old_one_blocks_nobody(database: Database) -> None:
    """(S002-1, S002-13)."""
    await settled_house(database)
    clock = FakeClock()
    triggers = triggers_of(database, clock)
    await triggers.trigger()
    await triggers.trigger()

    clock.now = datetime(2026, 11, 16, 0, 0, tzinfo=UTC)
    await triggers.trigger()

    old, new = await tasks(database)
    assert (old.period, old.state, old.archived_from) == (
        "2026-11-15",
        TaskState.ARCHIVED,
        TaskState.PROCESSING,
    )
    assert (new.period, new.state) == ("2026-11-16", TaskState.LIST_FETCHED)
    assert (new.covers_from, new.covers_until) == (clock.now - DAY, clock.now)


async def test_the_first_edition_tells_of_what_is_there(database: Database) -> None:
    """Who begins to read need not wait for tomorrow."""
    clock, triggers = FakeClock(), triggers_of(database, FakeClock())
    nothing = await triggers.trigger()
    await settled_house(database)

    await triggers_of(database, clock).trigger()

    assert nothing == []
    [task] = await tasks(database)
    assert (task.covers_from, task.covers_until) == (NOON - DAY, NOON)


async def test_what_was_missed_is_made_up_for_the_last_period_only(database: Database) -> None:
    """(F15): the house was dark for four days."""
    await settled_house(database)
    clock = FakeClock()
    lists = Lists()
    for _ in range(6):
        await triggers_of(database, clock, lists=lists).trigger()
    clock.advance(4 * DAY)

    await triggers_of(database, clock, lists=lists).trigger()

    assert [task.period for task in await tasks(database)] == ["2026-11-15", "2026-11-19"]


async def test_a_clock_that_goes_back_makes_no_second_edition(database: Database) -> None:
    """(F15, I6)."""
    await settled_house(database)
    clock = FakeClock()
    triggers = triggers_of(database, clock)
    for _ in range(8):
        await triggers.trigger()

    clock.advance(-5 * HOUR)
    again = await triggers.trigger()
    clock.advance(5 * HOUR)
    for _ in range(3):
        await triggers.trigger()

    assert again == []
    [task] = await tasks(database)
    assert task.state is TaskState.PUBLISHED
    assert len(await DigestStore(database).list(None, limit=10)) == 1


@pytest.mark.parametrize(
    ("zone", "before", "after", "hours"),
    [
        # The clock goes forward at 02:00, and back at 03:00.
        ("Europe/Berlin", "2026-03-29T21:59:59Z", "2026-03-29T22:00:00Z", 23),
        ("Europe/Berlin", "2026-10-25T22:59:59Z", "2026-10-25T23:00:00Z", 25),
        # No daylight saving; and midnight itself is skipped.
        ("Asia/Shanghai", "2026-11-15T15:59:59Z", "2026-11-15T16:00:00Z", 24),
        ("America/Santiago", "2026-09-06T03:59:59Z", "2026-09-06T04:00:00Z", 24),
    ],
)
async def test_midnight_is_the_zones_own(
    database: Database, zone: str, before: str, after: str, hours: int
) -> None:
    """(S002-13, settled 10): with and without daylight saving."""
    source = await add_source(database, "a")
    clock = FakeClock(datetime.fromisoformat(before))
    await add_item(database, source, "first", at=clock.now - HOUR)
    triggers = triggers_of(database, clock, config=EditionConfig(zone=zone))
    for _ in range(8):
        await triggers.trigger()

    clock.now = datetime.fromisoformat(after)
    await triggers.trigger()

    yesterday, today = await tasks(database)
    assert yesterday.period < today.period
    assert today.covers_until == clock.now
    assert today.covers_until - today.covers_from == hours * HOUR


async def test_a_failing_edition_stops_no_other(database: Database) -> None:
    """(S002-15)."""
    await settled_house(database)
    lists = Lists(fault=StorageError("no"))
    config = EditionConfig(edition_types=(DAILY, EditionType.FOUR_HOURS))

    reports = await triggers_of(database, FakeClock(), config=config, lists=lists).trigger()

    assert sorted(report.error for report in reports) == ["", "no"]
    states = {task.state for task in await tasks(database)}
    assert states == {TaskState.INIT, TaskState.LIST_FETCHED}


async def test_a_weekly_edition_waits_for_dailies(database: Database) -> None:
    await settled_house(database)
    clock = FakeClock()
    triggers = triggers_of(database, clock, config=EditionConfig(edition_types=(DAILY, WEEKLY)))
    for _ in range(8):
        await triggers.trigger()
    without = [task.type for task in await tasks(database)]

    clock.now = datetime(2026, 11, 16, 1, 0, tzinfo=UTC)
    await triggers.trigger()

    assert without == [DAILY]
    assert {task.type for task in await tasks(database)} == {DAILY, WEEKLY}


async def test_a_monthly_edition_is_made_from_weeklies_alone(database: Database) -> None:
    """(S001-19): dailies are not enough; what lasted a month was in its weeks."""
    await settled_house(database)
    clock, monthly = FakeClock(), EditionType.MONTHLY
    december = datetime(2026, 12, 1, 1, 0, tzinfo=UTC)
    found = []
    for types in ((DAILY,), (DAILY, WEEKLY)):
        clock.now = NOON if types == (DAILY,) else datetime(2026, 11, 16, 1, 0, tzinfo=UTC)
        for _ in range(8):
            await triggers_of(database, clock, config=EditionConfig(edition_types=types)).trigger()
        clock.now = december
        config = EditionConfig(edition_types=(monthly,))
        found.append(await triggers_of(database, clock, config=config).system_task(monthly))

    without, made = found
    assert without is None
    assert made is not None
    assert made.period == "2026-12"


async def test_claims_of_a_dead_worker_are_taken_back_at_once(database: Database) -> None:
    """(S002-10): nobody waits fifteen minutes for a process that is gone."""
    await settled_house(database)
    clock = FakeClock()
    await triggers_of(database, clock).plan_system()
    [task] = await tasks(database)
    assert await EditionClaims(database).claim(task.id, HOLDER)

    held = await triggers_of(database, clock).trigger()
    freed = await triggers_of(database, clock, is_dead=lambda name: name == "another").trigger()

    assert [report.after.state for report in held] == [TaskState.INIT]
    assert [report.after.state for report in freed] == [TaskState.LIST_FETCHED]


async def test_a_batch_of_a_lost_future_is_freed_by_the_next_trigger(database: Database) -> None:
    """(S002-10, F15): its leases end a day from now, for the database's clock went back since."""
    await settled_house(database)
    clock = FakeClock()
    await triggers_of(database, clock).trigger()
    [task] = await tasks(database)
    held = await EditionClaims(database).claim(task.id, HOLDER)
    assert held
    step = StartBatch(index=1, size=3)
    after, dialect = after_step(held, step, NOON), database.dialect
    await database.run(lambda: start_batch(held, after, step, HOLDER, dialect, now=NOON))
    for leased in EDITION_TABLES:
        await execute(
            database, f"UPDATE {leased.table} SET lease_until = lease_until + {DAY.total_seconds()}"
        )

    reports = await triggers_of(database, clock).trigger()

    assert [action_of(report.step) for report in reports] == ["start_batch"]
    counts = await article_counts(database, task.id)
    assert (counts[ArticleState.PROCESSING], counts[ArticleState.COMPLETED]) == (0, 3)


# Readers' own editions


async def two_readers(database: Database) -> list[SourceId]:
    """Anna and Ben follow the same two public sources."""
    await add_people(database)
    sources = [await add_source(database, name) for name in ("a", "b")]
    for source in sources:
        await add_item(database, source, f"of {source}", at=NOON - HOUR)
        for reader in (ANNA, BEN):
            await subscribe(database, reader, source)
    return sources


async def of_readers(database: Database) -> list[EditionTask]:
    return [task for task in await tasks(database) if task.scope != SYSTEM_SCOPE]


async def test_equal_sets_share_one_edition_and_both_may_read_it(database: Database) -> None:
    """(S001-19): one list, one bill."""
    await two_readers(database)
    lists = Lists()

    await triggers_of(database, FakeClock(), lists=lists).trigger_readers()

    [task] = await of_readers(database)
    assert task.state is TaskState.PUBLISHED
    assert await readers_of(database, task.id) == [ANNA, BEN]
    assert len(lists.fetched) == 1
    [digest] = [d for d in await DigestStore(database).list(BEN, limit=10) if not d.is_systems]
    scope = await scope_named(database, task.scope)
    assert scope is not None
    assert digest.subscription_hash == scope.subscription_hash
    assert await DigestStore(database).get(digest.id, ADMIN) is None
    assert await DigestStore(database).get(digest.id, None) is None


async def test_readers_editions_have_batches_of_the_size_that_was_set(database: Database) -> None:
    """(S002-5): `TASK_BATCH_SIZE` is for every edition."""
    await two_readers(database)

    await triggers_of(database, FakeClock(), config=EditionConfig(batch_size=2)).trigger()

    assert {task.batch_size for task in await tasks(database)} == {2}


async def test_readers_of_other_languages_share_no_edition(database: Database) -> None:
    """(S001-19): each is written in the language its readers asked for."""
    await two_readers(database)
    await execute(
        database,
        "INSERT INTO reader_settings (user_id, language, updated_at) VALUES (:u, 'zh', 0)",
        {"u": ANNA},
    )

    await triggers_of(database, FakeClock()).trigger_readers()

    found = {
        tuple(await readers_of(database, task.id)): task.language
        for task in await of_readers(database)
    }
    assert found == {(ANNA,): "zh", (BEN,): "en"}


async def test_interests_make_a_set_of_their_own(database: Database) -> None:
    await two_readers(database)
    await execute(
        database,
        "INSERT INTO interests (user_id, kind, text, created_at) VALUES (:u, 'word', 'rust', 0)",
        {"u": ANNA},
    )

    await triggers_of(database, FakeClock()).trigger_readers()

    found = {tuple(await readers_of(database, t.id)): t.scope for t in await of_readers(database)}
    assert found[ANNA,] == f"reader-{ANNA}"
    assert found[BEN,].startswith("set-")


async def test_a_private_source_is_in_nobody_elses_set(database: Database) -> None:
    """(T18): Ben followed it while it was public; now it is Anna's alone."""
    await two_readers(database)
    private = await add_source(database, "p", owner=ANNA, is_public=False)
    for reader in (ANNA, BEN):
        await subscribe(database, reader, private)

    await triggers_of(database, FakeClock()).trigger_readers()

    scopes = {
        tuple(await readers_of(database, task.id)): await scope_named(database, task.scope)
        for task in await of_readers(database)
    }
    anna, ben = scopes[ANNA,], scopes[BEN,]
    assert anna
    assert ben
    assert private in anna.sources
    assert anna.has_private_source
    assert private not in ben.sources


async def test_a_readers_edition_is_there_at_the_hour_it_was_promised_for(
    database: Database,
) -> None:
    """Begun ten minutes earlier, in the reader's zone, and run to its end by one trigger."""
    await two_readers(database)
    await execute(
        database,
        "INSERT INTO reader_settings (user_id, zone, edition_time, updated_at) "
        "VALUES (:u, 'Asia/Shanghai', '07:30', 0)",
        {"u": ANNA},
    )
    clock = FakeClock()
    triggers = triggers_of(database, clock)
    await triggers.trigger_readers()
    scopes = ReaderScopes(database, ReaderSettings())

    due = await triggers.next_due()
    clock.now = datetime(2026, 11, 15, 23, 20, tzinfo=UTC)
    reports = await triggers.trigger_readers()

    assert due == clock.now
    *_, last = (report.after for report in reports if report.after.type is DAILY)
    assert last.state is TaskState.PUBLISHED
    assert (last.period, last.zone) == ("2026-11-16", "Asia/Shanghai")
    assert (await scopes.settings(ANNA)).edition_time == time(7, 30)
    assert timedelta(minutes=10) == LEAD_TIME


async def test_who_follows_one_source_more_is_not_told_everything_again(
    database: Database,
) -> None:
    await two_readers(database)
    clock = FakeClock()
    await triggers_of(database, clock).trigger_readers()
    more = await add_source(database, "c")
    await subscribe(database, ANNA, more)
    clock.advance(DAY)

    await triggers_of(database, clock).trigger_readers()

    *_, last = [t for t in await of_readers(database) if await readers_of(database, t.id) == [ANNA]]
    known = await known_stories(database, last.scope, since=NOON - DAY)
    assert {story.title for story in known} >= {"story 1", "story 2", "story 3"}


async def test_who_left_a_private_source_takes_none_of_its_headlines_into_a_shared_set(
    database: Database,
) -> None:
    """(T18): the set is Ben's as well."""
    sources = await two_readers(database)
    private = await add_source(database, "p", owner=ANNA, is_public=False)
    await subscribe(database, ANNA, private)
    clock = FakeClock()
    await triggers_of(database, clock).trigger_readers()
    third = await add_source(database, "c")
    for reader in (ANNA, BEN):
        await subscribe(database, reader, third)
    await execute(database, "DELETE FROM user_subscriptions WHERE source_id = :p", {"p": private})
    # Anna's is made first, so that the set begins with her.
    await execute(
        database,
        "UPDATE reader_editions SET next_due_at = :later WHERE user_id = :u",
        {"u": BEN, "later": (NOON + DAY + HOUR).timestamp()},
    )
    clock.advance(DAY)

    scopes = ReaderScopes(database, ReaderSettings())
    scope = await scopes.scope(ANNA)
    await triggers_of(database, clock, lists=Lists(stories=0)).trigger_readers()

    assert set(scope.sources) == {*sources, third}
    anna_first = await known_stories(database, scope.name, since=NOON - 9 * DAY)
    told_before = {story.title for story in anna_first}
    assert told_before == set()


async def test_what_was_private_stays_so_when_a_reader_gives_up_their_own_set(
    database: Database,
) -> None:
    """(T18): Anna leaves her private source first and her interests a day later."""
    sources = await two_readers(database)
    third = await add_source(database, "c")
    private = await add_source(database, "p", owner=ANNA, is_public=False)
    for source in (private, third):
        await subscribe(database, ANNA, source)
    await execute(
        database,
        "INSERT INTO interests (user_id, kind, text, created_at) VALUES (:u, 'word', 'rust', 0)",
        {"u": ANNA},
    )
    clock = FakeClock()
    await triggers_of(database, clock).trigger_readers()
    await execute(database, "DELETE FROM user_subscriptions WHERE source_id = :p", {"p": private})
    clock.advance(DAY)
    await triggers_of(database, clock, lists=Lists(stories=0)).trigger_readers()
    await execute(database, "DELETE FROM interests", {})
    clock.advance(DAY)

    await triggers_of(database, clock, lists=Lists(stories=0)).trigger_readers()

    scope = await ReaderScopes(database, ReaderSettings()).scope(ANNA)
    assert set(scope.sources) == {*sources, third}
    assert await known_stories(database, scope.name, since=NOON - 9 * DAY) == []


async def test_a_source_that_becomes_private_meanwhile_shows_to_nobody_else(
    database: Database,
) -> None:
    """(T18): both were enrolled while it was public; then Anna, who owns it, kept it to herself."""
    sources = await two_readers(database)
    own = await add_source(database, "p", owner=ANNA)
    await add_item(database, own, "of Anna's own", at=NOON - HOUR)
    for reader in (ANNA, BEN):
        await subscribe(database, reader, own)
    triggers = triggers_of(database, FakeClock())
    shared = [await triggers.task_for(DueReader(id=reader, type=DAILY)) for reader in (ANNA, BEN)]
    await execute(database, "UPDATE sources SET is_public = 0 WHERE id = :p", {"p": own})
    again = await triggers.task_for(DueReader(id=ANNA, type=DAILY))

    assert again is not None
    assert [task.id if task else None for task in shared] == [again.id, again.id]
    found = await ItemListMaker(database, EditionConfig()).fetch(again)

    assert await readers_of(database, again.id) == [ANNA, BEN]
    assert found.sources == len(sources)
    assert "Anna" not in " ".join(story.title for story in found.stories)


async def test_a_clock_that_ran_ahead_freezes_no_reader(database: Database) -> None:
    """(F15): a month ahead for one trigger, then right again."""
    await two_readers(database)
    clock = FakeClock()
    clock.advance(30 * DAY)
    await triggers_of(database, clock).trigger_readers()
    clock.now = NOON

    await triggers_of(database, clock).trigger_readers()
    await triggers_of(database, clock).trigger_readers()

    periods = [task.period for task in await of_readers(database) if task.type is DAILY]
    assert sorted(periods) == ["2026-11-15", "2026-12-15"]
    assert await triggers_of(database, clock).next_due() == datetime(
        2026, 11, 16, 7, 20, tzinfo=UTC
    )


async def test_whoever_changes_their_hour_again_and_again_gets_no_edition_for_each(
    database: Database,
) -> None:
    """(T26): every hour is a scope of its own; what is there already may still be asked for."""
    await two_readers(database)
    clock = FakeClock()
    triggers, daily = triggers_of(database, clock), DueReader(id=ANNA, type=DAILY)

    async def ask(minute: int) -> EditionTask | None:
        await execute(
            database,
            "INSERT INTO reader_settings (user_id, edition_time, updated_at) VALUES (:u, :at, 0) "
            "ON CONFLICT (user_id) DO UPDATE SET edition_time = excluded.edition_time",
            {"u": ANNA, "at": f"06:{minute:02}"},
        )
        return await triggers.task_for(daily)

    begun = [await ask(minute) for minute in range(MOST_A_DAY)]
    with pytest.raises(QuotaError):
        await ask(MOST_A_DAY)
    again = await ask(0)
    bens = await triggers.task_for(DueReader(id=BEN, type=DAILY))
    clock.advance(DAY + MINUTE)
    tomorrows = await ask(MOST_A_DAY)

    assert len({task.id for task in begun if task}) == MOST_A_DAY
    assert again == begun[0]
    assert bens is not None
    assert tomorrows is not None


async def test_who_follows_nothing_that_brought_anything_waits(database: Database) -> None:
    await add_people(database)
    await subscribe(database, ANNA, await add_source(database, "a"))
    triggers = triggers_of(database, FakeClock())

    reports = await triggers.trigger_readers()

    assert reports == []
    assert await of_readers(database) == []
    assert await triggers.next_due() == NOON + timedelta(minutes=2)


async def test_twenty_triggers_at_once_make_each_edition_once(database: Database) -> None:
    """(I6, F17)."""
    await two_readers(database)
    clock, lists = FakeClock(), Lists()
    triggers = [triggers_of(database, clock, lists=lists) for _ in range(20)]

    await asyncio.gather(*(each.trigger() for each in triggers))
    for _ in range(6):
        await triggers[0].trigger()

    states = [(task.scope == SYSTEM_SCOPE, task.state) for task in await tasks(database)]
    assert sorted(states) == [(False, TaskState.PUBLISHED), (True, TaskState.PUBLISHED)]
    rows = await database.read("SELECT scope FROM digests")
    assert len(rows) == 2


async def test_a_disabled_reader_gets_nothing(database: Database) -> None:
    await two_readers(database)
    await execute(database, "UPDATE users SET disabled_at = 1 WHERE id = :u", {"u": BEN})

    await triggers_of(database, FakeClock()).trigger_readers()

    [task] = await of_readers(database)
    assert await readers_of(database, task.id) == [UserId(ANNA)]


async def test_one_reader_whose_edition_cannot_begin_stops_nobody_elses(
    database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    """(S002-15): the zone of one reader is in no table of zones any more."""
    await two_readers(database)
    await execute(
        database,
        "INSERT INTO reader_settings (user_id, zone, updated_at) VALUES (:u, 'Mars/Olympus', 0)",
        {"u": ANNA},
    )

    await triggers_of(database, FakeClock()).trigger_readers()

    [task] = await of_readers(database)
    assert task.state is TaskState.PUBLISHED
    assert await readers_of(database, task.id) == [BEN]
    told = [record for record in caplog.records if record.levelname == "ERROR"]
    assert {record.__dict__["reader"] for record in told} == {ANNA}
    assert all(record.exc_info for record in told)


async def test_all_who_want_theirs_at_one_hour_get_it_from_one_trigger(database: Database) -> None:
    """However many they are: they are taken from the queue a few at a time."""
    await two_readers(database)
    await subscribe(database, ANNA, await add_source(database, "c"))
    driver = driver_of(database, clock=FakeClock())
    triggers = EditionTriggers(
        database, driver, EditionConfig(), FakeClock(), lambda _: False, at_once=1
    )

    await triggers.trigger_readers()

    readers = [await readers_of(database, task.id) for task in await of_readers(database)]
    assert sorted(readers) == [[ANNA], [BEN]]


async def test_who_follows_nothing_any_more_waits_for_nothing_until_they_do_again(
    database: Database,
) -> None:
    """They are asked after neither every two minutes nor with a warning a day."""
    source, *_ = await two_readers(database)
    clock = FakeClock()
    triggers = triggers_of(database, clock)
    await triggers.trigger_readers()
    await execute(database, "DELETE FROM user_subscriptions")
    clock.advance(3 * DAY)

    nothing, due = await triggers.trigger_readers(), await triggers.next_due()
    await subscribe(database, ANNA, source)
    again = await triggers.trigger_readers()

    assert (nothing, due) == ([], None)
    assert {report.after.period for report in again} == {"2026-11-18"}


async def test_a_reader_whose_rows_make_no_sense_stops_nobody_elses_edition(
    database: Database,
) -> None:
    """A zone that the system's tables no longer know, say (S002-15)."""
    await two_readers(database)
    clock = FakeClock()
    await execute(
        database,
        "INSERT INTO reader_settings (user_id, zone, updated_at) VALUES (:user, 'Atlantis/Old', 0)",
        {"user": ANNA},
    )
    triggers = triggers_of(database, clock)

    reports = await triggers.trigger()
    again = await triggers.next_due()

    assert TaskState.PUBLISHED in {report.after.state for report in reports}
    [task] = await of_readers(database)
    assert await readers_of(database, task.id) == [BEN]
    assert again == clock.now + 2 * MINUTE


async def test_readers_editions_that_somebody_left_go_on_side_by_side(database: Database) -> None:
    """After a restart hundreds may be left, and each may have to wait for a model."""
    await two_readers(database)
    await execute(
        database,
        "INSERT INTO interests (user_id, kind, text, created_at) VALUES (:u, 'word', 'rust', 0)",
        {"u": ANNA},
    )
    words = Words()
    words.gate.clear()
    triggers = triggers_of(database, FakeClock(), lists=Lists(stories=1), words=words)
    for reader in (ANNA, BEN):
        await triggers.task_for(DueReader(id=reader, type=DAILY))

    running = asyncio.create_task(triggers.trigger())
    async with asyncio.timeout(20):
        await words.until_begun(2)
        words.gate.set()
        await running

    assert [task.state for task in await of_readers(database)] == [TaskState.PUBLISHED] * 2


@dataclass
class Deleting(Lists):
    """While the first edition is chosen, this reader leaves."""

    database: Database | None = None
    leaver: int = 0

    async def fetch(self, task: EditionTask) -> EditionList:
        assert self.database
        await execute(self.database, "DELETE FROM users WHERE id = :u", {"u": self.leaver})
        return await super().fetch(task)


async def test_a_reader_who_is_deleted_while_others_are_served_stops_nobody(
    database: Database,
) -> None:
    """(S002-15): they were due, and are gone when their turn comes."""
    await add_people(database)
    for number in range(4, 13):
        await execute(
            database,
            "INSERT INTO users (email, name, slug, role, created_at, updated_at) "
            "VALUES (:name, :name, :name, 'user', 0, 0)",
            {"name": f"reader{number}"},
        )
        source = await add_source(database, f"s{number}")
        await add_item(database, source, "first", at=NOON - HOUR)
        await subscribe(database, number, source)
    lists = Deleting(database=database, leaver=12)

    await triggers_of(database, FakeClock(), lists=lists).trigger_readers()

    served = [await readers_of(database, task.id) for task in await of_readers(database)]
    assert sorted(each for each in served if each) == [[number] for number in range(4, 12)]

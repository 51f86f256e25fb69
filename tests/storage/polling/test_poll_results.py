"""One poll, one transaction: items, validators, statistics, state, log and next date."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta

import pytest

from clawfeed.domain.because import Because, Rule, from_text
from clawfeed.domain.errors import LeaseLostError, Reason
from clawfeed.domain.schedule.schedule import Mode, NextPoll, PollDecision, PollFindings, Rhythm
from clawfeed.domain.sources.item import Draft
from clawfeed.domain.sources.source import Failed, Fetched, NotModified, Outcome, Postponed, Skipped
from clawfeed.sources.source_types.built_in import BUILT_IN
from clawfeed.storage.database import Database, Row, execute
from clawfeed.storage.items.new_items import LATEST_DATES
from clawfeed.storage.polling.host_queue import ClaimRequest
from clawfeed.storage.polling.host_turns import HostTurns
from clawfeed.storage.polling.poll_queue import Claim, PollQueue
from clawfeed.storage.polling.poll_results import PollFinisher, PollRecord, StoredPoll
from clawfeed.storage.polling.queue_overview import queue_overview
from clawfeed.storage.sources.sources import NewSource, SourceStore
from tests.support.clocks import NOON

HOUR = timedelta(hours=1)
STARTED = NOON - timedelta(seconds=3)
DRAFTS = (
    Draft(title="Two", url="https://a.example/2", content="<p>2</p>", published_at=NOON - HOUR),
    Draft(title="One", url="https://a.example/1", metadata={"score": 7}),
    Draft(title="No link", content="only text"),
)
STATS_COLUMNS = (
    "source_id", "source_type", "frequency_type", "cadence", "avg_publish_hour",
    "std_publish_hour", "next_due_at", "last_check_at", "last_article_at", "fail_count",
    "backoff_until", "last_error", "check_count", "hit_count", "created_at", "updated_at",
)  # fmt: skip
HOURLY = Because(Rule.OWN_INTERVAL, {"minutes": 60})


def decide(
    fail_count: int = 0, paused_because: str | None = None
) -> Callable[[PollFindings], PollDecision]:
    def decision(found: PollFindings) -> PollDecision:
        return PollDecision(
            rhythm=Rhythm(check_count=1, hit_count=int(found.inserted > 0), fail_count=fail_count),
            next_poll=NextPoll(at=NOON + HOUR, because=HOURLY, mode=Mode.FIXED),
            paused_because=paused_because,
        )

    return decision


async def claim_one(database: Database) -> Claim:
    store = SourceStore(database)
    if not await store.list():
        new = NewSource(type="rss", name="A", config={"url": "https://a.example/feed"})
        await store.add(new, now=NOON)
    source = (await store.list())[0]
    order = ClaimRequest(now=NOON, limit=1, lease=timedelta(minutes=5), worker="w1")
    claim = await PollQueue(database, types=BUILT_IN).claim_one(source.id, order)
    assert claim is not None
    return claim


async def finish(
    database: Database,
    outcome: Outcome,
    decision: Callable[[PollFindings], PollDecision] | None = None,
    *,
    claim: Claim | None = None,
    at: datetime = NOON,
    dates: int = LATEST_DATES,
    cooldowns: Mapping[str, datetime] | None = None,
    remember_run: bool = True,
) -> StoredPoll:
    claim = claim or await claim_one(database)
    return await PollFinisher(database).finish(
        PollRecord(
            claim=claim,
            outcome=outcome,
            started_at=STARTED,
            finished_at=at,
            worker="w1",
            decide=decision or decide(),
            dates=dates,
            cooldowns=cooldowns or {},
            remember_run=remember_run,
        )
    )


async def one(database: Database, table: str) -> Row:
    [row] = await database.read(f"SELECT * FROM {table}")
    return row


async def test_items_are_stored_once_and_the_second_run_inserts_nothing(
    database: Database,
) -> None:
    """(S001-2, S001-3)."""
    first = await finish(database, Fetched(drafts=DRAFTS))
    second = await finish(database, Fetched(drafts=DRAFTS))

    rows = await database.read("SELECT title, dedup_key, metadata FROM raw_items ORDER BY id")
    assert (first.inserted, second.inserted) == (3, 0)
    assert [row["title"] for row in rows] == ["No link", "One", "Two"]
    assert rows[1]["dedup_key"].endswith(":https://a.example/1")
    assert json.loads(rows[1]["metadata"]) == {"score": 7}
    await finish(database, NotModified())
    log = await database.read("SELECT outcome, reason FROM fetch_log ORDER BY id")
    assert [(row["outcome"], row["reason"]) for row in log] == [
        ("new", None),
        ("unchanged", None),
        ("unchanged", "not_modified"),
    ]


async def test_an_item_removed_by_age_does_not_come_back_as_new(database: Database) -> None:
    """Settled question 5: `seen_items` outlives the 30 days that items are kept."""
    await finish(database, Fetched(drafts=DRAFTS))
    await execute(database, "DELETE FROM raw_items")

    again = await finish(database, Fetched(drafts=DRAFTS))

    assert again.inserted == 0


async def test_the_same_entry_twice_in_one_document_is_one_item(database: Database) -> None:
    finished = await finish(database, Fetched(drafts=(DRAFTS[0], DRAFTS[0])))

    assert finished.inserted == 1


async def test_success_writes_the_cursor_the_date_and_the_run_in_one_go(
    database: Database,
) -> None:
    """(I5, S001-9, S003-5, S004-1)."""
    await finish(database, Fetched(drafts=DRAFTS, cursor={"etag": '"7"'}))

    source, stats = await one(database, "sources"), await one(database, "source_stats")
    state, log = (
        await one(database, "collector_execution_state"),
        await one(database, "fetch_log"),
    )
    assert json.loads(source["cursor"]) == {"etag": '"7"'}
    assert (source["last_fetched_at"], source["fetch_count"]) == (STARTED.timestamp(), 1)
    assert stats["next_due_at"] == (NOON + HOUR).timestamp()
    assert from_text(stats["because"]) == HOURLY
    assert (stats["lease_until"], stats["hit_count"]) == (None, 1)
    assert (state["last_execution_time"], state["execution_count"]) == (STARTED.timestamp(), 1)
    assert (log["outcome"], log["inserted"]) == ("new", 3)


async def test_what_was_learned_is_in_the_row_to_the_last_column(database: Database) -> None:
    """(S004-1, S004-4): made at the first fetch, dated at every change."""
    rhythm = Rhythm(
        frequency_type="daily",
        cadence="P2",
        avg_publish_hour=9.5,
        std_publish_hour=1.25,
        last_article_at=NOON - 5 * HOUR,
        fail_count=2,
        check_count=11,
        hit_count=4,
    )
    next_poll = NextPoll(
        at=NOON + HOUR, because=HOURLY, mode=Mode.SMART, backoff_until=NOON + 2 * HOUR
    )
    claim = await claim_one(database)
    later = NOON + timedelta(seconds=7)

    failed = Failed(reason=Reason.BROKEN, detail="502")
    decision = PollDecision(rhythm=rhythm, next_poll=next_poll)
    await finish(database, failed, lambda _found: decision, claim=claim, at=later)

    row = await one(database, "source_stats")
    assert {name: row[name] for name in STATS_COLUMNS} == {
        "source_id": 1,
        "source_type": "rss",
        "frequency_type": "daily",
        "cadence": "P2",
        "avg_publish_hour": 9.5,
        "std_publish_hour": 1.25,
        "next_due_at": (NOON + HOUR).timestamp(),
        "last_check_at": STARTED.timestamp(),
        "last_article_at": (NOON - 5 * HOUR).timestamp(),
        "fail_count": 2,
        "backoff_until": (NOON + 2 * HOUR).timestamp(),
        "last_error": '{"message": "502", "at": "2026-11-15T12:00:07Z", "reason": "broken"}',
        "check_count": 11,
        "hit_count": 4,
        "created_at": NOON.timestamp(),
        "updated_at": later.timestamp(),
    }


async def test_a_failure_keeps_the_cursor_and_records_message_and_moment(
    database: Database,
) -> None:
    """(S000-10, S001-9)."""
    await finish(database, Fetched(drafts=(), cursor={"etag": '"7"'}))
    failed = Failed(reason=Reason.BROKEN, detail="the server answered 502", status=502)

    await finish(database, failed, decide(fail_count=1))

    source = await one(database, "sources")
    assert json.loads(source["cursor"]) == {"etag": '"7"'}
    assert source["fetch_error_count"] == 1
    assert json.loads(source["last_error"]) == {
        "message": "the server answered 502",
        "at": "2026-11-15T12:00:00Z",
        "reason": "broken",
    }


async def test_success_after_failure_clears_the_error(database: Database) -> None:
    """(S001-9, S003-5): a failure is no fetch."""
    await finish(database, Failed(reason=Reason.BROKEN, detail="502"), decide(fail_count=1))
    assert (await one(database, "sources"))["last_fetched_at"] is None

    await finish(database, NotModified())

    source = await one(database, "sources")
    assert (source["fetch_error_count"], source["last_error"]) == (0, None)


@pytest.mark.parametrize(
    "outcome",
    [Skipped(why="no fetcher"), Postponed(because=Because(Rule.OFFLINE), detail="no network")],
    ids=["skipped", "postponed"],
)
async def test_who_was_not_asked_keeps_its_last_error(database: Database, outcome: Outcome) -> None:
    """(S001-9): nobody has heard anything better of it."""
    await finish(database, Failed(reason=Reason.BROKEN, detail="502"), decide(fail_count=1))

    await finish(database, outcome, decide(fail_count=1))

    for table in ("sources", "source_stats"):
        error = json.loads((await one(database, table))["last_error"])
        assert error["message"] == "502", table


async def test_without_persistence_no_run_is_written_down(database: Database) -> None:
    """(S003-6): `enable_time_persistence: false`."""
    await finish(database, Fetched(drafts=DRAFTS), remember_run=False)

    assert await database.read("SELECT * FROM collector_execution_state") == []


async def test_a_pause_takes_the_source_out_of_the_loop(database: Database) -> None:
    """(S000-11)."""
    failed = Failed(reason=Reason.GONE, detail="404")

    await finish(database, failed, decide(fail_count=5, paused_because="errors"))

    source = await one(database, "sources")
    assert (source["is_active"], source["paused_because"]) == (0, "errors")


async def test_a_skip_is_logged_but_is_neither_fetch_nor_error(database: Database) -> None:
    """(S000-12)."""
    await finish(database, Skipped(why="nobody reads 'gopher'"))

    source, log = await one(database, "sources"), await one(database, "fetch_log")
    assert (source["fetch_count"], source["last_error"], source["last_fetched_at"]) == (
        0,
        None,
        None,
    )
    assert (log["outcome"], log["reason"], log["detail"]) == (
        "skipped",
        "no_fetcher",
        "nobody reads 'gopher'",
    )
    assert (await one(database, "source_stats"))["last_check_at"] is None


@pytest.mark.parametrize(
    "outcome",
    [
        Postponed(because=Because(Rule.OFFLINE), detail="no network"),
        Postponed(
            because=Because(Rule.HOST_QUEUE, {"host": "a.example"}), detail="full", wait=HOUR
        ),
    ],
    ids=["offline", "host_queue"],
)
async def test_a_postponed_poll_is_no_fetch_and_no_error(
    database: Database, outcome: Postponed
) -> None:
    """Settled question 2: nobody's counter moves while we are offline."""
    await finish(database, outcome)

    source, log = await one(database, "sources"), await one(database, "fetch_log")
    assert (source["fetch_count"], source["fetch_error_count"], source["last_error"]) == (
        0,
        0,
        None,
    )
    assert (log["outcome"], log["reason"]) == ("postponed", outcome.because.rule)
    assert await database.read("SELECT * FROM collector_execution_state") == []


async def test_who_is_put_off_keeps_its_place_until_it_is_polled(database: Database) -> None:
    """(S000-4): the longest overdue is first, whatever date its host's queue gave it."""
    claim = await claim_one(database)
    due = (NOON - HOUR).timestamp()
    await execute(database, "UPDATE source_stats SET next_due_at = :due", {"due": due})
    put_off = Postponed(because=Because(Rule.HOST_QUEUE, {"host": "a.example"}), detail="full")

    await finish(database, put_off, claim=claim)
    waiting = (await one(database, "source_stats"))["waiting_since"]
    await finish(database, NotModified())

    assert waiting == due
    assert (await one(database, "source_stats"))["waiting_since"] is None


async def test_a_lost_lease_leaves_nothing_behind(database: Database) -> None:
    """(I5): neither items nor ETag of a late result."""
    late = await claim_one(database)
    await execute(database, "UPDATE source_stats SET lease_until = 1")
    await claim_one(database)

    with pytest.raises(LeaseLostError):
        await finish(database, Fetched(drafts=DRAFTS, cursor={"etag": '"7"'}), claim=late)

    assert await database.read("SELECT id FROM raw_items") == []
    assert (await one(database, "sources"))["cursor"] == "{}"


async def test_the_decision_sees_what_was_new_and_the_latest_dates(database: Database) -> None:
    seen: list[PollFindings] = []

    def remember(found: PollFindings) -> PollDecision:
        seen.append(found)
        return decide()(found)

    await finish(database, Fetched(drafts=DRAFTS), remember)

    assert seen[-1] == PollFindings(
        inserted=3, published_at=(NOON - HOUR,), new=(None, None, NOON - HOUR)
    )


async def test_the_latest_dates_are_the_sources_own_newest_first_and_only_real_ones(
    database: Database,
) -> None:
    """(S004-2): another source's are no part of its rhythm, nor is what damage left behind."""
    seen: list[PollFindings] = []

    def remember(found: PollFindings) -> PollDecision:
        seen.append(found)
        return decide()(found)

    older = Draft(title="Old", url="https://a.example/0", published_at=NOON - 9 * HOUR)
    await finish(database, Fetched(drafts=(older,)))
    await SourceStore(database).add(NewSource(type="rss", name="B", config={"url": "b"}), now=NOON)
    for other, key, date in ((2, "2:x", 5.0), (1, "1:y", -1.0), (1, "1:z", 1e300)):
        await execute(
            database,
            "INSERT INTO seen_items (source_id, dedup_key, published_at, first_seen_at) "
            "VALUES (:source, :key, :date, 0)",
            {"source": other, "key": key, "date": date},
        )

    await finish(database, Fetched(drafts=DRAFTS), remember)
    await finish(database, NotModified(), remember)

    assert [found.dates for found in seen] == [(NOON - HOUR, NOON - 9 * HOUR)] * 2


async def test_a_crowd_of_items_at_one_moment_does_not_hide_the_moments_before(
    database: Database,
) -> None:
    """(S004-2): fifty a day, all stamped with midnight; with news and without."""
    seen: list[PollFindings] = []

    def remember(found: PollFindings) -> PollDecision:
        seen.append(found)
        return decide()(found)

    days = [NOON - n * timedelta(days=1) for n in (2, 1, 0)]
    for day in days:
        crowd = (Draft(title="x", url=f"https://a/{day}/{n}", published_at=day) for n in range(50))
        await finish(database, Fetched(drafts=tuple(crowd)), remember)
    await finish(database, NotModified(), remember)

    assert (
        seen[-1].dates == seen[-2].dates == tuple(day for day in reversed(days) for _ in range(5))
    )


@pytest.mark.parametrize(("known", "overflown"), [(0, True), (1, False)])
async def test_what_a_fetcher_left_out_as_stored_counts_as_part_of_the_document(
    database: Database, known: int, *, overflown: bool
) -> None:
    """A document of which nothing was stored before may have lost some; one entry tells."""
    seen: list[PollFindings] = []

    def remember(found: PollFindings) -> PollDecision:
        seen.append(found)
        return decide()(found)

    await finish(database, NotModified())
    await finish(database, Fetched(drafts=()), remember)
    await finish(database, Fetched(drafts=DRAFTS, known=known), remember)

    assert [found.is_overflown for found in seen] == [False, overflown]
    assert seen[-1].inserted == 3


async def test_dates_are_read_only_for_news_or_when_the_decision_needs_them(
    database: Database,
) -> None:
    seen: list[tuple[datetime, ...] | None] = []

    def remember(found: PollFindings) -> PollDecision:
        seen.append(found.published_at)
        return decide()(found)

    polls: list[tuple[Outcome, int]] = [
        (Fetched(drafts=DRAFTS), 0),  # news
        (Fetched(drafts=DRAFTS), 0),
        (NotModified(), 0),
        (NotModified(), 30),
    ]
    for outcome, dates in polls:
        await finish(database, outcome, remember, dates=dates)

    assert seen == [(NOON - HOUR,), None, None, (NOON - HOUR,)]


async def test_an_unchanged_poll_leaves_a_cursor_alone_that_was_emptied_meanwhile(
    database: Database,
) -> None:
    """Whoever edits a source's config during a poll wants it read anew."""
    await finish(database, Fetched(drafts=(), cursor={"etag": '"7"'}))
    claim = await claim_one(database)
    await execute(database, "UPDATE sources SET cursor = '{}'")

    await finish(database, NotModified(), claim=claim)

    assert (await one(database, "sources"))["cursor"] == "{}"


@pytest.mark.parametrize(
    "outcome",
    [Fetched(drafts=DRAFTS), NotModified(), Failed(reason=Reason.BROKEN, detail="502")],
    ids=["fetched", "unchanged", "failed"],
)
async def test_a_check_is_dated_by_its_start(database: Database, outcome: Outcome) -> None:
    """(S003-5, S004-1): what came while we read is not taken for older than the poll."""
    await finish(database, outcome)

    assert (await one(database, "source_stats"))["last_check_at"] == STARTED.timestamp()


async def test_the_log_tells_when_a_poll_was_planned_and_when_it_began(database: Database) -> None:
    """(S003-9): planned against actual; a first poll was not planned, a queue is a delay."""
    schedule = PollQueue(database, types=BUILT_IN)
    await finish(database, NotModified())
    late = ClaimRequest(now=NOON + 2 * HOUR, limit=1, lease=HOUR, worker="w1")
    [claim] = await schedule.claim_due(late)
    await finish(database, NotModified(), claim=claim)
    await execute(
        database,
        "UPDATE source_stats SET waiting_since = :due",
        {"due": (NOON + HOUR / 2).timestamp()},
    )
    [claim] = await schedule.claim_due(late)
    await finish(database, NotModified(), claim=claim)

    rows = await database.read("SELECT * FROM fetch_log ORDER BY id")

    planned = (None, (NOON + HOUR).timestamp(), (NOON + HOUR / 2).timestamp())
    assert [row["planned_at"] for row in rows] == list(planned)
    took = {(row["started_at"], row["finished_at"]) for row in rows}
    assert took == {(STARTED.timestamp(), NOON.timestamp())}


async def test_of_two_rests_of_a_host_the_longer_counts(database: Database) -> None:
    """(I4): whichever collector heard it, and in whatever order they tell."""
    hosts = ("a.example", "b.example")
    cooldowns = []

    for hours in ((2, 1), (1, 3), (1, 2)):
        told = {host: NOON + each * HOUR for host, each in zip(hosts, hours, strict=True)}
        await finish(database, NotModified(), cooldowns=told)
        now = (await queue_overview(database, NOON)).cooldowns
        cooldowns.append(tuple((now[host] - NOON) / HOUR for host in hosts))

    assert cooldowns == [(2, 1), (2, 3), (2, 3)]


async def test_a_rest_told_during_a_turn_is_one_that_the_host_asked_for(
    database: Database,
) -> None:
    """(I4): a turn silences nobody's door out, and the rest that its holder was told does."""
    await HostTurns(database).take("a.example", HOUR / 60, at=NOON)

    await finish(database, NotModified(), cooldowns={"a.example": NOON + HOUR})

    row = await one(database, "host_cooldowns")
    assert (row["until"], row["because"]) == ((NOON + HOUR).timestamp(), "asked")
    assert (await queue_overview(database, NOON)).cooldowns == {"a.example": NOON + HOUR}


async def test_a_rest_of_a_lost_future_hides_no_real_one(database: Database) -> None:
    """(F15, I4): it is longer than any that a host may ask for, and must not win for ever."""
    await execute(
        database,
        "INSERT INTO host_cooldowns (host, until, because) VALUES ('a.example', :until, 'asked')",
        {"until": (NOON + 30 * 24 * HOUR).timestamp()},
    )

    await finish(database, NotModified(), cooldowns={"a.example": NOON + HOUR})

    assert (await queue_overview(database, NOON)).cooldowns == {"a.example": NOON + HOUR}


@pytest.mark.parametrize("flag", ["is_active = 0", "is_deleted = 1"])
async def test_who_left_the_queue_during_its_poll_gets_no_date(
    database: Database, flag: str
) -> None:
    """(S000-3): the items are stored, but nobody polls again."""
    claim = await claim_one(database)
    await execute(database, f"UPDATE sources SET {flag}")

    finished = await finish(database, Fetched(drafts=DRAFTS), claim=claim)

    assert finished.inserted == 3
    assert (await one(database, "source_stats"))["next_due_at"] is None

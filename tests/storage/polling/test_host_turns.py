"""One request at a time at a host, whoever asks (S001-10)."""

from __future__ import annotations

import asyncio
from collections import Counter
from datetime import datetime, timedelta

from clawfeed.domain.because import Because, Rule
from clawfeed.domain.schedule.schedule import Mode, NextPoll, PollDecision
from clawfeed.domain.sources.source import Fetched, Outcome, Postponed
from clawfeed.sources.source_types.built_in import BUILT_IN
from clawfeed.storage.database import Database, execute
from clawfeed.storage.drivers.connect import StorageConfig, open_database
from clawfeed.storage.polling.host_queue import ClaimRequest
from clawfeed.storage.polling.host_turns import HostTurns
from clawfeed.storage.polling.poll_queue import Claim, PollQueue
from clawfeed.storage.polling.poll_results import PollFinisher, PollRecord
from clawfeed.storage.sources.sources import NewSource, SourceStore
from tests.support.clocks import NOON

MINUTE = timedelta(minutes=1)


async def test_a_turn_lasts_for_its_gap_and_others_hosts_have_their_own(database: Database) -> None:
    turns = HostTurns(database)

    waits = [
        await turns.take("a.example", MINUTE, at=NOON + seconds * timedelta(seconds=1))
        for seconds in (0, 0, 59, 60, 61)
    ]
    other = await turns.take("b.example", MINUTE, at=NOON)

    assert waits == [None, MINUTE, timedelta(seconds=1), None, timedelta(seconds=59)]
    assert other is None


async def test_a_host_that_asked_for_rest_has_no_turns(database: Database) -> None:
    await execute(
        database,
        "INSERT INTO host_cooldowns (host, until, because) VALUES ('a.example', :until, 'asked')",
        {"until": (NOON + 5 * MINUTE).timestamp()},
    )

    assert await HostTurns(database).take("a.example", MINUTE, at=NOON) == 5 * MINUTE


async def test_a_turn_from_a_lost_future_does_not_count(database: Database) -> None:
    """F15: the clock went back by a month."""
    turns = HostTurns(database)
    await turns.take("a.example", MINUTE, at=NOON + timedelta(days=30))

    waits = [await turns.take("a.example", MINUTE, at=NOON) for _ in range(2)]

    assert waits == [None, MINUTE]


async def test_of_many_collectors_at_once_one_gets_the_turn(database_url: str) -> None:
    databases = [await open_database(StorageConfig(url=database_url)) for _ in range(4)]
    try:
        waits = await asyncio.gather(
            *(HostTurns(databases[n % 4]).take("a.example", MINUTE, at=NOON) for n in range(20))
        )
    finally:
        for database in databases:
            await database.close()

    assert sorted(waits, key=lambda wait: wait or timedelta(0)) == [None] + 19 * [MINUTE]


async def test_while_a_turn_lasts_nobody_claims_a_source_there(database: Database) -> None:
    new = NewSource(type="reddit", name="r", config={}, host="reddit.com")
    await SourceStore(database).add(new, now=NOON)
    schedule = PollQueue(database, types=BUILT_IN)
    order = ClaimRequest(now=NOON, limit=5, lease=MINUTE, worker="other")
    await HostTurns(database).take("reddit.com", MINUTE, at=NOON)

    early = await schedule.claim_due(order)
    late = await schedule.claim_due(
        ClaimRequest(now=NOON + 2 * MINUTE, limit=5, lease=MINUTE, worker="other")
    )

    assert (len(early), len(late)) == (0, 1)


async def test_a_turn_is_no_rest_that_a_host_asked_for(database: Database) -> None:
    """Its holder is about to ask: only what hosts say themselves silences the door out (I4)."""
    await HostTurns(database).take("turn.example", MINUTE, at=NOON)
    for host, until in (("asked.example", NOON + MINUTE), ("over.example", NOON - MINUTE)):
        await execute(
            database,
            "INSERT INTO host_cooldowns (host, until, because) VALUES (:host, :until, 'asked')",
            {"host": host, "until": until.timestamp()},
        )

    cooldowns = (await PollQueue(database, types=BUILT_IN).overview(NOON)).cooldowns

    assert cooldowns == {"asked.example": NOON + MINUTE}


# --- more sources than turns --------------------------------------------------------------------


async def poll(database: Database, claim: Claim, *, now: datetime, interval: timedelta) -> bool:
    """What a fetcher that needs a turn does; whether it got one."""
    wait = await HostTurns(database).take("reddit.com", MINUTE, at=now)
    outcome: Outcome = Fetched(drafts=())
    if wait:
        outcome = Postponed(because=Because(Rule.OFFLINE), detail="not its turn", wait=wait)
    next_poll = NextPoll(at=now + (wait or interval), because=Because(Rule.ASKED), mode=Mode.PINNED)
    await PollFinisher(database).finish(
        PollRecord(
            claim=claim,
            outcome=outcome,
            started_at=now,
            finished_at=now,
            worker="tester",
            decide=lambda _: PollDecision(rhythm=claim.rhythm, next_poll=next_poll),
        )
    )
    return wait is None


async def polls_in(database: Database, *, minutes: int, interval: timedelta) -> Counter[int]:
    """How often each source was polled by a collector that wakes at each date."""
    schedule, polls, now = PollQueue(database, types=BUILT_IN), Counter[int](), NOON
    while now < NOON + minutes * MINUTE:
        order = ClaimRequest(now=now, limit=2, lease=MINUTE, worker="tester", spacing=MINUTE / 240)
        for claim in await schedule.claim_due(order):
            polls[claim.source.id] += await poll(database, claim, now=now, interval=interval)
        due = await schedule.next_due_at()
        assert due is not None
        now = max(due, now) + timedelta(milliseconds=50)
    return polls


async def test_nobody_waits_for_ever_behind_those_that_come_due_again(database: Database) -> None:
    """S000-4: the longest overdue first, though twelve want to be asked every three minutes."""
    for number in range(12):
        new = NewSource(type="reddit", name="r", config={"n": number}, host="reddit.com")
        await SourceStore(database).add(new, now=NOON)

    polls = await polls_in(database, minutes=36, interval=3 * MINUTE)

    assert len(polls) == 12
    assert max(polls.values()) - min(polls.values()) <= 1
    assert sum(polls.values()) >= 30


async def test_a_source_that_waited_is_late_by_its_own_date(database: Database) -> None:
    """What it was planned for is what people see as its delay, not the queue's last date."""
    new = NewSource(type="reddit", name="r", config={}, host="reddit.com")
    source = await SourceStore(database).add(new, now=NOON)
    await polls_in(database, minutes=1, interval=3 * MINUTE)
    due = NOON + 3 * MINUTE
    await HostTurns(database).take("reddit.com", 5 * MINUTE, at=due)
    schedule = PollQueue(database, types=BUILT_IN)
    order = ClaimRequest(now=due + MINUTE, limit=2, lease=MINUTE, worker="tester")

    early = await schedule.claim_due(order)
    [claim] = await schedule.claim_due(
        ClaimRequest(now=due + 6 * MINUTE, limit=2, lease=MINUTE, worker="tester")
    )

    assert early == []
    assert claim.source.id == source.id
    assert claim.planned_at == due

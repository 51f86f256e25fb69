"""The queue: who is claimed, by whom, and what a late result may do."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from clawfeed.domain.because import Because, Rule
from clawfeed.domain.errors import LeaseLostError, NotFoundError
from clawfeed.domain.polling.slot_fairness import PollCost, SlotsHeld
from clawfeed.domain.schedule.schedule import Mode, NextPoll, PollDecision, PollFindings, Rhythm
from clawfeed.domain.sources.source import Fetched, Source
from clawfeed.sources.source_types.built_in import BUILT_IN
from clawfeed.storage.database import Database, execute
from clawfeed.storage.people.users import NewUser, UserStore
from clawfeed.storage.polling.host_queue import ClaimRequest
from clawfeed.storage.polling.poll_queue import Claim, PollQueue
from clawfeed.storage.polling.poll_results import PollFinisher, PollRecord
from clawfeed.storage.sources.sources import NewSource, SourceStore
from tests.support.clocks import NOON

HOUR = timedelta(hours=1)
ORDER = ClaimRequest(now=NOON, limit=10, lease=timedelta(minutes=5), worker="tester", per_host=1000)


async def add_sources(database: Database, count: int, *, host: str = "") -> list[Source]:
    store = SourceStore(database)
    return [
        await store.add(
            NewSource(type="rss", name=f"{host} {n}", config={"url": f"{host}/{n}"}, host=host),
            now=NOON,
        )
        for n in range(count)
    ]


async def finish(
    database: Database, claim: Claim, *, next_at: datetime | None, mode: Mode = Mode.SMART
) -> None:
    def decide(_found: PollFindings) -> PollDecision:
        return PollDecision(
            rhythm=Rhythm(check_count=claim.rhythm.check_count + 1),
            next_poll=NextPoll(at=next_at, because=Because(Rule.ASKED), mode=mode),
        )

    await PollFinisher(database).finish(
        PollRecord(
            claim=claim,
            outcome=Fetched(drafts=()),
            started_at=NOON,
            finished_at=NOON,
            worker="tester",
            decide=decide,
        )
    )


async def test_a_new_source_is_due_at_once_and_held_once(database: Database) -> None:
    """(S000-4, S000-5, S001-16)."""
    [source] = await add_sources(database, 1)
    schedule = PollQueue(database, types=BUILT_IN)

    first = await schedule.claim_due(ORDER)
    second = await schedule.claim_due(ORDER)

    assert [claim.source for claim in first] == [source]
    assert second == []
    assert (await schedule.overview(NOON)).due == 0


async def test_never_fetched_come_first_then_the_longest_overdue(database: Database) -> None:
    """(S000-4)."""
    sources = await add_sources(database, 3)
    for source, hours in ((sources[0], 5), (sources[1], 9)):
        await execute(
            database,
            "UPDATE sources SET last_fetched_at = :at WHERE id = :id",
            {"at": (NOON - hours * HOUR).timestamp(), "id": source.id},
        )

    claims = await PollQueue(database, lambda _: 4 * HOUR, types=BUILT_IN).claim_due(ORDER)

    assert [claim.source.id for claim in claims] == [sources[2].id, sources[1].id, sources[0].id]


@pytest.mark.parametrize(
    ("ago", "is_due"),
    [(3 * HOUR, False), (4 * HOUR, False), (4 * HOUR + timedelta(seconds=1), True)],
)
async def test_a_source_without_statistics_follows_its_fixed_interval_strictly(
    database: Database, ago: timedelta, is_due: bool
) -> None:
    """(S000-4, S004-8): an RSS source fetched 3 h ago: no; more than 4 h ago: yes."""
    await add_sources(database, 1)
    await execute(
        database, "UPDATE sources SET last_fetched_at = :at", {"at": (NOON - ago).timestamp()}
    )

    claims = await PollQueue(database, lambda _: 4 * HOUR, types=BUILT_IN).claim_due(ORDER)

    assert bool(claims) is is_due


async def test_a_finished_source_comes_back_at_its_date_not_before(database: Database) -> None:
    """(S004-8): due when `next_due_at <= now`."""
    await add_sources(database, 1)
    schedule = PollQueue(database, types=BUILT_IN)
    [claim] = await schedule.claim_due(ORDER)
    await finish(database, claim, next_at=NOON + HOUR)

    early = await schedule.claim_due(replace(ORDER, now=NOON + HOUR - timedelta(seconds=1)))
    in_time = await schedule.claim_due(replace(ORDER, now=NOON + HOUR))

    assert early == []
    assert [(c.source.id, c.number) for c in in_time] == [(claim.source.id, claim.number + 1)]
    assert in_time[0].planned_at == NOON + HOUR


@pytest.mark.parametrize(
    ("mode", "at_its_date"), [(Mode.SMART, 1), (Mode.FIXED, 0), (Mode.PINNED, 0)]
)
async def test_an_interval_must_be_over_and_a_date_of_its_own_only_reached(
    database: Database, mode: Mode, at_its_date: int
) -> None:
    """(S000-4, S004-8, settled 13): strictly later than an interval's end, `<=` for a rhythm."""
    await add_sources(database, 1)
    schedule = PollQueue(database, types=BUILT_IN)
    [claim] = await schedule.claim_due(ORDER)
    await finish(database, claim, next_at=NOON + HOUR, mode=mode)

    moments = [NOON + HOUR + timedelta(milliseconds=late) for late in (-1, 0, 1)]
    counts = [(await schedule.overview(moment)).due for moment in moments]
    claims = [await schedule.claim_due(replace(ORDER, now=moment)) for moment in moments]

    assert [len(each) for each in claims] == [0, at_its_date, 1 - at_its_date]
    assert counts == [0, at_its_date, 1]


@pytest.mark.parametrize("flag", ["is_active = 0", "is_deleted = 1"])
async def test_paused_and_deleted_sources_are_left_alone(database: Database, flag: str) -> None:
    """(S000-3)."""
    await add_sources(database, 1)
    schedule = PollQueue(database, types=BUILT_IN)
    [claim] = await schedule.claim_due(ORDER)
    await finish(database, claim, next_at=NOON)
    await execute(database, f"UPDATE sources SET {flag}")

    assert await schedule.claim_due(replace(ORDER, now=NOON + HOUR)) == []
    [row] = await database.read("SELECT leased_by FROM source_stats")
    assert row["leased_by"] is None, "nobody may hold it either"


async def test_a_lapsed_lease_is_claimed_again_and_the_late_result_is_dropped(
    database: Database,
) -> None:
    """F16: a worker stopped for longer than its lease must not overwrite a newer claim."""
    await add_sources(database, 1)
    schedule = PollQueue(database, types=BUILT_IN)
    [late] = await schedule.claim_due(replace(ORDER, lease=timedelta(0)))
    [newer] = await schedule.claim_due(ORDER)

    with pytest.raises(LeaseLostError):
        await finish(database, late, next_at=NOON + HOUR)

    await finish(database, newer, next_at=NOON + 2 * HOUR)
    rows = await database.read("SELECT next_due_at, check_count FROM source_stats")
    assert [(row["next_due_at"], row["check_count"]) for row in rows] == [
        ((NOON + 2 * HOUR).timestamp(), 1)
    ]


async def test_a_result_that_comes_twice_counts_once(database: Database) -> None:
    await add_sources(database, 1)
    [claim] = await PollQueue(database, types=BUILT_IN).claim_due(ORDER)
    await finish(database, claim, next_at=NOON + HOUR)

    with pytest.raises(LeaseLostError):
        await finish(database, claim, next_at=NOON + 2 * HOUR)


async def test_a_released_source_is_due_as_before(database: Database) -> None:
    await add_sources(database, 1)
    schedule = PollQueue(database, types=BUILT_IN)
    [claim] = await schedule.claim_due(ORDER)

    await schedule.release(claim)

    assert len(await schedule.claim_due(ORDER)) == 1


async def test_one_source_can_be_claimed_whatever_its_date_but_not_while_held(
    database: Database,
) -> None:
    """(S000-16)."""
    [source] = await add_sources(database, 1)
    schedule = PollQueue(database, types=BUILT_IN)
    claim = await schedule.claim_one(source.id, ORDER)
    assert claim is not None
    assert await schedule.claim_one(source.id, ORDER) is None
    await finish(database, claim, next_at=NOON + HOUR)

    again = await schedule.claim_one(source.id, ORDER)

    assert again is not None
    assert again.number == claim.number + 1


async def test_racing_workers_never_hold_the_same_source(database: Database) -> None:
    """(S001-16, I2)."""
    await add_sources(database, 60)
    schedule = PollQueue(database, types=BUILT_IN)

    batches = await asyncio.gather(
        *(schedule.claim_due(replace(ORDER, limit=5, worker=f"w{n}")) for n in range(16))
    )

    taken = [claim.source.id for batch in batches for claim in batch]
    assert len(taken) == len(set(taken))
    # Workers may pass each other's candidates by, but nothing is left once they are all done.
    while more := await schedule.claim_due(ORDER):
        taken += [claim.source.id for claim in more]
    assert len(set(taken)) == len(taken) == 60


async def test_one_hosts_crowd_is_spread_and_the_others_are_served(database: Database) -> None:
    """(S001-10, S003-7): never a burst at one host."""
    await add_sources(database, 30, host="crowded.example")
    await add_sources(database, 2, host="quiet.example")
    schedule = PollQueue(database, types=BUILT_IN)
    order = replace(ORDER, limit=8, per_host=2)

    claims = await schedule.claim_due(order)

    hosts = [claim.source.name.split()[0] for claim in claims]
    assert sorted(hosts) == ["crowded.example"] * 2 + ["quiet.example"] * 2
    assert await schedule.claim_due(order) == []
    rows = await database.read(
        "SELECT DISTINCT next_due_at FROM source_stats WHERE lease_until IS NULL"
    )
    assert len(rows) == 28


async def test_a_cooling_host_is_not_asked_before_its_time(database: Database) -> None:
    """I4: no request before Retry-After, whichever collector heard it."""
    await add_sources(database, 2, host="busy.example")
    await execute(
        database,
        "INSERT INTO host_cooldowns (host, until, because) VALUES ('busy.example', :until, '429')",
        {"until": (NOON + HOUR).timestamp()},
    )
    schedule = PollQueue(database, types=BUILT_IN)

    now = await schedule.claim_due(ORDER)
    later = await schedule.claim_due(replace(ORDER, now=NOON + HOUR + timedelta(minutes=1)))

    assert now == []
    assert len(later) == 2


async def test_the_loop_learns_when_the_next_source_is_due(database: Database) -> None:
    await add_sources(database, 2)
    schedule = PollQueue(database, types=BUILT_IN)
    first, second = await schedule.claim_due(ORDER)
    await finish(database, first, next_at=NOON + 2 * HOUR)
    await finish(database, second, next_at=NOON + HOUR)

    assert await schedule.next_due_at() == NOON + HOUR


@pytest.mark.parametrize("flag", ["is_active = 0", "is_deleted = 1"])
async def test_nobody_wakes_the_loop_that_may_not_be_polled(database: Database, flag: str) -> None:
    await add_sources(database, 2)
    schedule = PollQueue(database, types=BUILT_IN)
    first, second = await schedule.claim_due(ORDER)
    await finish(database, first, next_at=NOON - HOUR)
    await finish(database, second, next_at=NOON + HOUR)

    await execute(database, f"UPDATE sources SET {flag} WHERE id = :id", {"id": first.source.id})

    assert await schedule.next_due_at() == NOON + HOUR
    assert await schedule.next_turn_at(NOON, within=HOUR) is None


async def test_sources_that_failed_last_time_do_not_fill_every_slot(database: Database) -> None:
    """(I9): hostile sources cost a time-out each; the healthy ones go past them."""
    sources = await add_sources(database, 12)
    schedule = PollQueue(database, types=BUILT_IN)
    for claim in await schedule.claim_due(replace(ORDER, limit=12)):
        await finish(database, claim, next_at=NOON + HOUR)
    await execute(
        database,
        "UPDATE source_stats SET fail_count = 1, next_due_at = :early WHERE source_id <= :last",
        {"early": NOON.timestamp(), "last": sources[7].id},
    )

    claims = await schedule.claim_due(replace(ORDER, now=NOON + 2 * HOUR, limit=6, slots=6))

    failing = [claim for claim in claims if claim.rhythm.fail_count]
    assert (len(failing), len(claims)) == (2, 6)

    later = replace(ORDER, now=NOON + 3 * HOUR, limit=6, slots=12, worker="another")
    assert len(await schedule.claim_due(later)) == 4  # each worker has places of its own


async def test_those_without_a_host_do_not_wait_for_each_other(database: Database) -> None:
    await add_sources(database, 3)

    claims = await PollQueue(database, types=BUILT_IN).claim_due(replace(ORDER, per_host=1))

    assert len(claims) == 3


async def test_who_backs_off_is_neither_claimed_nor_counted_nor_waited_for(
    database: Database,
) -> None:
    """(S004-7, S004-8): a date in the past does not shorten a rest."""
    schedule = await polled(database, 1)
    await execute(
        database,
        "UPDATE source_stats SET next_due_at = :past, backoff_until = :rest",
        {"past": (NOON - HOUR).timestamp(), "rest": (NOON + HOUR).timestamp()},
    )

    resting = (
        await schedule.claim_due(ORDER),
        (await schedule.overview(NOON)).due,
        await schedule.next_turn_at(NOON, within=HOUR),
    )
    over = NOON + HOUR

    assert resting == ([], 0, None)
    assert (await schedule.overview(over)).due == 1
    assert len(await schedule.claim_due(replace(ORDER, now=over))) == 1
    assert (await schedule.overview(over)).due == 0  # nor is one that is held


async def polled(database: Database, count: int) -> PollQueue:
    """The queue of *count* sources that were polled at noon, and are due in two hours."""
    await add_sources(database, count)
    schedule = PollQueue(database, types=BUILT_IN)
    for claim in await schedule.claim_due(ORDER):
        await finish(database, claim, next_at=NOON + 2 * HOUR)
    return schedule


async def test_who_has_waited_longest_for_its_host_is_first_whatever_its_turn(
    database: Database,
) -> None:
    """(S000-4)."""
    schedule = await polled(database, 2)
    await execute(
        database,
        "UPDATE source_stats SET next_due_at = :turn, waiting_since = :since WHERE source_id = 2",
        {"turn": (NOON + 3 * HOUR).timestamp(), "since": (NOON + HOUR).timestamp()},
    )

    [claim] = await schedule.claim_due(replace(ORDER, now=NOON + 3 * HOUR, limit=1))

    assert (claim.source.id, claim.planned_at) == (2, NOON + HOUR)


async def test_the_next_turn_is_of_those_that_wait_and_of_new_ones_at_once(
    database: Database,
) -> None:
    """A date that lies ahead is no turn: `next_due_at` tells that."""
    schedule = await polled(database, 1)
    turns = [await schedule.next_turn_at(NOON, within=3 * HOUR)]
    await execute(
        database, "UPDATE source_stats SET waiting_since = :since", {"since": NOON.timestamp()}
    )
    turns += [await schedule.next_turn_at(NOON, within=hours * HOUR) for hours in (1, 3)]
    await add_sources(database, 1, host="new.example")
    turns.append(await schedule.next_turn_at(NOON, within=HOUR))

    assert turns == [None, None, NOON + 2 * HOUR, NOON]


async def test_a_deleted_source_cannot_be_claimed_by_its_number(database: Database) -> None:
    """(S000-16)."""
    [source] = await add_sources(database, 1)
    await execute(database, "UPDATE sources SET is_deleted = 1")

    with pytest.raises(NotFoundError, match=f"there is no source {source.id}"):
        await PollQueue(database, types=BUILT_IN).claim_one(source.id, ORDER)


async def test_a_first_claim_notes_the_class_of_the_type(database: Database) -> None:
    """(S004-1): `rss` for feeds, `custom` for all else."""
    store = SourceStore(database)
    for kind in ("rss", "hackernews"):
        await store.add(NewSource(type=kind, name=kind, config={}), now=NOON)

    await PollQueue(database, types=BUILT_IN).claim_due(ORDER)

    rows = await database.read("SELECT source_type FROM source_stats ORDER BY source_id")
    assert [row["source_type"] for row in rows] == ["rss", "custom"]


async def test_slow_ones_share_some_slots_while_others_are_due_soon(database: Database) -> None:
    """(I9): twelve in front of the queue keep a slot for long; those behind them are not hidden."""
    sources = await add_sources(database, 14)
    schedule = PollQueue(database, types=BUILT_IN)
    for claim in await schedule.claim_due(replace(ORDER, limit=14)):
        await finish(database, claim, next_at=NOON + HOUR)
    await execute(
        database,
        "UPDATE source_stats SET poll_seconds = 9, next_due_at = :early WHERE source_id <= :last",
        {"early": NOON.timestamp(), "last": sources[11].id},
    )
    order = replace(ORDER, now=NOON + HOUR, limit=3, slots=6)

    beside_others = await schedule.claim_due(order)
    held = SlotsHeld(kinds=Counter(claim.kind for claim in beside_others))
    alone = await schedule.claim_due(replace(order, held=held, limit=5))

    assert Counter(claim.kind for claim in beside_others) == {PollCost.SLOW: 2, PollCost.PROVEN: 1}
    assert Counter(claim.kind for claim in alone) == {PollCost.PROVEN: 1}
    # Nobody proven is left to wait for: the slots that are free are theirs.
    assert len(await schedule.claim_due(replace(order, held=held, limit=3))) == 3


async def test_one_owners_crowd_is_not_served_before_everybody_else(database: Database) -> None:
    """(I9): six of Ann's wait longest, one of Ben's came just now."""
    users = UserStore(database)
    new_users = [NewUser(email=f"{name}@example.org", name=name) for name in ("ann", "ben")]
    ann, ben = [(await users.add(new, now=NOON)).id for new in new_users]
    store = SourceStore(database)
    for number, owner in enumerate([ann] * 6 + [ben]):
        new = NewSource(type="rss", name=f"{number}", config={"url": f"{number}"}, created_by=owner)
        await store.add(new, now=NOON)

    claims = await PollQueue(database, types=BUILT_IN).claim_due(replace(ORDER, limit=2))

    assert [claim.source.created_by for claim in claims] == [ann, ben]

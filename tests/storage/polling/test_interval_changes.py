"""Dates follow a changed interval (S000-2, S000-20)."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from clawfeed.domain.because import Because, Rule, Scalar, from_text
from clawfeed.domain.polling.poll_decision import PollContext, plan_again
from clawfeed.domain.schedule.interval import Intervals
from clawfeed.domain.schedule.schedule import Mode, NextPoll, PollDecision, Rhythm, why_every
from clawfeed.domain.sources.source import Fetched, Source
from clawfeed.sources.source_types.built_in import BUILT_IN
from clawfeed.storage.database import Database, execute
from clawfeed.storage.polling.host_queue import ClaimRequest
from clawfeed.storage.polling.interval_changes import follow_intervals
from clawfeed.storage.polling.poll_queue import PollQueue
from clawfeed.storage.polling.poll_results import PollFinisher, PollRecord
from clawfeed.storage.sources.sources import NewSource, SourceStore
from tests.support.clocks import NOON

MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)
HOURLY = Intervals(types=BUILT_IN, overrides={"rss": 60})


async def polled_at(database: Database, mode: Mode, because: Because | None = None) -> None:
    """One feed, polled at noon, due every four hours."""
    source = await SourceStore(database).add(NewSource(type="rss", name="A"), now=NOON)
    order = ClaimRequest(now=NOON, limit=1, lease=MINUTE, worker="tester")
    [claim] = await PollQueue(database, types=BUILT_IN).claim_due(order)
    interval = Intervals(types=BUILT_IN).of(source)
    reason = because or why_every(interval, "rss")
    next_poll = NextPoll(at=NOON + interval.every, because=reason, mode=mode)
    await PollFinisher(database).finish(
        PollRecord(
            claim=claim,
            outcome=Fetched(drafts=()),
            started_at=NOON,
            finished_at=NOON,
            worker="tester",
            decide=lambda _: PollDecision(rhythm=claim.rhythm, next_poll=next_poll),
        )
    )


async def due_at(database: Database) -> datetime | None:
    return await PollQueue(database, types=BUILT_IN).next_due_at()


async def test_a_shorter_interval_counts_from_the_last_poll(database: Database) -> None:
    await polled_at(database, Mode.FIXED)

    redated = await follow_intervals(database, HOURLY.of, now=NOON + 2 * HOUR)

    assert (redated, await due_at(database)) == (1, NOON + HOUR)
    [row] = await database.read("SELECT because FROM source_stats")
    hourly: dict[str, Scalar] = {"minutes": 60, "setting": "FETCH_INTERVAL_RSS"}
    assert from_text(row["because"]) == Because(Rule.INTERVAL_SETTING, hourly)


async def test_a_rhythm_gives_way_to_an_interval_that_somebody_chose(database: Database) -> None:
    """(S000-2, settled 1): and to no other."""
    await polled_at(database, Mode.SMART, Because(Rule.FORECAST_LONGEST, {"per_day": 1.0}))

    usual = await follow_intervals(database, Intervals(types=BUILT_IN).of, now=NOON + 2 * HOUR)
    chosen = await follow_intervals(database, HOURLY.of, now=NOON + 2 * HOUR)
    again = await follow_intervals(database, HOURLY.of, now=NOON + 2 * HOUR)

    assert (usual, chosen, again) == (0, 1, 0)
    assert await due_at(database) == NOON + HOUR
    [row] = await database.read("SELECT schedule_mode FROM source_stats")
    assert row["schedule_mode"] == "pinned"


async def test_the_same_interval_changes_nothing(database: Database) -> None:
    await polled_at(database, Mode.FIXED)

    redated = await follow_intervals(database, Intervals(types=BUILT_IN).of, now=NOON + 2 * HOUR)

    assert (redated, await due_at(database)) == (0, NOON + 4 * HOUR)


@pytest.mark.parametrize(
    ("mode", "because", "change"),
    [
        (Mode.FIXED, Because(Rule.HOST_TURN), ""),
        (Mode.FIXED, None, "UPDATE source_stats SET backoff_until = 9e9"),
        (Mode.FIXED, None, "UPDATE source_stats SET waiting_since = 1"),
        (Mode.FIXED, None, "UPDATE source_stats SET lease_until = 9e9"),
        (Mode.FIXED, None, "UPDATE sources SET is_active = 0"),
    ],
    ids=["queue", "rest", "waiting", "held", "paused"],
)
async def test_who_does_not_go_by_an_interval_keeps_its_date(
    database: Database, mode: Mode, because: Because | None, change: str
) -> None:
    await polled_at(database, mode, because)
    if change:
        await execute(database, change)

    assert await follow_intervals(database, HOURLY.of, now=NOON + 2 * HOUR) == 0


async def test_a_removed_interval_leaves_the_source_to_its_rhythm_at_once(
    database: Database,
) -> None:
    """(S000-2, settled 1): nobody waits four hours for the sake of a type's default."""
    hourly: dict[str, Scalar] = {"minutes": 60, "setting": "FETCH_INTERVAL_RSS"}
    await polled_at(database, Mode.PINNED, Because(Rule.INTERVAL_SETTING, hourly))
    await execute(
        database,
        "UPDATE source_stats SET frequency_type = 'realtime', cadence = 'P0', "
        "avg_publish_hour = 9, std_publish_hour = 2",
    )
    usual = Intervals(types=BUILT_IN)

    def plan(source: Source, rhythm: Rhythm, last_poll: datetime) -> NextPoll:
        return plan_again(
            PollContext(
                source_type=source.type,
                interval=usual.of(source),
                rhythm=rhythm,
                started_at=last_poll,
                now=NOON + MINUTE,
            )
        )

    redated = await follow_intervals(database, usual.of, now=NOON + MINUTE, plan=plan)

    assert (redated, await due_at(database)) == (1, NOON + 15 * MINUTE)
    [row] = await database.read("SELECT because, schedule_mode FROM source_stats")
    because = from_text(row["because"])
    assert because is not None
    assert (because.rule, row["schedule_mode"]) == (Rule.CADENCE, "smart")

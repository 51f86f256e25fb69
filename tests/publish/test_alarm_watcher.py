"""Alarms: raised by what is wrong, cleared by its end, told once to the right people."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from datetime import datetime

import pytest

from clawfeed.domain.alarm import AT_MOST_EVERY, AlarmCode, NoticeKind, Trouble
from clawfeed.domain.editions.edition_period import EditionType
from clawfeed.domain.ids import ChannelId
from clawfeed.publish.alarm_notices import NoticeWriter
from clawfeed.publish.alarm_watcher import AlarmWatcher, DatabaseOutage, WatchTools
from clawfeed.storage.channels.channels import ChannelStore
from clawfeed.storage.database import Database, execute
from clawfeed.storage.operations.alarms import ALARMS_KEPT, AlarmStore, remove_old_alarms
from clawfeed.storage.operations.troubles import TroubleRules, find_troubles
from clawfeed.storage.outbox.outbox_results import pause_channel
from tests.support.alarm_channels import Loft, add_loft, notices, pigeons
from tests.support.api_callers import ADMIN, ANNA, BEN, add_people
from tests.support.broken_installations import (
    DAY,
    HOUR,
    MINUTE,
    WRONG,
    X_READS,
    Wrong,
    add_source,
    all_is_well,
    pause_sources,
)
from tests.support.clocks import NOON, FakeClock
from tests.support.deliveries import deliveries

RULES = TroubleRules(edition_types=(EditionType.DAILY,), x_reads_a_month=X_READS)


@dataclass(frozen=True, slots=True)
class House:
    """A house whose watcher has been up for hours, so that nothing is too early."""

    database: Database
    clock: FakeClock
    told: list[tuple[NoticeKind, Trouble]]
    outage: DatabaseOutage
    watcher: AlarmWatcher

    async def raised(self) -> list[AlarmCode]:
        alarms = await AlarmStore(self.database).list(is_raised=True, limit=100)
        return [alarm.trouble.code for alarm in alarms]


def watcher_on(database: Database, clock: FakeClock, told: list[tuple[NoticeKind, Trouble]],
               outage: DatabaseOutage | None = None) -> AlarmWatcher:  # fmt: skip
    async def direct(kind: NoticeKind, trouble: Trouble) -> None:
        told.append((kind, trouble))

    tools = WatchTools(
        database=database,
        rules=RULES,
        clock=clock,
        write=NoticeWriter(types=pigeons(), link="https://house.example"),
        direct=direct,
    )
    return AlarmWatcher(tools, outage)


@pytest.fixture
async def house(database: Database) -> House:
    clock, outage = FakeClock(NOON - 5 * HOUR), DatabaseOutage()
    told: list[tuple[NoticeKind, Trouble]] = []
    watcher = watcher_on(database, clock, told, outage)
    clock.now = NOON
    await all_is_well(database, NOON)
    await add_loft(database, "admins")
    return House(database, clock, told, outage, watcher)


@pytest.mark.parametrize("wrong", WRONG, ids=lambda wrong: str(wrong.code))
async def test_what_is_wrong_rings_once_and_its_end_is_told_once(
    house: House, wrong: Wrong, caplog: pytest.LogCaptureFixture
) -> None:
    """(S000-22, S002-12): in the log, and to the admins' channels."""
    caplog.set_level(logging.INFO, "clawfeed.publish")
    await house.watcher.look()
    before = await house.raised()
    await wrong.cause(house.database, house.clock())
    await house.watcher.look()
    await house.watcher.look()
    during = await house.raised()
    house.clock.advance(MINUTE)
    await wrong.end(house.database, house.clock())
    await house.watcher.look()
    await house.watcher.look()

    kinds = [(address, kind) for address, kind, _ in await notices(house.database)]
    lines = [(each.levelname, each.getMessage()) for each in caplog.records]
    assert (before, during, await house.raised()) == ([], [wrong.code], [])
    assert kinds == [("admins", "raised"), ("admins", "cleared")]
    assert lines == [("ERROR", "alarm"), ("INFO", "alarm is over")]
    assert caplog.records[0].__dict__["code"] == wrong.code


async def test_nobody_is_left_out_of_the_list_above() -> None:
    """A new code needs a cause and an end."""
    assert {wrong.code for wrong in WRONG} | {AlarmCode.DATABASE_FAILED} == set(AlarmCode)


async def test_an_alarm_leaves_the_house_as_any_message_does(house: House) -> None:
    """In its channel's language, and the end after the beginning."""
    loft = Loft()
    await execute(house.database, "UPDATE channels SET language = 'zh'")
    await add_source(house.database, NOON)
    async with deliveries(
        house.database, "http://127.0.0.1:9", types=pigeons(loft), clock=house.clock
    ) as sender:
        for stale in (1, 0):
            await execute(house.database, f"UPDATE source_stats SET is_stale = {stale}")
            await house.watcher.look()
            await sender.drain()

    assert [(to, said["title"]) for to, said in loft.arrived] == [
        ("admins", "ClawFeed：有源停止更新"),
        ("admins", "ClawFeed，已恢复：有源停止更新"),
    ]


async def test_fifty_watchers_at_once_ring_once(house: House) -> None:
    """And forty sources that were paused at once are one message, with the first few names."""
    for number in range(40):
        await add_source(house.database, NOON, f"s{number}")
    await pause_sources(house.database)
    watchers = [watcher_on(house.database, house.clock, house.told) for _ in range(50)]

    await asyncio.gather(*(watcher.look() for watcher in watchers))

    [(address, kind, text)] = await notices(house.database)
    rows = await house.database.read("SELECT id FROM alarms")
    assert len(rows) == 1
    assert (address, kind) == ("admins", "raised")
    assert "40 sources are paused" in text
    assert "s0 (1)" in text
    assert "and 35 more" in text
    assert "s20" not in text


async def test_a_group_is_over_when_the_last_of_it_is_and_what_comes_later_rings_by_itself(
    house: House,
) -> None:
    for number in range(5):
        await add_source(house.database, NOON, f"s{number}")
    await pause_sources(house.database)
    await house.watcher.look()
    resume = "UPDATE sources SET is_active = 1, paused_because = NULL WHERE"
    await execute(house.database, f"{resume} id > 1")
    await house.watcher.look()
    after_four = await house.raised()
    await add_source(house.database, NOON, "late")
    await execute(
        house.database,
        "UPDATE sources SET is_active = 0, paused_because = 'gone' WHERE name = 'late'",
    )
    await house.watcher.look()
    await execute(house.database, f"{resume} id = 1")
    await house.watcher.look()

    told = await notices(house.database)
    assert after_four == [AlarmCode.SOURCE_PAUSED]
    assert [(kind, "late" in text) for _, kind, text in told] == [
        ("raised", False),
        ("raised", True),
        ("cleared", False),
    ]
    assert "5 sources are no longer paused" in told[2][2]


async def test_what_comes_and_goes_rings_at_most_once_an_hour(house: House) -> None:
    """And who was told that it is over learns within the hour that it is not."""
    await add_source(house.database, NOON)
    wrong, well = ("UPDATE source_stats SET is_stale = 1", "UPDATE source_stats SET is_stale = 0")
    for _ in range(5):
        for change in (wrong, well):
            await execute(house.database, change)
            house.clock.advance(MINUTE)
            await house.watcher.look()
    flapping = [kind for _, kind, _ in await notices(house.database)]
    await execute(house.database, wrong)
    await house.watcher.look()
    silent = await house.raised()
    await execute(house.database, "UPDATE outbox SET state = 'sent'")
    house.clock.advance(AT_MOST_EVERY)
    await all_is_well(house.database, house.clock())
    await house.watcher.look()
    await house.watcher.look()

    assert flapping == ["raised", "cleared"]
    assert silent == [AlarmCode.SOURCE_STALE]
    assert await house.raised() == [AlarmCode.SOURCE_STALE]
    kinds = [kind for _, kind, _ in await notices(house.database)]
    assert kinds == ["raised", "cleared", "raised"]


async def test_alarms_go_to_admins_and_name_nothing_private(house: House) -> None:
    """Of people's channels only those of admins count; a private source is a number."""
    await add_people(house.database)
    await add_loft(house.database, "chief", ADMIN, language="zh")
    await add_loft(house.database, "chief's other", ADMIN, gets_alarms=False)
    await add_loft(house.database, "anna", ANNA)
    await add_source(house.database, NOON, "annas-diary")
    await execute(house.database, "UPDATE sources SET is_public = 0")
    await pause_sources(house.database)

    await house.watcher.look()

    told = await notices(house.database)
    assert [address for address, _, _ in told] == ["admins", "chief"]
    assert "diary" not in str(told)
    assert "已暂停" in told[1][2]
    [row] = await house.database.read("SELECT parameters FROM alarms")
    assert "diary" not in row["parameters"]


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ("edition_types = 'torn'", "channel cannot be read"),
        ("config = '{\"bug\": true}'", "alarm could not be put into the form of a channel"),
    ],
)
async def test_a_channel_that_is_broken_silences_no_other(
    house: House, caplog: pytest.LogCaptureFixture, change: str, line: str
) -> None:
    """(F27): it costs itself the alarm, and is named in the log."""
    await execute(house.database, f"UPDATE channels SET {change}")
    await add_loft(house.database, "sound")
    await add_source(house.database, NOON)
    await pause_sources(house.database)

    await house.watcher.look()

    assert [to for to, _, _ in await notices(house.database)] == ["sound"]
    assert [each.getMessage() for each in caplog.records].count(line) == 1


async def test_a_persons_dead_channel_is_told_to_them_by_their_others(
    house: House, caplog: pytest.LogCaptureFixture
) -> None:
    """Neither to the admins nor to anybody else; where none is for alarms, by all of theirs."""
    await add_people(house.database)
    dead = await add_loft(house.database, "dead", ANNA)
    await add_loft(house.database, "anna", ANNA, gets_alarms=False)
    await add_loft(house.database, "ben", BEN)
    await house.database.run(lambda: pause_channel(ChannelId(dead), "gone", "no such chat", NOON))

    await house.watcher.look()

    assert [(to, kind) for to, kind, _ in await notices(house.database)] == [("anna", "raised")]
    assert [each.levelname for each in caplog.records] == ["WARNING"]


async def test_a_channel_that_was_taken_out_of_the_settings_is_no_trouble(house: House) -> None:
    await execute(house.database, "UPDATE channels SET origin = 'environment'")
    await ChannelStore(house.database).sync_environment([], now=NOON)

    assert await find_troubles(house.database, RULES, now=NOON) == []


async def test_who_just_started_rings_nothing_that_may_be_made_up_and_clears_nothing(
    house: House,
) -> None:
    """After a dark night all is late at first. A restart is no recovery."""
    night = NOON + 10 * HOUR
    house.clock.now = night
    started = watcher_on(house.database, house.clock, house.told)
    await started.look()
    early = await house.raised()
    await house.watcher.look()
    rung = await house.raised()
    await watcher_on(house.database, house.clock, house.told).look()

    assert early == []
    assert rung == [AlarmCode.NO_EDITION_TRIGGER]
    assert await house.raised() == rung


async def test_nobody_delivers_is_told_past_the_outbox_to_the_house(house: House) -> None:
    """A message in the outbox would tell nobody. Channels of people wait for it there."""
    await add_people(house.database)
    await execute(house.database, "UPDATE channels SET origin = 'environment'")
    await add_loft(house.database, "chief", ADMIN)
    [wrong] = [each for each in WRONG if each.code is AlarmCode.NO_DELIVERY]
    await wrong.cause(house.database, NOON)
    await house.watcher.look()
    await house.watcher.look()

    assert [(kind, trouble.code) for kind, trouble in house.told] == [
        (NoticeKind.RAISED, AlarmCode.NO_DELIVERY)
    ]
    assert [address for address, _, _ in await notices(house.database)] == ["chief"]


async def test_a_long_queue_that_moves_is_no_trouble(house: House) -> None:
    [wrong] = [each for each in WRONG if each.code is AlarmCode.NO_DELIVERY]
    await wrong.cause(house.database, NOON)
    moved = {"at": (NOON - MINUTE).timestamp()}
    await execute(
        house.database,
        "INSERT INTO outbox (channel_id, digest_id, part, parts, idempotency_key, payload, place, "
        "state, attempts, not_before, created_at, updated_at) "
        "SELECT channel_id, digest_id, 2, 9, 'other', '', place, 'dead', 1, 0, 0, :at FROM outbox",
        moved,
    )

    assert await find_troubles(house.database, RULES, now=NOON) == []


async def test_a_place_that_rests_is_no_trouble(house: House) -> None:
    [wrong] = [each for each in WRONG if each.code is AlarmCode.NO_DELIVERY]
    await wrong.cause(house.database, NOON)
    await execute(
        house.database,
        "INSERT INTO delivery_places (place, next_at) SELECT place, :at FROM outbox",
        {"at": (NOON + HOUR).timestamp()},
    )

    assert await find_troubles(house.database, RULES, now=NOON) == []


async def test_an_edition_that_nobody_began_is_missing_once_there_were_others(
    house: House,
) -> None:
    """A new house that has nothing to tell yet misses nothing."""
    [wrong] = [each for each in WRONG if each.code is AlarmCode.EDITION_MISSING]
    midnight = datetime.combine(NOON.date(), datetime.min.time(), NOON.tzinfo)
    fresh = await find_troubles(house.database, RULES, now=NOON)
    await wrong.end(house.database, NOON - DAY)  # the day before's was published
    await all_is_well(house.database, midnight + 2 * HOUR)
    early = await find_troubles(house.database, RULES, now=midnight + 2 * HOUR)
    late = await find_troubles(house.database, RULES, now=midnight + 2 * HOUR + MINUTE)

    assert (fresh, early) == ([], [])
    assert [(each.code, each.subject) for each in late] == [
        (AlarmCode.EDITION_MISSING, f"daily {NOON:%Y-%m-%d}")
    ]


async def test_old_alarms_are_forgotten_but_never_those_that_are_raised(house: House) -> None:
    await add_source(house.database, NOON)
    await pause_sources(house.database)
    await house.watcher.look()
    await execute(house.database, "UPDATE source_stats SET is_stale = 1")
    await execute(house.database, "UPDATE sources SET is_active = 1, paused_because = NULL")
    await house.watcher.look()

    removed = await remove_old_alarms(house.database, now=NOON + ALARMS_KEPT + MINUTE)

    assert removed == 1
    assert await house.raised() == [AlarmCode.SOURCE_STALE]


async def test_a_look_at_a_house_where_all_is_as_before_writes_nothing(house: House) -> None:
    """But for the row that is taken away again."""
    await add_source(house.database, NOON)
    await pause_sources(house.database)
    await house.watcher.look()
    store = AlarmStore(house.database)
    before = await store.list(limit=10)
    house.clock.advance(MINUTE)
    await house.watcher.look()

    assert await store.list(limit=10) == before
    assert await house.database.read("SELECT key FROM config WHERE key = 'write_probe'") == []

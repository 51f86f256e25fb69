"""The way out: each part once, in order, no channel at the expense of another."""

from __future__ import annotations

import asyncio
import logging
from datetime import timedelta

import pytest

from clawfeed.domain.channels.delivery_retry import MOST_ATTEMPTS
from clawfeed.domain.editions.delivery import Recovery
from clawfeed.publish.channel_type import ChannelTypes
from clawfeed.publish.delivery_worker import DeliveryPace, manners_of
from clawfeed.storage.channels.channels import ChannelStore
from clawfeed.storage.database import Database, execute
from clawfeed.storage.outbox.delivery_liveness import undelivered_since
from clawfeed.storage.outbox.outbox import Outbox
from clawfeed.storage.outbox.outbox_admin import OutboxAdmin
from clawfeed.storage.outbox.outbox_results import OutboxResults
from tests.support.api_callers import ANNA, add_people
from tests.support.clocks import NOON
from tests.support.deliveries import WORKER, add_channel, deliveries, until, write_edition
from tests.support.message_service import KINDS, kind_of, open_message_service

HOUR, SECOND = timedelta(hours=1), timedelta(seconds=1)


async def state_of(database: Database, task_id: int) -> str:
    [row] = await database.read("SELECT state FROM edition_tasks WHERE id = :id", {"id": task_id})
    return str(row["state"])


async def test_the_parts_arrive_in_order_and_the_edition_is_published(database: Database) -> None:
    """(S002-7): and nothing is sent twice, however often one looks (S002-8)."""
    three = {"parts": 3}
    for address in ("anna", "ben"):
        await add_channel(database, address, config=three)
    task, _ = await write_edition(database)

    async with open_message_service() as box, deliveries(database, box.url) as out:
        await out.drain()
        await out.drain()

        sent = [f"News {part}/3 in en" for part in (1, 2, 3)]
        assert (box.arrived("anna"), box.arrived("ben")) == (sent, sent)
        assert {state for _, _, state in await out.states()} == {"sent"}
        assert await state_of(database, task.id) == "published"


async def test_a_dead_channel_keeps_nobody_waiting(database: Database) -> None:
    """(S002-17): the good one has it at once; the edition waits for the other until it is given up.

    Only the missing one is tried again.
    """
    bad, good = await add_channel(database, "bad"), await add_channel(database, "good")
    task, _ = await write_edition(database)

    async with open_message_service() as box, deliveries(database, box.url) as out:
        box.answer("bad", *[500] * MOST_ATTEMPTS)
        await out.drain()
        after_first = await out.states(), await state_of(database, task.id)
        for _ in range(MOST_ATTEMPTS - 1):
            out.clock.advance(2 * HOUR)
            await out.drain()

        assert after_first == ([(bad, 1, "retry"), (good, 1, "sent")], "aggregating")
        assert await out.states() == [(bad, 1, "dead"), (good, 1, "sent")]
        assert (await out.message(bad))["attempts"] == MOST_ATTEMPTS
        assert box.arrived() == ["News 1/1 in en"]
        assert await state_of(database, task.id) == "published"


async def test_a_channel_that_hangs_holds_only_its_own_place(database: Database) -> None:
    """(S002-17): also with more of its messages due than there are slots."""
    await add_channel(database, "hangs")
    for number in range(20):
        await write_edition(database, title=f"old {number:02}")
    await add_channel(database, "good")
    await write_edition(database, title="new")

    async with open_message_service() as box, deliveries(database, box.url) as out:
        box.answer("hangs", "held")
        running = asyncio.create_task(out.worker.run())
        await until(
            lambda: "new 1/1 in en" in box.arrived("good") and "hangs" in box.most_under_way
        )
        hanging = box.arrived("hangs"), box.most_under_way["hangs"]
        box.held.set()
        await until(lambda: len(box.arrived("hangs")) == 21)
        out.worker.stop()
        await running

        assert hanging == (["old 00 1/1 in en"], 1)
        assert box.most_under_way["hangs"] == 1
        assert {state for _, _, state in await out.states()} == {"sent"}


async def test_a_place_takes_as_many_at_once_as_its_kind_says_over_all_workers(
    database: Database,
) -> None:
    types = ChannelTypes([kind_of(Recovery.RESEND, at_once=3)])
    await add_channel(database, "wide", kind="box_resend")
    for number in range(9):
        await write_edition(database, title=f"n{number}", types=types)

    async with (
        open_message_service() as box,
        deliveries(database, box.url, types=types, name="one") as one,
        deliveries(database, box.url, types=types, name="two") as two,
    ):
        box.answer("wide", *["held"] * 3)
        both = [asyncio.create_task(each.worker.run()) for each in (one, two)]
        await until(lambda: box.under_way.get("wide", 0) == 3)
        box.held.set()
        await until(lambda: len(box.arrived("wide")) == 9)
        one.worker.stop()
        two.worker.stop()
        await asyncio.gather(*both)

        assert box.most_under_way["wide"] == 3
        assert sorted(box.arrived()) == [f"n{number} 1/1 in en" for number in range(9)]


async def test_gaps_and_rests_are_kept_for_a_place_and_for_nobody_else(database: Database) -> None:
    """A 429 rests the whole place for as long as it asked; the gap is kept from then on."""
    types = ChannelTypes([kind_of(Recovery.ASK, spacing=SECOND)])
    await add_channel(database, "busy", config={"rest": 60})
    await add_channel(database, "other")
    for number in range(2):
        await write_edition(database, title=f"n{number}", types=types)

    async with open_message_service() as box, deliveries(database, box.url, types=types) as out:
        box.answer("busy", 429)
        await out.drain()
        first = list(box.arrived("busy")), list(box.arrived("other"))
        out.clock.advance(59 * SECOND)
        await out.drain()
        resting = list(box.arrived("busy"))
        out.clock.advance(30 * SECOND)  # the one that was refused waits longer, with jitter
        await out.drain()
        out.clock.advance(SECOND)
        await out.drain()

        assert first == ([], ["n0 1/1 in en"])
        assert resting == []
        assert box.arrived("busy") == ["n1 1/1 in en", "n0 1/1 in en"]
        assert len(box.arrived("other")) == 2


async def test_nobody_elses_token_makes_a_chat_rest(database: Database) -> None:
    """A reader's own bot that is told to wait for a day keeps nothing from the house's channel."""
    await add_people(database)
    types = ChannelTypes([kind_of(Recovery.ASK, spacing=SECOND, secrets=("token",))])
    await add_channel(database, "news", owner=ANNA, config={"rest": 86_400})
    await add_channel(database, "news")
    await write_edition(database, types=types)
    one_by_one = DeliveryPace(slots=1, tick=SECOND / 50, drained_for=timedelta(0))

    async with (
        open_message_service() as box,
        deliveries(database, box.url, types=types, pace=one_by_one) as out,
    ):
        box.answer("news", 429)
        await out.drain()

        assert await out.states() == [(1, 1, "retry"), (2, 1, "sent")]


@pytest.mark.parametrize(
    ("status", "state", "is_paused"),
    [(400, "dead", False), (403, "retry", True), (500, "retry", False)],
)
async def test_what_a_no_means(
    database: Database, status: int, state: str, *, is_paused: bool
) -> None:
    """A channel that refuses us pauses, visibly; its message waits for its owner."""
    channel = await add_channel(database, "one")
    task, _ = await write_edition(database)

    async with open_message_service() as box, deliveries(database, box.url) as out:
        box.answer("one", status)
        await out.drain()

        row = await out.message(channel)
        [kept] = await database.read("SELECT * FROM channels WHERE id = :id", {"id": channel})
        assert (row["state"], row["may_have_arrived"]) == (state, 0)
        assert kept["paused_because"] == ("failed" if is_paused else None)
        assert bool(kept["last_error"]) == is_paused
        # Done or given up: of a paused channel nobody waits for anything (S002-17).
        over = await state_of(database, task.id) == "published"
        assert over == (state == "dead" or is_paused)


@pytest.mark.parametrize(
    ("recovery", "state", "arrived"),
    [(Recovery.ASK, "uncertain", 1), (Recovery.RESEND, "sent", 1), (Recovery.READ_BACK, "sent", 1)],
)
async def test_an_answer_that_is_lost_after_bytes_left(
    database: Database, recovery: Recovery, state: str, arrived: int
) -> None:
    """(I7): who cannot tell asks a person; who can ends with exactly one."""
    channel = await add_channel(database, "one", kind=f"box_{recovery}", config={"parts": 2})
    task, _ = await write_edition(database)

    async with open_message_service() as box, deliveries(database, box.url) as out:
        box.answer("one", "dropped")
        await out.drain()
        out.clock.advance(HOUR)
        await out.drain()

        assert (await out.message(channel))["state"] == state
        assert box.arrived("one").count("News 1/2 in en") == arrived
        # The second part never leaves before the first is known to be there.
        assert len(box.arrived("one")) == (1 if state == "uncertain" else 2)
        assert await state_of(database, task.id) == "published"


async def test_a_sender_that_crashes_is_a_retry_and_is_told_once(
    database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    """A bug of ours costs its own message time, and no other anything."""
    bug = await add_channel(database, "bug", kind="box_resend", config={"bug": True})
    await add_channel(database, "good")
    await write_edition(database)

    async with open_message_service() as box, deliveries(database, box.url) as out:
        with caplog.at_level(logging.INFO):
            await out.drain()

        row = await out.message(bug)
        assert (row["state"], row["may_have_arrived"], row["last_error_code"]) == (
            "retry",
            1,
            "our_bug",
        )
        assert len(box.arrived("good")) == 1
        assert len([each for each in caplog.records if each.message == "sender crashed"]) == 1


async def test_an_answer_that_never_comes_ends_with_its_time(database: Database) -> None:
    channel = await add_channel(database, "slow")
    await write_edition(database)

    async with (
        open_message_service() as box,
        deliveries(database, box.url, patience=timedelta(seconds=2)) as out,
    ):
        box.answer("slow", "held")
        await out.drain()

        row = await out.message(channel)
        assert (row["state"], row["last_error_code"]) == ("uncertain", "timed_out")


async def test_a_channel_that_moved_is_found_at_its_new_address(database: Database) -> None:
    """Unless its owner has another one there: then both stay as they are."""
    moved = await add_channel(database, "old", config={"moved_to": "new"})
    there = await add_channel(database, "there")
    stays = await add_channel(database, "here", config={"moved_to": "there"})
    await write_edition(database)

    async with open_message_service() as box, deliveries(database, box.url) as out:
        await out.drain()

        rows = await database.read("SELECT id, address FROM channels ORDER BY id")
        assert {row["id"]: row["address"] for row in rows} == {
            moved: "new",
            there: "there",
            stays: "here",
        }
        assert {state for _, _, state in await out.states()} == {"sent"}


async def test_a_channel_that_its_owner_moved_meanwhile_stays_there(database: Database) -> None:
    """The answer was about the chat of before: its successor is not the owner's new choice."""
    channel = await add_channel(database, "old", config={"moved_to": "old's successor"})
    await write_edition(database)

    async with open_message_service() as box, deliveries(database, box.url) as out:
        box.answer("old", "held")
        sending = asyncio.create_task(out.drain())
        await until(lambda: bool(box.arrived("old")))
        await execute(database, "UPDATE channels SET address = 'chosen'")
        box.held.set()
        await sending

    assert (await ChannelStore(database).get(channel)).address == "chosen"


async def test_what_is_paused_on_the_way_does_not_leave(database: Database) -> None:
    channel = await add_channel(database, "one")
    await write_edition(database)
    await execute(
        database,
        "UPDATE channels SET state = 'paused', paused_because = 'person' WHERE id = :id",
        {"id": channel},
    )

    async with open_message_service() as box, deliveries(database, box.url) as out:
        await out.drain()

        assert box.arrived() == []
        assert (await out.message(channel))["state"] == "pending"


async def test_what_waits_for_a_disabled_person_waits_until_they_are_let_in_again(
    database: Database,
) -> None:
    """And keeps no edition from being published; nobody is told that it is late."""
    await add_people(database)
    await add_channel(database, "anna", owner=ANNA)
    await add_channel(database, "house")
    task, _ = await write_edition(database)
    await execute(database, "UPDATE users SET disabled_at = 1 WHERE id = :id", {"id": ANNA})

    async with open_message_service() as box, deliveries(database, box.url) as out:
        await out.drain()
        meanwhile = box.arrived("anna"), box.arrived("house"), await state_of(database, task.id)
        figures = await OutboxAdmin(database).figures(now=out.clock())
        late = await undelivered_since(database, out.clock() + HOUR)
        await execute(database, "UPDATE users SET disabled_at = NULL WHERE id = :id", {"id": ANNA})
        await out.drain()

        assert meanwhile == ([], ["News 1/1 in en"], "published")
        assert (figures.pending, late) == (0, None)
        assert box.arrived("anna") == ["News 1/1 in en"]


async def test_who_is_disabled_after_the_claim_gets_nothing(database: Database) -> None:
    await add_people(database)
    await add_channel(database, "anna", owner=ANNA)
    await write_edition(database)
    [message] = (
        await Outbox(database).claim(manners_of(KINDS), WORKER, now=NOON, limit=9)
    ).messages
    await execute(database, "UPDATE users SET disabled_at = 1 WHERE id = :id", {"id": ANNA})

    assert await OutboxResults(database).begin(message, now=NOON, rest=SECOND) is None


async def test_a_worker_that_is_stopped_lets_what_is_under_way_arrive(database: Database) -> None:
    """And takes nothing new."""
    for address in ("one", "two"):
        await add_channel(database, address)
    await write_edition(database, title="first")

    async with open_message_service() as box, deliveries(database, box.url) as out:
        box.answer("one", "held")
        box.answer("two", "held")
        running = asyncio.create_task(out.worker.run())
        await until(lambda: sum(box.under_way.values()) == 2)
        out.worker.stop()
        await write_edition(database, title="second")
        box.held.set()
        await running

        assert box.arrived() == ["first 1/1 in en"] * 2
        assert sorted(state for _, _, state in await out.states()) == [
            "pending",
            "pending",
            "sent",
            "sent",
        ]


@pytest.mark.parametrize(
    ("kind", "state", "in_the_end"),
    [("box_ask", "uncertain", 0), ("box_resend", "sent", 1), ("gone", "uncertain", 0)],
)
async def test_what_a_dead_worker_left_is_put_in_order(
    database: Database, kind: str, state: str, in_the_end: int
) -> None:
    """(I7): nothing stays in `sending`; also of a kind that nobody knows any more."""
    channel = await add_channel(database, "one", kind="box_ask")
    await write_edition(database)
    await execute(database, "UPDATE channels SET kind = :kind", {"kind": kind})
    await execute(
        database,
        "UPDATE outbox SET state = 'sending', attempts = 1, leased_by = 'dead', "
        f"lease_until = {database.dialect.now} + 3000",
    )

    async with (
        open_message_service() as box,
        deliveries(database, box.url, is_dead=lambda worker: worker == "dead") as out,
    ):
        await out.drain()

        row = await out.message(channel)
        assert (row["state"], row["may_have_arrived"]) == (state, 1)
        assert len(box.arrived()) == in_the_end


async def test_a_message_that_stops_whoever_sends_it_is_given_up(database: Database) -> None:
    channel = await add_channel(database, "one", kind="box_resend")
    await write_edition(database)
    await execute(
        database,
        "UPDATE outbox SET state = 'sending', attempts = :most",
        {"most": MOST_ATTEMPTS},
    )

    async with open_message_service() as box, deliveries(database, box.url) as out:
        await out.drain()

        assert (await out.message(channel))["state"] == "dead"


async def test_a_late_result_changes_nothing(database: Database) -> None:
    """(F16): whoever was frozen past their lease finds that it was put in order without them."""
    channel = await add_channel(database, "one")
    await write_edition(database)

    async with open_message_service() as box, deliveries(database, box.url) as out:
        box.answer("one", "held")
        running = asyncio.create_task(out.worker.drain())
        await until(lambda: bool(box.arrived("one")))
        await execute(database, "UPDATE outbox SET lease_until = 1")
        async with deliveries(database, box.url, name="other") as other:
            await other.drain()
        taken_over = (await out.message(channel))["state"]
        box.held.set()
        await running

        assert (taken_over, (await out.message(channel))["state"]) == ("uncertain", "uncertain")
        assert len(box.arrived("one")) == 1

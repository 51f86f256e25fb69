"""The outbox for people: what is listed, sent again and dropped; what is left when it is old."""

from __future__ import annotations

from datetime import timedelta

import pytest

from clawfeed.domain.editions.delivery import MessageMove, MessageState
from clawfeed.domain.errors import InvalidInputError, NotFoundError
from clawfeed.domain.ids import ChannelId, MessageId
from clawfeed.storage.channels.channels import ChannelStore
from clawfeed.storage.database import Database, execute
from clawfeed.storage.leases import Holder
from clawfeed.storage.outbox.delivery_states import deliveries_of
from clawfeed.storage.outbox.outbox import Outbox
from clawfeed.storage.outbox.outbox_admin import MessageFilter, OutboxAdmin
from clawfeed.storage.outbox.outbox_results import OutboxResults
from clawfeed.storage.outbox.outbox_retention import MESSAGES_KEPT, TEXTS_KEPT, remove_old_messages
from tests.support.clocks import NOON
from tests.support.deliveries import add_channel, by_nobody, deliveries, write_edition
from tests.support.message_service import open_message_service

SECOND = timedelta(seconds=1)


async def test_what_is_uncertain_is_sent_again_when_a_person_says_so_and_the_rest_follows(
    database: Database,
) -> None:
    """(F21): part one stays sent once, the resend begins at part two, and three follows it."""
    channel = await add_channel(database, "one", config={"parts": 3})
    _, digest = await write_edition(database)
    admin = OutboxAdmin(database)

    async with open_message_service() as box, deliveries(database, box.url) as out:
        box.answer("one", 200, "dropped")
        await out.drain()
        [stuck] = await admin.list(MessageFilter(state=MessageState.UNCERTAIN), limit=9)
        [before] = await deliveries_of(database, digest)
        await admin.move(stuck.id, MessageMove.RESEND, by_nobody(NOON))
        await out.drain()

        sent = [f"News {part}/3 in en" for part in (1, 2, 2, 3)]
        [after] = await deliveries_of(database, digest)
        assert (stuck.part, stuck.may_have_arrived, stuck.channel_id) == (2, True, channel)
        assert box.arrived() == sent
        assert (before.state, before.sent_parts, after.state, after.sent_parts) == (
            "uncertain",
            1,
            "sent",
            3,
        )


async def test_what_is_dropped_on_its_way_does_not_leave(database: Database) -> None:
    """Also if somebody has claimed it already: they find that it is not theirs any more."""
    await add_channel(database, "one")
    await write_edition(database)
    admin = OutboxAdmin(database)

    async with open_message_service() as box, deliveries(database, box.url) as out:
        holder = Holder(worker="x", lease=timedelta(minutes=1))
        claimed = await Outbox(database).claim(out.worker._kinds, holder, now=NOON, limit=1)
        [message] = claimed.messages
        await admin.move(message.id, MessageMove.DROP, by_nobody(NOON))
        sent = await out.worker._parts.send(message)

        assert (sent, box.arrived(), await out.states()) == (None, [], [(1, 1, "dead")])


@pytest.mark.parametrize(
    ("state", "move", "sentence"),
    [
        ("sent", MessageMove.RESEND, "this message is sent: resend is for messages that are"),
        ("sending", MessageMove.DROP, "this message is sending: drop is for messages that are"),
        ("dead", MessageMove.DROP, "this message is dead: drop is for"),
    ],
)
async def test_a_move_that_makes_no_sense_is_one_sentence(
    database: Database, state: str, move: MessageMove, sentence: str
) -> None:
    await add_channel(database, "one")
    await write_edition(database)
    await execute(database, "UPDATE outbox SET state = :state", {"state": state})

    with pytest.raises(InvalidInputError, match=sentence):
        await OutboxAdmin(database).move(MessageId(1), move, by_nobody(NOON))
    with pytest.raises(NotFoundError, match="there is no message 99"):
        await OutboxAdmin(database).move(MessageId(99), move, by_nobody(NOON))


async def test_nothing_is_sent_again_to_a_paused_channel_or_without_a_text(
    database: Database,
) -> None:
    await add_channel(database, "one")
    await write_edition(database)
    await execute(database, "UPDATE outbox SET state = 'dead', payload = ''")
    admin = OutboxAdmin(database)

    with pytest.raises(InvalidInputError, match="has no text"):
        await admin.move(MessageId(1), MessageMove.RESEND, by_nobody(NOON))
    await execute(database, "UPDATE channels SET state = 'paused', paused_because = 'person'")
    with pytest.raises(InvalidInputError, match="is paused: resume it first"):
        await admin.move(MessageId(1), MessageMove.RESEND, by_nobody(NOON))


async def test_the_figures_count_what_can_leave_and_what_waits_for_a_person(
    database: Database,
) -> None:
    """Parts behind a dead one, and messages to a paused channel, wait for nothing."""
    one = await add_channel(database, "one", config={"parts": 3})
    two = await add_channel(database, "two", config={"parts": 2})
    await add_channel(database, "three")
    await write_edition(database)
    await execute(
        database,
        "UPDATE outbox SET state = 'dead' WHERE channel_id = :id AND part = 1",
        {"id": one},
    )
    await execute(
        database,
        "UPDATE channels SET state = 'paused', paused_because = 'person' WHERE id = :id",
        {"id": two},
    )

    figures = await OutboxAdmin(database).figures(now=NOON + SECOND)

    assert (figures.pending, figures.uncertain, figures.dead) == (1, 0, 1)
    assert figures.oldest_due_at == NOON


async def test_pages_go_on_where_the_last_ended(database: Database) -> None:
    channel = await add_channel(database, "one", config={"parts": 5})
    await write_edition(database)
    admin, wanted = OutboxAdmin(database), MessageFilter(channel=ChannelId(channel))

    first = await admin.list(wanted, limit=3)
    rest = await admin.list(wanted, limit=3, before=first[-1].id)

    assert [each.part for each in [*first, *rest]] == [5, 4, 3, 2, 1]
    assert await admin.list(MessageFilter(state=MessageState.SENT), limit=3) == []


async def test_old_messages_lose_their_text_and_then_go(database: Database) -> None:
    """What waits stays, however old; and a date of a clock that ran ahead becomes now (F15)."""
    for address in ("sent", "waits", "far"):
        await add_channel(database, address)
    await write_edition(database)
    await execute(
        database,
        "UPDATE outbox SET state = 'sent', sent_at = :now WHERE channel_id = 1",
        {"now": NOON.timestamp()},
    )
    await execute(database, "UPDATE outbox SET not_before = 1e11 WHERE channel_id = 3")

    async def payloads() -> dict[int, tuple[str, bool]]:
        rows = await database.read("SELECT channel_id, payload, not_before FROM outbox")
        return {row["channel_id"]: (row["payload"], row["not_before"] < 1e11) for row in rows}

    await remove_old_messages(database, now=NOON + TEXTS_KEPT)
    first = await payloads()
    await remove_old_messages(database, now=NOON + TEXTS_KEPT + SECOND)
    second = await payloads()
    removed = await remove_old_messages(database, now=NOON + MESSAGES_KEPT + SECOND)

    text = "News 1/1 in en"
    assert first == {1: (text, True), 2: (text, True), 3: (text, True)}
    assert second == {1: ("", True), 2: (text, True), 3: (text, True)}
    assert (removed, set(await payloads())) == (1, {2, 3})


async def test_what_came_after_a_part_that_was_given_up_never_leaves_by_itself(
    database: Database,
) -> None:
    """Not when the part that held it up is old enough to be forgotten: it goes with it (I7)."""
    await add_channel(database, "one", config={"parts": 3})
    await write_edition(database)
    admin = OutboxAdmin(database)
    await admin.move(MessageId(1), MessageMove.DROP, by_nobody(NOON))

    removed = await remove_old_messages(database, now=NOON + MESSAGES_KEPT + SECOND)

    async with open_message_service() as box, deliveries(database, box.url) as out:
        await out.drain()
        assert (removed, box.arrived(), await out.states()) == (3, [], [])


async def test_only_the_holder_can_write_down_what_came_of_a_message(database: Database) -> None:
    """A message that was not begun, for its channel is paused by now, is given back as it is."""
    channel = await add_channel(database, "one")
    await write_edition(database)

    async with open_message_service() as box, deliveries(database, box.url) as out:
        holder = Holder(worker="x", lease=timedelta(minutes=1))
        claimed = await Outbox(database).claim(out.worker._kinds, holder, now=NOON, limit=1)
        await ChannelStore(database).pause(channel, now=NOON)
        begun = await OutboxResults(database).begin(
            claimed.messages[0], now=NOON, rest=timedelta(0)
        )
        await ChannelStore(database).resume(channel, now=NOON)
        await out.drain()

        assert (begun, len(box.arrived()), await out.states()) == (None, 1, [(1, 1, "sent")])

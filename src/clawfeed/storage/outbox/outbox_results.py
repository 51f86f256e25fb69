"""What becomes of messages: begun, arrived, tried again, given up. Every write is fenced."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from clawfeed.domain.channels.channel import Channel
from clawfeed.domain.editions.delivery import MessageState
from clawfeed.domain.ids import ChannelId, TaskId
from clawfeed.storage.channels.channel_row import CHANNEL_COLUMNS, TAKES_MESSAGES, to_channel
from clawfeed.storage.database import Database, SqlValue, Statement, Steps
from clawfeed.storage.leases import FREE, RELEASED, Held, fenced, release
from clawfeed.storage.outbox.message_states import MOVING, STUCK, WAITING
from clawfeed.storage.outbox.outbox import FARTHEST_RETRY, OUTBOX, ClaimedMessage
from clawfeed.storage.timestamps import seconds

LONGEST_SENTENCE = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class SettledAttempt:
    """What one attempt came to.

    *wait* is until the next try of this message; *rest* is until anything may go to its place
    again. *is_channel_refused* pauses the channel for good: its owner must act.
    """

    state: MessageState
    remote_id: str = ""
    may_have_arrived: bool = False
    code: str = ""
    sentence: str = ""
    wait: timedelta = timedelta(0)
    rest: timedelta = timedelta(0)
    is_channel_refused: bool = False


class OutboxResults:
    """Written by whoever holds a message; `LeaseLostError`, and no trace, for all others."""

    def __init__(self, database: Database) -> None:
        self._db = database

    async def begin(
        self, message: ClaimedMessage, *, now: datetime, rest: timedelta
    ) -> Channel | None:
        """Commit that it is `sending`, before anything leaves; where to. None: it pauses.

        *rest* keeps its place free from others until then, should we die on the way.
        """
        return await self._db.run(lambda: _begin(message, now, rest))

    async def settle(
        self, message: ClaimedMessage, settled: SettledAttempt, *, now: datetime
    ) -> None:
        """Write down what came of it and give it back."""
        await self._db.run(lambda: _settle(message, settled, now))

    async def move_channel(
        self, channel: ChannelId, *, before: str, address: str, now: datetime
    ) -> None:
        """The other side said that it moved. `ConstraintError` if another one is there already.

        What its owner made it meanwhile stays: only who is still at *before* moves.
        """
        changes: dict[str, SqlValue] = {
            "id": channel, "before": before, "address": address, "now": seconds(now),
        }  # fmt: skip

        def steps() -> Steps[None]:
            yield Statement(
                "UPDATE channels SET address = :address, updated_at = :now "
                "WHERE id = :id AND address = :before AND origin = 'stored'",
                changes,
            )

        await self._db.run(steps)

    async def finished_tasks(self) -> list[TaskId]:
        """Written editions whose active channels are all done or given up: to be published."""
        rows = await self._db.read(
            f"""
            SELECT e.id FROM edition_tasks e JOIN digests d ON d.task_id = e.id
            WHERE e.{FREE} AND e.state NOT IN ('published', 'archived')
              AND e.state = 'aggregating' AND NOT EXISTS (
                SELECT 1 FROM outbox o JOIN channels c ON c.id = o.channel_id
                WHERE o.digest_id = d.id AND {TAKES_MESSAGES}
                  AND o.state IN {MOVING} AND NOT EXISTS (
                    SELECT 1 FROM outbox other
                    WHERE other.digest_id = o.digest_id AND other.channel_id = o.channel_id
                      AND other.state IN {STUCK}
                  )
              )
            ORDER BY e.due_at, e.id LIMIT 100
            """  # noqa: S608 -- our own constant
        )
        return [TaskId(row["id"]) for row in rows]


def _held(message: ClaimedMessage) -> Held:
    return Held(key=message.id, claim=message.claim)


def _begin(message: ClaimedMessage, now: datetime, rest: timedelta) -> Steps[Channel | None]:
    rows = yield Statement(
        f"""
        SELECT {CHANNEL_COLUMNS} FROM channels JOIN channels c ON c.id = channels.id
        WHERE channels.id = :id AND {TAKES_MESSAGES}
        """,  # noqa: S608 -- our own constants
        {"id": message.channel_id},
    )
    if not rows:
        yield from release(OUTBOX, _held(message))
        return None
    yield fenced(
        OUTBOX,
        _held(message),
        "state = 'sending', attempts = attempts + 1, updated_at = :now",
        {"now": seconds(now)},
        condition=f"state IN {WAITING}",
    )
    yield from _rest(message.place, now, rest)
    return to_channel(rows[0])


def _settle(message: ClaimedMessage, settled: SettledAttempt, now: datetime) -> Steps[None]:
    arrived = settled.state is MessageState.SENT
    sentence = settled.sentence[:LONGEST_SENTENCE]
    yield fenced(
        OUTBOX,
        _held(message),
        f"""
        state = :state, remote_id = :remote, sent_at = :sent_at, not_before = :not_before,
        may_have_arrived = CASE WHEN :maybe = 1 THEN 1 ELSE may_have_arrived END,
        last_error_code = :code, last_error = :sentence, updated_at = :now, {RELEASED}
        """,
        {
            "state": settled.state,
            "remote": settled.remote_id[:LONGEST_SENTENCE] or None,
            "sent_at": seconds(now) if arrived else None,
            "not_before": seconds(now + settled.wait),
            "maybe": int(settled.may_have_arrived),
            "code": settled.code or None,
            "sentence": sentence or None,
            "now": seconds(now),
        },
        condition="state = 'sending'",
    )
    yield from _rest(message.place, now, settled.rest)
    if settled.is_channel_refused:
        yield from pause_channel(message.channel_id, settled.code, sentence, now)


def pause_channel(channel: ChannelId, code: str, sentence: str, now: datetime) -> Steps[None]:
    """It refuses us for good, or cannot work as it is. What waits for it waits."""
    yield Statement(
        """
        UPDATE channels SET state = 'paused', paused_because = 'failed', last_error_code = :code,
            last_error = :sentence, updated_at = :now
        WHERE id = :id AND state = 'active'
        """,
        {
            "id": channel,
            "code": code,
            "sentence": sentence[:LONGEST_SENTENCE],
            "now": seconds(now),
        },
    )


def _rest(place: str, now: datetime, rest: timedelta) -> Steps[None]:
    """Nothing goes to *place* before then; a longer rest stays."""
    if not rest:
        return
    yield Statement(
        """
        INSERT INTO delivery_places (place, next_at) VALUES (:place, :at)
        ON CONFLICT (place) DO UPDATE SET next_at = excluded.next_at
        WHERE delivery_places.next_at < excluded.next_at OR delivery_places.next_at > :farthest
        """,
        {
            "place": place,
            "at": seconds(now + rest),
            "farthest": seconds(now + FARTHEST_RETRY),
        },
    )

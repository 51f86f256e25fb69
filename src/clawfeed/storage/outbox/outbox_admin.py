"""Messages for people: lists, what they may do with one, and the figures."""

from __future__ import annotations

import builtins
from dataclasses import dataclass
from datetime import datetime

from clawfeed.domain.editions.delivery import (
    ChannelState,
    MessageMove,
    MessageState,
    move_message_by_person,
)
from clawfeed.domain.editions.edition_period import EditionType
from clawfeed.domain.errors import InvalidInputError, LeaseLostError, NotFoundError, RefusalCode
from clawfeed.domain.ids import AlarmId, ChannelId, DigestId, MessageId
from clawfeed.storage.audit import Action, Hand, audit_line
from clawfeed.storage.bounds import NO_LIMIT
from clawfeed.storage.channels.channel_row import TAKES_MESSAGES
from clawfeed.storage.database import Database, Row, SqlValue, Statement, Steps
from clawfeed.storage.leases import Held, seized
from clawfeed.storage.outbox.message_states import MOVING, STUCK, WAITING
from clawfeed.storage.outbox.outbox import IN_ORDER, OUTBOX
from clawfeed.storage.sql_lists import in_list
from clawfeed.storage.timestamps import moment, moment_or_none, seconds

_LISTED = """
SELECT t.id, t.channel_id, t.digest_id, t.alarm_id, t.notice, t.part, t.parts, t.state,
    t.attempts, t.may_have_arrived, t.not_before, t.remote_id, t.last_error_code, t.last_error,
    t.created_at, t.updated_at, t.sent_at, t.claim, t.payload <> '' AS has_text,
    c.kind, c.name, c.state AS channel_state, d.period, d.type
FROM outbox t JOIN channels c ON c.id = t.channel_id LEFT JOIN digests d ON d.id = t.digest_id
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedMessage:
    """A message without what it says. *period* and *edition_type* are those of its edition."""

    id: MessageId
    channel_id: ChannelId
    kind: str
    channel_name: str
    channel_state: ChannelState
    digest_id: DigestId | None
    edition_type: EditionType | None
    period: str | None
    alarm_id: AlarmId | None
    notice: str | None
    part: int
    parts: int
    state: MessageState
    attempts: int
    may_have_arrived: bool
    not_before: datetime
    remote_id: str | None
    last_error_code: str | None
    last_error: str | None
    created_at: datetime
    updated_at: datetime
    sent_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageFilter:
    """Which messages; None, or no *states*: all."""

    state: MessageState | None = None
    states: tuple[MessageState, ...] = ()
    channel: ChannelId | None = None
    digest: DigestId | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OutboxFigures:
    """*pending* may leave now or at its hour; *oldest_due_at* is since when the first may."""

    pending: int
    uncertain: int
    dead: int
    oldest_due_at: datetime | None


class OutboxAdmin:
    """What operators see of the outbox, and do with it."""

    def __init__(self, database: Database) -> None:
        self._db = database

    async def list(
        self, wanted: MessageFilter, *, limit: int, before: int | None = None
    ) -> builtins.list[ListedMessage]:
        """The newest first; *before* is the id where the last page ended."""
        conditions, params = ["t.id < :before"], dict[str, SqlValue]()
        params["before"] = NO_LIMIT if before is None else before
        columns = (
            ("t.state", "state", wanted.state),
            ("t.channel_id", "channel", wanted.channel),
            ("t.digest_id", "digest", wanted.digest),
        )
        for column, name, value in columns:
            if value is not None:
                conditions.append(f"{column} = :{name}")
                params[name] = value
        if wanted.states:
            names, values = in_list(wanted.states)
            conditions.append(f"t.state IN ({names})")
            params |= values
        rows = await self._db.read(
            f"{_LISTED} WHERE {' AND '.join(conditions)} ORDER BY t.id DESC LIMIT :limit",
            {**params, "limit": limit},
        )
        return [_to_listed(row) for row in rows]

    async def get(self, message: MessageId) -> ListedMessage:
        rows = await self._db.read(f"{_LISTED} WHERE t.id = :id", {"id": message})
        if not rows:
            raise no_message(message)
        return _to_listed(rows[0])

    async def move(
        self, message: MessageId, move: MessageMove, hand: Hand, *, of: ChannelId | None = None
    ) -> ListedMessage:
        """Do what a person asked for; `InvalidInputError` with the way out where it makes no sense.

        What is resent goes on at this part, and the later ones follow. Who did it is written down.
        For whoever owns one channel, what is not *of* it is not there.
        """
        try:
            await self._db.run(lambda: _move(message, move, hand, of))
        except LeaseLostError as error:
            raise InvalidInputError(
                f"message {message} moved on this very moment: look at it again",
                RefusalCode.MESSAGE_MOVED,
            ) from error
        return await self.get(message)

    async def figures(self, *, now: datetime) -> OutboxFigures:
        """What waits of active channels, and what a person must decide about."""
        [row] = await self._db.read(
            f"""
            SELECT count(*) AS pending,
                min(CASE WHEN t.not_before <= :now THEN t.not_before END) AS oldest
            FROM outbox t JOIN channels c ON c.id = t.channel_id
            WHERE t.state IN {MOVING} AND {TAKES_MESSAGES}
              AND {IN_ORDER}
            """,  # noqa: S608 -- our own constant
            {"now": seconds(now)},
        )
        undecided = await self._db.read(
            f"SELECT state, count(*) AS n FROM outbox WHERE state IN {STUCK} "  # noqa: S608 -- our own constant
            "GROUP BY state"
        )
        by_state = {str(each["state"]): int(each["n"]) for each in undecided}
        return OutboxFigures(
            pending=row["pending"],
            uncertain=by_state.get(MessageState.UNCERTAIN, 0),
            dead=by_state.get(MessageState.DEAD, 0),
            oldest_due_at=moment_or_none(row["oldest"]),
        )


def no_message(message: MessageId) -> NotFoundError:
    return NotFoundError(f"there is no message {message} in the outbox")


def _move(message: MessageId, move: MessageMove, hand: Hand, of: ChannelId | None) -> Steps[None]:
    rows = yield Statement(f"{_LISTED} WHERE t.id = :id", {"id": message})
    if not rows or of not in {None, rows[0]["channel_id"]}:
        raise no_message(message)
    row, now = rows[0], hand.now
    state = move_message_by_person(MessageState(row["state"]), move)
    if move is MessageMove.RESEND:
        _require_sendable(row)
    yield seized(
        OUTBOX,
        Held(key=message, claim=row["claim"]),
        "state = :state, attempts = CASE WHEN :again = 1 THEN 0 ELSE attempts END, "
        "not_before = CASE WHEN :again = 1 THEN :now ELSE not_before END, updated_at = :now",
        {
            "state": state,
            "from": row["state"],
            "again": int(move is MessageMove.RESEND),
            "now": seconds(now),
        },
        condition="state = :from",
    )
    if move is MessageMove.RESEND:
        yield _renew_later_parts(message, now)
    yield audit_line(
        Action.MESSAGE_MOVED,
        user_id=hand.by,
        detail=f"{move} message {message} to channel {row['channel_id']}",
        client=hand.client,
        now=now,
    )


def _renew_later_parts(message: MessageId, now: datetime) -> Statement:
    """They follow what is resent: none is too old because it waited for this one."""
    return Statement(
        f"""
        UPDATE outbox SET not_before = :now, updated_at = :now
        WHERE state IN {WAITING} AND lease_until IS NULL AND not_before < :now
          AND EXISTS (
            SELECT 1 FROM outbox resent WHERE resent.id = :id AND resent.part < outbox.part
              AND resent.digest_id = outbox.digest_id AND resent.channel_id = outbox.channel_id
          )
        """,  # noqa: S608 -- our own constant
        {"id": message, "now": seconds(now)},
    )


def _require_sendable(row: Row) -> None:
    if row["channel_state"] != ChannelState.ACTIVE:
        raise InvalidInputError(
            f"the channel {row['channel_id']} of this message is paused: resume it first",
            RefusalCode.CHANNEL_PAUSED,
        )
    if not row["has_text"]:
        raise InvalidInputError(
            "this message has no text to send: it could not be made, and the next edition will be",
            RefusalCode.MESSAGE_EMPTY,
        )


def _to_listed(row: Row) -> ListedMessage:
    digest, alarm, kind = row["digest_id"], row["alarm_id"], row["type"]
    return ListedMessage(
        id=MessageId(row["id"]),
        channel_id=ChannelId(row["channel_id"]),
        kind=row["kind"],
        channel_name=row["name"],
        channel_state=ChannelState(row["channel_state"]),
        digest_id=None if digest is None else DigestId(digest),
        edition_type=None if kind is None else EditionType(kind),
        period=row["period"],
        alarm_id=None if alarm is None else AlarmId(alarm),
        notice=row["notice"],
        part=row["part"],
        parts=row["parts"],
        state=MessageState(row["state"]),
        attempts=row["attempts"],
        may_have_arrived=bool(row["may_have_arrived"]),
        not_before=moment(row["not_before"]),
        remote_id=row["remote_id"],
        last_error_code=row["last_error_code"],
        last_error=row["last_error"],
        created_at=moment(row["created_at"]),
        updated_at=moment(row["updated_at"]),
        sent_at=moment_or_none(row["sent_at"]),
    )

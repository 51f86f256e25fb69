"""Messages on their way out, as a queue: which may be sent next, and by whom (decision 0015).

What becomes of them is `outbox_results`; what people do with them is `outbox_admin`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

import orjson

from clawfeed.domain.channels.delivery_retry import MOST_ATTEMPTS
from clawfeed.domain.editions.delivery import MessageState, Recovery, after_unknown
from clawfeed.domain.ids import AlarmId, ChannelId, DigestId, MessageId
from clawfeed.storage.channels.channel_row import TAKES_MESSAGES
from clawfeed.storage.database import Database, Dialect, Row, SqlValue, Statement, Steps
from clawfeed.storage.leases import (
    FREE,
    HELD,
    Holder,
    LeasedTable,
    holders_of,
    lapsed,
    take,
    take_back_from,
    take_back_lapsed,
)
from clawfeed.storage.outbox.message_states import WAITING
from clawfeed.storage.sql_lists import in_list
from clawfeed.storage.timestamps import moment, seconds

OUTBOX = LeasedTable(
    table="outbox",
    noun="message",
)
# A rest or a date beyond this is of a clock that ran ahead (F15).
FARTHEST_RETRY = timedelta(days=3)
# News that could have left so long ago is none any more, when its channel is back after months.
TOO_OLD_AFTER = timedelta(days=7)
TOO_OLD = "too_old"
_TOO_OLD = "it waited for more than a week and is no news any more: resend it if you want it still"
# The sender is gone, and with it the answer.
SENDER_STOPPED = "sender_stopped"
_STOPPED = "whoever sent it was stopped before the answer came"
# Parts leave in order: the next is not due before the one before it is sent, and never after one
# that is uncertain or dead.
IN_ORDER = """NOT EXISTS (
    SELECT 1 FROM outbox earlier
    WHERE earlier.digest_id = t.digest_id AND earlier.channel_id = t.channel_id
      AND earlier.part < t.part AND earlier.state <> 'sent'
)"""
# What may leave now, by everything but its turn at its place: a look and a claim agree on it.
_MAY_LEAVE = f"""
    t.{FREE} AND t.state IN {WAITING} AND t.not_before <= :now
    AND {TAKES_MESSAGES} AND {IN_ORDER} AND NOT EXISTS (
        SELECT 1 FROM delivery_places p
        WHERE p.place = t.place AND p.next_at > :now AND p.next_at < :farthest
    )
"""  # noqa: S608 -- our own constant
_DUE = f"""
SELECT t.id, t.not_before, c.kind,
    row_number() OVER (PARTITION BY t.place ORDER BY t.not_before, t.id) AS turn,
    coalesce(busy.n, 0) AS busy, {{at_once}} AS at_once
FROM outbox t JOIN channels c ON c.id = t.channel_id
LEFT JOIN (
    SELECT place, count(*) AS n FROM outbox WHERE {HELD} GROUP BY place
) AS busy ON busy.place = t.place
WHERE c.kind IN ({{kinds}}) AND {_MAY_LEAVE}
"""  # noqa: S608 -- our own constants


@dataclass(frozen=True, slots=True, kw_only=True)
class KindManners:
    """How messages of one kind of channel are claimed, and what becomes of those left behind."""

    kind: str
    recovery: Recovery
    at_once: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimedMessage:
    """A message that is ours to send, by the number of our claim."""

    id: MessageId
    claim: int
    channel_id: ChannelId
    kind: str
    digest_id: DigestId | None
    alarm_id: AlarmId | None
    part: int
    parts: int
    idempotency_key: str
    payload: str = field(repr=False)
    place: str
    attempts: int
    may_have_arrived: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class AbandonedMessage:
    """A message that a stopped sender left, and where it went."""

    id: MessageId
    channel_id: ChannelId
    digest_id: DigestId | None
    part: int
    state: MessageState


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimedMessages:
    messages: tuple[ClaimedMessage, ...]
    left_behind: tuple[AbandonedMessage, ...]
    too_old: int  # how many were given up


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueState:
    """Whether a claim may find something; when the next may; and who holds messages."""

    is_work: bool
    next_at: datetime | None
    holders: tuple[str, ...]


class Outbox:
    """The queue. Safe to use from many processes."""

    def __init__(self, database: Database) -> None:
        self._db = database

    async def look(self, *, now: datetime) -> QueueState:
        """One statement of indexed reads: what an idle worker does every second."""
        [row] = await self._db.read(
            f"""
            SELECT
                EXISTS (
                    SELECT 1 FROM outbox t JOIN channels c ON c.id = t.channel_id
                    WHERE {_MAY_LEAVE}
                ) AS due,
                EXISTS (
                    SELECT 1 FROM outbox WHERE state = 'sending' AND {FREE}
                ) AS left_behind,
                EXISTS (
                    SELECT 1 FROM outbox
                    WHERE {HELD} AND {lapsed(OUTBOX, self._db.dialect.now)}
                ) AS lapsed,
                (
                    SELECT min(not_before) FROM outbox WHERE {FREE}
                      AND state IN {WAITING} AND not_before > :now
                ) AS next_message,
                (SELECT min(next_at) FROM delivery_places WHERE next_at > :now) AS next_place,
                (
                    SELECT {self._db.dialect.as_json}(leased_by)
                    FROM ({holders_of(OUTBOX)}) AS holding
                ) AS holders
            """,  # noqa: S608 -- our own constants
            _dates(now),
        )
        dates = [at for at in (row["next_message"], row["next_place"]) if at is not None]
        return QueueState(
            is_work=bool(row["due"] or row["left_behind"] or row["lapsed"]),
            next_at=moment(min(dates)) if dates else None,
            holders=tuple(sorted(orjson.loads(row["holders"] or "[]"))),
        )

    async def take_back(self, workers: Sequence[str]) -> int:
        """Free at once what these dead *workers* hold; how many messages."""
        return await self._db.run(lambda: take_back_from(OUTBOX, workers))

    async def claim(
        self, kinds: Sequence[KindManners], holder: Holder, *, now: datetime, limit: int
    ) -> ClaimedMessages:
        """Take up to *limit* messages whose turn it is, and put in order what the dead left.

        What waited for too long is given up, of paused channels too.

        Of each place as many as may be under way at once, counted over all processes.
        """
        return await self._db.run(lambda: _claim(self._db.dialect, kinds, holder, now, limit))


def _claim(
    dialect: Dialect, kinds: Sequence[KindManners], holder: Holder, now: datetime, limit: int
) -> Steps[ClaimedMessages]:
    if dialect.outbox_lock:
        yield Statement(dialect.outbox_lock)
    yield from take_back_lapsed(OUTBOX, dialect)
    left = yield from _recover(kinds, now)
    too_old = yield from _give_up_old(now)
    due = yield from _due(kinds, now, limit)
    taken = yield from take(OUTBOX, dialect, holder, list(due), returning="*")
    return ClaimedMessages(
        messages=tuple(_to_message(taken[key], due[key]) for key in due if key in taken),
        left_behind=tuple(left),
        too_old=too_old,
    )


def _due(kinds: Sequence[KindManners], now: datetime, limit: int) -> Steps[dict[int, str]]:
    """Whose turn it is, in order, each with its channel's kind."""
    if not kinds or limit <= 0:
        return {}
    names, params = in_list([each.kind for each in kinds])
    cases = " ".join(
        f"WHEN {name.strip()} THEN {each.at_once:d}"
        for name, each in zip(names.split(","), kinds, strict=True)
    )
    due = _DUE.format(at_once=f"CASE c.kind {cases} ELSE 1 END", kinds=names)
    rows = yield Statement(
        f"""
        SELECT id, kind FROM ({due}) AS due WHERE turn + busy <= at_once
        ORDER BY not_before, id LIMIT :limit
        """,  # noqa: S608 -- our own constants
        {**params, **_dates(now), "limit": limit},
    )
    return {int(row["id"]): str(row["kind"]) for row in rows}


def _dates(now: datetime) -> dict[str, SqlValue]:
    return {"now": seconds(now), "farthest": seconds(now + FARTHEST_RETRY)}


def _recover(kinds: Sequence[KindManners], now: datetime) -> Steps[list[AbandonedMessage]]:
    """Messages in `sending` that nobody holds go where their kind says.

    A kind that nobody knows any more cannot tell either. What was tried as often as anything is
    tried is given up: it may be what stops its senders.
    """
    knowing = [each.kind for each in kinds if after_unknown(each.recovery) is MessageState.RETRY]
    names, params = in_list(knowing or [""])
    rows = yield Statement(
        f"""
        UPDATE outbox SET may_have_arrived = 1, not_before = :now, updated_at = :now,
            last_error_code = :code, last_error = :sentence,
            state = CASE
                WHEN channel_id NOT IN (SELECT id FROM channels WHERE kind IN ({names}))
                    THEN 'uncertain'
                WHEN attempts >= :most THEN 'dead' ELSE 'retry'
            END
        WHERE state = 'sending' AND {FREE}
        RETURNING id, channel_id, digest_id, part, state
        """,  # noqa: S608 -- names of our own code
        {
            **params,
            "now": seconds(now),
            "code": SENDER_STOPPED,
            "sentence": _STOPPED,
            "most": MOST_ATTEMPTS,
        },
    )
    return [
        AbandonedMessage(
            id=MessageId(row["id"]),
            channel_id=ChannelId(row["channel_id"]),
            digest_id=_digest(row["digest_id"]),
            part=row["part"],
            state=MessageState(row["state"]),
        )
        for row in rows
    ]


def _give_up_old(now: datetime) -> Steps[int]:
    """How many. Later parts wait behind theirs, as behind any that is given up."""
    rows = yield Statement(
        f"""
        UPDATE outbox SET state = 'dead', last_error_code = :code, last_error = :sentence,
            updated_at = :now
        WHERE id IN (
            SELECT t.id FROM outbox t WHERE t.{FREE}
              AND t.state IN {WAITING} AND t.not_before <= :limit AND {IN_ORDER}
        ) RETURNING id
        """,  # noqa: S608 -- our own constant
        {
            "code": TOO_OLD,
            "sentence": _TOO_OLD,
            "now": seconds(now),
            "limit": seconds(now - TOO_OLD_AFTER),
        },
    )
    return len(rows)


def _digest(value: SqlValue) -> DigestId | None:
    return None if value is None else DigestId(int(value))


def _to_message(row: Row, kind: str) -> ClaimedMessage:
    return ClaimedMessage(
        id=MessageId(row["id"]),
        claim=row["claim"],
        channel_id=ChannelId(row["channel_id"]),
        kind=kind,
        digest_id=_digest(row["digest_id"]),
        alarm_id=None if row["alarm_id"] is None else AlarmId(row["alarm_id"]),
        part=row["part"],
        parts=row["parts"],
        idempotency_key=row["idempotency_key"],
        payload=row["payload"],
        place=row["place"],
        attempts=row["attempts"],
        may_have_arrived=bool(row["may_have_arrived"]),
    )

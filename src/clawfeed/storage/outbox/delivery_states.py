"""What came of a channel's editions: its messages, put together by digest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby

from clawfeed.domain.editions.delivery import (
    ChannelState,
    DeliveryState,
    MessageState,
    delivery_state,
)
from clawfeed.domain.editions.edition_period import EditionType
from clawfeed.domain.ids import ChannelId, DigestId, MessageId
from clawfeed.storage.bounds import NO_LIMIT
from clawfeed.storage.database import Database, Row
from clawfeed.storage.sql_lists import in_list
from clawfeed.storage.timestamps import moment, moment_or_none

_PARTS = """
SELECT o.id, o.channel_id, o.digest_id, o.part, o.state, o.attempts, o.not_before, o.created_at,
    o.sent_at, o.last_error_code, o.last_error, o.payload <> '' AS has_text,
    d.title, d.type, d.period, c.kind, c.name, c.state AS channel_state
FROM outbox o JOIN digests d ON d.id = o.digest_id JOIN channels c ON c.id = o.channel_id
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingPart:
    """The first part that has not arrived, for which the later ones wait; it *can be sent*."""

    message: MessageId
    state: MessageState
    not_before: datetime
    can_be_sent: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """An edition's way to one channel. *sent_at* is when its last part arrived."""

    channel_id: ChannelId
    kind: str
    channel_name: str
    channel_state: ChannelState
    digest_id: DigestId
    title: str
    type: EditionType
    period: str
    state: DeliveryState
    parts: int
    sent_parts: int
    attempts: int
    created_at: datetime
    sent_at: datetime | None
    last_error_code: str | None
    last_error: str | None
    waiting: WaitingPart | None

    @property
    def resendable(self) -> MessageId | None:
        """The message with which it is sent again, if a person has to decide about it."""
        waits = self.waiting
        return waits.message if waits and waits.can_be_sent and self.state.is_settled else None


async def deliveries_to(
    database: Database, channel: ChannelId, *, before: int | None = None, limit: int
) -> list[Delivery]:
    """The editions that were to go to *channel*, newest first; from before digest *before* on."""
    rows = await database.read(
        f"""
        {_PARTS}
        WHERE o.channel_id = :channel AND o.digest_id IN (
            SELECT DISTINCT digest_id FROM outbox
            WHERE channel_id = :channel AND digest_id < :before ORDER BY digest_id DESC LIMIT :limit
        )
        ORDER BY o.digest_id DESC, o.part
        """,  # noqa: S608 -- our own constant
        {"channel": channel, "before": NO_LIMIT if before is None else before, "limit": limit},
    )
    return [_to_delivery(list(parts)) for _, parts in groupby(rows, lambda row: row["digest_id"])]


async def deliveries_of(database: Database, digest: DigestId) -> list[Delivery]:
    """What became of an edition at each of its channels, paused ones too."""
    rows = await database.read(
        f"{_PARTS} WHERE o.digest_id = :digest ORDER BY o.channel_id, o.part",
        {"digest": digest},
    )
    return [_to_delivery(list(parts)) for _, parts in groupby(rows, lambda row: row["channel_id"])]


async def newest_deliveries(
    database: Database, channels: Sequence[ChannelId]
) -> dict[ChannelId, Delivery]:
    """The newest edition that was to go to each; who got none yet is left out."""
    if not channels:
        return {}
    names, params = in_list(channels)
    rows = await database.read(
        f"""
        {_PARTS}
        WHERE (o.channel_id, o.digest_id) IN (
            SELECT channel_id, max(digest_id) FROM outbox
            WHERE channel_id IN ({names}) AND digest_id IS NOT NULL GROUP BY channel_id
        )
        ORDER BY o.channel_id, o.part
        """,  # noqa: S608 -- our own constant, and parameter names
        params,
    )
    return {
        ChannelId(channel): _to_delivery(list(parts))
        for channel, parts in groupby(rows, lambda row: row["channel_id"])
    }


def _to_delivery(parts: list[Row]) -> Delivery:
    first = parts[0]
    states = [MessageState(row["state"]) for row in parts]
    state = delivery_state(states)
    # What was wrong with a part that arrived in the end is no news.
    failed = next((row for row in parts if row["state"] != MessageState.SENT), None)
    sent = [row["sent_at"] for row in parts if row["sent_at"] is not None]
    return Delivery(
        channel_id=ChannelId(first["channel_id"]),
        kind=first["kind"],
        channel_name=first["name"],
        channel_state=ChannelState(first["channel_state"]),
        digest_id=DigestId(first["digest_id"]),
        title=first["title"],
        type=EditionType(first["type"]),
        period=first["period"],
        state=state,
        parts=len(parts),
        sent_parts=states.count(MessageState.SENT),
        attempts=sum(int(row["attempts"]) for row in parts),
        created_at=moment(first["created_at"]),
        sent_at=moment_or_none(max(sent, default=None)) if state is DeliveryState.SENT else None,
        last_error_code=failed["last_error_code"] if failed else None,
        last_error=failed["last_error"] if failed else None,
        waiting=_to_waiting(failed) if failed else None,
    )


def _to_waiting(row: Row) -> WaitingPart:
    return WaitingPart(
        message=MessageId(row["id"]),
        state=MessageState(row["state"]),
        not_before=moment(row["not_before"]),
        can_be_sent=bool(row["has_text"]),
    )

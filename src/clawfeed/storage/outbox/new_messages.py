"""New messages of an edition: for whom, and put into the outbox with the edition itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeAlias

from clawfeed.domain.channels.channel import Channel
from clawfeed.domain.editions.delivery import MessageState
from clawfeed.domain.editions.edition import SYSTEM_SCOPE, EditionTask
from clawfeed.domain.editions.edition_scope import CURRENT_SPAN, DEFAULT_TYPES
from clawfeed.domain.ids import ChannelId, DigestId, UserId
from clawfeed.storage.channels.channel_row import CHANNEL_COLUMNS, channel_if_sound
from clawfeed.storage.database import Insert, Statement, Steps
from clawfeed.storage.outbox.outbox_results import pause_channel
from clawfeed.storage.timestamps import seconds

# `edition_types` is a JSON array of words without quotes in them.
_WANTS = "channels.state = 'active' AND channels.edition_types LIKE :type"
# Everybody's edition goes to the house's own channels, and to those of people who find it in front
# of them: who follows nothing or wants none of this type of their own, and who has followed for
# long and still got none.
_OF_SYSTEM = f"""
SELECT {CHANNEL_COLUMNS} FROM channels LEFT JOIN users u ON u.id = channels.owner_id
WHERE {_WANTS} AND (channels.owner_id IS NULL OR (u.disabled_at IS NULL AND (
    NOT EXISTS (
        SELECT 1 FROM user_subscriptions s
        LEFT JOIN reader_editions e ON e.user_id = s.user_id AND e.type = :kind
        WHERE s.user_id = channels.owner_id AND coalesce(e.is_wanted, :usual) = 1
    ) OR (
        EXISTS (
            SELECT 1 FROM user_subscriptions s
            WHERE s.user_id = channels.owner_id AND s.created_at < :current
        ) AND NOT EXISTS (
            SELECT 1 FROM edition_readers r JOIN digests d ON d.task_id = r.task_id
            WHERE r.user_id = channels.owner_id AND d.type = :kind AND d.created_at > :current
        )
    )
))) ORDER BY channels.id
"""  # noqa: S608 -- our own constants
_OF_READERS = f"""
SELECT {CHANNEL_COLUMNS} FROM edition_readers r JOIN users u ON u.id = r.user_id
JOIN channels ON channels.owner_id = r.user_id
WHERE r.task_id = :task AND u.disabled_at IS NULL AND {_WANTS}
  AND (:reader = 0 OR r.user_id = :reader)
ORDER BY channels.id
"""  # noqa: S608 -- our own constants


@dataclass(frozen=True, slots=True, kw_only=True)
class NewMessage:
    """One part for one channel, ready to leave from *not_before* on.

    What could not be made is there, too, given up: it must be seen. *is_channel_broken*: no
    edition can be made for it; it is paused, and its owner must act.
    """

    channel_id: ChannelId
    part: int
    parts: int
    idempotency_key: str
    payload: str = field(repr=False)
    place: str
    not_before: datetime
    state: MessageState = MessageState.PENDING
    code: str = ""
    sentence: str = ""
    is_channel_broken: bool = False


# The messages of an edition for these channels: pure, for a transaction may run again.
MakeMessages: TypeAlias = Callable[[DigestId, Sequence[Channel]], "Sequence[NewMessage]"]


def send_out(
    task: EditionTask,
    digest: DigestId,
    make: MakeMessages,
    *,
    now: datetime,
    reader: UserId | None = None,
) -> Steps[int]:
    """Put into the outbox what *make* makes of the edition for its recipients; how many messages.

    Who has messages of it already, sent or not, gets no others (I7).
    """
    recipients = yield from recipients_of(task, now=now, reader=reader)
    if not recipients:
        return 0
    served = yield Statement(
        "SELECT DISTINCT channel_id FROM outbox WHERE digest_id = :digest", {"digest": digest}
    )
    has_it = {row["channel_id"] for row in served}
    messages = make(digest, [each for each in recipients if each.id not in has_it])
    if messages:
        yield _insert(digest, messages, now)
    for each in messages:
        if each.is_channel_broken:
            yield from pause_channel(each.channel_id, each.code, each.sentence, now)
    return len(messages)


def recipients_of(
    task: EditionTask, *, now: datetime, reader: UserId | None = None
) -> Steps[list[Channel]]:
    """Whose channels get the edition of *task*; only those of *reader*, if given.

    Exactly who finds it on their front page (`storage.digests.newest_digest`).
    """
    wants = {"type": f'%"{task.type}"%'}
    if task.scope == SYSTEM_SCOPE:
        current = seconds(now - CURRENT_SPAN[task.type])
        usual = int(task.type in DEFAULT_TYPES)
        rows = yield Statement(
            _OF_SYSTEM, {**wants, "kind": task.type, "current": current, "usual": usual}
        )
    else:
        rows = yield Statement(_OF_READERS, {**wants, "task": task.id, "reader": reader or 0})
    return [channel for row in rows if (channel := channel_if_sound(row)) is not None]


def _insert(digest: DigestId, messages: Sequence[NewMessage], now: datetime) -> Insert:
    columns = "channel_id", "digest_id", "part", "parts", "idempotency_key", "payload", "place"
    errors = "last_error_code", "last_error"
    return Insert(
        table="outbox",
        columns=(*columns, "not_before", "state", *errors, "created_at", "updated_at"),
        rows=[
            (
                *(each.channel_id, digest, each.part, each.parts, each.idempotency_key),
                *(each.payload, each.place, seconds(each.not_before), each.state),
                *(each.code or None, each.sentence or None, seconds(now), seconds(now)),
            )
            for each in messages
        ],
    )

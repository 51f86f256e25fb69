"""New messages of an edition: for whom, and put into the outbox with the edition itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, time

from clawfeed.domain.channel import ChannelTiming, QuietHours
from clawfeed.domain.delivery import MessageState
from clawfeed.domain.edition import SYSTEM_SCOPE, EditionTask
from clawfeed.domain.edition_scope import CURRENT, USUAL_TYPES
from clawfeed.domain.ids import ChannelId, DigestId, JsonValue, UserId
from clawfeed.storage.database import Insert, Row, Statement, Steps
from clawfeed.storage.json_columns import read_object
from clawfeed.storage.timestamps import seconds

_CHANNEL = """
    c.id, c.kind, c.address, c.config, c.language, c.zone, c.deliver_at, c.quiet_from, c.quiet_until
"""
# `edition_types` is a JSON array of words without quotes in them.
_WANTS = "c.state = 'active' AND c.edition_types LIKE :type"
# Everybody's edition goes to the house's own channels, and to those of people who find it in front
# of them: who follows nothing or wants none of this type of their own, and who has followed for
# long and still got none.
_OF_SYSTEM = f"""
SELECT {_CHANNEL} FROM channels c LEFT JOIN users u ON u.id = c.owner_id
WHERE {_WANTS} AND (c.owner_id IS NULL OR (u.disabled_at IS NULL AND (
    NOT EXISTS (
        SELECT 1 FROM user_subscriptions s
        LEFT JOIN reader_editions e ON e.user_id = s.user_id AND e.type = :kind
        WHERE s.user_id = c.owner_id AND coalesce(e.is_wanted, :usual) = 1
    ) OR (
        EXISTS (
            SELECT 1 FROM user_subscriptions s
            WHERE s.user_id = c.owner_id AND s.created_at < :current
        ) AND NOT EXISTS (
            SELECT 1 FROM edition_readers r JOIN digests d ON d.task_id = r.task_id
            WHERE r.user_id = c.owner_id AND d.type = :kind AND d.created_at > :current
        )
    )
))) ORDER BY c.id
"""  # noqa: S608 -- our own constants
_OF_READERS = f"""
SELECT {_CHANNEL} FROM edition_readers r JOIN users u ON u.id = r.user_id
JOIN channels c ON c.owner_id = r.user_id
WHERE r.task_id = :task AND u.disabled_at IS NULL AND {_WANTS}
  AND (:reader = 0 OR r.user_id = :reader)
ORDER BY c.id
"""  # noqa: S608 -- our own constants


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipient:
    """An active channel that wants an edition of this type."""

    channel_id: ChannelId
    kind: str
    address: str
    config: dict[str, JsonValue] = field(default_factory=dict)
    config_text: str = ""
    language: str
    timing: ChannelTiming


@dataclass(frozen=True, slots=True, kw_only=True)
class NewMessage:
    """One part for one channel, ready to leave from *not_before* on.

    What could not be made is there, too, and given up: it must be seen.
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


def recipients_of(
    task: EditionTask, *, now: datetime, reader: UserId | None = None
) -> Steps[list[Recipient]]:
    """Whose channels get the edition of *task*; only those of *reader*, if given.

    Exactly who finds it on their front page (`storage.newest_digest`).
    """
    wants = {"type": f'%"{task.type}"%'}
    if task.scope == SYSTEM_SCOPE:
        current = seconds(now - CURRENT[task.type])
        usual = int(task.type in USUAL_TYPES)
        rows = yield Statement(
            _OF_SYSTEM, {**wants, "kind": task.type, "current": current, "usual": usual}
        )
    else:
        rows = yield Statement(_OF_READERS, {**wants, "task": task.id, "reader": reader or 0})
    return [_to_recipient(row) for row in rows]


def channels_with_messages(digest: DigestId) -> Steps[set[ChannelId]]:
    """Who has messages of it already, sent or not."""
    rows = yield Statement(
        "SELECT DISTINCT channel_id FROM outbox WHERE digest_id = :digest", {"digest": digest}
    )
    return {ChannelId(row["channel_id"]) for row in rows}


def add_messages(digest: DigestId, messages: Sequence[NewMessage], *, now: datetime) -> Steps[None]:
    """Put them into the outbox; what is there already stays as it is (I7)."""
    if not messages:
        return
    columns = "channel_id", "digest_id", "part", "parts", "idempotency_key", "payload", "place"
    errors = "last_error_code", "last_error"
    yield Insert(
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


def _to_recipient(row: Row) -> Recipient:
    quiet = None
    if row["quiet_from"] is not None:
        quiet = QuietHours(
            start=time.fromisoformat(row["quiet_from"]), end=time.fromisoformat(row["quiet_until"])
        )
    at = row["deliver_at"]
    return Recipient(
        channel_id=ChannelId(row["id"]),
        kind=row["kind"],
        address=row["address"],
        config=read_object(row["config"]),
        config_text=row["config"],
        language=row["language"],
        timing=ChannelTiming(
            zone=row["zone"],
            deliver_at=None if at is None else time.fromisoformat(at),
            quiet=quiet,
        ),
    )

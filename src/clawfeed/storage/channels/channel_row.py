"""A channel as a row, and back. Its secrets are in a table of their own (`channel_secrets`)."""

from __future__ import annotations

import logging
from datetime import time

import orjson

from clawfeed.domain.channels.channel import (
    Channel,
    ChannelDraft,
    ChannelOrigin,
    ChannelTiming,
    QuietHours,
)
from clawfeed.domain.editions.delivery import ChannelState, PauseReason
from clawfeed.domain.editions.edition_period import EditionType
from clawfeed.domain.ids import ChannelId, UserId
from clawfeed.domain.wall_clock import time_text
from clawfeed.storage.database import Row, SqlValue
from clawfeed.storage.json_columns import read_object, to_json
from clawfeed.storage.timestamps import moment

log = logging.getLogger(__name__)

# Under the table's own name: SQLite's RETURNING knows no alias.
CHANNEL_COLUMNS = (
    "channels.id, channels.owner_id, channels.origin, channels.kind, channels.name, "
    "channels.address, channels.config, channels.edition_types, channels.deliver_at, "
    "channels.quiet_from, channels.quiet_until, channels.zone, channels.language, "
    "channels.gets_alarms, channels.state, channels.paused_because, channels.last_error_code, "
    "channels.last_error, channels.created_at, channels.updated_at"
)

# Of a channel `c`: messages leave for it. What waits for a disabled person waits, as for a pause.
TAKES_MESSAGES = """c.state = 'active' AND NOT EXISTS (
    SELECT 1 FROM users owner WHERE owner.id = c.owner_id AND owner.disabled_at IS NOT NULL
)"""


def draft_params(draft: ChannelDraft) -> dict[str, SqlValue]:
    """What a draft puts into the row; its secrets are no part of it."""
    timing = draft.timing
    return {
        "kind": draft.kind,
        "name": draft.name,
        "address": draft.address,
        "config": to_json(draft.config),
        "edition_types": orjson.dumps(draft.edition_types).decode(),
        "deliver_at": time_text(timing.deliver_at),
        "quiet_from": time_text(timing.quiet.start if timing.quiet else None),
        "quiet_until": time_text(timing.quiet.end if timing.quiet else None),
        "zone": timing.zone,
        "language": draft.language,
        "gets_alarms": int(draft.gets_alarms),
    }


def to_channel(row: Row) -> Channel:
    """The channel in a row with `CHANNEL_COLUMNS`."""
    owner, because = row["owner_id"], row["paused_because"]
    return Channel(
        id=ChannelId(row["id"]),
        owner_id=None if owner is None else UserId(owner),
        origin=ChannelOrigin(row["origin"]),
        kind=row["kind"],
        name=row["name"],
        address=row["address"],
        config=read_object(row["config"]),
        edition_types=tuple(EditionType(each) for each in orjson.loads(row["edition_types"])),
        timing=_timing(row),
        language=row["language"],
        gets_alarms=bool(row["gets_alarms"]),
        state=ChannelState(row["state"]),
        paused_because=None if because is None else PauseReason(because),
        last_error_code=row["last_error_code"],
        last_error=row["last_error"],
        created_at=moment(row["created_at"]),
        updated_at=moment(row["updated_at"]),
    )


def channel_if_sound(row: Row) -> Channel | None:
    """A damaged row costs its own channel what is sent to many, and nobody else (F27)."""
    try:
        return to_channel(row)
    except (TypeError, ValueError):
        log.error("channel cannot be read", extra={"channel": row["id"]})  # noqa: TRY400
        return None


def _timing(row: Row) -> ChannelTiming:
    start, end = _time(row["quiet_from"]), _time(row["quiet_until"])
    return ChannelTiming(
        zone=row["zone"],
        deliver_at=_time(row["deliver_at"]),
        quiet=QuietHours(start=start, end=end) if start and end else None,
    )


def _time(text: str | None) -> time | None:
    return None if text is None else time.fromisoformat(text)

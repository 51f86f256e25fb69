"""A message of the outbox for programs: over HTTP, and on the command line."""

from __future__ import annotations

from typing import Any

from clawfeed.domain.moments import iso
from clawfeed.storage.outbox.outbox_admin import ListedMessage


def message_as_json(message: ListedMessage) -> dict[str, Any]:
    return {
        "id": message.id,
        "channel_id": message.channel_id,
        "kind": message.kind,
        "channel_name": message.channel_name,
        "channel_state": message.channel_state,
        "digest_id": message.digest_id,
        "edition_type": message.edition_type,
        "period": message.period,
        "alarm_id": message.alarm_id,
        "notice": message.notice,
        "part": message.part,
        "parts": message.parts,
        "state": message.state,
        "attempts": message.attempts,
        "may_have_arrived": message.may_have_arrived,
        "not_before": iso(message.not_before),
        "remote_id": message.remote_id,
        "last_error_code": message.last_error_code,
        "last_error": message.last_error,
        "created_at": iso(message.created_at),
        "updated_at": iso(message.updated_at),
        "sent_at": iso(message.sent_at),
    }

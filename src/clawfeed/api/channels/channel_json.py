"""Channels as JSON: everything about them but their secrets."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pydantic import ConfigDict

from clawfeed.api.sources.source_schemas import Schema
from clawfeed.domain.channels.channel import ChannelOrigin
from clawfeed.domain.editions.delivery import ChannelState, DeliveryState, PauseReason
from clawfeed.domain.editions.edition_period import EditionType
from clawfeed.domain.errors import Reason
from clawfeed.domain.moments import iso
from clawfeed.domain.wall_clock import time_text
from clawfeed.publish.channel_admin import ShownChannel
from clawfeed.publish.channel_trial import TrialResult
from clawfeed.publish.channel_type import ChannelType, PublishConfig
from clawfeed.storage.outbox.delivery_states import Delivery


class ChannelSchema(Schema):
    """A channel. *has_secrets* names what is set, and *secrets_problem* says if it must be again.

    *origin* is `environment` for one that the server's settings make: it is changed there.
    """

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "example": {
                "id": 3,
                "kind": "telegram",
                "name": "My phone",
                "address": "@my_chat",
                "config": {},
                "for_everybody": False,
                "origin": "stored",
                "edition_types": ["daily", "weekly"],
                "delivery_time": "07:30",
                "quiet_from": "22:00",
                "quiet_until": "07:00",
                "zone": "Europe/Berlin",
                "language": "en",
                "gets_alarms": False,
                "has_secrets": ["bot_token"],
                "secrets_problem": None,
                "state": "active",
                "paused_because": None,
                "last_error_code": None,
                "last_error": None,
                "created_at": "2026-11-15T12:00:00Z",
                "updated_at": "2026-11-15T12:00:00Z",
            }
        },
    )

    id: int
    kind: str
    name: str
    address: str
    config: dict[str, Any]
    for_everybody: bool
    origin: ChannelOrigin
    edition_types: list[EditionType]
    delivery_time: str | None
    quiet_from: str | None
    quiet_until: str | None
    zone: str
    language: str
    gets_alarms: bool
    has_secrets: list[str]
    secrets_problem: str | None
    state: ChannelState
    paused_because: PauseReason | None
    last_error_code: str | None
    last_error: str | None
    created_at: datetime
    updated_at: datetime


class ChannelList(Schema):
    channels: list[ChannelSchema]
    next_cursor: str | None


class TrialSchema(Schema):
    """What came of a test: *told* is one sentence, *reason* is null if it arrived."""

    has_arrived: bool
    told: str
    reason: Reason | None


class ChannelDeliverySchema(Schema):
    """An edition's way to the channel; *last_error* is of the part that did not arrive.

    *resendable* is the message with which it is sent again, if a person has to decide about it.
    """

    digest_id: int
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
    resendable: int | None


class DeliveryList(Schema):
    deliveries: list[ChannelDeliverySchema]
    next_cursor: str | None


class OptionSchema(Schema):
    name: str
    about: str


class ChannelKindSchema(Schema):
    """A kind of channel, as a form wants it. *missing* says why nobody can have one now."""

    kind: str
    label: str
    secrets: list[str]
    optional_secrets: list[str]
    options: list[OptionSchema]
    is_own_address_only: bool
    missing: str | None


class ChannelKindList(Schema):
    kinds: list[ChannelKindSchema]


def channel_as_json(shown: ShownChannel) -> dict[str, object]:
    channel = shown.channel
    timing, quiet = channel.timing, channel.timing.quiet
    return {
        "id": channel.id,
        "kind": channel.kind,
        "name": channel.name,
        "address": channel.address,
        "config": dict(channel.config),
        "for_everybody": channel.owner_id is None,
        "origin": str(channel.origin),
        "edition_types": [str(each) for each in channel.edition_types],
        "delivery_time": time_text(timing.deliver_at),
        "quiet_from": time_text(quiet.start if quiet else None),
        "quiet_until": time_text(quiet.end if quiet else None),
        "zone": timing.zone,
        "language": channel.language,
        "gets_alarms": channel.gets_alarms,
        "has_secrets": list(shown.has_secrets),
        "secrets_problem": shown.secrets_problem,
        "state": str(channel.state),
        "paused_because": str(channel.paused_because) if channel.paused_because else None,
        "last_error_code": channel.last_error_code,
        "last_error": channel.last_error,
        "created_at": iso(channel.created_at),
        "updated_at": iso(channel.updated_at),
    }


def delivery_as_json(delivery: Delivery) -> dict[str, object]:
    return {
        "digest_id": delivery.digest_id,
        "title": delivery.title,
        "type": str(delivery.type),
        "period": delivery.period,
        "state": str(delivery.state),
        "parts": delivery.parts,
        "sent_parts": delivery.sent_parts,
        "attempts": delivery.attempts,
        "created_at": iso(delivery.created_at),
        "sent_at": iso(delivery.sent_at),
        "last_error_code": delivery.last_error_code,
        "last_error": delivery.last_error,
        "resendable": delivery.resendable,
    }


def kind_as_json(kind: ChannelType, config: PublishConfig) -> dict[str, object]:
    return {
        "kind": kind.kind,
        "label": kind.label,
        "secrets": list(kind.secrets),
        "optional_secrets": list(kind.optional_secrets),
        "options": [{"name": name, "about": about} for name, about in kind.options.items()],
        "is_own_address_only": kind.is_own_address_only,
        "missing": kind.missing(config) or None,
    }


def trial_as_json(result: TrialResult) -> dict[str, object]:
    reason = str(result.reason) if result.reason else None
    return {"has_arrived": result.has_arrived, "told": result.told, "reason": reason}

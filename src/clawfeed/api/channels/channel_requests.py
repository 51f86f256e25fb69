"""What people may send about channels. Secrets come in here and never go out again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import time
from typing import Annotated, Any

from pydantic import ConfigDict, Field, SecretStr, StrictBool

from clawfeed.api.editions.reader_settings import TimeOfDay, Types, Zone
from clawfeed.api.http.request_fields import Input, Line, Text
from clawfeed.api.sources.source_requests import Config
from clawfeed.domain.channels.channel import LONGEST_SECRET, ChannelDraft, ChannelTiming
from clawfeed.domain.channels.quiet_hours import quiet_hours
from clawfeed.domain.secret import Secret
from clawfeed.domain.wording.because_wording import Language

MOST_SECRETS = 10
# Whatever a kind takes; a webhook's address is the longest.
SecretText = Annotated[SecretStr, Field(min_length=1, max_length=LONGEST_SECRET)]
_EXAMPLE: dict[str, Any] = {
    "address": "@my_chat",
    "name": "My phone",
    "secrets": {"bot_token": "123456789:AAE-the-token-of-your-bot-abcdefghij"},
    "edition_types": ["daily", "weekly"],
    "delivery_time": "07:30",
    "quiet_from": "22:00",
    "quiet_until": "07:00",
    "zone": "Europe/Berlin",
    "language": "en",
}


class ChannelFields(Input):
    """What a new channel and a changed one have in common; what is not sent stays as it is.

    *delivery_time*: not before this time of day; null: as soon as an edition is ready. Between
    *quiet_from* and *quiet_until* nothing is sent; both are times in *zone*.
    """

    address: Text | None = None
    name: Line | None = None
    config: Config | None = None
    edition_types: Types | None = None
    delivery_time: TimeOfDay | None = None
    quiet_from: TimeOfDay | None = None
    quiet_until: TimeOfDay | None = None
    zone: Zone | None = None
    language: Language | None = None
    gets_alarms: StrictBool | None = None

    def applied_to(self, draft: ChannelDraft) -> ChannelDraft:
        """*draft* with what was sent, but for the secrets."""
        sent = {
            name: value
            for name in ("address", "name", "config", "edition_types", "gets_alarms")
            if (value := getattr(self, name)) is not None
        }
        if self.language is not None:
            sent["language"] = str(self.language)
        return replace(draft, timing=self._timing(draft.timing), **sent)

    def _timing(self, before: ChannelTiming) -> ChannelTiming:
        old = before.quiet
        start = self._time("quiet_from", old.start if old else None)
        end = self._time("quiet_until", old.end if old else None)
        return ChannelTiming(
            zone=self.zone or before.zone,
            deliver_at=self._time("delivery_time", before.deliver_at),
            quiet=quiet_hours(start, end),
        )

    def _time(self, name: str, before: time | None) -> time | None:
        """What was sent, also that there shall be none; else what was there *before*."""
        if name not in self.model_fields_set:
            return before
        text: str | None = getattr(self, name)
        return None if text is None else time.fromisoformat(text)


class NewChannel(ChannelFields):
    """A channel of yours; *for_everybody*: of the house, for everybody's editions (admins only).

    Which kinds there are, and what each wants, tells `GET /api/channel-kinds`.
    """

    model_config = ConfigDict(json_schema_extra={"example": {"kind": "telegram", **_EXAMPLE}})

    kind: Line
    secrets: dict[str, SecretText] = Field(default_factory=dict, max_length=MOST_SECRETS)
    for_everybody: StrictBool = False

    def draft(self, default_draft: ChannelDraft) -> ChannelDraft:
        """The channel they want; what they did not say is as in *default_draft*."""
        draft = self.applied_to(replace(default_draft, kind=self.kind))
        return replace(draft, secrets=_secrets(self.secrets))


class ChannelChange(ChannelFields):
    """What shall be different; the rest stays. A secret that is null is forgotten.

    With another address, secrets must be given again: none is sent to whom it was not set for.
    """

    model_config = ConfigDict(
        json_schema_extra={"example": {"name": "My phone", "delivery_time": None, "zone": "UTC"}}
    )

    secrets: dict[str, SecretText | None] = Field(default_factory=dict, max_length=MOST_SECRETS)

    def draft(self, known: ChannelDraft) -> ChannelDraft:
        given = {name: each for name, each in self.secrets.items() if each is not None}
        return replace(self.applied_to(known), secrets=_secrets(given))

    @property
    def forgotten(self) -> frozenset[str]:
        return frozenset(name for name, each in self.secrets.items() if each is None)


def _secrets(given: Mapping[str, SecretStr]) -> dict[str, Secret]:
    return {name: Secret(each.get_secret_value()) for name, each in given.items()}

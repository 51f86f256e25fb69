"""A channel: where somebody's editions go, in which form and when. Its secrets are elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, time
from enum import StrEnum

from clawfeed.domain.editions.delivery import ChannelState, PauseReason
from clawfeed.domain.editions.edition_period import EditionType
from clawfeed.domain.ids import ChannelId, JsonValue, UserId
from clawfeed.domain.secret import Secret

# `last_error_code` of a channel of the environment that the settings name no more.
NOT_SET = "not_set"
NOT_SET_ANY_MORE = "it is not in the server's settings any more"

# In characters. More than any secret of a channel has; what is longer is refused, not cut.
LONGEST_SECRET = 4_096


class ChannelOrigin(StrEnum):
    """Who made it: somebody, who may change it; or the operator's settings (S002-7)."""

    STORED = "stored"
    ENVIRONMENT = "environment"


@dataclass(frozen=True, slots=True, kw_only=True)
class QuietHours:
    """Local times between which nothing is sent; *start* may be after *end*: over midnight."""

    start: time
    end: time


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelTiming:
    """When something may leave, by the clock of *zone*. No *deliver_at*: as soon as it is ready."""

    zone: str = "UTC"
    deliver_at: time | None = None
    quiet: QuietHours | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelDraft:
    """What somebody wants of a channel, before it is stored.

    *address* is whom or where: a chat, a mailbox, a repository; it is shown, so it holds no secret.
    *secrets* are by the names that its type gives them; of a stored channel only those that change.
    """

    kind: str
    address: str
    name: str = ""
    config: Mapping[str, JsonValue] = field(default_factory=dict)
    secrets: Mapping[str, Secret] = field(default_factory=dict)
    edition_types: tuple[EditionType, ...] = (EditionType.DAILY,)
    timing: ChannelTiming = ChannelTiming()
    language: str = "en"
    gets_alarms: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Channel:
    """A stored channel, without its secrets. *owner_id* None: it gets everybody's editions."""

    id: ChannelId
    owner_id: UserId | None
    origin: ChannelOrigin
    kind: str
    name: str
    address: str
    config: Mapping[str, JsonValue]
    edition_types: tuple[EditionType, ...]
    timing: ChannelTiming
    language: str
    gets_alarms: bool
    state: ChannelState
    paused_because: PauseReason | None = None
    last_error_code: str | None = None
    last_error: str | None = None
    created_at: datetime
    updated_at: datetime

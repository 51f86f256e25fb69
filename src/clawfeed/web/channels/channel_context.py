"""What the pages about channels have in common: what they need, and a channel as people see it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import time, timedelta
from typing import Final

from clawfeed.auth.client_address import TrustedProxies
from clawfeed.auth.limits.action_rate_limits import ChannelLimits
from clawfeed.auth.request_actor import Doorkeeper
from clawfeed.domain.channels.channel import NOT_SET, Channel, ChannelOrigin, ChannelTiming
from clawfeed.domain.channels.delivery_time import may_leave_at
from clawfeed.domain.editions.delivery import ChannelState, PauseReason
from clawfeed.domain.editions.edition_period import EditionType
from clawfeed.domain.ids import ChannelId
from clawfeed.domain.people.users import Caller
from clawfeed.domain.wall_clock import time_text
from clawfeed.publish.channel_admin import ChannelAdmin, ShownChannel, Viewer
from clawfeed.publish.channel_trial import ChannelTrial
from clawfeed.publish.channel_type import ChannelTypes
from clawfeed.rendering.dates import day_and_time, zone_named
from clawfeed.rendering.safe_text import one_line
from clawfeed.storage.database import Database
from clawfeed.storage.outbox.delivery_states import Delivery
from clawfeed.web.channels.delivery_lines import advice_of, cause_of, delivery_line
from clawfeed.web.frame.address_numbers import number_in
from clawfeed.web.frame.page_rendering import PageView, Site
from clawfeed.web.texts.all_texts import TEXTS

SENDING_DELAY: Final = timedelta(minutes=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelPages(Doorkeeper):
    """What these pages need."""

    site: Site
    database: Database
    admin: ChannelAdmin
    trial: ChannelTrial
    limits: ChannelLimits
    trusted_proxies: TrustedProxies = ()

    async def found(self, channel_id: str, caller: Caller) -> Channel:
        """The channel of that address, if it is theirs to see."""
        number = ChannelId(number_in(channel_id, "channel"))
        viewer = Viewer(user_id=caller.user.id, is_admin=caller.is_admin)
        return await self.admin.get(number, viewer)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelHealthView:
    """How a channel is doing: keys of texts, a colour, and what was said when it failed."""

    text: str
    kind: str = ""
    cause: str | None = None
    advice: str | None = None
    said: str = ""


def health_of(shown: ShownChannel) -> ChannelHealthView:
    channel = shown.channel
    if shown.secrets_problem:
        return ChannelHealthView(
            text="channels.broken",
            kind="bad",
            cause="channels.no_secret",
            advice="channels.no_secret_do",
            said=shown.secrets_problem,
        )
    if channel.state is ChannelState.ACTIVE:
        return ChannelHealthView(text="channels.active", kind="good")
    if channel.paused_because is PauseReason.PERSON:
        return ChannelHealthView(text="channels.paused", advice="channels.paused_do")
    code = channel.last_error_code
    return ChannelHealthView(
        text="channels.broken",
        kind="bad",
        cause=cause_of(code),
        advice=advice_of(code),
        said=one_line(channel.last_error or ""),
    )


def kind_label(page: PageView, types: ChannelTypes, kind: str) -> str:
    """What people call this kind; its own name where the pages have no word for it."""
    key = f"channel_kind.{kind}"
    if key in TEXTS:
        return page.say(key)
    return types[kind].label if kind in types else kind


def line_of(
    page: PageView, types: ChannelTypes, shown: ShownChannel, newest: Delivery | None
) -> dict[str, object]:
    """A channel as lists and its own page show it."""
    channel = shown.channel
    kind = kind_label(page, types, channel.kind)
    name = one_line(channel.name) or kind
    return {
        "id": channel.id,
        "name": name,
        # Who said nothing calls it as its kind is called.
        "kind": kind if kind != name else "",
        "address": one_line(channel.address),
        "is_house": channel.owner_id is None,
        "is_set_elsewhere": channel.origin is ChannelOrigin.ENVIRONMENT,
        "may_remove": channel.origin is ChannelOrigin.STORED or channel.last_error_code == NOT_SET,
        "may_resume": channel.last_error_code != NOT_SET,
        "is_active": channel.state is ChannelState.ACTIVE,
        "gets_alarms": channel.gets_alarms,
        "types": [f"channel_type.{each}" for each in channel.edition_types],
        "hours": hours_of(channel.timing),
        "language": channel.language,
        "health": health_of(shown),
        "newest": delivery_line(page, newest) if newest else None,
        "next": _next(page, channel),
    }


def hours_of(timing: ChannelTiming) -> Mapping[str, str]:
    """When it gets something, as parts of a sentence; *zone* where an hour is named at all."""
    at, quiet = timing.deliver_at, timing.quiet
    return {
        "at": clock(at),
        "quiet_from": clock(quiet.start) if quiet else "",
        "quiet_until": clock(quiet.end) if quiet else "",
        "zone": timing.zone if at or quiet else "",
    }


def clock(value: time | None) -> str:
    return time_text(value) or ""


def _next(page: PageView, channel: Channel) -> str | None:
    """From when on the next edition may leave; None if at once."""
    if not channel.edition_types:
        return None
    kind = max(channel.edition_types, key=lambda each: each is not EditionType.FOUR_HOURS)
    at = may_leave_at(channel.timing, kind, page.now)
    if at <= page.now + SENDING_DELAY:
        return None
    zone, name = zone_named(channel.timing.zone)
    there = day_and_time(at, zone, page.language, year=at.astimezone(zone).year)
    # By the clock that its hours are set by, which need not be the reader's.
    return there if zone == page.zone else f"{there} ({name})"

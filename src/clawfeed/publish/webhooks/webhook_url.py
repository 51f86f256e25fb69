"""Addresses that are secrets: whoever knows a webhook's URL may post there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from hashlib import sha256
from typing import Final

from clawfeed.domain.channels.channel import ChannelDraft
from clawfeed.domain.errors import EgressError, InvalidInputError, Reason, RefusalCode
from clawfeed.domain.ids import JsonValue
from clawfeed.domain.secret import Secret
from clawfeed.egress.url import ParsedUrl as Place
from clawfeed.egress.url import parse
from clawfeed.publish.message import RetryVerdict, SendError, Target

URL: Final = "url"
# Enough to tell one's own webhooks apart; far too little to find the address by.
_FINGERPRINT = 8
# Longer than any keyword a robot may ask for.
LONGEST_OPTION = 100


def checked_webhook(draft: ChannelDraft, options: Mapping[str, str] | None = None) -> ChannelDraft:
    """*draft* with the address that is shown: the host, and a fingerprint of the secret URL.

    A draft without the secret is a stored channel that keeps it: its address stays.
    """
    check_options(draft.config, options or {})
    secret = draft.secrets.get(URL)
    if secret is None:
        if draft.address:
            return draft
        raise InvalidInputError(
            "paste the whole address of the webhook, https://...",
            RefusalCode.WEBHOOK_URL,
            field=f"secrets.{URL}",
        )
    place = place_of(secret)
    spelled = Secret(place.href)
    return replace(draft, address=shown(place), secrets={**draft.secrets, URL: spelled})


def place_of(secret: Secret) -> Place:
    """The address taken apart; `InvalidInputError` if it is none. Never quotes it."""
    try:
        return parse(secret.reveal().strip())
    except EgressError as error:
        raise InvalidInputError(
            error.detail, RefusalCode.WEBHOOK_URL, field=f"secrets.{URL}"
        ) from None


def shown(place: Place) -> str:
    """What people see of it: `hooks.slack.com #1f3a09bc`."""
    host = str(place).partition("://")[2]
    return f"{host} #{sha256(place.href.encode()).hexdigest()[:_FINGERPRINT]}"


def own_place(address: str, _config: Mapping[str, JsonValue]) -> str:
    """Each webhook has its own turns and rests."""
    return address


def secret_of(target: Target, name: str = URL) -> str:
    """The secret of that name; a channel that has lost it refuses for good."""
    secret = target.secrets.get(name)
    if secret is None:
        raise SendError(
            Reason.MISCONFIGURED,
            f"The channel has no {name} any more: give it one.",
            verdict=RetryVerdict.PAUSE,
        )
    return secret.reveal()


def check_options(config: Mapping[str, JsonValue], options: Mapping[str, str]) -> None:
    """Raise `InvalidInputError` for what people may not set."""
    for name, value in config.items():
        if name not in options:
            known = ", ".join(options) or "there are none"
            raise InvalidInputError(
                f"there is no option {name!r} for this channel: {known}",
                RefusalCode.CHANNEL_OPTION_UNKNOWN,
            )
        if not isinstance(value, str) or len(value) > LONGEST_OPTION:
            raise InvalidInputError(
                f"a text of at most {LONGEST_OPTION} characters",
                RefusalCode.CHANNEL_OPTION_LONG,
                field=f"config.{name}",
                most=LONGEST_OPTION,
            )

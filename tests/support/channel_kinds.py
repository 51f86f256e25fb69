"""Kinds of channel of the tests' own, and a loft that writes down what arrives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from clawfeed.domain.channels.channel import ChannelDraft
from clawfeed.domain.editions.delivery import Recovery
from clawfeed.domain.errors import InvalidInputError
from clawfeed.domain.ids import JsonValue
from clawfeed.publish.channel_type import (
    ChannelType,
    ChannelTypes,
    Notice,
    OutgoingEdition,
    PublishConfig,
)
from clawfeed.publish.message import Message, Receipt, SendError, Target


@dataclass(slots=True)
class Loft:
    """Takes every message, unless it is told to fail."""

    received: list[tuple[Target, Message]] = field(default_factory=list)
    failure: SendError | None = None

    async def send(self, target: Target, message: Message) -> Receipt:
        if self.failure:
            raise self.failure
        self.received.append((target, message))
        return Receipt()


def _check(draft: ChannelDraft) -> ChannelDraft:
    address = draft.address.strip().lower()
    if not address.startswith("loft "):
        raise InvalidInputError(f"address: {address!r} is no loft; write it like loft 7")
    return replace(draft, address=address)


def _place(address: str, config: Mapping[str, JsonValue]) -> str:
    return f"{config.get('town', '')} {address}"


def _notice(notice: Notice, _config: Mapping[str, JsonValue]) -> str:
    return " | ".join((notice.title, *notice.lines, notice.link))


def _messages(edition: OutgoingEdition, _config: Mapping[str, JsonValue]) -> list[str]:
    return [edition.content.title]


def _needs_sender(config: PublishConfig) -> str:
    return "" if config.email_from else "Bottles are not set up: the operator must set EMAIL_FROM"


def kinds_sending_to(loft: Loft) -> ChannelTypes:
    """`pigeon` has secrets of its place, `owl` one for all places, `bottle` goes to its owner."""
    pigeon = ChannelType(
        kind="pigeon",
        label="Pigeon",
        recovery=Recovery.ASK,
        check=_check,
        messages=_messages,
        notice=_notice,
        sender=lambda _tools: loft,
        place=_place,
        secrets=("token",),
        optional_secrets=("whistle",),
        options={"town": "Where the loft is."},
    )
    return ChannelTypes(
        [
            pigeon,
            replace(
                pigeon,
                kind="owl",
                label="Owl",
                optional_secrets=(),
                options={},
                are_secrets_of_place=False,
            ),
            replace(
                pigeon,
                kind="bottle",
                label="Bottle",
                check=lambda draft: draft,
                secrets=(),
                optional_secrets=(),
                missing=_needs_sender,
                is_own_address_only=True,
            ),
        ]
    )

"""One descriptor per kind of channel: all that the house knows of it, in one value."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from clawfeed.domain.channels.channel import Channel, ChannelDraft, ChannelTiming
from clawfeed.domain.editions.delivery import Recovery
from clawfeed.domain.editions.digest import DigestContent
from clawfeed.domain.editions.edition_period import EditionType
from clawfeed.domain.errors import InvalidInputError, RefusalCode
from clawfeed.domain.ids import ChannelId, DigestId, JsonValue
from clawfeed.domain.secret import Secret
from clawfeed.publish.message import Sender

if TYPE_CHECKING:  # a trigger that finds nothing to do pays for no HTTP client (S002-2)
    from clawfeed.egress.client import Egress


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishConfig:
    """What the operator set: where services live, and the channels of the house (S002-7)."""

    base_url: str
    edition_types: tuple[str, ...] = ("daily",)
    language: str = "en"
    zone: str = "UTC"
    telegram_api_base_url: str = "https://api.telegram.org"
    telegram_bot_token: Secret | None = None
    telegram_channel_id: str | None = None
    github_api_base_url: str = "https://api.github.com"
    github_token: Secret | None = None
    target_repo: str | None = None
    target_branch: str = "main"
    target_folder: str = "digests"
    smtp_url: Secret | None = None
    email_from: str | None = None
    email_to: tuple[str, ...] = ()
    slack_webhook_url: Secret | None = None
    alarm_email_to: tuple[str, ...] = ()
    alarm_telegram_chat_id: str | None = None

    def house_draft(
        self,
        kind: str,
        address: str,
        name: str,
        *,
        secrets: Mapping[str, Secret] | None = None,
        gets_editions: bool = True,
        gets_alarms: bool = False,
    ) -> ChannelDraft:
        """A channel of the house, as the settings say of all of them."""
        return ChannelDraft(
            kind=kind,
            address=address,
            name=name,
            secrets=secrets or {},
            edition_types=tuple(map(EditionType, self.edition_types)) if gets_editions else (),
            timing=ChannelTiming(zone=self.zone),
            language=self.language,
            gets_alarms=gets_alarms,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class OutgoingEdition:
    """A finished edition as one channel is to get it. *link* leads to its page."""

    digest_id: DigestId
    content: DigestContent
    link: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """A short word to a channel: an alarm, its end, or a test. Plain text of our own.

    *title* is one line; *lines* may hold names that strangers gave, so they are escaped like any.
    """

    title: str
    lines: tuple[str, ...] = ()
    link: str = ""
    language: str = "en"


@dataclass(frozen=True, slots=True, kw_only=True)
class SendingTools:
    """What senders are made of. *unsubscribe_link* is one click that pauses a channel."""

    egress: Egress
    config: PublishConfig
    clock: Callable[[], datetime]
    unsubscribe_link: Callable[[ChannelId], str]


def _no_channels(_config: PublishConfig) -> Sequence[ChannelDraft]:
    return ()


def _nothing_missing(_config: PublishConfig) -> str:
    return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelType:
    """One kind of channel.

    *check* returns the draft as it is stored (address and config in their one spelling), or raises
    `InvalidInputError` with the field and, in a sentence, the way out. *messages* makes the
    payloads of an edition, one per part, in order; *notice* makes one of a short word. Both are
    pure, and so is *place*: who shares its turns and rests. *of_the_house* are the channels that
    the operator's settings make.
    """

    kind: str
    label: str  # how people call it
    recovery: Recovery
    check: Callable[[ChannelDraft], ChannelDraft]
    messages: Callable[[OutgoingEdition, Mapping[str, JsonValue]], Sequence[str]]
    notice: Callable[[Notice, Mapping[str, JsonValue]], str]
    sender: Callable[[SendingTools], Sender]
    place: Callable[[str, Mapping[str, JsonValue]], str]
    # Names of what is never shown again, in the order people are asked for them.
    secrets: tuple[str, ...] = ()
    optional_secrets: tuple[str, ...] = ()
    # Whoever changes the address, or the place, gives them again: a secret is never sent to anybody
    # but whom it was set for. False: they are for one service, wherever in it the channel leads.
    are_secrets_of_place: bool = True
    # What of `config` people may set, each with one line for them.
    options: Mapping[str, str] = field(default_factory=dict)
    at_once: int = 1  # messages to one place at the same time
    spacing: timedelta = timedelta(0)  # between two of them
    of_the_house: Callable[[PublishConfig], Sequence[ChannelDraft]] = _no_channels
    # What the operator has not set and without which nobody can have one: a sentence, or nothing.
    missing: Callable[[PublishConfig], str] = _nothing_missing
    # People may only have their own account's address: through the house they reach no stranger.
    is_own_address_only: bool = False

    @property
    def is_address_secret(self) -> bool:
        """Whether its secret `url` is all of its address: whoever knows it may post there."""
        return "url" in self.secrets

    def place_of(self, channel: Channel) -> str:
        """Who shares the turns and rests of *channel*: within the house, or with its owner alone.

        Who comes with a token of their own is limited by it. If they named a chat of somebody
        else, that one's messages would wait for a rest that a stranger's token was asked for.
        """
        place = self.place(channel.address, channel.config)
        is_shared = channel.owner_id is None or not self.secrets
        return place if is_shared else f"{place} of {channel.owner_id}"


class ChannelTypes:
    """A table of kinds, in their order. Never changed."""

    def __init__(self, types: Iterable[ChannelType]) -> None:
        self._types = {each.kind: each for each in types}

    def __iter__(self) -> Iterator[ChannelType]:
        return iter(self._types.values())

    def __getitem__(self, kind: str) -> ChannelType:
        """The kind of that name; `InvalidInputError` if there is none."""
        found = self._types.get(kind)
        if found is None:
            known = ", ".join(sorted(self._types))
            raise InvalidInputError(
                f"there is no kind of channel {kind!r}: choose from {known}",
                RefusalCode.CHANNEL_KIND,
                kind=kind,
            )
        return found

    def __contains__(self, kind: str) -> bool:
        return kind in self._types

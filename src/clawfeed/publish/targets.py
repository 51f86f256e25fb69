"""Where a channel's messages go, with its secrets: sealed ones opened, or those of the settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from clawfeed.domain.channel import NOT_SET_ANY_MORE, Channel, ChannelDraft, ChannelOrigin
from clawfeed.domain.edition_period import EditionType
from clawfeed.domain.errors import Reason
from clawfeed.domain.ids import ChannelId
from clawfeed.domain.secret import Secret
from clawfeed.publish.channel_type import ChannelTypes, PublishConfig
from clawfeed.publish.message import SendError, Target, Verdict
from clawfeed.publish.secret_box import SecretBox
from clawfeed.storage.channel_secrets import ChannelSecrets


class Targets:
    """The one place where secrets are opened."""

    def __init__(
        self,
        secrets: ChannelSecrets,
        box: SecretBox,
        house: Sequence[ChannelDraft],
    ) -> None:
        self._secrets, self._box = secrets, box
        self._house = {(each.kind, each.address): each.secrets for each in house}

    async def of(self, channel: Channel) -> Target:
        """`SendError` if its secrets cannot be had: its owner must act."""
        return Target(
            channel_id=channel.id,
            address=channel.address,
            config=channel.config,
            secrets=await self.secrets_of(
                channel.id, origin=channel.origin, kind=channel.kind, address=channel.address
            ),
        )

    async def secrets_of(
        self, channel: ChannelId, *, origin: ChannelOrigin, kind: str, address: str
    ) -> Mapping[str, Secret]:
        """The same for who has the channel in another form."""
        if origin is ChannelOrigin.STORED:
            return self._box.open(channel, await self._secrets.get(channel))
        found = self._house.get((kind, address))
        if found is None:
            raise SendError(Reason.MISCONFIGURED, NOT_SET_ANY_MORE, verdict=Verdict.PAUSE)
        return found


def channels_of_the_house(types: ChannelTypes, config: PublishConfig) -> list[ChannelDraft]:
    """Those that the operator's settings make, of every kind (S002-7), as they are stored.

    A place that gets editions by one setting and alarms by another is one channel.
    """
    found: dict[tuple[str, str], ChannelDraft] = {}
    for each in types:
        for draft in each.of_the_house(config):
            checked = each.check(draft)
            place = (checked.kind, checked.address)
            found[place] = _together(found[place], checked) if place in found else checked
    return list(found.values())


def _together(one: ChannelDraft, other: ChannelDraft) -> ChannelDraft:
    wanted = {*one.edition_types, *other.edition_types}
    return replace(
        one,
        edition_types=tuple(each for each in EditionType if each in wanted),
        gets_alarms=one.gets_alarms or other.gets_alarms,
    )

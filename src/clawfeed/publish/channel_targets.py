"""Where a channel's messages go, with its secrets: sealed ones opened, or those of the settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from clawfeed.domain.channels.channel import NOT_SET_ANY_MORE, Channel, ChannelDraft, ChannelOrigin
from clawfeed.domain.editions.edition_period import EditionType
from clawfeed.domain.errors import Reason
from clawfeed.domain.secret import Secret
from clawfeed.publish.channel_type import ChannelTypes, PublishConfig
from clawfeed.publish.message import RetryVerdict, SendError, Target
from clawfeed.publish.secrets.secret_box import SecretBox
from clawfeed.storage.channels.channel_secrets import ChannelSecrets, SealedSecrets


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
        """Where it leads by now: whoever changed its address meanwhile meant its secrets, too.

        `SendError` if its secrets cannot be had: its owner must act.
        """
        found = await self._secrets.with_channel(channel.id)
        if found is None:
            raise SendError(Reason.GONE, "this channel was removed", verdict=RetryVerdict.GIVE_UP)
        current, sealed = found
        return Target(
            channel_id=current.id,
            address=current.address,
            config=current.config,
            secrets=self._secrets_of(current, sealed),
        )

    def _secrets_of(self, channel: Channel, sealed: SealedSecrets | None) -> Mapping[str, Secret]:
        if channel.origin is ChannelOrigin.STORED:
            return self._box.open(channel.id, sealed)
        found = self._house.get((channel.kind, channel.address))
        if found is None:
            raise SendError(Reason.MISCONFIGURED, NOT_SET_ANY_MORE, verdict=RetryVerdict.PAUSE)
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

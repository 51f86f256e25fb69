"""What people do with channels: add, change, pause, resume, remove; for the API and the commands.

Nothing that is answered here holds a secret.
"""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import datetime

from clawfeed.domain.channels.channel import (
    NOT_SET,
    Channel,
    ChannelDraft,
    ChannelOrigin,
    ChannelTiming,
)
from clawfeed.domain.errors import NotAllowedError, RefusalCode
from clawfeed.domain.ids import ChannelId, UserId
from clawfeed.domain.people.users import User
from clawfeed.domain.secret import Secret
from clawfeed.publish.channel_type import ChannelType, ChannelTypes, PublishConfig
from clawfeed.publish.channel_validation import (
    ChannelRules,
    checked,
    is_elsewhere,
    require_complete,
    require_options,
    secrets_problem,
)
from clawfeed.publish.secrets.secret_box import SecretBox
from clawfeed.storage.channels.channel_secrets import ChannelSecrets, Reseal, SealedSecrets
from clawfeed.storage.channels.channels import ChannelStore, no_channel
from clawfeed.storage.readers.reader_settings import ReaderSettingsStore

_SET_ELSEWHERE = "this channel is set in the server's settings: change it there (docs/channels.md)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Viewer:
    """Who asks: their own channels are theirs, the house's are the admins'."""

    user_id: UserId
    is_admin: bool = False

    def may_see(self, channel: Channel) -> bool:
        return self.is_admin if channel.owner_id is None else channel.owner_id == self.user_id


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownChannel:
    """A channel, which of its secrets are set, and what is wrong with them, if anything is."""

    channel: Channel
    has_secrets: tuple[str, ...] = ()
    secrets_problem: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelAdmin:
    """Keeps channels as their kinds want them."""

    types: ChannelTypes
    config: PublishConfig
    store: ChannelStore
    secrets: ChannelSecrets
    box: SecretBox
    readers: ReaderSettingsStore

    async def default_draft(self, owner: User | None) -> ChannelDraft:
        """What a channel is whose maker said nothing: in its owner's language, by their clock."""
        language, zone = self.config.language, self.config.zone
        if owner is not None:
            settings = (await self.readers.get(owner.id)).settings
            language, zone = settings.language, settings.zone
        return ChannelDraft(kind="", address="", language=language, timing=ChannelTiming(zone=zone))

    async def get(self, channel: ChannelId, viewer: Viewer) -> Channel:
        """The channel; `NotFoundError` if it is not theirs to see."""
        found = await self.store.get(channel)
        if not viewer.may_see(found):
            raise no_channel(channel)
        return found

    async def show(self, channels: list[Channel]) -> list[ShownChannel]:
        """Channels as they may be seen, in their order."""
        sealed = await self.secrets.of([each.id for each in channels])
        return [self._shown(each, sealed.get(each.id)) for each in channels]

    async def add(
        self, owner: User | None, draft: ChannelDraft, *, may_get_alarms: bool, now: datetime
    ) -> Channel:
        """Store a channel of *owner*, or of the house; `UserError` if it cannot be had."""
        kind = self.types[draft.kind]
        require_options(kind, draft)
        rules = ChannelRules(owner=owner, may_get_alarms=may_get_alarms)
        found = checked(kind, draft, rules, self.config)
        require_complete(kind, found.secrets.keys(), is_new=True)
        return await self.store.add(
            owner.id if owner else None, found, reseal=self._resealing(kind, found.secrets), now=now
        )

    async def change(
        self,
        channel: Channel,
        draft: ChannelDraft,
        rules: ChannelRules,
        *,
        forget: AbstractSet[str] = frozenset(),
        now: datetime,
    ) -> Channel:
        """Make it what *draft* says; its secrets change, and those in *forget* go.

        A secret that was set for another address must be given again; `ChangedMeanwhileError` if
        somebody else moved it since *channel* was read.
        """
        _require_stored(channel)
        kind = self.types[channel.kind]
        if draft.config != channel.config:
            require_options(kind, draft)
        found = checked(kind, draft, rules, self.config)
        reseal = self._resealing(
            kind, found.secrets, forget, keeps=not is_elsewhere(kind, channel, found)
        )
        return await self.store.change(channel.id, found, seen=channel, reseal=reseal, now=now)

    async def pause(self, channel: Channel, *, now: datetime) -> Channel:
        return await self.store.pause(channel.id, now=now)

    async def resume(self, channel: Channel, *, now: datetime) -> Channel:
        """Send again, and forget what was wrong."""
        _require_set(channel)
        return await self.store.resume(channel.id, now=now)

    async def remove(self, channel: Channel) -> None:
        """Forget it. One that the settings name would come back with the next start."""
        if channel.last_error_code != NOT_SET:
            _require_stored(channel)
        await self.store.remove(channel.id)

    def _shown(self, channel: Channel, sealed: SealedSecrets | None) -> ShownChannel:
        if channel.kind not in self.types or channel.origin is ChannelOrigin.ENVIRONMENT:
            return ShownChannel(channel=channel)
        kind, can_open = self.types[channel.kind], sealed is not None and self.box.can_open(sealed)
        names = sealed.names if sealed and can_open else frozenset()
        return ShownChannel(
            channel=channel,
            has_secrets=tuple(n for n in (*kind.secrets, *kind.optional_secrets) if n in names),
            secrets_problem=secrets_problem(kind, sealed, can_open=can_open),
        )

    def _resealing(
        self,
        kind: ChannelType,
        new: Mapping[str, Secret],
        forget: AbstractSet[str] = frozenset(),
        *,
        keeps: bool = True,
    ) -> Reseal:
        """What becomes of the secrets, decided where they are stored: nobody's change is lost."""

        def reseal(channel: ChannelId, before: SealedSecrets | None) -> SealedSecrets | None:
            kept = before if keeps and before and self.box.can_open(before) else None
            if kept and forget:
                left = {name: each for name, each in kept.by_name.items() if name not in forget}
                kept = SealedSecrets(by_name=left, key_id=kept.key_id)
            names = new.keys() | (kept.names if kept else frozenset())
            require_complete(kind, names, is_new=before is None and keeps)
            return self.box.seal(channel, new, kept)

        return reseal


def _require_stored(channel: Channel) -> None:
    if channel.origin is ChannelOrigin.ENVIRONMENT:
        raise NotAllowedError(_SET_ELSEWHERE, RefusalCode.CHANNEL_ELSEWHERE)


def _require_set(channel: Channel) -> None:
    if channel.last_error_code == NOT_SET:
        raise NotAllowedError(
            "this channel is not in the server's settings any more: set it there",
            RefusalCode.CHANNEL_NOT_SET,
        )

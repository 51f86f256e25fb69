"""What every channel must be, whatever its kind: then its kind has a look (`ChannelType.check`)."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace

from clawfeed.domain.channels.channel import Channel, ChannelDraft
from clawfeed.domain.errors import InvalidInputError, NotAllowedError, RefusalCode
from clawfeed.domain.people.users import User
from clawfeed.domain.secret import MASK
from clawfeed.publish.channel_type import ChannelType, PublishConfig
from clawfeed.storage.channels.channel_secrets import SealedSecrets


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelRules:
    """For whom a channel is checked. *owner* None: it is the house's."""

    owner: User | None
    may_get_alarms: bool


def draft_of(channel: Channel) -> ChannelDraft:
    """A stored channel as a draft that changes nothing."""
    return ChannelDraft(
        kind=channel.kind,
        address=channel.address,
        name=channel.name,
        config=channel.config,
        edition_types=channel.edition_types,
        timing=channel.timing,
        language=channel.language,
        gets_alarms=channel.gets_alarms,
    )


def checked(
    kind: ChannelType, draft: ChannelDraft, rules: ChannelRules, config: PublishConfig
) -> ChannelDraft:
    """*draft* as it is stored; `InvalidInputError` names what is wrong with it."""
    missing = kind.missing(config)
    if missing:
        raise InvalidInputError(missing, RefusalCode.CHANNEL_NOT_OFFERED)
    _require_secrets(kind, draft)
    if draft.gets_alarms and not rules.may_get_alarms:
        raise NotAllowedError(
            "only admins get alarms", RefusalCode.ALARMS_FOR_ADMINS, field="gets_alarms"
        )
    quiet = draft.timing.quiet
    if quiet and quiet.start == quiet.end:
        raise InvalidInputError(
            "quiet_from and quiet_until are the same: leave both out", RefusalCode.QUIET_SAME
        )
    found = kind.check(replace(draft, name=draft.name or kind.label))
    _require_own_address(kind, found, rules.owner)
    return found


def require_options(kind: ChannelType, draft: ChannelDraft) -> None:
    """Raise for an option that somebody set and the kind does not know."""
    strange = sorted(draft.config.keys() - kind.options.keys())
    if strange:
        there_are = f"there are {', '.join(kind.options)}" if kind.options else "there are none"
        raise InvalidInputError(
            f"a {kind.label} channel has no such option; {there_are}",
            RefusalCode.CHANNEL_OPTION_UNKNOWN,
            field=f"config.{strange[0][:100]}",
        )


def require_complete(kind: ChannelType, names: AbstractSet[str], *, is_new: bool) -> None:
    """Raise if a secret is missing without which the kind cannot be sent to."""
    missing = [name for name in kind.secrets if name not in names]
    if missing:
        again = "is needed" if is_new else "must be entered again"
        raise InvalidInputError(
            f"it {again} for a {kind.label} channel",
            RefusalCode.SECRET_MISSING,
            field=f"secrets.{missing[0]}",
        )


def is_elsewhere(kind: ChannelType, channel: Channel, draft: ChannelDraft) -> bool:
    """Whether the secrets of *channel* would be sent to somebody else than they were set for."""
    if not kind.are_secrets_of_place:
        return False
    before = (channel.address, kind.place(channel.address, channel.config))
    return before != (draft.address, kind.place(draft.address, draft.config))


def secrets_problem(
    kind: ChannelType, sealed: SealedSecrets | None, *, can_open: bool
) -> str | None:
    """What its owner must do before anything can be sent, in one sentence; None if nothing."""
    if sealed is not None and not can_open:
        return "its secrets were sealed with another key: enter them again"
    missing = [name for name in kind.secrets if sealed is None or name not in sealed.names]
    return f"its secrets must be entered again: {', '.join(missing)}" if missing else None


def require_secret_names(kind: ChannelType, names: AbstractSet[str]) -> None:
    """Raise for a secret that the kind does not know."""
    known = (*kind.secrets, *kind.optional_secrets)
    if not names <= set(known):
        # Not by its name: whoever mixes up name and value would read the secret here.
        there_are = f"there are {', '.join(known)}" if known else "there are none"
        raise InvalidInputError(
            f"a {kind.label} channel has no such secret; {there_are}",
            RefusalCode.CHANNEL_OPTION_UNKNOWN,
            field="secrets",
        )


def _require_secrets(kind: ChannelType, draft: ChannelDraft) -> None:
    require_secret_names(kind, draft.secrets.keys())
    masked = [name for name, each in draft.secrets.items() if MASK in each.reveal()]
    if masked:
        raise InvalidInputError(
            f"it holds {MASK}; give the whole value, or leave it out",
            RefusalCode.MASKED_SECRET,
            field=f"secrets.{masked[0]}",
        )


def _require_own_address(kind: ChannelType, draft: ChannelDraft, owner: User | None) -> None:
    if kind.is_own_address_only and owner is not None and draft.address != owner.email:
        raise InvalidInputError(
            f"your own {kind.label} channel goes to your own address, {owner.email}",
            RefusalCode.OWN_ADDRESS,
            field="address",
            email=owner.email,
        )

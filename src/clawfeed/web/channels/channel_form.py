"""The form of a channel, made from what its kind wants to know; and the form, read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from html import unescape
from typing import Final

from clawfeed.domain.channels.channel import LONGEST_SECRET, ChannelDraft, ChannelTiming
from clawfeed.domain.channels.quiet_hours import known_zone, quiet_hours, time_of_day
from clawfeed.domain.editions.edition_period import EditionType
from clawfeed.domain.errors import InvalidInputError, RefusalCode
from clawfeed.domain.people.users import User
from clawfeed.domain.secret import Secret
from clawfeed.domain.wording.because_wording import Language
from clawfeed.publish.channel_type import ChannelType
from clawfeed.rendering.safe_text import one_line
from clawfeed.web.channels.channel_context import clock
from clawfeed.web.frame.page_rendering import PageView
from clawfeed.web.texts.all_texts import TEXTS

LONGEST_LINE: Final = 200
LONGEST_ADDRESS: Final = 2_000
CHECKED_BOX: Final = "1"
# How the names of a kind's own fields begin, and where programs write what stands in them.
_GROUPS: Final = {"secret": "secrets", "option": "config"}
# What the form calls the fields that every kind has.
_LABELS: Final = {
    "deliver_at": "channels.not_before",
    "quiet_from": "channels.quiet_from",
    "quiet_until": "channels.quiet_until",
    "zone": "channels.zone",
    "language": "channels.language",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """A field of this kind: its label, a line of help, and whether something is stored already."""

    name: str
    label: str
    about: str = ""
    is_needed: bool = False
    is_set: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelForm:
    """*values* are what stands in it; a secret never does. No *address*: it is not asked for."""

    kind: str
    values: Mapping[str, str]
    address: Field | None
    secrets: tuple[Field, ...]
    optional: tuple[str, ...]
    options: tuple[Field, ...]
    types: tuple[str, ...]
    is_own_address_only: bool


def form_of(
    page: PageView,
    kind: ChannelType,
    values: Mapping[str, str],
    *,
    may_be_house: bool,
    set_secrets: tuple[str, ...] = (),
) -> ChannelForm:
    """*set_secrets* are those that a stored channel has: they need not be given again."""
    asks = not kind.is_address_secret and (may_be_house or not kind.is_own_address_only)
    is_needed = not kind.is_own_address_only
    return ChannelForm(
        kind=kind.kind,
        values={name: text for name, text in values.items() if not name.startswith("secret_")},
        address=_field(page, kind, "address", "", is_needed=is_needed) if asks else None,
        secrets=tuple(
            _secret(page, kind, name, set_secrets)
            for name in (*kind.secrets, *kind.optional_secrets)
        ),
        optional=kind.optional_secrets,
        options=tuple(
            _field(page, kind, f"option_{name}", about) for name, about in kind.options.items()
        ),
        types=tuple(map(str, EditionType)),
        is_own_address_only=kind.is_own_address_only,
    )


def labels_of(page: PageView, form: ChannelForm) -> dict[str, str]:
    """What the form calls its fields, by the names that programs know them by (`refusal`)."""
    fields = (*form.secrets, *form.options, *((form.address,) if form.address else ()))
    labels = {_path(each.name): each.label for each in fields}
    labels |= {name: page.say(key) for name, key in _LABELS.items()}
    return {name: unescape(label) for name, label in labels.items()}


def _path(name: str) -> str:
    """Where in a program's request stands what the form has in the field *name*."""
    group, _, rest = name.partition("_")
    return f"{_GROUPS[group]}.{rest}" if group in _GROUPS else name


def values_of(draft: ChannelDraft) -> dict[str, str]:
    """What stands in the form of a channel like *draft*; a secret never does."""
    timing, quiet = draft.timing, draft.timing.quiet
    values = {
        "name": draft.name,
        "address": draft.address,
        "deliver_at": clock(timing.deliver_at),
        "quiet_from": clock(quiet.start if quiet else None),
        "quiet_until": clock(quiet.end if quiet else None),
        "zone": timing.zone,
        "language": draft.language,
        "gets_alarms": CHECKED_BOX if draft.gets_alarms else "",
    }
    values |= {f"type_{each}": CHECKED_BOX for each in draft.edition_types}
    return values | {
        f"option_{name}": text for name, text in draft.config.items() if isinstance(text, str)
    }


def read_draft(
    kind: ChannelType,
    given: Mapping[str, str],
    known: ChannelDraft,
    owner: User | None,
) -> ChannelDraft:
    """The channel that the form asks for; what is wrong with it, its kind says later."""
    return replace(
        known,
        kind=kind.kind,
        address=_address(kind, given, known, owner),
        name=one_line(given.get("name", ""))[:LONGEST_LINE],
        config=_options(kind, given),
        secrets=_secrets(kind, given),
        edition_types=tuple(
            each for each in EditionType if given.get(f"type_{each}") == CHECKED_BOX
        ),
        timing=_timing(given),
        language=_language(given.get("language", "")),
        gets_alarms=given.get("gets_alarms") == CHECKED_BOX,
    )


def forgotten(kind: ChannelType, given: Mapping[str, str]) -> frozenset[str]:
    """The optional secrets that shall go."""
    return frozenset(
        name for name in kind.optional_secrets if given.get(f"forget_{name}") == CHECKED_BOX
    )


def _address(
    kind: ChannelType,
    given: Mapping[str, str],
    known: ChannelDraft,
    owner: User | None,
) -> str:
    if kind.is_address_secret:
        return known.address
    if kind.is_own_address_only and owner is not None:
        return owner.email
    return one_line(given.get("address", ""))[:LONGEST_ADDRESS]


def _options(kind: ChannelType, given: Mapping[str, str]) -> dict[str, str]:
    found = {name: one_line(given.get(f"option_{name}", "")) for name in kind.options}
    return {name: text for name, text in found.items() if text}


def _secrets(kind: ChannelType, given: Mapping[str, str]) -> dict[str, Secret]:
    """What was typed; an empty field says nothing."""
    found = {}
    for name in (*kind.secrets, *kind.optional_secrets):
        text = given.get(f"secret_{name}", "").strip()
        if len(text) > LONGEST_SECRET:
            raise InvalidInputError(
                f"{LONGEST_SECRET} characters are the most",
                RefusalCode.CHANNEL_OPTION_LONG,
                field=f"secrets.{name}",
                most=LONGEST_SECRET,
            )
        if text:
            found[name] = Secret(text)
    return found


def _timing(given: Mapping[str, str]) -> ChannelTiming:
    def at(name: str) -> str:
        return given.get(name, "").strip()

    return ChannelTiming(
        zone=known_zone(at("zone")),
        deliver_at=time_of_day("deliver_at", at("deliver_at")),
        quiet=quiet_hours(
            time_of_day("quiet_from", at("quiet_from")),
            time_of_day("quiet_until", at("quiet_until")),
        ),
    )


def _language(text: str) -> str:
    try:
        return str(Language(text))
    except ValueError:
        raise InvalidInputError(
            "choose one of the languages", RefusalCode.WRONG_LANGUAGE, field="language"
        ) from None


def _field(
    page: PageView, kind: ChannelType, name: str, about: str, *, is_needed: bool = False
) -> Field:
    """Labelled for this kind, else for all; what a kind says of itself where we say nothing."""
    plain = name.removeprefix("option_")
    return Field(
        name=name,
        label=_words(page, f"channel_field.{kind.kind}_{plain}", f"channel_field.{plain}") or plain,
        about=_words(page, f"channel_help.{kind.kind}_{plain}", f"channel_help.{plain}") or about,
        is_needed=is_needed,
    )


def _secret(page: PageView, kind: ChannelType, name: str, set_secrets: tuple[str, ...]) -> Field:
    field = _field(page, kind, name, "")
    is_set = name in set_secrets
    return replace(
        field,
        name=f"secret_{name}",
        is_needed=name in kind.secrets and not is_set,
        is_set=is_set,
    )


def _words(page: PageView, *keys: str) -> str:
    return next((page.say(key) for key in keys if key in TEXTS), "")

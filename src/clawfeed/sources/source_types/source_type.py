"""What a source type must say of itself, and what its fetcher is made from.

A descriptor is read by every command, so its module imports no network and no parser: the fetcher
is imported by the function that builds it, a parser named as "module:function". Parse workers read
no descriptor: they are told its `documents`, and load those.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, TypedDict

from clawfeed.domain.ids import JsonValue
from clawfeed.domain.settings.setting import Setting, SettingValues
from clawfeed.domain.sources.type_facts import KnownTypes, TypeFacts

if TYPE_CHECKING:
    from clawfeed.egress.client import Egress
    from clawfeed.egress.response_limits import Limits
    from clawfeed.sources.fetcher import Fetcher
    from clawfeed.sources.host_turns import HostTurnTaker
    from clawfeed.sources.paid_reads import ReadBudget
    from clawfeed.sources.parsing.pool import ParsePool
    from clawfeed.sources.personal_tokens import PersonalTokens


class CommonArguments(TypedDict):
    """What every fetcher is handed."""

    egress: Egress
    parse: ParsePool
    clock: Callable[[], datetime]


@dataclass(frozen=True, slots=True, kw_only=True)
class FetcherKit:
    """All that the wiring offers to the builders of fetchers; each takes what it needs.

    *settings* are those its descriptor declares, and no other type's. *paid_reads* is the budget of
    an API by its name, so many reads a month. *personal_tokens* are of people who let us read what
    is their own, by the name of the API that they open.
    """

    egress: Egress
    parse: ParsePool
    clock: Callable[[], datetime]
    settings: SettingValues
    header_secrets: Mapping[str, str] = field(repr=False)
    turns: HostTurnTaker
    paid_reads: Callable[[str, int], ReadBudget]
    personal_tokens: Mapping[str, PersonalTokens]
    timeout: timedelta
    max_bytes: int | None

    @property
    def common(self) -> CommonArguments:
        return CommonArguments(egress=self.egress, parse=self.parse, clock=self.clock)

    def limits(self, own: Limits) -> Limits:
        """What one request may cost (S001-12): the one rule, for whatever is asked for a source.

        The operator's word is the limit. Where there is none, a type's own cap holds, which may
        be larger than 500 KB and is then in docs/sources.md. Nobody follows more redirects.
        """
        from clawfeed.egress.response_limits import DEFAULT_LIMITS

        return replace(
            own,
            total=self.timeout,
            body=own.body if self.max_bytes is None else self.max_bytes,
            redirects=min(own.redirects, DEFAULT_LIMITS.redirects),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Absent:
    """Nothing here can read this type, and *why*: its sources are skipped, not failed (S000-12)."""

    why: str


class Recognised(NamedTuple):
    """What an address or a word stands for: the config of a source, and a name for people."""

    config: dict[str, JsonValue]
    title: str


# Gets the parts of an address's path and its query; None if that is no source of the type.
AddressReader: TypeAlias = Callable[[list[str], Mapping[str, str]], Recognised | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shorthand:
    """A word that means a source of this type: `@openai`. *expected* is for those that do not."""

    prefix: str
    read: Callable[[str], Recognised | None]
    expected: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceType(TypeFacts):
    """A type of source: the facts that every room goes by, and how it is recognised and read.

    *keys* are those its config may hold, beside the interval that every source may choose: what
    its fetcher's check goes by. *settings* are the operator's that it needs, each by
    `type_setting`: all that the house knows of them. *documents* are its kinds of document by name,
    each with the function that reads it in a parse worker. *check* is its fetcher's check of a
    config, for a type that may have no fetcher: what makes no sense is refused whether or not
    somebody can read it. *addresses* are the hosts whose addresses it knows by heart, without
    "www". *probe* is a config whose place is that of every source of the type: an API's, or a
    bridge's; None if each source has its own.
    """

    keys: tuple[str, ...]
    build: Callable[[FetcherKit], Fetcher | Absent]
    settings: tuple[Setting[object], ...] = ()
    documents: Mapping[str, str] = field(default_factory=dict)
    addresses: Mapping[str, AddressReader] = field(default_factory=dict)
    shorthand: Shorthand | None = None
    check: Callable[[Mapping[str, JsonValue]], list[str]] | None = None
    probe: Mapping[str, JsonValue] | None = None


SourceTypes: TypeAlias = KnownTypes[SourceType]


def settings_of(types: SourceTypes) -> tuple[Setting[object], ...]:
    """Every setting that *types* declare, once, though several may share it."""
    return tuple(dict.fromkeys(setting for each in types for setting in each.settings))


def documents_of(types: SourceTypes) -> dict[str, str]:
    """Every kind of document that the fetchers of *types* ask a parse worker to read."""
    return {kind: function for each in types for kind, function in each.documents.items()}

"""What the house knows of a source type: facts alone, no network and no parser.

The descriptors in `sources.source_types` add those. Nothing here names a type: a table of them
is handed to whoever needs one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, Generic, NamedTuple, TypeVar

from clawfeed.domain.errors import ConfigError, InvalidInputError, RefusalCode
from clawfeed.domain.ids import JsonValue

DEFAULT_MINUTES = 240  # S000-1, for a type that does not say
# The key for an interval of its own, legal in the config of every source (S000-23).
OWN_INTERVAL: Final = "fetch_interval_minutes"
PLUGIN_KEY = "param"  # what the sources of one plug-in are told apart by (S003-2)


@dataclass(frozen=True, slots=True, kw_only=True)
class NameMark:
    """How people write the name that a source follows: `@openai`, `r/python`.

    *in_text* finds such names, in its first group, among other words. *bare* is what is left of a
    config's value without the mark.
    """

    prefix: str
    in_text: re.Pattern[str]
    bare: Callable[[str], str]
    is_stored_bare: bool = False  # two spellings of one thing would be two sources (S001-17)


class SeveralNames(NamedTuple):
    """The names somebody put where one belongs: those that can be followed, and the others."""

    good: tuple[str, ...] = ()
    bad: tuple[str, ...] = ()


def _never(_config: Mapping[str, JsonValue]) -> SeveralNames:
    return SeveralNames()


@dataclass(frozen=True, slots=True, kw_only=True)
class TypeFacts:
    """One type of source, as far as rules and tables go by it."""

    name: str
    aliases: tuple[str, ...] = ()  # other names for the same type: one default, one override
    minutes: float = DEFAULT_MINUTES  # only a plug-in's need not be whole (S003-2)
    is_hot_list: bool = False  # changes all day whoever publishes: its interval is its rhythm
    is_feed: bool = False  # its `url` is a feed that any reader can use
    is_page: bool = False  # its `url` is a page for people
    is_personal: bool = False  # one person's own: never public, read as its owner (S001-20)
    is_plugin: bool = False  # S003-2: its state has a row per parameter
    main_key: str | None = None  # the key of its config that one word or address can stand for
    is_addressed: bool = False  # that word is a web address
    # What its fetcher takes for a key that is not there; who writes it down asks for the same.
    defaults: Mapping[str, JsonValue] = field(default_factory=dict)
    caseless: frozenset[str] = frozenset()  # keys whose case nobody over there minds
    mark: NameMark | None = None  # of the value under its main key
    # The names in a config that should hold one; nothing if it does.
    several: Callable[[Mapping[str, JsonValue]], SeveralNames] = _never

    @property
    def stats_type(self) -> str:
        """`source_stats.source_type` knows two kinds (S004-1)."""
        return "rss" if self.is_feed else "custom"

    def bare(self, key: str, text: str) -> str:
        """*text*, the value of *key*, without the mark that people write before such a name."""
        return self.mark.bare(text) if self.mark and key == self.main_key else text


def require_shareable(facts: TypeFacts, *, way_out: str) -> None:
    """Raise if sources of this type are one person's own (S001-20): the same at every entrance."""
    if facts.is_personal:
        raise InvalidInputError(
            f"a {facts.name} source shows what is one person's own, so it cannot be public: "
            f"{way_out}",
            RefusalCode.SOURCE_PERSONAL,
        )


Described_co = TypeVar("Described_co", bound=TypeFacts, covariant=True)


class KnownTypes(Generic[Described_co]):
    """A table of types, in their order. Never changed."""

    def __init__(self, types: Iterable[Described_co]) -> None:
        self._types: dict[str, Described_co] = {}
        self._meant: dict[str, str] = {}
        for described in types:
            for name in (described.name, *described.aliases):
                if name in self._meant:
                    raise ConfigError(f"two source types are called {name!r}")
                self._meant[name] = described.name
            self._types[described.name] = described

    def __iter__(self) -> Iterator[Described_co]:
        return iter(self._types.values())

    def __contains__(self, written: object) -> bool:
        return isinstance(written, str) and self.key(written) in self._types

    def key(self, written: str) -> str:
        """The name a type is kept under: lower case, aliases resolved."""
        plain = written.strip().lower().replace("-", "_")
        return self._meant.get(plain, plain)

    def find(self, written: str) -> Described_co | None:
        return self._types.get(self.key(written))

    def facts(self, written: str) -> TypeFacts:
        """What is known of a type; one that is not in the table is a plug-in's, not installed."""
        found = self.find(written)
        return found or TypeFacts(name=self.key(written), is_plugin=True, main_key=PLUGIN_KEY)

    def names(self, written: str) -> list[str]:
        """The type's key and its other names: rows of an older system still have those."""
        facts = self.facts(written)
        return [facts.name, *facts.aliases]

"""Which fetcher serves which type of source."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from clawfeed.domain.errors import ConfigError
from clawfeed.domain.ids import JsonValue
from clawfeed.sources.fetcher import Fetcher
from clawfeed.sources.source_types.source_type import Absent, FetcherKit, SourceTypes


class Fetchers:
    """Who reads what, of *types*. Filled once at start-up, only read afterwards."""

    def __init__(self, types: SourceTypes) -> None:
        self.types = types
        self._by_type: dict[str, Fetcher] = {}
        self._absent: dict[str, str] = {}

    def add(self, source_type: str, fetcher: Fetcher) -> None:
        """Serve *source_type* with *fetcher*; two claims on one type are an error."""
        key = self.types.key(source_type)
        if key in self._by_type:
            raise ConfigError(f"two fetchers claim the source type {source_type!r}")
        self._by_type[key] = fetcher

    def explain_absence(self, source_type: str, why: str) -> None:
        """Remember why a known type cannot be read here (S001-8: nothing is configured for it)."""
        self._absent[self.types.key(source_type)] = why

    def get(self, source_type: str) -> Fetcher | None:
        """The fetcher, or None: the source is then skipped, not failed (S000-12)."""
        return self._by_type.get(self.types.key(source_type))

    def problems(self, source_type: str, config: Mapping[str, JsonValue]) -> list[str]:
        """What is wrong with *config*, one sentence each, whether or not the type can be read."""
        fetcher = self.get(source_type)
        if fetcher:
            return fetcher.check(config)
        described = self.types.find(source_type)
        return described.check(config) if described and described.check else []

    def why_absent(self, source_type: str) -> str:
        """One sentence for people when `get` gave None."""
        known = self._absent.get(self.types.key(source_type))
        return known or f"no fetcher for the source type {source_type!r}"

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._by_type))


def build_fetchers(types: SourceTypes, kit: FetcherKit) -> Fetchers:
    """A fetcher for each of *types*, or the reason why there is none."""
    fetchers = Fetchers(types)
    for described in types:
        own = replace(kit, settings=kit.settings.only(described.settings))
        built = described.build(own)
        if isinstance(built, Absent):
            fetchers.explain_absence(described.name, built.why)
        else:
            fetchers.add(described.name, built)
    return fetchers

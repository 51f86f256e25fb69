"""Which fetcher serves which type of source."""

from __future__ import annotations

from collections.abc import Iterator

from clawfeed.domain.errors import ConfigError
from clawfeed.domain.interval import TYPE_ALIASES
from clawfeed.sources.fetcher import Fetcher


class Fetchers:
    """The table of known types. Filled once at start-up, only read afterwards."""

    def __init__(self) -> None:
        self._by_type: dict[str, Fetcher] = {}
        self._absent: dict[str, str] = {}

    def add(self, source_type: str, fetcher: Fetcher) -> None:
        """Serve *source_type* with *fetcher*; two claims on one type are an error."""
        if source_type in self._by_type:
            raise ConfigError(f"two fetchers claim the source type {source_type!r}")
        self._by_type[source_type] = fetcher

    def explain_absence(self, source_type: str, why: str) -> None:
        """Remember why a known type cannot be read here (S001-8: nothing is configured for it)."""
        self._absent[source_type] = why

    def get(self, source_type: str) -> Fetcher | None:
        """The fetcher, or None: the source is then skipped, not failed (S000-12)."""
        return self._by_type.get(TYPE_ALIASES.get(source_type, source_type))

    def why_absent(self, source_type: str) -> str:
        """One sentence for people when `get` gave None."""
        known = self._absent.get(TYPE_ALIASES.get(source_type, source_type))
        return known or f"no fetcher for the source type {source_type!r}"

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._by_type))

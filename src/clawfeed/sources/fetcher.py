"""What every kind of source must offer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from clawfeed.domain.ids import JsonValue
from clawfeed.domain.sources.source import Fetched, NotModified, Source


class Fetcher(Protocol):
    """Reads one kind of source.

    Stateless: everything to remember between polls travels in `Source.cursor` and comes back in
    `Fetched.cursor`. Raises `SourceError` for the other side's faults; anything else is our bug.
    """

    def check(self, config: Mapping[str, JsonValue]) -> list[str]:
        """What is wrong with *config*, one sentence each that names the key; [] if it can work."""
        ...

    def place(self, config: Mapping[str, JsonValue]) -> str:
        """The URL whose host we will ask, so that polls of one host can be spaced; "" if none."""
        ...

    async def fetch(self, source: Source) -> Fetched | NotModified:
        """Poll once. Equal answers of the other side give drafts with equal keys."""
        ...

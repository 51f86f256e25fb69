"""The only fakes: what stands at the network's edge."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping

from clawfeed.domain.ids import JsonValue
from clawfeed.domain.sources.item import Draft
from clawfeed.domain.sources.source import Fetched, NotModified, Source


class FakeFetcher:
    """A source type without a network: answers by script, waits at a gate, counts overlaps."""

    def __init__(self, answer: Callable[[Source], Fetched | NotModified] | None = None) -> None:
        self.answer = answer or one_item
        self.gate = asyncio.Event()
        self.gate.set()
        self.seen: list[Source] = []
        self.in_flight = 0
        self.most_in_flight = 0

    def check(self, config: Mapping[str, JsonValue]) -> list[str]:
        return [] if "url" in config else ["url is missing"]

    def place(self, config: Mapping[str, JsonValue]) -> str:
        return str(config.get("url", ""))

    async def fetch(self, source: Source) -> Fetched | NotModified:
        self.seen.append(source)
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            await self.gate.wait()
            await asyncio.sleep(0)
            return self.answer(source)
        finally:
            self.in_flight -= 1


def one_item(source: Source) -> Fetched:
    """The same single item at every poll."""
    draft = Draft(title=f"News of {source.name}", url=f"https://{source.id}.example/1")
    return Fetched(drafts=(draft,), cursor={"etag": "1"})

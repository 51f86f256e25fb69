"""Brings new items into the search index, beside the polls that found them."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from datetime import timedelta

from clawfeed.domain.errors import StorageError
from clawfeed.storage.search import SearchIndex

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexingConfig:
    """How eagerly new items are indexed."""

    # Small enough that a poll waits no longer than a few commits for its turn to write.
    batch: int = 100
    # New items are found by search this much later.
    every: timedelta = timedelta(seconds=3)
    # Between full batches, so that a large backlog leaves the polls their share.
    breath: timedelta = timedelta(milliseconds=50)
    # What a single round may do at most: some seconds' work.
    batches_at_once: int = 200


class SearchIndexing:
    """A workshop of its own, so that indexing never holds up a poll."""

    name = "indexing"

    def __init__(self, index: SearchIndex, pace: IndexingConfig | None = None) -> None:
        self._index, self._pace = index, pace or IndexingConfig()
        self._stopping = asyncio.Event()

    def stop(self) -> None:
        self._stopping.set()

    async def run(self) -> None:
        while not self._stopping.is_set():
            try:
                found = await self._index.index_new(self._pace.batch)
            except StorageError as error:
                log.warning("could not index new items; will try again", extra={"why": str(error)})
                found = 0
            is_backlog = found >= self._pace.batch
            await self._wait(self._pace.breath if is_backlog else self._pace.every)

    async def catch_up(self) -> int:
        """Index what is new, once; returns how many. What is too much is left to the next round."""
        count = 0
        for _ in range(self._pace.batches_at_once):
            found = await self._index.index_new(self._pace.batch)
            count += found
            if found < self._pace.batch or self._stopping.is_set():
                break
        return count

    async def _wait(self, pause: timedelta) -> None:
        try:
            async with asyncio.timeout(pause.total_seconds()):
                await self._stopping.wait()
        except TimeoutError:
            return

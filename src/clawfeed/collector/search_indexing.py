"""Brings new items into the search index, beside the polls that found them."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import timedelta

from clawfeed.domain.errors import StorageError
from clawfeed.runtime.stop import RepeatedWorker
from clawfeed.storage.items.search import SearchIndex

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


class SearchIndexing(RepeatedWorker):
    """A worker of its own, so that indexing never holds up a poll."""

    name = "indexing"

    def __init__(self, index: SearchIndex, pace: IndexingConfig | None = None) -> None:
        super().__init__()
        self._index, self._pace = index, pace or IndexingConfig()

    async def look(self) -> timedelta:
        """Index one batch; a backlog does not wait long for the next."""
        try:
            found = await self._index.index_new(self._pace.batch)
        except StorageError as error:
            log.warning("could not index new items; will try again", extra={"why": str(error)})
            found = 0
        return self._pace.breath if found >= self._pace.batch else self._pace.every

    async def catch_up(self) -> int:
        """Index what is new, once; returns how many. What is too much is left to the next round."""
        count = 0
        for _ in range(self._pace.batches_at_once):
            found = await self._index.index_new(self._pace.batch)
            count += found
            if found < self._pace.batch or self._stop.is_asked:
                break
        return count

"""A reader's own edition, made because they asked for it."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Protocol

from clawfeed.domain.editions.edition import EditionTask
from clawfeed.domain.editions.edition_period import EditionType
from clawfeed.domain.ids import TaskId, UserId
from clawfeed.storage.digests.digests import DigestStore, StoredDigest
from clawfeed.storage.editions.editions import EditionStore

# Without a model an edition takes about two seconds; whoever waits longer is told to ask again.
ANSWER_PATIENCE = timedelta(seconds=10)


class ReadersEditions(Protocol):
    """Makes readers' own editions, one of each scope and period."""

    async def begin(self, reader: UserId, kind: EditionType) -> EditionTask | None:
        """The reader's edition of now, begun; None while there is nothing to make it from."""
        ...

    async def finish(self, task: TaskId) -> None:
        """Take it to its end; whoever is on it already goes on."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeEdition:
    """Without a *digest* it is in the making, or, its task being over, there was nothing to tell.

    *was_over*: it was made before.
    """

    task: EditionTask
    digest: StoredDigest | None
    was_over: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class EditionsOnDemand:
    """Holds what it began, so that nothing drops it."""

    editions: ReadersEditions
    digests: DigestStore
    tasks: EditionStore
    patience: timedelta = ANSWER_PATIENCE
    running: set[asyncio.Task[None]] = field(default_factory=set)

    async def make(self, reader: UserId, kind: EditionType) -> MadeEdition | None:
        """The reader's edition of now; None while there is nothing to make it from.

        `QuotaError` for who had more than anybody reads in a day.
        """
        task = await self.editions.begin(reader, kind)
        if task is None:
            return None
        was_over = task.is_over
        if not was_over:
            await self._wait(self.editions.finish(task.id))
        return MadeEdition(
            task=await self.tasks.get(task.id),
            digest=await self.digests.of_task(task.id),
            was_over=was_over,
        )

    async def _wait(self, making: Coroutine[Any, Any, None]) -> None:
        """Until it is made or patience ends; it goes on either way."""
        running = asyncio.create_task(making)
        self.running.add(running)
        running.add_done_callback(self.running.discard)
        done, _ = await asyncio.wait({running}, timeout=self.patience.total_seconds())
        for each in done:
            each.result()

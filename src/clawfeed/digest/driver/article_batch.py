"""One batch of an edition: claimed together, put into words side by side, stored one by one."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from datetime import datetime

from clawfeed.digest.writer_interface import StoryMaterial, StoryWriter
from clawfeed.domain.editions.digest import StoryWords
from clawfeed.domain.editions.edition import EditionTask
from clawfeed.domain.editions.edition_decision import StartBatch
from clawfeed.domain.editions.edition_failure import failure_of
from clawfeed.domain.errors import LeaseLostError, StorageError
from clawfeed.storage.database import Database
from clawfeed.storage.editions.edition_articles import (
    ClaimedArticle,
    complete,
    fail,
    hold_batch,
    start_batch,
)
from clawfeed.storage.editions.edition_json import from_text
from clawfeed.storage.lease_renewal import held_on
from clawfeed.storage.leases import Holder

log = logging.getLogger(__name__)


StoryWriterOf = Callable[[EditionTask], StoryWriter]


class BatchWriter:
    """Writes the articles of one batch. *at_once* bounds how many of all editions are under way.

    *writer_of* knows who puts an edition's stories into words.
    """

    def __init__(
        self,
        database: Database,
        writer_of: StoryWriterOf,
        clock: Callable[[], datetime],
        *,
        max_retries: int,
        at_once: int = 4,
    ) -> None:
        self._db, self._writer_of, self._clock = database, writer_of, clock
        self._max_retries, self._slots = max_retries, asyncio.Semaphore(at_once)

    async def write(
        self, task: EditionTask, after: EditionTask, step: StartBatch, holder: Holder
    ) -> EditionTask:
        """Claim a batch and write it; the task where it is then.

        That the batch began is stored before the first word is written: another trigger sees that
        it runs (S002-10), and what a crash leaves is freed by its lease. A long batch renews it.
        """
        now, dialect = self._clock(), self._db.dialect
        articles = await self._db.run(
            lambda: start_batch(task, after, step, holder, dialect, now=now)
        )
        if not articles:
            raise LeaseLostError(f"the articles of {task.title} were taken by somebody else")
        writer = self._writer_of(task)
        try:
            async with (
                held_on(
                    holder.lease,
                    lambda: self._db.run(lambda: hold_batch(articles, dialect, holder)),
                ),
                asyncio.TaskGroup() as group,
            ):
                for article in articles:
                    group.create_task(self._write_one(article, writer))
        except ExceptionGroup as errors:
            # One sentence, however many articles met the same: a group of errors has none.
            raise errors.exceptions[0] from None
        return after

    async def _write_one(self, article: ClaimedArticle, writer: StoryWriter) -> None:
        """One article cannot bring the others down: what goes wrong is stored with it."""
        async with self._slots:
            try:
                words = await writer.write(from_text(StoryMaterial, article.material))
                await self._complete(article, words)
            except LeaseLostError:
                log.info("article was written by somebody else", extra={"article": article.id})
            except StorageError:
                raise
            except Exception as error:
                log.exception("article not written", extra={"article": article.id})
                await self._fail(article, error)

    async def _complete(self, article: ClaimedArticle, words: StoryWords) -> None:
        now = self._clock()
        await self._db.run(lambda: complete(article, words, now=now))

    async def _fail(self, article: ClaimedArticle, error: Exception) -> None:
        now, most = self._clock(), self._max_retries
        failure = failure_of(error)
        try:
            await self._db.run(lambda: fail(article, failure, most_retries=most, now=now))
        except LeaseLostError:
            log.info("article was taken by somebody else", extra={"article": article.id})

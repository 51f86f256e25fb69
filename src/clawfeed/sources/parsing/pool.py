"""Parsing away from home: a few worker processes that can be killed (T7).

A parser cannot be interrupted in a thread, and hostile bytes keep some busy for minutes. Here a job
has a wall clock, processor time and memory; whoever exceeds them loses its process, and only it.
"""

from __future__ import annotations

import asyncio
import json
import math
import sys
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final, TypeVar

from clawfeed.domain.errors import Reason, SourceError
from clawfeed.domain.ids import JsonValue
from clawfeed.runtime.async_resource import AsyncResource
from clawfeed.sources.documents.article import KIND as ARTICLE
from clawfeed.sources.documents.article import ArticleDocument
from clawfeed.sources.documents.feed import FeedDocument
from clawfeed.sources.documents.web_page import PageDocument
from clawfeed.sources.parsing import protocol as frames
from clawfeed.sources.parsing.process import Job, ParseProcess

T = TypeVar("T")

# Jobs at one process: the one it reads, and the one it will find when it is done with that.
AT_ONE_PROCESS: Final = 2
_IS_GUEST: ContextVar[bool] = ContextVar("parse_guest", default=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ParseConfig:
    """How much a job may cost, and how many run side by side."""

    workers: int = 2
    wall: timedelta = timedelta(seconds=10)
    cpu: timedelta = timedelta(seconds=10)
    memory: int = 512 * 2**20
    # Against leaks we have not met: 42 MB after 1 job and after 2,000. A fresh process costs 0.2 s,
    # which at 500 jobs would be a tenth of all parsing.
    recycle_after: int = 5000
    # The kinds of document that source types bring, each with its "module:function".
    documents: Mapping[str, str] = field(default_factory=dict)


class ParsePool(AsyncResource):
    """Reads documents in worker processes, started when first needed.

    A job that exceeds a limit, or whose process dies, raises `SourceError(UNREADABLE)`; the next
    one gets a fresh process and other jobs notice nothing. Leaving the context ends every process.
    """

    def __init__(self, config: ParseConfig | None = None) -> None:
        self._config = config or ParseConfig()
        self._waiting: deque[Job] = deque()
        self._guests = asyncio.Semaphore(max(1, self._config.workers - 1))
        self._processes: list[ParseProcess] = []
        self._starting: set[asyncio.Task[None]] = set()
        self._is_open = True

    async def close(self) -> None:
        self._is_open = False
        for task in self._starting:
            task.cancel()
        await asyncio.gather(*self._starting, return_exceptions=True)
        processes = list(self._processes)
        for process in processes:
            process.kill()
        await asyncio.gather(*(process.ended.wait() for process in processes))

    @property
    def pids(self) -> frozenset[int]:
        """The processes at work, or waiting for some."""
        return frozenset(process.pid for process in self._processes if process.is_ready)

    async def feed(
        self, body: bytes, *, content_type: str, base_url: str, now: datetime, keys: str = ""
    ) -> FeedDocument:
        """The feed in *body* (`parse_feed`)."""
        options = {"content_type": content_type, "base_url": base_url, "now": now.isoformat()}
        options["keys"] = keys
        return await self.run("feed", body, options, FeedDocument)

    async def page(self, body: bytes, *, content_type: str, base_url: str) -> PageDocument:
        """The web page in *body* (`parse_page`)."""
        options = {"content_type": content_type, "base_url": base_url}
        return await self.run("page", body, options, PageDocument)

    async def article(self, body: bytes, *, content_type: str) -> ArticleDocument:
        """The article on the web page in *body*, if `ParseConfig.documents` has `article`'s."""
        return await self.run(ARTICLE, body, {"content_type": content_type}, ArticleDocument)

    async def run(
        self, kind: str, body: bytes, options: Mapping[str, JsonValue], expected: type[T]
    ) -> T:
        """What the parser of this *kind* makes of *body*; waits for a free worker."""
        async with self._guests if _IS_GUEST.get() else nullcontext():
            return await self._run(kind, body, options, expected)

    @contextmanager
    def guest(self) -> Iterator[None]:
        """Jobs of this task take all workers but one between them: one is left to the others."""
        token = _IS_GUEST.set(True)
        try:
            yield
        finally:
            _IS_GUEST.reset(token)

    async def _run(
        self, kind: str, body: bytes, options: Mapping[str, JsonValue], expected: type[T]
    ) -> T:
        request = frames.pack_request(kind, body, options)
        job = Job(request, asyncio.get_running_loop().create_future())
        self._waiting.append(job)
        self._hand_out()
        try:
            return _open(await job.answer, expected)
        except asyncio.CancelledError:
            for process in self._processes:
                if process.is_busy_with(job):
                    process.kill()  # nobody wants to know, and others would wait for it
            raise

    # --- what the processes tell (`JobDispatcher`) --------------------------------------------

    def has_room(self, process: ParseProcess) -> None:
        if process.done >= self._config.recycle_after and not process.load:
            process.kill()
        self._hand_out()

    def give_back(self, job: Job) -> None:
        self._waiting.appendleft(job)
        # Not at once: the process is about to tell more.
        asyncio.get_running_loop().call_soon(self._hand_out)

    def is_gone(self, process: ParseProcess) -> None:
        if process in self._processes:
            self._processes.remove(process)
        self._hand_out()

    def _hand_out(self) -> None:
        """Give the waiting jobs to those with room, the idle first."""
        while self._waiting and self._is_open:
            if self._waiting[0].answer.done():  # given up
                self._waiting.popleft()
                continue
            process = self._least_busy()
            if process is None or process.load:
                self._start_another()
            if process is None:
                return
            process.put(self._waiting.popleft())

    def _least_busy(self) -> ParseProcess | None:
        """The process with room that has least to do, if there is one."""
        found = None
        for process in self._processes:
            is_worn_out = process.done + process.load >= self._config.recycle_after
            if process.is_ready and process.load < AT_ONE_PROCESS and not is_worn_out:
                found = process if found is None or process.load < found.load else found
        return found

    def _start_another(self) -> None:
        """One more process, if it is allowed and there would be something for it to do."""
        is_enough = len(self._processes) >= self._config.workers
        if is_enough or len(self._starting) >= len(self._waiting):
            return
        process = ParseProcess(self, wall=self._config.wall.total_seconds())
        self._processes.append(process)
        task = asyncio.create_task(self._start(process))
        self._starting.add(task)
        task.add_done_callback(self._starting.discard)

    async def _start(self, process: ParseProcess) -> None:
        cpu = math.ceil(self._config.cpu.total_seconds())
        paths = [path for path in sys.path if Path(path).is_absolute()]
        documents = json.dumps(dict(self._config.documents))
        try:
            await process.start([str(cpu), str(self._config.memory), documents, *paths])
        except SourceError as error:
            process.kill()
            self.is_gone(process)
            if self._waiting:  # it costs one job; the next tries again
                self._waiting.popleft().fail(error)
        self._hand_out()


def _open(answer: memoryview, expected: type[T]) -> T:
    """The result in an answer, or the error it reports."""
    status, content = bytes(answer[:1]), answer[1:]
    if status == frames.DONE_MARK:
        try:
            return frames.result_in(content, expected)
        except ValueError as error:
            why = "the parse worker sent no such document"
            raise SourceError(Reason.UNREADABLE, why) from error
    text = str(content, "utf-8", "replace")
    if status == frames.UNREADABLE_MARK:
        raise SourceError(Reason.UNREADABLE, text)
    raise SourceError(Reason.OUR_BUG, f"parsing failed ({text})")

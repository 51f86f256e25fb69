"""Parsing away from home: a few worker processes that can be killed (T7).

A parser cannot be interrupted in a thread, and hostile bytes keep some busy for minutes. Here a job
has a wall clock, processor time and memory; whoever exceeds them loses its process, and only it.
"""

from __future__ import annotations

import asyncio
import math
import os
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self, TypeVar

import orjson

from clawfeed.domain.errors import Reason, SourceError
from clawfeed.domain.ids import JsonValue
from clawfeed.sources import worker as wire
from clawfeed.sources.feed_document import FeedDocument, feed_from_plain
from clawfeed.sources.page_document import PageDocument, page_from_plain

T = TypeVar("T")

# A busy machine may take seconds to start Python; one that takes longer is in trouble.
START_LIMIT: Final = timedelta(seconds=30)
# The largest body we read is 10 MB; its answer is no larger by much.
LARGEST_ANSWER: Final = 64 * 2**20
# A reader that holds a whole ordinary answer is not paused and resumed in the middle of it.
READ_AHEAD: Final = 2**20
# -I keeps the caller's directory and environment out of the import path; the parent's own path is
# handed over, so that a worker finds the same packages however we were installed.
START: Final = (
    "import sys\n"
    "cpu, memory, *paths = sys.argv[1:]\n"
    "sys.path.extend(path for path in paths if path not in sys.path)\n"
    "from clawfeed.sources.worker import main\n"
    "main(int(cpu), int(memory))\n"
)
# All a worker sees of our environment: no setting, no secret.
ENVIRONMENT: Final = ("PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SYSTEMROOT")


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


class WorkerEndedError(Exception):
    """The process at the other end of the pipe is gone."""


class _Worker:
    """One process and the pipe to it. One job at a time; after any failure it must be killed."""

    def __init__(self, process: Process) -> None:
        self._process = process
        self.jobs = 0

    @property
    def is_alive(self) -> bool:
        return self._process.returncode is None

    @property
    def pid(self) -> int:
        return self._process.pid

    async def ask(self, frame: bytes) -> bytes:
        """The answer to one request."""
        assert self._process.stdin  # noqa: S101 - started with pipes
        self.jobs += 1
        try:
            self._process.stdin.write(frame)
            await self._process.stdin.drain()
        except (ConnectionError, RuntimeError) as error:
            raise WorkerEndedError from error
        return await self.read_frame()

    async def read_frame(self) -> bytes:
        assert self._process.stdout  # noqa: S101 - started with pipes
        try:
            head = await self._process.stdout.readexactly(wire.LENGTH.size)
            (length,) = wire.LENGTH.unpack(head)
            if length > LARGEST_ANSWER:
                raise WorkerEndedError
            return await self._process.stdout.readexactly(length)
        except asyncio.IncompleteReadError as error:
            raise WorkerEndedError from error

    async def kill(self) -> None:
        """End the process, whatever it is doing, and wait until it is gone."""
        if self.is_alive:
            self._process.kill()
        if self._process.stdin:
            self._process.stdin.close()
        await self._process.wait()


class ParsePool:
    """Reads documents in worker processes, started when first needed.

    A job that exceeds a limit, or whose process dies, raises `SourceError(UNREADABLE)`; the next
    one gets a fresh process and other jobs notice nothing. Leaving the context ends every process.
    """

    def __init__(self, config: ParseConfig | None = None) -> None:
        self._config = config or ParseConfig()
        self._slots = asyncio.Semaphore(self._config.workers)
        self._workers: set[_Worker] = set()
        self._idle: list[_Worker] = []
        self._ending: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for worker in list(self._workers):
            self._end(worker)
        await asyncio.gather(*self._ending)

    @property
    def pids(self) -> frozenset[int]:
        """The processes alive now."""
        return frozenset(worker.pid for worker in self._workers if worker.is_alive)

    async def feed(
        self, body: bytes, *, content_type: str, base_url: str, now: datetime
    ) -> FeedDocument:
        """The feed in *body* (`feed_document.parse_feed`)."""
        options = {"content_type": content_type, "base_url": base_url, "now": now.isoformat()}
        return _rebuild(feed_from_plain, await self.run("feed", body, options))

    async def page(self, body: bytes, *, content_type: str, base_url: str) -> PageDocument:
        """The web page in *body* (`page_document.parse_page`)."""
        options = {"content_type": content_type, "base_url": base_url}
        return _rebuild(page_from_plain, await self.run("page", body, options))

    async def run(self, kind: str, body: bytes, options: Mapping[str, JsonValue]) -> Any:  # noqa: ANN401 - JSON
        """The JSON that `worker.KINDS[kind]` makes of *body*; waits for a free worker."""
        request = wire.pack_request(kind, body, options)
        async with self._slots:
            worker = await self._free_worker()
            try:
                reply = await self._within_limits(worker, request)
            except BaseException:
                # Its pipe may hold half a frame: this process answers nobody any more.
                self._end(worker)
                raise
            self._release(worker)
        return _open(reply)

    async def _free_worker(self) -> _Worker:
        while self._idle:
            worker = self._idle.pop()
            if worker.is_alive:
                return worker
            self._end(worker)
        return await self._start()

    async def _within_limits(self, worker: _Worker, request: bytes) -> bytes:
        wall = self._config.wall.total_seconds()
        try:
            async with asyncio.timeout(wall):
                return await worker.ask(request)
        except TimeoutError as error:
            text = f"parse limit: not done after {wall:g} s"
            raise SourceError(Reason.UNREADABLE, text) from error
        except WorkerEndedError as error:
            text = "parse limit: the document took too much memory or time"
            raise SourceError(Reason.UNREADABLE, text) from error

    def _release(self, worker: _Worker) -> None:
        if worker.jobs >= self._config.recycle_after:
            self._end(worker)
        else:
            self._idle.append(worker)

    def _end(self, worker: _Worker) -> None:
        """Kill the worker without waiting for it; leaving the pool does the waiting."""
        self._workers.discard(worker)
        task = asyncio.create_task(worker.kill())
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)

    async def _start(self) -> _Worker:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-I", "-c", START, *self._arguments(),
            stdin=PIPE, stdout=PIPE, stderr=DEVNULL, limit=READ_AHEAD,
            env={name: os.environ[name] for name in ENVIRONMENT if name in os.environ},
            start_new_session=True,
        )  # fmt: skip
        worker = _Worker(process)
        self._workers.add(worker)
        try:
            async with asyncio.timeout(START_LIMIT.total_seconds()):
                await worker.read_frame()
        except (TimeoutError, WorkerEndedError) as error:
            self._end(worker)
            raise SourceError(Reason.OUR_BUG, "the parse worker did not start") from error
        except BaseException:
            self._end(worker)
            raise
        return worker

    def _arguments(self) -> list[str]:
        cpu = math.ceil(self._config.cpu.total_seconds())
        paths = [path for path in sys.path if Path(path).is_absolute()]
        return [str(cpu), str(self._config.memory), *paths]


def _open(reply: bytes) -> Any:  # noqa: ANN401 - JSON
    """The result in an answer, or the error it reports."""
    status, content = reply[:1], reply[1:]
    if status == wire.DONE:
        return orjson.loads(content)
    if status == wire.UNREADABLE:
        raise SourceError(Reason.UNREADABLE, content.decode("utf-8", "replace"))
    raise SourceError(Reason.OUR_BUG, f"parsing failed ({content.decode('utf-8', 'replace')})")


def _rebuild(build: Callable[[Any], T], plain: Any) -> T:  # noqa: ANN401 - JSON
    """The values in a worker's JSON. A process taken over by its input could send any shape."""
    try:
        return build(plain)
    except (KeyError, TypeError, ValueError) as error:
        raise SourceError(Reason.UNREADABLE, "the parse worker sent no such document") from error

"""One parse process as its parent sees it: jobs go in, answers come back in the same order.

A second job waits in the pipe while the first is read, so that the process need not sleep between
two of them. Whoever exceeds a limit costs its process and itself; the one behind is given back.
"""

from __future__ import annotations

import asyncio
import os
import sys
from asyncio.subprocess import DEVNULL, PIPE
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final, Protocol, cast

from clawfeed.domain.errors import Reason, SourceError
from clawfeed.sources.parsing.protocol import LENGTH

# A busy machine may take seconds to start Python; one that takes longer is in trouble.
START_SECONDS: Final = 30.0
# The largest body we read is 10 MB; its answer is no larger by much.
LARGEST_ANSWER: Final = 64 * 2**20
# How long the next job waits behind another: most take a fiftieth of it, a hostile one all it may.
PATIENCE_SECONDS: Final = 0.1
# -I keeps the caller's directory and environment out of the import path; the parent's own path is
# handed over and comes first, so that a worker finds the same modules however we were installed.
WORKER_PROGRAM: Final = (
    "import json, sys\n"
    "cpu, memory, documents, *paths = sys.argv[1:]\n"
    "sys.path[:0] = paths\n"
    "from clawfeed.sources.parsing.worker import main\n"
    "main(int(cpu), int(memory), json.loads(documents))\n"
)
# All a worker sees of our environment: no setting, no secret.
ENVIRONMENT: Final = ("PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SYSTEMROOT")


@dataclass(slots=True, eq=False)
class Job:
    """A request, and who waits for its answer: a status byte and MessagePack."""

    request: bytes
    answer: asyncio.Future[memoryview]

    def fail(self, error: SourceError) -> None:
        if not self.answer.done():
            self.answer.set_exception(error)


class JobDispatcher(Protocol):
    """Who hands out the jobs."""

    def has_room(self, process: ParseProcess) -> None:
        """The process could take another job."""

    def give_back(self, job: Job) -> None:
        """A process will not do this one, through no fault of the job's."""

    def is_gone(self, process: ParseProcess) -> None:
        """The process ended."""


class ParseProcess(asyncio.SubprocessProtocol):
    """A process and its pipes. *ended* is set once it is gone and all it said was heard."""

    def __init__(self, dispatcher: JobDispatcher, *, wall: float) -> None:
        self._loop = asyncio.get_running_loop()
        self._dispatcher, self._wall = dispatcher, wall
        self._received = bytearray()
        # Those in the pipe, oldest first; None where one was given back.
        self._jobs: deque[Job | None] = deque()
        self._since = 0.0  # when the first of them got its turn
        self._alarm: asyncio.TimerHandle | None = None
        self._transport: asyncio.SubprocessTransport | None = None
        self._requests: asyncio.WriteTransport | None = None
        self._started: asyncio.Future[None] = self._loop.create_future()
        self.ended = asyncio.Event()
        self.done = 0

    async def start(self, arguments: Sequence[str]) -> None:
        """Return once it is ready; `SourceError` if it does not come to that."""
        try:
            async with asyncio.timeout(START_SECONDS):
                await self._loop.subprocess_exec(
                    lambda: self, sys.executable, "-I", "-c", WORKER_PROGRAM, *arguments,
                    stdin=PIPE, stdout=PIPE, stderr=DEVNULL,
                    env={name: os.environ[name] for name in ENVIRONMENT if name in os.environ},
                    start_new_session=True,
                )  # fmt: skip
                await self._started
        except OSError as error:  # a time-out is one, too
            raise SourceError(Reason.OUR_BUG, "the parse worker did not start") from error

    @property
    def pid(self) -> int:
        assert self._transport  # noqa: S101 - it was started
        return self._transport.get_pid()

    @property
    def load(self) -> int:
        """How many jobs are in its pipe, those done in vain included."""
        return len(self._jobs)

    @property
    def is_ready(self) -> bool:
        return self._started.done() and not self.ended.is_set()

    def put(self, job: Job) -> None:
        """Let it do the job after those it has. Only for one that is ready."""
        assert self._requests  # noqa: S101 - it is ready
        if not self._jobs:
            self._since = self._loop.time()
        self._jobs.append(job)
        if self._alarm is None:
            self._alarm = self._loop.call_later(PATIENCE_SECONDS, self._look_at_the_clock)
        self._requests.write(job.request)

    def is_busy_with(self, job: Job) -> bool:
        return bool(self._jobs) and self._jobs[0] is job

    def kill(self) -> None:
        """End the process, whatever it is doing; *ended* tells when it is gone."""
        if self._transport is None:
            self.ended.set()  # it never began
        else:
            with suppress(ProcessLookupError):
                self._transport.kill()

    # --- what the event loop tells ------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.SubprocessTransport", transport)
        self._requests = cast("asyncio.WriteTransport", self._transport.get_pipe_transport(0))

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        del fd  # there is but one to read
        self._received += data
        while len(self._received) >= LENGTH.size:
            end = LENGTH.size + LENGTH.unpack_from(self._received)[0]
            if end > LARGEST_ANSWER:
                self.kill()
                return
            if len(self._received) < end:
                return
            whole, self._received = self._received, self._received[end:]
            self._hear(memoryview(whole)[LENGTH.size : end])

    def process_exited(self) -> None:
        if self._requests:
            self._requests.close()  # or the loop would not tell us the rest

    def connection_lost(self, exc: Exception | None) -> None:
        """All is said: the job it was busy with is to blame, the others are as good as new."""
        del exc
        self.ended.set()
        if self._transport:
            self._transport.close()
        if self._alarm:
            self._alarm.cancel()
        if not self._started.done():
            self._started.set_exception(ConnectionError())
        if self._jobs and (culprit := self._jobs.popleft()):
            culprit.fail(_over_limit("the document took too much memory or time"))
        self._give_back_all()
        self._dispatcher.is_gone(self)

    def _hear(self, frame: memoryview) -> None:
        if not self._started.done():
            self._started.set_result(None)
        elif self._jobs:
            job = self._jobs.popleft()
            self.done += 1
            self._since = self._loop.time()
            if job and not job.answer.done():
                job.answer.set_result(frame)
            self._dispatcher.has_room(self)
        else:
            self.kill()  # an answer nobody asked for: it is not ours any more

    # --- limits -------------------------------------------------------------------------------

    def _look_at_the_clock(self) -> None:
        """One alarm for many jobs: it goes off some times a second, not for each of them."""
        self._alarm = None
        if not self._jobs:
            return
        spent = self._loop.time() - self._since
        if spent >= self._wall:
            if culprit := self._jobs[0]:
                culprit.fail(_over_limit(f"not done after {self._wall:g} s"))
            self.kill()
            return
        if spent >= PATIENCE_SECONDS:
            self._give_back_those_behind()
        limit = PATIENCE_SECONDS if spent < PATIENCE_SECONDS else self._wall
        self._alarm = self._loop.call_later(limit - spent, self._look_at_the_clock)

    def _give_back_those_behind(self) -> None:
        first = self._jobs.popleft()
        in_vain = len(self._jobs)
        self._give_back_all()
        self._jobs.extend([first, *[None] * in_vain])

    def _give_back_all(self) -> None:
        jobs, self._jobs = self._jobs, deque()
        for job in jobs:
            if job and not job.answer.done():
                self._dispatcher.give_back(job)


def _over_limit(why: str) -> SourceError:
    return SourceError(Reason.UNREADABLE, f"parse limit: {why}")

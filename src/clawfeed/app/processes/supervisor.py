"""Runs ClawFeed's processes as one group: each may crash alone and is started again (S000-22)."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import IO

from clawfeed.app.processes.ready_signal import READY_VARIABLE
from clawfeed.app.processes.worker_group import SUPERVISED_VARIABLE
from clawfeed.domain.errors import ConfigError
from clawfeed.runtime.retry import growing_waits
from clawfeed.runtime.stop import Stop

log = logging.getLogger(__name__)

# Children get S000-14's 30 s to end by themselves; then they are killed.
STOP_TIMEOUT = timedelta(seconds=32)
FIRST_WAIT = timedelta(seconds=1)
LONGEST_WAIT = timedelta(seconds=60)
# A child that lived this long had a good start: its next crash is a new story.
GOOD_START = timedelta(seconds=60)
WRONG_CONFIGURATION = 2
# How much of a failed child's log is shown: a traceback's end, not its story.
LOG_TAIL = 5
# What `clawfeed` puts before a sentence on stderr.
SENTENCE = "clawfeed: "


@dataclass(frozen=True, slots=True, kw_only=True)
class Child:
    """One of our own commands, run as a process of its own.

    Without *environment* it has ours. With *folder* it runs there and what it says goes to a file
    there; without, it runs where we do and says it where we do.
    """

    name: str
    arguments: tuple[str, ...]
    environment: Mapping[str, str] | None = None
    folder: Path | None = None
    tells_ready: bool = False  # whether it says by itself when it is up

    @property
    def log(self) -> Path | None:
        return self.folder / f"{self.name}.log" if self.folder else None


class Supervisor:
    """Keeps one child running; itself a worker, so that `Service` can run several.

    With *after*, the child is started once that one is up, or has failed to come up.
    """

    def __init__(
        self, child: Child, *, again: bool = True, after: Supervisor | None = None
    ) -> None:
        self._child, self._again, self._after = child, again, after
        self._up = asyncio.Event()
        self.has_failed = False
        self._command = (sys.executable, "-m", "clawfeed.cli", *child.arguments)
        self._stop = Stop()

    @property
    def name(self) -> str:
        return self._child.name

    def stop(self) -> None:
        self._stop.ask()

    async def run(self) -> None:
        """Start the child, and again whenever it ends, until stopped."""
        if self._after:
            await self._wait_for(self._after)
        waits = _waits()
        loop = asyncio.get_running_loop()
        while not self._stop.is_asked:
            started = loop.time()
            await self._run_once()
            if not self._again:
                return
            if loop.time() - started > GOOD_START.total_seconds():
                waits = _waits()
            await self._stop.wait(next(waits))

    async def _wait_for(self, other: Supervisor) -> None:
        up = asyncio.create_task(other._up.wait())
        await self._stop.wait_for_end(up)
        up.cancel()

    async def _start(self) -> asyncio.subprocess.Process:
        child = self._child
        environment = os.environ if child.environment is None else child.environment
        settings = {**environment, SUPERVISED_VARIABLE: "1"}
        inherited: tuple[int, ...] = ()
        if child.tells_ready:
            settings[READY_VARIABLE], inherited = self._listen()
        try:
            with _opened(child.log) as stderr:
                return await asyncio.create_subprocess_exec(
                    *self._command,
                    env=settings,
                    cwd=child.folder,
                    stdin=asyncio.subprocess.PIPE,  # its end tells the child that we are gone
                    stdout=stderr,
                    stderr=stderr,
                    pass_fds=inherited,
                )
        finally:
            for number in inherited:
                os.close(number)

    def _listen(self) -> tuple[str, tuple[int, ...]]:
        """A pipe on which the child says that it is up; its end says that it is not."""
        ours, theirs = os.pipe()
        loop = asyncio.get_running_loop()

        def heard() -> None:
            loop.remove_reader(ours)
            os.close(ours)
            self._up.set()

        loop.add_reader(ours, heard)
        return str(theirs), (theirs,)

    async def _run_once(self) -> None:
        process = await self._start()

        def kill() -> None:
            if process.returncode is None:
                process.kill()

        ended = asyncio.create_task(process.wait())
        await self._stop.see_out(
            ended, patience=STOP_TIMEOUT, on_stop=process.terminate, cut_short=kill
        )
        self._judge(await ended)

    def _judge(self, code: int) -> None:
        if self._stop.is_asked or (code == 0 and not self._again):
            return
        said = log_tail(self._child.log) if self._child.log else ()
        self.has_failed = True
        if code == WRONG_CONFIGURATION:
            # It said what is wrong; starting it again would only say it again.
            how = "" if said else "; see above"
            raise ConfigError(f"clawfeed {self.name} could not start{how}", *said)
        why = {"command": self.name, "code": code} | ({"said": "\n".join(said)} if said else {})
        what = "process ended; starting it again" if self._again else "process failed"
        log.error(what, extra=why)


def _waits() -> Iterator[timedelta]:
    return growing_waits(FIRST_WAIT, longest=LONGEST_WAIT)


def log_tail(log: Path) -> tuple[str, ...]:
    """The sentences a process of ours ended with, or else the last lines of its *log*."""
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()[-LOG_TAIL:]
    sentences = [line.removeprefix(SENTENCE) for line in lines if line.startswith(SENTENCE)]
    return tuple(sentences or lines)


def _opened(log: Path | None) -> AbstractContextManager[IO[bytes] | None]:
    return log.open("ab") if log else nullcontext()

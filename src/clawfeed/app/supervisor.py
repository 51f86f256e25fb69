"""Runs ClawFeed's processes as one group: each may crash alone and is started again (S000-22)."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import IO

from clawfeed.app.service import SUPERVISED
from clawfeed.domain.errors import ConfigError

log = logging.getLogger(__name__)

# Children get S000-14's 30 s to end by themselves; then they are killed.
PATIENCE = timedelta(seconds=32)
FIRST_WAIT = timedelta(seconds=1)
LONGEST_WAIT = timedelta(seconds=60)
# A child that lived this long had a good start: its next crash is a new story.
GOOD_START = timedelta(seconds=60)
WRONG_CONFIGURATION = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Child:
    """One of our own commands, run as a process of its own."""

    name: str
    arguments: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict)
    stderr: IO[bytes] | None = None


class Supervisor:
    """Keeps one child running; itself a workshop, so that `Service` can run several."""

    def __init__(self, child: Child, *, again: bool = True) -> None:
        self._child, self._again = child, again
        self._command = (sys.executable, "-m", "clawfeed.cli", *child.arguments)
        self._stopping = asyncio.Event()

    @property
    def name(self) -> str:
        return self._child.name

    def stop(self) -> None:
        self._stopping.set()

    async def run(self) -> None:
        """Start the child, and again whenever it ends, until stopped."""
        wait = FIRST_WAIT
        loop = asyncio.get_running_loop()
        while not self._stopping.is_set():
            started = loop.time()
            await self._run_once()
            if not self._again:
                return
            if loop.time() - started > GOOD_START.total_seconds():
                wait = FIRST_WAIT
            await self._doze(wait)
            wait = min(wait * 2, LONGEST_WAIT)

    async def _run_once(self) -> None:
        process = await asyncio.create_subprocess_exec(
            *self._command,
            env={**os.environ, **self._child.environment, SUPERVISED: "1"},
            stdin=asyncio.subprocess.PIPE,  # its end tells the child that we are gone
            stderr=self._child.stderr,
        )
        ended = asyncio.create_task(process.wait())
        asked = asyncio.create_task(self._stopping.wait())
        try:
            await asyncio.wait({ended, asked}, return_when=asyncio.FIRST_COMPLETED)
            if not ended.done():
                process.terminate()
                await asyncio.wait({ended}, timeout=PATIENCE.total_seconds())
        finally:
            asked.cancel()
            if process.returncode is None:
                process.kill()
        self._judge(await ended)

    def _judge(self, code: int) -> None:
        if self._stopping.is_set() or (code == 0 and not self._again):
            return
        if code == WRONG_CONFIGURATION:
            # It said what is wrong on stderr; starting it again would only say it again.
            raise ConfigError(f"clawfeed {self.name} could not start; see above")
        log.error("process ended; starting it again", extra={"command": self.name, "code": code})

    async def _doze(self, wait: timedelta) -> None:
        try:
            async with asyncio.timeout(wait.total_seconds()):
                await self._stopping.wait()
        except TimeoutError:
            return

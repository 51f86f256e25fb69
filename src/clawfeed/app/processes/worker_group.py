"""Runs workers side by side in one process and stops them well."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
from collections.abc import Sequence
from datetime import timedelta
from typing import Protocol

from clawfeed.domain.errors import ConfigError, StorageError

log = logging.getLogger(__name__)

# How long running work may take to end after a signal (S000-14).
STOP_TIMEOUT = timedelta(seconds=30)
SIGNALS = (signal.SIGTERM, signal.SIGINT)
# A terminal signals the whole process group, and the supervisor then signals its children: what
# comes this soon after the first is the same wish, not impatience.
REPEATED_SIGNAL_WINDOW = timedelta(seconds=0.5)
# Set by the supervisor for its children; they then end when their stdin does.
SUPERVISED_VARIABLE = "CLAWFEED_SUPERVISED"


class Worker(Protocol):
    """Something that works until told to stop."""

    @property
    def name(self) -> str: ...

    async def run(self) -> None:
        """Work until `stop` was called and running work is done."""
        ...

    def stop(self) -> None:
        """Take no new work. Asks, never waits."""
        ...


class Service:
    """One process's workers. `run` answers with the process's exit code."""

    def __init__(self, workers: Sequence[Worker], *, patience: timedelta = STOP_TIMEOUT) -> None:
        self._workers, self._patience = workers, patience
        self._deadline: asyncio.Timeout | None = None
        self._asked_at: float | None = None

    async def run(self) -> int:
        """Run every worker until a signal; 0 when all ended in time, else 1.

        A crashed worker stops the others and is raised: the process must not look alive. What
        the operator must fix or the person asking must change, a database that is gone, and
        output that cannot be written, are raised by themselves, not in a group.
        """
        try:
            return await self._run()
        except* ConfigError as group:
            raise ConfigError(*_problems(group)) from None
        except* (OSError, StorageError) as group:
            raise group.exceptions[0] from None

    async def _run(self) -> int:
        loop = asyncio.get_running_loop()
        for number in SIGNALS:
            loop.add_signal_handler(number, self._signalled, number)
        if os.environ.get(SUPERVISED_VARIABLE):
            loop.add_reader(0, self._parent_said_something)
        try:
            async with asyncio.timeout(None) as self._deadline, asyncio.TaskGroup() as group:
                for worker in self._workers:
                    group.create_task(worker.run(), name=worker.name)
        except TimeoutError:
            if self._deadline is None or not self._deadline.expired():
                raise
            log.error("stopped before running work was done; its leases will lapse")  # noqa: TRY400 -- no traceback for a person who asked us to stop
            return 1
        finally:
            for number in SIGNALS:
                loop.remove_signal_handler(number)
        return 0

    def stop(self) -> None:
        """Ask every worker to end, and give them *patience* to do it."""
        for worker in self._workers:
            worker.stop()
        if self._deadline is not None:
            now = asyncio.get_running_loop().time()
            self._deadline.reschedule(now + self._patience.total_seconds())

    def _signalled(self, number: signal.Signals) -> None:
        now = asyncio.get_running_loop().time()
        name = {"signal": signal.Signals(number).name}
        if self._asked_at is None:
            log.info("stopping", extra=name)
            self._asked_at = now
            self.stop()
        elif (
            now - self._asked_at > REPEATED_SIGNAL_WINDOW.total_seconds()
            and self._deadline is not None
        ):
            log.warning("stopping at once", extra=name)
            self._deadline.reschedule(now)

    def _parent_said_something(self) -> None:
        """Our stdin is a pipe from the supervisor: its end is the supervisor's end (kill -9)."""
        if not os.read(0, 1):
            asyncio.get_running_loop().remove_reader(0)
            if self._asked_at is None:
                log.warning("the parent process is gone; stopping")
                self.stop()


def _problems(group: BaseExceptionGroup[ConfigError]) -> list[str]:
    """Every sentence in *group*, once."""
    errors = [error for error in group.exceptions if isinstance(error, ConfigError)]
    return list(dict.fromkeys(problem for error in errors for problem in error.problems))

"""Runs workshops side by side in one process and stops them well."""

from __future__ import annotations

import asyncio
import logging
import signal
from collections.abc import Sequence
from datetime import timedelta
from typing import Protocol

log = logging.getLogger(__name__)

# How long running work may take to end after a signal (S000-14).
PATIENCE = timedelta(seconds=30)
SIGNALS = (signal.SIGTERM, signal.SIGINT)


class Workshop(Protocol):
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
    """One process's workshops. `run` answers with the process's exit code."""

    def __init__(self, workshops: Sequence[Workshop], *, patience: timedelta = PATIENCE) -> None:
        self._workshops, self._patience = workshops, patience
        self._deadline: asyncio.Timeout | None = None
        self._signals_seen = 0

    async def run(self) -> int:
        """Run every workshop until a signal; 0 when all ended in time, else 1.

        A crashed workshop stops the others and is raised: the process must not look alive.
        """
        loop = asyncio.get_running_loop()
        for number in SIGNALS:
            loop.add_signal_handler(number, self._signalled, number)
        try:
            async with asyncio.timeout(None) as self._deadline, asyncio.TaskGroup() as group:
                for workshop in self._workshops:
                    group.create_task(workshop.run(), name=workshop.name)
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
        """Ask every workshop to end, and give them *patience* to do it."""
        for workshop in self._workshops:
            workshop.stop()
        if self._deadline is not None:
            now = asyncio.get_running_loop().time()
            self._deadline.reschedule(now + self._patience.total_seconds())

    def _signalled(self, number: signal.Signals) -> None:
        self._signals_seen += 1
        if self._signals_seen == 1:
            log.info("stopping", extra={"signal": signal.Signals(number).name})
            self.stop()
        elif self._deadline is not None:
            log.warning("stopping at once", extra={"signal": signal.Signals(number).name})
            self._deadline.reschedule(asyncio.get_running_loop().time())

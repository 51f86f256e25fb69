"""One trigger of the editions as a worker of its own, so that signals end it well (S002-2)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from clawfeed.digest.driver.driver import StepReport


class TriggerOnce:
    name = "edition trigger"

    def __init__(self, trigger: Callable[[], Awaitable[Sequence[StepReport] | None]]) -> None:
        self._trigger = trigger
        self.reports: Sequence[StepReport] | None = None  # None until it succeeded

    async def run(self) -> None:
        self.reports = await self._trigger()

    def stop(self) -> None:
        """Nothing more is begun: the step goes on to its end, or to the end of all patience."""

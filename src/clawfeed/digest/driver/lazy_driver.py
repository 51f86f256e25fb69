"""A driver that is built when the first edition needs it.

Choosing and writing bring much along. Most triggers find nothing to do, and one that does ends
within half a second, interpreter start included (S002-2).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Protocol

from clawfeed.digest.driver.driver import StepReport
from clawfeed.domain.ids import TaskId
from clawfeed.runtime.built_once import BuiltOnce
from clawfeed.storage.audit import Hand


class Drives(Protocol):
    """Brings one edition on: `EditionDriver`, or what stands in for it."""

    async def advance(self, task_id: TaskId, *, hand: Hand | None = None) -> StepReport: ...

    async def run_to_end(
        self,
        task_id: TaskId,
        on_step: Callable[[StepReport], None] = ...,
        *,
        hand: Hand | None = None,
    ) -> StepReport: ...


class LazyDriver:
    """Builds its driver once, however many ask at the same time."""

    def __init__(self, build: Callable[[], Awaitable[Drives]]) -> None:
        self._driver = BuiltOnce(build)

    async def advance(self, task_id: TaskId, *, hand: Hand | None = None) -> StepReport:
        return await (await self._driver.get()).advance(task_id, hand=hand)

    async def run_to_end(
        self,
        task_id: TaskId,
        on_step: Callable[[StepReport], None] = lambda _: None,
        *,
        hand: Hand | None = None,
    ) -> StepReport:
        return await (await self._driver.get()).run_to_end(task_id, on_step, hand=hand)

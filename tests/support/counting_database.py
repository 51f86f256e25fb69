"""A real database that counts: how often it was crossed into, and with how many statements."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from clawfeed.storage.database import Database, Dialect, Row, SqlValue, Statement, Step, Steps

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Crossing:
    """One `read` or `run`, with the texts of its statements as they were sent.

    *by* is the function that asked for it, with its module: `clawfeed.storage.x.Store.get`.
    """

    is_write: bool
    by: str = ""
    statements: list[str] = field(default_factory=list)


class CountingDatabase:
    """Does what the database it wraps does, and remembers every crossing in order."""

    def __init__(self, database: Database) -> None:
        self._db = database
        self.crossings: list[Crossing] = []
        self.rounds = 0
        self._has_ended = True

    @property
    def statements(self) -> list[str]:
        return [text for crossing in self.crossings for text in crossing.statements]

    @property
    def writes(self) -> int:
        return sum(crossing.is_write for crossing in self.crossings)

    def forget(self) -> None:
        """Count from here."""
        self.crossings.clear()
        self.rounds, self._has_ended = 0, True

    @property
    def dialect(self) -> Dialect:
        return self._db.dialect

    async def read(self, sql: str, params: Mapping[str, SqlValue] | None = None) -> list[Row]:
        self._begin(Crossing(is_write=False, by=_asked_by(), statements=[sql]))
        try:
            return await self._db.read(sql, params)
        finally:
            self._has_ended = True

    async def run(self, steps: Callable[[], Steps[T]]) -> T:
        crossing = Crossing(is_write=True, by=_asked_by())
        self._begin(crossing)

        def counted() -> Steps[T]:
            crossing.statements.clear()  # it may run again
            return (yield from _noted(steps(), crossing.statements))

        try:
            return await self._db.run(counted)
        finally:
            self._has_ended = True

    def _begin(self, crossing: Crossing) -> None:
        """What begins after anything of a round has ended may have waited for it: a new round."""
        self.crossings.append(crossing)
        self.rounds += self._has_ended
        self._has_ended = False

    async def version(self) -> str:
        return await self._db.version()

    async def close(self) -> None:
        await self._db.close()


def _asked_by() -> str:
    """Who awaits the crossing that calls this."""
    frame = sys._getframe(2)
    return f"{frame.f_globals['__name__']}.{frame.f_code.co_qualname}"


def _noted(steps: Steps[T], texts: list[str]) -> Steps[T]:
    try:
        step = next(steps)
        while True:
            texts.append(_text(step))
            step = steps.send((yield step))
    except StopIteration as stop:
        result: T = stop.value
        return result
    finally:
        steps.close()


def _text(step: Step) -> str:
    return step.sql if isinstance(step, Statement) else f"INSERT INTO {step.table}"

"""When each collector last ran, so that a restart resumes its rhythm (S003)."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime

from clawfeed.domain.errors import StorageError
from clawfeed.domain.schedule.restart import next_run_time, should_run_now
from clawfeed.storage.database import Database, Statement, Steps, execute
from clawfeed.storage.timestamps import seconds

log = logging.getLogger(__name__)

# Enough to tell reasons apart in a metric's label.
LONGEST_REASON = 120

UPSERT = """
    INSERT INTO collector_execution_state
        (collector_name, param_key, last_execution_time, created_at, updated_at, execution_count)
    VALUES (:name, :param, :started, :now, :now, 1)
    ON CONFLICT (collector_name, param_key) DO UPDATE SET
        last_execution_time = excluded.last_execution_time,
        updated_at = excluded.updated_at,
        execution_count = collector_execution_state.execution_count + 1
"""
_COUNTING_UPSERT = f"{UPSERT} RETURNING execution_count"


class ExecutionStates:
    """Reads and writes `collector_execution_state`. No parameter is stored as '' (S003-1)."""

    def __init__(self, database: Database, clock: Callable[[], datetime]) -> None:
        self._db, self._clock = database, clock

    async def get_last_execution_time(
        self, collector_name: str, param_key: str | None = None
    ) -> float | None:
        """When it last started, as seconds since 1970; None if never, or if it cannot be read.

        A state that cannot be read counts as a first run, with a warning (S003-8).
        """
        try:
            rows = await self._db.read(
                "SELECT last_execution_time FROM collector_execution_state "
                "WHERE collector_name = :name AND param_key = :param",
                {"name": collector_name, "param": param_key or ""},
            )
            return float(rows[0]["last_execution_time"]) if rows else None
        except (StorageError, TypeError, ValueError) as error:
            why = {"collector": collector_name, "param": param_key or "", "why": str(error)}
            log.warning("collector state cannot be read; treated as a first run", extra=why)
            return None

    async def update_execution_time(
        self, collector_name: str, param_key: str | None = None, *, started_at: datetime
    ) -> int:
        """Write down a run that began at *started_at*; returns how many there were so far."""
        rows = await execute(
            self._db,
            _COUNTING_UPSERT,
            upsert_params(
                collector_name, param_key or "", started_at=started_at, now=self._clock()
            ),
        )
        count = int(rows[0]["execution_count"])
        tell_updated(collector_name, param_key or "", count)
        return count

    async def take_turn(self, collector_name: str, *, interval_seconds: float) -> bool:
        """Whether it is this caller's to run now: the first time, and after more than the interval.

        One transaction that also writes the run down, so of several only one is told so. A state
        that cannot be read counts as a first run (S003-8).
        """
        now = self._clock()
        params = upsert_params(collector_name, "", started_at=now, now=now)
        try:
            rows = await execute(
                self._db,
                f"""
                {UPSERT}
                WHERE collector_execution_state.last_execution_time NOT BETWEEN :earliest AND :now
                RETURNING execution_count
                """,
                {**params, "earliest": seconds(now) - interval_seconds},
            )
        except StorageError as error:
            why = {"collector": collector_name, "why": str(error)}
            log.warning("collector state cannot be read; treated as a first run", extra=why)
            return True
        return bool(rows)

    async def count_failure(self, reason: str) -> None:
        """Remember that a state could not be kept (S003-9), if at least that can be."""
        try:
            await execute(
                self._db,
                """
                INSERT INTO collector_state_failures (reason, failures, last_at)
                VALUES (:reason, 1, :now)
                ON CONFLICT (reason) DO UPDATE SET
                    failures = collector_state_failures.failures + 1, last_at = excluded.last_at
                """,
                {"reason": reason[:LONGEST_REASON], "now": seconds(self._clock())},
            )
        except StorageError:
            log.exception("a state failure could not be counted")

    async def should_run_immediately(
        self, collector_name: str, param_key: str | None = None, *, interval_seconds: float
    ) -> bool:
        """S003-4: on the first run, and when more than the interval has passed (strictly)."""
        last = await self.get_last_execution_time(collector_name, param_key)
        return should_run_now(last, seconds(self._clock()), interval_seconds)

    async def calculate_next_run_time(
        self, collector_name: str, param_key: str | None = None, *, interval_seconds: float
    ) -> float:
        """When to run next, absolute: now if overdue, else at last + interval."""
        last = await self.get_last_execution_time(collector_name, param_key)
        return next_run_time(last, seconds(self._clock()), interval_seconds)


def tell_updated(collector_name: str, param_key: str, count: int) -> None:
    """S003-10: what every run that was kept is logged with."""
    collector = f"{collector_name}/{param_key}" if param_key else collector_name
    updated = {"collector": collector, "execution_count": count, "action": "update"}
    log.info("collector state updated", extra=updated)


def upsert_params(
    name: str, param: str, *, started_at: datetime, now: datetime
) -> dict[str, str | float]:
    return {"name": name, "param": param, "started": seconds(started_at), "now": seconds(now)}


def save_run(name: str, param: str, *, started_at: datetime, now: datetime) -> Steps[int]:
    """`update_execution_time` as a step of a larger transaction; it logs nothing."""
    [row] = yield Statement(
        _COUNTING_UPSERT, upsert_params(name, param, started_at=started_at, now=now)
    )
    return int(row["execution_count"])

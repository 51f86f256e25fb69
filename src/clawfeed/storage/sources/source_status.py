"""How each source is doing: what its polls came to, and when it is polled next."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from clawfeed.domain.because import Because, from_text
from clawfeed.domain.errors import NotFoundError, Reason
from clawfeed.domain.ids import SourceId
from clawfeed.domain.sources.source import Source
from clawfeed.domain.sources.source_status import (
    Status,
    is_failing,
    next_fetch_at,
    status_of,
)
from clawfeed.runtime.cooperative_work import in_turns
from clawfeed.storage.database import Database, Row
from clawfeed.storage.sources.last_error import LastError, read_last_error
from clawfeed.storage.sources.sources import (
    COLUMNS,
    to_source,
)
from clawfeed.storage.timestamps import moment_or_none, seconds_or_none

_STATES = f"""
    SELECT {COLUMNS}, s.fetch_error_count, s.last_error AS error, s.paused_because,
        s.fetch_count, t.last_check_at, t.next_due_at, t.backoff_until, t.because,
        t.schedule_mode, t.cadence, t.is_cadence_set, t.is_stale
    FROM sources s LEFT JOIN source_stats t ON t.source_id = s.id
    WHERE s.is_deleted = 0
"""  # noqa: S608 -- the only fragment is our own constant


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceState:
    """A source and what its polls came to. *polled_at* counts failed polls too."""

    source: Source
    errors: int
    last_error: LastError | None
    paused_because: str | None
    polled_at: datetime | None
    next_poll: datetime | None  # as it is stored, None while paused; told is `next_fetch_at`
    backoff_until: datetime | None
    because: Because | None  # None before anything planned it
    fetch_count: int = 0
    schedule_mode: str = "fixed"
    cadence: str | None = None
    is_cadence_set: bool = False  # by a person (S004-5)
    is_stale: bool = False

    @property
    def is_failing(self) -> bool:
        return is_failing(
            is_active=self.source.is_active,
            paused_because=self.paused_because,
            errors=self.errors,
        )

    def next_fetch_at(self, every: timedelta) -> datetime | None:
        """The date that is told; *every* is the source's interval."""
        at = next_fetch_at(
            is_active=self.source.is_active,
            was_polled=self.polled_at is not None,
            last_fetched_at=seconds_or_none(self.source.last_fetched_at),
            next_due_at=seconds_or_none(self.next_poll),
            backoff_until=seconds_or_none(self.backoff_until),
            every=every.total_seconds(),
        )
        return moment_or_none(at)

    def status(self, now: datetime) -> Status:
        return status_of(
            is_active=self.source.is_active,
            paused_because=self.paused_because,
            needs_login=self.last_error is not None
            and self.last_error.reason is Reason.AUTH_REQUIRED,
            is_backing_off=self.backoff_until is not None and self.backoff_until > now,
            was_polled=self.polled_at is not None,
        )


class SourceStates:
    """Sources with what their polls came to, as their operator sees them."""

    def __init__(self, database: Database) -> None:
        self._db = database

    async def states(self) -> list[SourceState]:
        """Every source that is not deleted, oldest first."""
        rows = await self._db.read(f"{_STATES} ORDER BY s.id")
        return await in_turns(rows, _to_state)

    async def state(self, source_id: SourceId) -> SourceState:
        """One source, or `NotFoundError`."""
        rows = await self._db.read(f"{_STATES} AND s.id = :id", {"id": source_id})
        if not rows:
            raise NotFoundError(f"there is no source {source_id}")
        return _to_state(rows[0])


def _to_state(row: Row) -> SourceState:
    source = to_source(row)
    return SourceState(
        source=source,
        errors=int(row["fetch_error_count"]),
        last_error=read_last_error(row["error"]),
        paused_because=row["paused_because"],
        polled_at=moment_or_none(row["last_check_at"]) or source.last_fetched_at,
        next_poll=moment_or_none(row["next_due_at"]) if source.is_active else None,
        backoff_until=moment_or_none(row["backoff_until"]),
        because=from_text(row["because"]),
        fetch_count=int(row["fetch_count"]),
        schedule_mode=row["schedule_mode"] or "fixed",
        cadence=row["cadence"],
        is_cadence_set=bool(row["is_cadence_set"]),
        is_stale=bool(row["is_stale"]),
    )

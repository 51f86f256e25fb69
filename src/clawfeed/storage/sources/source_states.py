"""Sources as their operator sees them: how each is doing, many added at once, pauses ended."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from clawfeed.domain.because import Because, from_text
from clawfeed.domain.errors import NotFoundError, Reason
from clawfeed.domain.ids import SourceId
from clawfeed.domain.sources.source import Source
from clawfeed.domain.sources.source_status import (
    PAUSED_BY_FAILURES,
    Status,
    next_fetch_at,
    status_of,
)
from clawfeed.domain.sources.type_facts import KnownTypes, TypeFacts
from clawfeed.runtime.cooperative_work import in_turns
from clawfeed.storage.database import Database, Row, Statement, Steps
from clawfeed.storage.sources.fresh_start import resumed
from clawfeed.storage.sources.last_error import LastError, read_last_error
from clawfeed.storage.sources.sources import (
    COLUMNS,
    FAILURE_PAUSES,
    NewSource,
    add_sources,
    to_source,
)
from clawfeed.storage.sql_lists import chunks, in_list
from clawfeed.storage.timestamps import moment_or_none, seconds_or_none

# Over `sources`: who stopped by themselves.
PAUSED_BY_ERROR = f"is_active = 0 AND paused_because IN ({FAILURE_PAUSES})"


_STANDINGS = f"""
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
        return self.errors > 0 or self.paused_because in PAUSED_BY_FAILURES

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


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredItems:
    """How many items of a source are kept, and when the last of them came."""

    count: int
    last_at: datetime | None


class SourceStates:
    """What `SourceStore` does for one source and its reader, for all and their operator."""

    def __init__(self, database: Database) -> None:
        self._db = database

    async def states(self) -> list[SourceState]:
        """Every source that is not deleted, oldest first."""
        rows = await self._db.read(f"{_STANDINGS} ORDER BY s.id")
        return await in_turns(rows, _to_standing)

    async def state(self, source_id: SourceId) -> SourceState:
        """One source, or `NotFoundError`."""
        rows = await self._db.read(f"{_STANDINGS} AND s.id = :id", {"id": source_id})
        if not rows:
            raise NotFoundError(f"there is no source {source_id}")
        return _to_standing(rows[0])

    async def stored_items(self, source_id: SourceId) -> StoredItems:
        [row] = await self._db.read(
            "SELECT count(*) AS n, max(fetched_at) AS last FROM raw_items WHERE source_id = :id",
            {"id": source_id},
        )
        return StoredItems(count=int(row["n"]), last_at=moment_or_none(row["last"]))

    async def add_many(self, new: Sequence[NewSource], *, now: datetime) -> dict[str, SourceId]:
        """Store all of *new* at once; returns the ids of those that were not there yet.

        The keys are `NewSource.identity`. Whatever meets an existing source is left out.
        """
        return await self._db.run(lambda: add_sources(new, now))

    async def resume(
        self, ids: Iterable[SourceId], types: KnownTypes[TypeFacts], *, now: datetime
    ) -> None:
        """Forget the failures of these sources and let them be due now (S001-9).

        All or none: `NotFoundError` names the ids that do not exist.
        """
        wanted = list(dict.fromkeys(ids))
        await self._db.run(lambda: _resume_known(wanted, types, now))

    async def resume_failed(self, types: KnownTypes[TypeFacts], *, now: datetime) -> list[SourceId]:
        """Resume every source that was paused by its failures; returns which those were."""
        return await self._db.run(lambda: _resume_failed(types, now))

    async def known_keys(self, source_id: SourceId, keys: Collection[str]) -> set[str]:
        """Those of *keys* that a poll would recognise; their items may be gone already."""
        known: set[str] = set()
        for some in chunks(sorted(keys)):
            names, params = in_list(some)
            rows = await self._db.read(
                f"SELECT dedup_key FROM seen_items "  # noqa: S608 -- only parameter names
                f"WHERE source_id = :source AND dedup_key IN ({names})",
                {"source": source_id, **params},
            )
            known |= {str(row["dedup_key"]) for row in rows}
        return known


def _to_standing(row: Row) -> SourceState:
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


def _resume_known(
    wanted: list[SourceId], types: KnownTypes[TypeFacts], now: datetime
) -> Steps[None]:
    found: set[int] = set()
    for some in chunks(wanted):
        names, params = in_list(some)
        rows = yield Statement(
            f"SELECT id FROM sources WHERE is_deleted = 0 AND id IN ({names})",  # noqa: S608
            params,
        )
        found |= {int(row["id"]) for row in rows}
    missing = [str(id_) for id_ in wanted if id_ not in found]
    if missing:
        raise NotFoundError(f"there is no source {', '.join(missing)}; nothing was resumed")
    yield from resumed(wanted, types, now)


def _resume_failed(types: KnownTypes[TypeFacts], now: datetime) -> Steps[list[SourceId]]:
    rows = yield Statement(
        f"SELECT id FROM sources WHERE is_deleted = 0 AND {PAUSED_BY_ERROR} ORDER BY id"  # noqa: S608
    )
    failed = [SourceId(row["id"]) for row in rows]
    yield from resumed(failed, types, now)
    return failed

"""What the collectors did lately: by the hour, by what failed, and who holds something now."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from clawfeed.domain.errors import Reason
from clawfeed.domain.ids import SourceId
from clawfeed.storage.database import Database, Row
from clawfeed.storage.leases import holders_of
from clawfeed.storage.polling.host_queue import SOURCES
from clawfeed.storage.polling.poll_history import POLLED_OUTCOME
from clawfeed.storage.timestamps import duration, moment, seconds

HOURS: Final = 24
HOUR: Final = timedelta(hours=1)
# Of those that had a date; null of the others, whom averages leave out.
_LAG: Final = (
    "CASE WHEN started_at > planned_at THEN started_at - planned_at "
    "WHEN planned_at IS NOT NULL THEN 0 END"
)
_REASONS: Final = frozenset(Reason)


@dataclass(frozen=True, slots=True, kw_only=True)
class HourOfPolls:
    """One hour's polls; *mean_lag* and *longest_lag* are how much later than planned they began."""

    polls: int = 0
    failed: int = 0
    inserted: int = 0
    mean_lag: timedelta = timedelta(0)
    longest_lag: timedelta = timedelta(0)

    @property
    def success_rate(self) -> float | None:
        """In percent; None where nothing was polled."""
        return round(100 * (self.polls - self.failed) / self.polls, 1) if self.polls else None


@dataclass(frozen=True, slots=True, kw_only=True)
class LagShares:
    """Half of the last hour's polls, and 99 of 100, began within this time of their date."""

    half: timedelta
    most: timedelta


@dataclass(frozen=True, slots=True, kw_only=True)
class TroubledSource:
    """A source that failed lately. *name* is None for a private one: it is its owner's alone."""

    id: SourceId
    name: str | None
    failures: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FailureKind:
    """All that failed lately for one reason; *worst* are the few that failed most."""

    reason: Reason | None
    failures: int
    sources: int
    worst: tuple[TroubledSource, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedSource:
    """A source's last failure, and whether it has worked since. *detail* only of a public one."""

    source: TroubledSource
    at: datetime
    first_at: datetime
    reason: Reason | None
    detail: str
    is_over: bool


async def polls_by_hour(database: Database, *, now: datetime) -> tuple[HourOfPolls, ...]:
    """The last 24 hours, oldest first; the last one ends now."""
    since = int(seconds(now)) - HOURS * 3600
    rows = await database.read(
        f"""
        SELECT (CAST(started_at AS BIGINT) - :since) / 3600 AS hour, count(*) AS polls,
            sum(CASE WHEN outcome = 'failed' THEN 1 ELSE 0 END) AS failed,
            sum(inserted) AS inserted,
            coalesce(avg({_LAG}), 0) AS mean, coalesce(max({_LAG}), 0) AS longest
        FROM fetch_log WHERE started_at >= :since AND started_at <= :now AND {POLLED_OUTCOME}
        GROUP BY 1
        """,  # noqa: S608 -- our own constants
        {"since": since, "now": seconds(now)},
    )
    hours = [HourOfPolls()] * HOURS
    for row in rows:
        # What began at this very moment belongs to the hour that ends now.
        hours[min(int(row["hour"]), HOURS - 1)] = HourOfPolls(
            polls=int(row["polls"]),
            failed=int(row["failed"]),
            inserted=int(row["inserted"]),
            mean_lag=duration(float(row["mean"])),
            longest_lag=duration(float(row["longest"])),
        )
    return tuple(hours)


async def lag_shares(database: Database, *, now: datetime) -> LagShares | None:
    """Of the polls of the last hour that had a date; None if there was none."""
    [row] = await database.read(
        f"""
        SELECT min(CASE WHEN 2 * place >= total THEN lag END) AS half,
            min(CASE WHEN 100 * place >= 99 * total THEN lag END) AS most
        FROM (
            SELECT lag, row_number() OVER (ORDER BY lag) AS place, count(*) OVER () AS total
            FROM (
                SELECT {_LAG} AS lag FROM fetch_log
                WHERE started_at >= :since AND started_at <= :now
                  AND planned_at IS NOT NULL AND {POLLED_OUTCOME}
            ) AS polls
        ) AS placed
        """,  # noqa: S608 -- our own constants
        {"since": seconds(now - HOUR), "now": seconds(now)},
    )
    if row["half"] is None:
        return None
    return LagShares(half=duration(float(row["half"])), most=duration(float(row["most"])))


async def failures_by_reason(
    database: Database, *, since: datetime, worst: int
) -> tuple[FailureKind, ...]:
    """What failed since then, the most frequent reason first, with the *worst* few of each."""
    rows = await database.read(
        """
        SELECT r.reason, r.source_id, r.failures, r.total, r.sources, s.name, s.is_public
        FROM (
            SELECT g.reason, g.source_id, g.failures,
                row_number() OVER (
                    PARTITION BY g.reason ORDER BY g.failures DESC, g.source_id
                ) AS place,
                sum(g.failures) OVER (PARTITION BY g.reason) AS total,
                count(*) OVER (PARTITION BY g.reason) AS sources
            FROM (
                SELECT coalesce(l.reason, '') AS reason, l.source_id, count(*) AS failures
                FROM fetch_log l JOIN sources s ON s.id = l.source_id
                WHERE l.started_at >= :since AND l.outcome = 'failed' AND s.is_deleted = 0
                GROUP BY coalesce(l.reason, ''), l.source_id
            ) AS g
        ) AS r JOIN sources s ON s.id = r.source_id
        WHERE r.place <= :worst
        ORDER BY r.total DESC, r.reason, r.place
        """,
        {"since": seconds(since), "worst": worst},
    )
    kinds: dict[str, list[Row]] = {}
    for row in rows:
        kinds.setdefault(str(row["reason"]), []).append(row)
    return tuple(
        FailureKind(
            reason=_reason(reason),
            failures=int(some[0]["total"]),
            sources=int(some[0]["sources"]),
            worst=tuple(_troubled(each) for each in some),
        )
        for reason, some in kinds.items()
    )


async def latest_failures(
    database: Database, *, since: datetime, limit: int
) -> tuple[FailedSource, ...]:
    """The sources that failed since then, each once with its last failure, the newest first."""
    rows = await database.read(
        """
        SELECT f.source_id, f.failures, f.first, f.started_at, f.reason, f.detail,
            s.name, s.is_public, s.fetch_error_count
        FROM (
            SELECT id, source_id, started_at, reason, detail,
                row_number() OVER (
                    PARTITION BY source_id ORDER BY started_at DESC, id DESC
                ) AS place,
                count(*) OVER (PARTITION BY source_id) AS failures,
                min(started_at) OVER (PARTITION BY source_id) AS first
            FROM fetch_log WHERE started_at >= :since AND outcome = 'failed'
        ) AS f JOIN sources s ON s.id = f.source_id
        WHERE f.place = 1 AND s.is_deleted = 0
        ORDER BY f.started_at DESC, f.id DESC LIMIT :limit
        """,
        {"since": seconds(since), "limit": limit},
    )
    return tuple(
        FailedSource(
            source=_troubled(row),
            at=moment(row["started_at"]),
            first_at=moment(row["first"]),
            reason=_reason(row["reason"]),
            detail=str(row["detail"] or "") if row["is_public"] else "",
            is_over=not row["fetch_error_count"],
        )
        for row in rows
    )


async def polls_in_flight(database: Database) -> Mapping[str, int]:
    """How many sources each collector holds now."""
    rows = await database.read(holders_of(SOURCES))
    return {str(row["leased_by"]): int(row["n"]) for row in rows}


def _troubled(row: Row) -> TroubledSource:
    return TroubledSource(
        id=SourceId(row["source_id"]),
        name=str(row["name"]) if row["is_public"] else None,
        failures=int(row["failures"]),
    )


def _reason(text: str | None) -> Reason | None:
    """None for what another version wrote."""
    return Reason(text) if text in _REASONS else None

"""Which editions are wrong: unfinished for too long (S002-12), or not there at all."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from clawfeed.domain.alarm import AlarmCode, Trouble
from clawfeed.domain.editions.edition import SYSTEM_SCOPE, ArchiveReason, EditionKind
from clawfeed.domain.editions.edition_period import Calendar, EditionType, Period, period_at
from clawfeed.domain.editions.edition_scope import MADE_FROM
from clawfeed.storage.database import Database, Row
from clawfeed.storage.digests.digests import DigestStore
from clawfeed.storage.editions.edition_metrics import trigger_grace
from clawfeed.storage.timestamps import moment_or_none, seconds


async def edition_troubles(
    database: Database,
    types: Sequence[EditionType],
    calendar: Calendar,
    *,
    every: timedelta,
    now: datetime,
) -> list[Trouble]:
    """Everybody's unfinished ones, and the system's of these *types* that are missing."""
    found = await _unfinished(database)
    dates = await _dates_by_type(database, now)
    for kind in types:
        if kind in dates:
            missing = await _missing(
                database, dates[kind], period_at(kind, now, calendar), every, now
            )
            found += [_of_period(missing)] if missing else []
    return found


async def _unfinished(database: Database) -> list[Trouble]:
    """Those that `decide` found late: it knows whose hour has not come yet."""
    rows = await database.read(
        """
        SELECT id, scope, type, period FROM edition_tasks
        WHERE alarmed_at IS NOT NULL AND state NOT IN ('published', 'archived') ORDER BY id
        """
    )
    return [
        Trouble(
            code=AlarmCode.EDITION_UNFINISHED,
            subject=str(row["id"]),
            parameters={
                "task": int(row["id"]),
                "type": str(row["type"]),
                "period": str(row["period"]),
                "scope": SYSTEM_SCOPE if row["scope"] == SYSTEM_SCOPE else "reader",
            },
        )
        for row in rows
    ]


async def _dates_by_type(database: Database, now: datetime) -> dict[EditionType, Row]:
    """When the system's last edition was due: at all, given up, told, published."""
    rows = await database.read(
        """
        SELECT type, max(due_at) AS latest,
            max(CASE WHEN archived_because = :expired THEN due_at END) AS expired,
            max(CASE WHEN state = 'published' OR archived_because = :empty THEN due_at END) AS told,
            max(CASE WHEN state = 'published' THEN due_at END) AS published
        FROM edition_tasks
        WHERE kind = :kind AND scope = :scope AND due_at <= :now GROUP BY type
        """,
        {
            "kind": EditionKind.DIGEST,
            "scope": SYSTEM_SCOPE,
            "now": seconds(now),
            "expired": ArchiveReason.EXPIRED,
            "empty": ArchiveReason.NO_ITEMS,
        },
    )
    return {EditionType(row["type"]): row for row in rows}


async def _missing(
    database: Database, dates: Row, period: Period, every: timedelta, now: datetime
) -> Period | None:
    """The period of now, if nobody began it; else the last one that ended unpublished (S002-13)."""
    is_late = now - period.starts_at > trigger_grace(every)
    is_begun = dates["latest"] >= seconds(period.starts_at)
    if is_late and not is_begun and await _has_something(database, dates, period):
        return period
    expired = moment_or_none(dates["expired"])
    if expired is None or (dates["told"] or 0) > dates["expired"]:
        return None
    return period_at(period.type, expired, period.calendar)


async def _has_something(database: Database, dates: Row, period: Period) -> bool:
    """Whether there is an edition to be made: a longer one needs shorter ones, all need a past."""
    made_from = MADE_FROM.get(period.type)
    if made_from is None:
        return dates["published"] is not None
    before = period.previous
    return bool(
        await DigestStore(database).of_scope(
            SYSTEM_SCOPE, made_from, since=before.starts_at, until=before.ends_at
        )
    )


def _of_period(period: Period) -> Trouble:
    return Trouble(
        code=AlarmCode.EDITION_MISSING,
        subject=f"{period.type} {period.name}",
        parameters={"type": str(period.type), "period": period.name, "scope": SYSTEM_SCOPE},
    )

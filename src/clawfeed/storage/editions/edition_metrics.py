"""How the making of editions is doing: the system's of today, and whether anybody triggers them.

The heartbeat of whoever triggers is the last run of `TRIGGER` in the table that remembers runs:
no second place to look at, and its count is in the metrics already.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from clawfeed.domain.editions.edition import SYSTEM_SCOPE, ArticleState, EditionKind, TaskState
from clawfeed.domain.editions.edition_period import EditionType
from clawfeed.storage.database import Database, SqlValue
from clawfeed.storage.polling.execution_state import save_run
from clawfeed.storage.timestamps import moment_or_none

TRIGGER = "edition trigger"
# A trigger may work for long, and a cron job may come hourly; S002-12 rings after as much.
HEARTBEAT_HOLDS = timedelta(hours=2)
_DAILY_EDITION = "t.kind = :kind AND t.scope = :scope AND t.type = :type AND t.period = :period"


@dataclass(frozen=True, slots=True, kw_only=True)
class EditionFigures:
    """The system's edition of one day, and what was last published of any type."""

    state: TaskState | None  # None: not begun
    articles: Mapping[ArticleState, int]
    published_at: datetime | None
    last_published_at: datetime | None  # of any of the system's editions
    triggered_at: datetime | None


async def save_trigger_heartbeat(database: Database, now: datetime) -> None:
    """Write down that a trigger came and did its work."""
    await database.run(lambda: save_run(TRIGGER, "", started_at=now, now=now))


async def last_trigger(database: Database) -> datetime | None:
    """When the last trigger came, from whatever process; None if there was none yet."""
    rows = await database.read(
        "SELECT last_execution_time AS at FROM collector_execution_state "
        "WHERE collector_name = :name",
        {"name": TRIGGER},
    )
    return moment_or_none(rows[0]["at"]) if rows else None


def is_trigger_missed(last: datetime | None, now: datetime, *, every: timedelta) -> bool:
    """Whether triggers that should come *every* so often have stopped, or never came."""
    return last is None or now - last > trigger_grace(every)


def trigger_grace(every: timedelta) -> timedelta:
    """How long nobody wonders where a trigger is that should come *every* so often."""
    return max(HEARTBEAT_HOLDS, 2 * every)


async def daily_state(database: Database, period: str) -> TaskState | None:
    """Where the system's daily edition of this name is; None if it was not begun."""
    rows = await database.read(
        f"SELECT state FROM edition_tasks t WHERE {_DAILY_EDITION}",  # noqa: S608 -- our own constant
        _daily(period),
    )
    return TaskState(rows[0]["state"]) if rows else None


async def edition_figures(database: Database, *, period: str) -> EditionFigures:
    """Of the system's daily edition with this name."""
    rows = await database.read(
        f"""
        SELECT t.state, t.published_at, a.state AS article, count(a.id) AS n
        FROM edition_tasks t LEFT JOIN edition_articles a ON a.task_id = t.id
        WHERE {_DAILY_EDITION} GROUP BY t.state, t.published_at, a.state
        """,  # noqa: S608 -- our own constant
        _daily(period),
    )
    [published] = await database.read(
        "SELECT max(published_at) AS at FROM edition_tasks WHERE kind = :kind AND scope = :scope",
        {"kind": EditionKind.DIGEST, "scope": SYSTEM_SCOPE},
    )
    counted = {row["article"]: int(row["n"]) for row in rows}
    return EditionFigures(
        state=TaskState(rows[0]["state"]) if rows else None,
        articles={state: counted.get(state, 0) for state in ArticleState},
        published_at=moment_or_none(rows[0]["published_at"]) if rows else None,
        last_published_at=moment_or_none(published["at"]),
        triggered_at=await last_trigger(database),
    )


def _daily(period: str) -> dict[str, SqlValue]:
    return {
        "kind": EditionKind.DIGEST,
        "scope": SYSTEM_SCOPE,
        "type": EditionType.DAILY,
        "period": period,
    }

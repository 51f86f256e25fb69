"""Editions of the last day at a glance: the system's one by one, readers' own as counts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from clawfeed.domain.editions.edition import (
    SYSTEM_SCOPE,
    EditionKind,
    EditionPlan,
    TaskState,
    plan_batches,
)
from clawfeed.domain.editions.edition_failure import EditionFailure
from clawfeed.domain.editions.edition_period import EditionType
from clawfeed.domain.ids import TaskId
from clawfeed.storage.database import Database, Row, SqlValue
from clawfeed.storage.editions.failure_columns import to_failure
from clawfeed.storage.timestamps import moment, moment_or_none, seconds

# A day's edition is due once a day; with an hour of daylight saving it is still today's.
RECENT_SPAN = timedelta(hours=25)
MOST_SYSTEM = 8
# Unfinished whenever it was due, finished if that was lately.
_SHOWN_TASKS = (
    "kind = :kind AND due_at <= :now "
    "AND (state NOT IN ('published', 'archived') OR due_at > :since)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class EditionLine:
    """One of the system's editions: how far it is, and what it was planned to take."""

    id: TaskId
    type: EditionType
    period: str
    state: TaskState
    due_at: datetime
    published_at: datetime | None
    articles: int
    completed: int
    failed: int
    batches: int
    batch_size: int
    failure: EditionFailure | None

    def plan(self, interval: timedelta) -> EditionPlan:
        return plan_batches(self.articles, self.batch_size, interval)

    def left(self, interval: timedelta) -> timedelta:
        """How long it will yet take, by its plan (S002-11)."""
        if self.state in {TaskState.PUBLISHED, TaskState.ARCHIVED}:
            return timedelta(0)
        return max(0, self.plan(interval).batches - self.batches) * interval


@dataclass(frozen=True, slots=True, kw_only=True)
class RecentEditions:
    """*readers* counts the editions of readers' own, by their state."""

    system: tuple[EditionLine, ...]
    readers: Mapping[TaskState, int]


async def recent_editions(database: Database, *, now: datetime) -> RecentEditions:
    """The newest first."""
    params: dict[str, SqlValue] = {
        "kind": EditionKind.DIGEST,
        "scope": SYSTEM_SCOPE,
        "now": seconds(now),
        "since": seconds(now - RECENT_SPAN),
    }
    rows = await database.read(
        f"""
        SELECT t.*,
            (SELECT count(*) FROM edition_articles a WHERE a.task_id = t.id) AS articles,
            (SELECT count(*) FROM edition_articles a
                WHERE a.task_id = t.id AND a.state = 'completed') AS completed,
            (SELECT count(*) FROM edition_articles a
                WHERE a.task_id = t.id AND a.state = 'failed') AS failed,
            (SELECT count(*) FROM edition_batches b
                WHERE b.task_id = t.id AND b.outcome IS NOT NULL) AS batches
        FROM (
            SELECT id, type, period, state, due_at, published_at, batch_size,
                last_error_code, last_error
            FROM edition_tasks WHERE scope = :scope AND {_SHOWN_TASKS}
            ORDER BY due_at DESC, id DESC LIMIT :most
        ) AS t ORDER BY t.due_at DESC, t.id DESC
        """,  # noqa: S608 -- our own constant
        {**params, "most": MOST_SYSTEM},
    )
    counts = await database.read(
        f"SELECT state, count(*) AS n FROM edition_tasks WHERE scope <> :scope AND {_SHOWN_TASKS} "  # noqa: S608 -- our own constant
        "GROUP BY state",
        params,
    )
    return RecentEditions(
        system=tuple(_line(row) for row in rows),
        readers={TaskState(row["state"]): int(row["n"]) for row in counts},
    )


def _line(row: Row) -> EditionLine:
    return EditionLine(
        id=TaskId(row["id"]),
        type=EditionType(row["type"]),
        period=str(row["period"]),
        state=TaskState(row["state"]),
        due_at=moment(row["due_at"]),
        published_at=moment_or_none(row["published_at"]),
        articles=int(row["articles"]),
        completed=int(row["completed"]),
        failed=int(row["failed"]),
        batches=int(row["batches"]),
        batch_size=int(row["batch_size"]),
        failure=to_failure(row),
    )

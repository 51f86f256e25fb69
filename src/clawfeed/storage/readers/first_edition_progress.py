"""Whether somebody has an edition of what they follow now, and what it waits for."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from clawfeed.domain.editions.edition import SYSTEM_SCOPE, TaskState
from clawfeed.domain.editions.edition_period import EditionType
from clawfeed.domain.editions.edition_scope import ReaderSettings
from clawfeed.domain.ids import UserId
from clawfeed.storage.database import Database
from clawfeed.storage.editions.edition_metrics import TRIGGER
from clawfeed.storage.editions.edition_scopes import ReaderScopes
from clawfeed.storage.timestamps import moment_or_none


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnFirstEdition:
    """*title* is empty until it is there. *is_over* without a title: it had nothing to tell."""

    title: str
    is_begun: bool
    is_over: bool
    next_due_at: datetime | None
    has_everybodys: bool
    triggered_at: datetime | None

    @property
    def is_there(self) -> bool:
        return bool(self.title)


async def own_first_edition(
    database: Database, reader: UserId, defaults: ReaderSettings
) -> OwnFirstEdition:
    """The newest daily one of the sources, language and hour that *reader* has chosen now."""
    scope = await ReaderScopes(database, defaults).scope(reader)
    kind = EditionType.DAILY
    tasks = await database.read(
        """
        SELECT t.state, d.title FROM edition_readers r
        JOIN edition_tasks t ON t.id = r.task_id LEFT JOIN digests d ON d.task_id = t.id
        WHERE r.user_id = :user AND t.scope = :scope AND t.type = :type
        ORDER BY t.due_at DESC, t.id DESC LIMIT 1
        """,
        {"user": reader, "scope": scope.name, "type": kind},
    )
    [row] = await database.read(
        """
        SELECT (SELECT next_due_at FROM reader_editions
                WHERE user_id = :user AND type = :type AND is_wanted = 1) AS next_due_at,
            (SELECT last_execution_time FROM collector_execution_state
                WHERE collector_name = :trigger) AS triggered_at,
            EXISTS (SELECT 1 FROM digests WHERE scope = :system AND type = :type) AS everybodys
        """,
        {"user": reader, "type": kind, "trigger": TRIGGER, "system": SYSTEM_SCOPE},
    )
    state = TaskState(tasks[0]["state"]) if tasks else None
    return OwnFirstEdition(
        title=(tasks[0]["title"] or "") if tasks else "",
        is_begun=state is not None,
        is_over=state in {TaskState.PUBLISHED, TaskState.ARCHIVED},
        next_due_at=moment_or_none(row["next_due_at"]),
        has_everybodys=bool(row["everybodys"]),
        triggered_at=moment_or_none(row["triggered_at"]),
    )

"""What is left of editions when they are old: the editions themselves, and no workshop's scraps."""

from __future__ import annotations

from datetime import datetime, timedelta

from clawfeed.storage.database import Database, Statement, Steps, execute
from clawfeed.storage.editions.edition_lists import forget_workings
from clawfeed.storage.row_portions import in_portions
from clawfeed.storage.sql_lists import in_list
from clawfeed.storage.timestamps import seconds

# Long enough to ask why a story was in or out; what was told stays in the edition itself.
WORKINGS_KEPT = timedelta(days=14)
# A story that nobody mentioned for so long does not come back under its old name.
STORIES_KEPT = timedelta(days=90)


# Editions, or stories, in one transaction: SQLite has one writer, and polls wait for it.
AT_A_TIME = 50


async def remove_old_workings(database: Database, *, now: datetime) -> int:
    """Remove candidates, texts and batches of editions that were over long ago; how many tasks.

    Finished editions stay for ever: they are what readers look back at. So do their timelines, as
    long as the story is alive.
    """
    limit = seconds(now - WORKINGS_KEPT)
    return await in_portions(database, lambda: _remove_workings(limit))


async def remove_old_stories(database: Database, *, now: datetime) -> int:
    """Remove stories nobody mentioned for long, and scopes nobody reads any more; how many stories.

    A vote outlives its story.
    """
    limit = seconds(now - STORIES_KEPT)
    await execute(
        database, "DELETE FROM edition_scopes WHERE updated_at < :limit", {"limit": limit}
    )
    return await in_portions(database, lambda: _remove_stories(limit))


def _remove_workings(limit: float) -> Steps[int]:
    rows = yield Statement(
        """
        SELECT id FROM edition_tasks
        WHERE has_workings = 1 AND state IN ('published', 'archived') AND updated_at < :limit
        ORDER BY updated_at, id LIMIT :most
        """,
        {"limit": limit, "most": AT_A_TIME},
    )
    names, params = in_list([row["id"] for row in rows])
    if rows:
        yield from forget_workings(names, params)
        yield Statement(
            f"UPDATE edition_tasks SET has_workings = 0 WHERE id IN ({names})",  # noqa: S608
            params,
        )
    return len(rows)


def _remove_stories(limit: float) -> Steps[int]:
    rows = yield Statement(
        """
        DELETE FROM stories WHERE id IN (
            SELECT s.id FROM stories s WHERE s.last_seen_at < :limit
              AND NOT EXISTS (SELECT 1 FROM edition_articles a WHERE a.story_id = s.id)
            ORDER BY s.last_seen_at LIMIT :most
        ) RETURNING id
        """,
        {"limit": limit, "most": AT_A_TIME},
    )
    return len(rows)

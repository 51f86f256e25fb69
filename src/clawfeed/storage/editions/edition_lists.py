"""The list an edition is made from, as rows: stories, what was considered, what will be written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime

import msgspec

from clawfeed.domain.editions.digest import LeftOutStory
from clawfeed.domain.editions.edition import EditionTask
from clawfeed.domain.editions.edition_list import EditionList, ListedStory, ListNumbers
from clawfeed.domain.editions.selection import DropReason
from clawfeed.domain.ids import StoryId, TaskId
from clawfeed.storage.database import Database, Insert, SqlValue, Statement, Steps
from clawfeed.storage.editions.edition_json import from_text, to_text
from clawfeed.storage.editions.edition_saving import save_task
from clawfeed.storage.sql_lists import chunks, in_list
from clawfeed.storage.timestamps import seconds


def save_list(
    before: EditionTask, after: EditionTask, found: EditionList, *, now: datetime
) -> Steps[None]:
    """Store what was found, and where the task is then: all of it, or `LeaseLostError` (S002-4)."""
    yield from forget_list(before.id)
    ids = yield from _save_stories(before.scope, found.stories)
    yield from _save_items(found.stories, ids, now)
    yield Insert(
        table="edition_candidates",
        columns=("task_id", "story_id", "score", "score_parts", "dropped_because"),
        rows=sorted(
            (before.id, story_id, story.score.total, to_text(story.score), story.dropped)
            for story_id, story in zip(ids, found.stories, strict=True)
        ),
    )
    yield from _save_articles(before.id, found.stories, ids, now)
    yield Statement(
        """
        UPDATE edition_tasks
        SET item_count = :items, source_count = :sources, left_out = :left_out, has_workings = 1
        WHERE id = :id
        """,
        {
            "id": before.id,
            "items": found.items,
            "sources": found.sources,
            "left_out": to_text(found.left_out),
        },
    )
    yield from save_task(before, after, now=now)


def forget_list(task: TaskId) -> Steps[None]:
    """Take away what an earlier start of this edition left."""
    yield from forget_workings(":task", {"task": task})


def forget_workings(tasks: str, params: Mapping[str, SqlValue]) -> Steps[None]:
    """Articles, batches and candidates of *tasks*, the names of bound parameters."""
    for table in ("edition_articles", "edition_batches", "edition_candidates"):
        yield Statement(f"DELETE FROM {table} WHERE task_id IN ({tasks})", params)  # noqa: S608


def _save_stories(scope: str, stories: Iterable[ListedStory]) -> Steps[list[StoryId]]:
    ids: list[StoryId] = []
    for story in stories:
        story_id = yield from _save_story(scope, story)
        ids.append(story_id)
    return ids


def _save_story(scope: str, story: ListedStory) -> Steps[StoryId]:
    """The story's row, made or brought up to date; it keeps its id for as long as it is told."""
    params: dict[str, SqlValue] = {
        "title": story.title,
        "lead": story.lead,
        "last": seconds(story.last_seen_at),
        "scope": scope,
    }
    if story.known is not None:
        rows = yield Statement(
            """
            UPDATE stories SET title = :title, lead = :lead,
                last_seen_at = CASE WHEN last_seen_at > :last THEN last_seen_at ELSE :last END
            WHERE id = :id AND scope = :scope RETURNING id
            """,
            {**params, "id": story.known},
        )
        if rows:
            return story.known
    rows = yield Statement(
        """
        INSERT INTO stories (scope, title, lead, first_seen_at, last_seen_at)
        VALUES (:scope, :title, :lead, :first, :last) RETURNING id
        """,
        {**params, "first": seconds(min(story.first_seen_at, story.last_seen_at))},
    )
    return StoryId(rows[0]["id"])


def _save_items(stories: tuple[ListedStory, ...], ids: list[StoryId], now: datetime) -> Steps[None]:
    """Only of items that are still there: housekeeping may have come in between."""
    for story_id, story in zip(ids, stories, strict=True):
        for some in chunks(sorted(story.items)):
            names, params = in_list(some)
            yield Statement(
                f"""
                INSERT INTO story_items (story_id, raw_item_id, added_at)
                SELECT :story, i.id, :now FROM raw_items i WHERE i.id IN ({names})
                ON CONFLICT DO NOTHING
                """,  # noqa: S608 -- the names of parameters
                {"story": story_id, "now": seconds(now), **params},
            )


def _save_articles(
    task: TaskId, stories: tuple[ListedStory, ...], ids: list[StoryId], now: datetime
) -> Steps[None]:
    chosen = [(i, story.chosen) for i, story in zip(ids, stories, strict=True) if story.chosen]
    yield Insert(
        table="edition_articles",
        columns=(
            *("task_id", "story_id", "position", "section", "reason", "what_changed", "material"),
            *("fingerprint", "updated_at"),
        ),
        rows=[
            (
                task,
                story_id,
                position,
                story.section,
                to_text(story.reason),
                to_text(story.what_changed) if story.what_changed else None,
                story.material,
                story.fingerprint,
                seconds(now),
            )
            for position, (story_id, story) in enumerate(chosen, 1)
        ],
    )


async def list_numbers(database: Database, task: TaskId) -> ListNumbers:
    """What the edition was chosen from, and how much of it was left out."""
    [row] = await database.read(
        "SELECT item_count, source_count, left_out FROM edition_tasks WHERE id = :id", {"id": task}
    )
    try:
        left_out = from_text(dict[DropReason, int], row["left_out"])
    except msgspec.DecodeError:
        left_out = {}  # reasons of another version: the rest of the edition is as good
    return ListNumbers(items=row["item_count"], sources=row["source_count"], left_out=left_out)


async def best_left_out(database: Database, task: TaskId, limit: int) -> list[LeftOutStory]:
    """The best of the stories that are not in, with their reasons."""
    rows = await database.read(
        """
        SELECT c.story_id, s.title, c.score, c.dropped_because
        FROM edition_candidates c JOIN stories s ON s.id = c.story_id
        WHERE c.task_id = :task AND c.dropped_because IS NOT NULL
        ORDER BY c.score DESC, c.story_id LIMIT :limit
        """,
        {"task": task, "limit": limit},
    )
    known = {str(reason) for reason in DropReason}
    return [
        LeftOutStory(
            story_id=StoryId(row["story_id"]),
            headline=row["title"],
            because=DropReason(row["dropped_because"]),
            score=row["score"],
        )
        for row in rows
        if row["dropped_because"] in known
    ]

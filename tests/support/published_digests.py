"""Finished editions in a real database, as the workshop leaves them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from clawfeed.domain.editions.digest import DigestContent
from clawfeed.domain.editions.edition import SYSTEM_SCOPE, EditionTask, NewTask
from clawfeed.domain.editions.selection import Score
from clawfeed.domain.ids import DigestId, StoryId
from clawfeed.storage.database import Database, execute
from clawfeed.storage.editions.edition_json import to_text
from clawfeed.storage.editions.editions import EditionStore
from tests.support.clocks import NOON
from tests.support.editions import Rows

LEFT_OUT_SCORE = Score(corroboration=0.0, signal=0.1, recency=0.3, interest=0.0)


async def publish(
    database: Database,
    content: DigestContent,
    *,
    scope: str = SYSTEM_SCOPE,
    readers: Sequence[int] = (),
    at: datetime = NOON,
) -> DigestId:
    """Store *content* as the edition of a scope, with stories, tellings and what was left out."""
    task = await _task(database, content, scope, at)
    for reader in readers:
        await execute(
            database,
            "INSERT INTO edition_readers (task_id, user_id) VALUES (:task, :user)",
            {"task": task.id, "user": reader},
        )
    stored = await _with_stories(database, content, scope)
    rows = Rows(database)
    digest = await rows.digest(
        task,
        title=stored.title,
        content=to_text(stored),
        language=stored.language,
        created_at=at.timestamp(),
    )
    for story in stored.stories:
        await rows.telling(story.story_id, digest, "f", at.timestamp())
        await _consider(database, task, story.story_id, story.reason.score, None)
    for left in stored.left_out:
        assert left.story_id is not None
        await _consider(database, task, left.story_id, LEFT_OUT_SCORE, left.because)
    return DigestId(digest)


async def _task(
    database: Database, content: DigestContent, scope: str, at: datetime
) -> EditionTask:
    new = NewTask(
        scope=scope,
        type=content.type,
        period=content.period,
        covers_from=content.covers_from,
        covers_until=content.covers_until,
        due_at=at,
        expires_at=at + timedelta(days=1),
    )
    task = await EditionStore(database).get_or_add(new, now=at)
    await execute(
        database,
        "UPDATE edition_tasks SET state = 'published', published_at = :at WHERE id = :id",
        {"id": task.id, "at": at.timestamp()},
    )
    return task


async def _with_stories(database: Database, content: DigestContent, scope: str) -> DigestContent:
    """*content* with the ids that its stories got."""
    rows = Rows(database)
    stories = [
        replace(s, story_id=StoryId(await rows.story(s.words.headline, scope=scope)))
        for s in content.stories
    ]
    left_out = [
        replace(each, story_id=StoryId(await rows.story(each.headline, scope=scope)))
        for each in content.left_out
    ]
    return replace(content, stories=tuple(stories), left_out=tuple(left_out))


async def _consider(
    database: Database, task: EditionTask, story: StoryId, score: Score, dropped: str | None
) -> None:
    await execute(
        database,
        "INSERT INTO edition_candidates (task_id, story_id, score, score_parts, dropped_because) "
        "VALUES (:task, :story, :score, :parts, :dropped)",
        {
            "task": task.id,
            "story": story,
            "score": score.total,
            "parts": to_text(score),
            "dropped": dropped,
        },
    )

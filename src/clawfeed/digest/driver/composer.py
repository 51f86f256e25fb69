"""From written articles to one edition: title, numbers, stories in order, what is left out."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime

from clawfeed.digest.driver.publish_interface import Dispatch, messages_of
from clawfeed.digest.summaries.sections import minutes_for, order_by_section, story_texts
from clawfeed.digest.writer_interface import EditionHeading, EditionHeadingWriter, StoryMaterial
from clawfeed.domain.editions.digest import (
    DigestContent,
    DigestNumbers,
    DigestStory,
    LeftOutStory,
    ModelUse,
)
from clawfeed.domain.editions.edition import SYSTEM_SCOPE, EditionTask
from clawfeed.domain.editions.edition_list import ListNumbers
from clawfeed.domain.ids import TaskId
from clawfeed.storage.database import Database
from clawfeed.storage.digests.digests import NewTelling, save_digest
from clawfeed.storage.editions.edition_articles import WrittenArticle, written_articles
from clawfeed.storage.editions.edition_json import from_text
from clawfeed.storage.editions.edition_lists import best_left_out, list_numbers
from clawfeed.storage.editions.edition_scopes import scope_named

# Named at the end of an edition; the others are counted.
LEFT_OUT_SHOWN = 5

HeadingWriterOf = Callable[[EditionTask], EditionHeadingWriter]
Spending = Callable[[TaskId], Awaitable[ModelUse | None]]


async def no_spending(_task: TaskId) -> ModelUse | None:
    return None


class Composer:
    """Writes the digest of a task whose articles are done."""

    def __init__(
        self,
        database: Database,
        heading_writer_of: HeadingWriterOf,
        clock: Callable[[], datetime],
        spending: Spending = no_spending,
        dispatch: Dispatch | None = None,
    ) -> None:
        self._db, self._heading_writer_of, self._clock = database, heading_writer_of, clock
        self._spending, self._dispatch = spending, dispatch

    async def write(self, task: EditionTask) -> None:
        """Store the edition, what it told and its messages, in one transaction (S002-7).

        `LeaseLostError`, and no trace, if the task is no longer ours.
        """
        articles = await written_articles(self._db, task.id)
        stories = order_by_section(_story(article) for article in articles)
        heading = await self._heading_writer_of(task).write(stories, task.language)
        numbers = await list_numbers(self._db, task.id)
        left_out = await best_left_out(self._db, task.id, LEFT_OUT_SHOWN)
        now = self._clock()
        content = compose(
            task,
            stories,
            heading,
            numbers=numbers,
            left_out=left_out,
            model=await self._spending(task.id),
            now=now,
        )
        scope = None if task.scope == SYSTEM_SCOPE else await scope_named(self._db, task.scope)
        tellings = _tellings(articles, stories)
        await self._db.run(
            lambda: save_digest(
                task,
                content,
                tellings,
                subscription_hash=scope.subscription_hash if scope else None,
                now=now,
                messages=messages_of(self._dispatch, content, now=now),
            )
        )

    async def add_missing(self, task: EditionTask) -> bool:
        """Whether somebody joined its readers while it was written, and gets it, too."""
        if self._dispatch is None or task.scope == SYSTEM_SCOPE:
            return False
        return bool(await self._dispatch.add_missing(task))


def compose(
    task: EditionTask,
    stories: Sequence[DigestStory],
    heading: EditionHeading,
    *,
    numbers: ListNumbers,
    left_out: Sequence[LeftOutStory],
    model: ModelUse | None,
    now: datetime,
) -> DigestContent:
    """The edition as a value; nothing in it is made up here."""
    return DigestContent(
        type=task.type,
        period=task.period,
        covers_from=task.covers_from,
        covers_until=task.covers_until,
        made_at=now,
        language=task.language,
        zone=task.zone,
        title=heading.title,
        summary=heading.summary,
        numbers=DigestNumbers(
            items=numbers.items,
            sources=numbers.sources,
            stories=len(stories),
            minutes=minutes_for([heading.title, *heading.summary, *story_texts(stories)]),
            ungrounded=sum(story.words.ungrounded for story in stories),
        ),
        stories=tuple(stories),
        left_out=tuple(left_out),
        left_out_counts=numbers.left_out,
        model=model,
    )


def _story(article: WrittenArticle) -> DigestStory:
    material = from_text(StoryMaterial, article.material)
    return DigestStory(
        story_id=article.story_id,
        section=article.section,
        words=article.words,
        sources=tuple(text.source for text in material.texts),
        reason=article.reason,
        first_seen_at=article.first_seen_at,
        what_changed=article.what_changed,
    )


def _tellings(
    articles: Sequence[WrittenArticle], stories: Sequence[DigestStory]
) -> list[NewTelling]:
    prints = {article.story_id: article.fingerprint for article in articles}
    return [
        NewTelling(
            story_id=story.story_id,
            position=position,
            headline=story.words.headline,
            fingerprint=prints[story.story_id],
            what_changed=story.what_changed.news if story.what_changed else "",
        )
        for position, story in enumerate(stories, 1)
    ]

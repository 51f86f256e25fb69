"""What an edition would tell now, with its scores; nothing of it is kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from clawfeed.digest.edition_config import EditionConfig
from clawfeed.digest.edition_lists.audience import Audience
from clawfeed.digest.edition_lists.list_maker import ItemListMaker
from clawfeed.digest.selection.selection import StoryVerdict
from clawfeed.digest.selection_diff import EditionChanges, changes_between
from clawfeed.domain.editions.edition import SYSTEM_SCOPE, NewTask
from clawfeed.domain.editions.edition_period import EditionType
from clawfeed.domain.editions.interests import Interest
from clawfeed.domain.ids import UserId
from clawfeed.storage.database import Database
from clawfeed.storage.editions.edition_readers import todays_task
from clawfeed.storage.editions.edition_scopes import ReaderScopes
from clawfeed.storage.editions.interests import interests_of
from clawfeed.storage.sources.subscriptions import read_default_sources

DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class EditionPreview:
    """The stories with their verdicts, the best first; of how many items, of how many sources."""

    stories: list[StoryVerdict]
    items: int
    sources: int


@dataclass(frozen=True, slots=True, kw_only=True)
class EditionComparison:
    """*is_made*: there is an edition of today, and this is what would be another in it."""

    changes: EditionChanges
    items: int
    sources: int
    is_made: bool


class EditionPreviewer:
    """Chooses as editions are chosen, for one reader or for everybody."""

    def __init__(
        self, database: Database, config: EditionConfig, clock: Callable[[], datetime]
    ) -> None:
        self._db, self._config, self._clock = database, config, clock
        self._lists = ItemListMaker(database, config)
        self._scopes = ReaderScopes(database, config.defaults)

    async def preview(
        self,
        reader: UserId | None,
        length: timedelta,
        interests: Sequence[Interest] | None = None,
    ) -> EditionPreview:
        """From what came in within *length*: of the reader's sources, or of the default content.

        *interests* stand in for the reader's own; their votes and marks count as ever.
        """
        now = self._clock()
        scope, audience = await self._audience(reader, interests)
        stories, items = await self._lists.select(_of_the_last(length, scope, now), audience)
        sources = len({item.source_id for item in items})
        return EditionPreview(stories=stories, items=len(items), sources=sources)

    async def compare(self, reader: UserId, interests: Sequence[Interest]) -> EditionComparison:
        """What today's edition of *reader* would be if *interests* were theirs.

        It is chosen anew from what it was chosen from; before there is one, from the last day.
        """
        now = self._clock()
        scope, audience = await self._audience(reader, None)
        todays = await todays_task(self._db, reader, since=now - DAY, now=now)
        wanted = todays or _of_the_last(DAY, scope, now)
        tried = replace(audience.interests, interests=tuple(interests))
        given, before, after = await self._lists.select_twice(
            wanted, audience, tried, told_before=wanted.due_at
        )
        return EditionComparison(
            changes=changes_between(before, after),
            items=len(given.items),
            sources=len({item.source_id for item in given.items}),
            is_made=todays is not None,
        )

    async def _audience(
        self, reader: UserId | None, interests: Sequence[Interest] | None
    ) -> tuple[str, Audience]:
        if reader is None:
            default = self._config.default_content
            sources = await read_default_sources(self._db, default)
            return SYSTEM_SCOPE, Audience(sources=sources)
        scope = await self._scopes.scope(reader)
        own = await interests_of(self._db, reader)
        if interests is not None:
            own = replace(own, interests=tuple(interests))
        return scope.name, Audience(sources=scope.sources, viewer=reader, interests=own)


def _of_the_last(length: timedelta, scope: str, now: datetime) -> NewTask:
    return NewTask(
        scope=scope,
        type=EditionType.DAILY,
        period="",
        covers_from=now - length,
        covers_until=now,
        due_at=now,
        expires_at=now + length,
    )

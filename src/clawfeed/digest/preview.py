"""What an edition would tell now, with its scores; nothing of it is kept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from clawfeed.digest.audience import Audience
from clawfeed.digest.edition_config import EditionConfig
from clawfeed.digest.list_maker import ItemListMaker
from clawfeed.digest.selection import StoryVerdict
from clawfeed.domain.edition import SYSTEM_SCOPE, NewTask
from clawfeed.domain.edition_period import EditionType
from clawfeed.domain.ids import UserId
from clawfeed.domain.interests import ReaderInterests
from clawfeed.storage.database import Database
from clawfeed.storage.edition_readers import EditionReaders, interests_of
from clawfeed.storage.subscriptions import default_sources


@dataclass(frozen=True, slots=True, kw_only=True)
class EditionPreview:
    """The stories with their verdicts, the best first; of how many items, of how many sources."""

    stories: list[StoryVerdict]
    items: int
    sources: int


class EditionPreviewer:
    """Chooses as editions are chosen, for one reader or for everybody."""

    def __init__(
        self, database: Database, config: EditionConfig, clock: Callable[[], datetime]
    ) -> None:
        self._db, self._config, self._clock = database, config, clock
        self._lists = ItemListMaker(database, config)
        self._readers = EditionReaders(database, config.usual)

    async def preview(
        self,
        reader: UserId | None,
        length: timedelta,
        interests: ReaderInterests | None = None,
    ) -> EditionPreview:
        """From what came in within *length*: of the reader's sources, or of the default content.

        *interests* stand in for the reader's own.
        """
        now = self._clock()
        scope, audience = await self._audience(reader, interests)
        wanted = NewTask(
            scope=scope,
            type=EditionType.DAILY,
            period="",
            covers_from=now - length,
            covers_until=now,
            due_at=now,
            expires_at=now + length,
        )
        stories, items = await self._lists.select(wanted, audience)
        sources = len({item.source_id for item in items})
        return EditionPreview(stories=stories, items=len(items), sources=sources)

    async def _audience(
        self, reader: UserId | None, interests: ReaderInterests | None
    ) -> tuple[str, Audience]:
        if reader is None:
            default = self._config.default_content
            sources = await self._db.run(lambda: default_sources(default))
            return SYSTEM_SCOPE, Audience(sources=sources, interests=interests or ReaderInterests())
        scope = await self._readers.scope(reader)
        own = await interests_of(self._db, reader) if interests is None else interests
        return scope.name, Audience(sources=scope.sources, viewer=reader, interests=own)

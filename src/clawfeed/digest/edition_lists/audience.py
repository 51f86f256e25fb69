"""For whom an edition is made: from which sources, seen by whom, with which interests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from clawfeed.digest.edition_config import EditionConfig
from clawfeed.domain.editions.edition import SYSTEM_SCOPE, EditionTask
from clawfeed.domain.editions.interests import ReaderInterests
from clawfeed.domain.ids import SourceId, UserId
from clawfeed.storage.database import Database
from clawfeed.storage.editions.edition_readers import readers_of
from clawfeed.storage.editions.edition_scopes import scope_named
from clawfeed.storage.editions.interests import interests_of
from clawfeed.storage.sources.subscriptions import read_default_sources


@dataclass(frozen=True, slots=True, kw_only=True)
class Audience:
    """Without a *viewer* it is what a stranger may see."""

    sources: Sequence[SourceId]
    viewer: UserId | None = None
    interests: ReaderInterests = field(default_factory=ReaderInterests)


async def audience_of(database: Database, task: EditionTask, config: EditionConfig) -> Audience:
    """The system's edition is made of the default content (S001-15), a reader's of their set."""
    if task.scope == SYSTEM_SCOPE:
        default = config.default_content
        return Audience(sources=await read_default_sources(database, default))
    scope = await scope_named(database, task.scope)
    readers = await readers_of(database, task.id)
    if scope is None or not readers:
        return Audience(sources=())
    own = await interests_of(database, scope.reader) if scope.reader else ReaderInterests()
    # A set with a private source has one reader, its owner. What several read shows what everybody
    # may see: a source of theirs may have become one's own since they were enrolled (T18).
    viewer = readers[0] if len(readers) == 1 else None
    return Audience(sources=scope.sources, viewer=viewer, interests=own)

"""A list of feeds becomes somebody's sources, portion by portion.

What was taken over stays, whatever becomes of the rest; the same list again adds what is missing.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from clawfeed.domain.errors import QuotaError, UserError
from clawfeed.domain.ids import SourceId, UserId
from clawfeed.rendering.safe_text import one_line
from clawfeed.sources.discovery.new_source import prepare
from clawfeed.sources.discovery.opml import to_wanted
from clawfeed.sources.documents.opml import OpmlDocument, Outline
from clawfeed.storage.source_changes.source_changes import SourceExists
from clawfeed.storage.sources.imported_folders import Folders
from clawfeed.storage.sources.sources import NewSource
from clawfeed.web.sources.source_context import SourcePages

# So often the page says how far it is; each entry is a transaction of its own anyway.
PORTION: Final = 20


@dataclass(slots=True)
class ImportProgress:
    """What became of a list so far; *seen* of its *total* entries were looked at."""

    total: int
    without_feed: int = 0
    seen: int = 0
    added: int = 0
    followed: int = 0
    folders: set[str] = field(default_factory=set)
    refused: list[tuple[str, UserError]] = field(default_factory=list)
    notes: list[QuotaError] = field(default_factory=list)

    def note(self, error: QuotaError) -> None:
        """Each once: most portions meet the same limit."""
        if all((error.told, error.parts) != (each.told, each.parts) for each in self.notes):
            self.notes.append(error)


async def imported(
    pages: SourcePages, user: UserId, document: OpmlDocument
) -> AsyncIterator[ImportProgress]:
    """Each entry as a source of their own, or the one that is there already; all are followed.

    Folders become packs of theirs. Tells how far it is after each portion, which is whole then.
    """
    done = ImportProgress(total=len(document.outlines), without_feed=document.without_feed)
    yield done
    for start in range(0, done.total, PORTION):
        await _take_over(pages, user, document.outlines[start : start + PORTION], done)
        yield done


async def _take_over(
    pages: SourcePages, user: UserId, outlines: Sequence[Outline], done: ImportProgress
) -> None:
    known: list[SourceId] = []
    contents: dict[str, list[SourceId]] = {}
    for outline in outlines:
        done.seen += 1
        try:
            result = await pages.changes.add(
                _own(pages, outline), user, most=pages.most_sources, now=pages.site.now()
            )
        except UserError as error:
            done.refused.append((one_line(outline.name), error))
            continue
        if isinstance(result, SourceExists):
            known.append(result.row.id)
        else:
            done.added += 1
        if outline.folder:
            contents.setdefault(outline.folder, []).append(result.row.id)
    try:
        await pages.subscriptions.change(user, add=known, now=pages.site.now())
        done.followed += len(known)
        await Folders(pages.database).fill(contents, owner=user, now=pages.site.now())
        done.folders |= set(contents)
    except QuotaError as error:
        done.note(error)


def _own(pages: SourcePages, outline: Outline) -> NewSource:
    """What they bring along is theirs alone: sharing is decided one by one."""
    wanted = replace(to_wanted(outline, pages.fetchers.types), is_public=False)
    return prepare(pages.fetchers, wanted)

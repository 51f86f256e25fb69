"""What somebody follows as an OPML list, out and in: the way to and from other readers."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Final

from fastapi import APIRouter, Request, Response

from clawfeed.auth.authorization import Access, SignedIn, guarded_router, open_to
from clawfeed.auth.return_path import HOME, next_path
from clawfeed.domain.errors import InvalidInputError, SourceError, UserError
from clawfeed.domain.ids import SourceId, UserId
from clawfeed.domain.source import Source
from clawfeed.rendering.safe_text import one_line
from clawfeed.sources.discovery.new_source import prepare
from clawfeed.sources.discovery.opml import read_opml, render_opml, to_wanted
from clawfeed.sources.documents.opml import OpmlDocument, Outline
from clawfeed.storage.source_changes import SourceExists
from clawfeed.storage.source_row import SourceRow
from clawfeed.storage.sources import NewSource
from clawfeed.storage.subscriptions import MOST_SUBSCRIPTIONS
from clawfeed.storage.visible_sources import SourceFilter, SourceScope
from clawfeed.web.frame.site import HEADERS
from clawfeed.web.sources.source_pages import SourcePages

# Somebody waits for the answer, and each entry is a transaction of its own.
MOST_AT_ONCE: Final = 500
MOST_REFUSED_SHOWN: Final = 50


@dataclass(slots=True)
class Imported:
    """What became of each entry of a list."""

    added: int = 0
    followed: list[SourceId] = field(default_factory=list)
    refused: list[tuple[str, str]] = field(default_factory=list)
    without_feed: int = 0


def source_opml_routes(pages: SourcePages) -> APIRouter:
    router = guarded_router("/sources", tag="pages", in_schema=False)
    site = pages.site

    @router.get("/opml")
    @open_to(Access.READ)
    async def export(caller: SignedIn) -> Response:
        wanted = SourceFilter(which=SourceScope.SUBSCRIBED, limit=MOST_SUBSCRIPTIONS)
        rows = await pages.reads.list(caller.user.id, wanted)
        written = render_opml(
            [_as_source(row) for row in rows], pages.fetchers.types, title="ClawFeed"
        )
        named = {"Content-Disposition": 'attachment; filename="clawfeed.opml"'}
        return Response(written.document, 200, {**HEADERS, **named}, "text/x-opml; charset=utf-8")

    @router.post("/opml")
    @open_to(Access.WRITE)
    async def import_(request: Request, caller: SignedIn) -> Response:
        file = await site.upload(request)
        wanted = _after(request)
        page = await site.page(request, caller)
        try:
            done = await _import(pages, caller.user.id, await _read(pages, file))
        except UserError as error:
            mistake = {"done": None, "mistake": str(error).rstrip("."), "next": wanted}
            return site.render(page, "sources/source_import.html", mistake, status=422)
        shown = {"done": done, "refused": done.refused[:MOST_REFUSED_SHOWN], "next": wanted}
        return site.render(page, "sources/source_import.html", shown)

    return router


def _as_source(row: SourceRow) -> Source:
    return Source(
        id=row.id,
        type=row.type,
        name=row.name,
        config=row.settings(),
        is_public=bool(row.is_public),
        created_by=row.created_by,
        host=row.host,
    )


def _after(request: Request) -> str:
    """Where the way goes on; to what they follow, unless they come from elsewhere."""
    wanted = next_path(request.query_params.get("next"))
    return "/sources" if wanted == HOME else wanted


async def _read(pages: SourcePages, file: bytes) -> OpmlDocument:
    if not file.strip():
        raise InvalidInputError("there was no file; choose an OPML list and send it again")
    try:
        document = await read_opml(pages.parse, file)
    except SourceError as error:
        raise InvalidInputError(f"this list cannot be read: {error.detail}") from error
    if len(document.outlines) > MOST_AT_ONCE:
        raise InvalidInputError(
            f"this list has {len(document.outlines)} entries, and {MOST_AT_ONCE} at once is the "
            "most: divide it, or let an operator run `clawfeed source import`"
        )
    return document


async def _import(pages: SourcePages, user: UserId, document: OpmlDocument) -> Imported:
    """Each entry as a source of their own, or the one that is there already; all are followed."""
    done = Imported(without_feed=document.without_feed)
    for outline in document.outlines:
        try:
            result = await pages.changes.add(
                _own(pages, outline), user, most=pages.most_sources, now=pages.site.now()
            )
        except UserError as error:
            done.refused.append((one_line(outline.name), str(error)))
            continue
        if isinstance(result, SourceExists):
            done.followed.append(result.row.id)
        else:
            done.added += 1
    await pages.subscriptions.change(user, add=done.followed, now=pages.site.now())
    return done


def _own(pages: SourcePages, outline: Outline) -> NewSource:
    """What they bring along is theirs alone: sharing is decided one by one."""
    wanted = replace(to_wanted(outline, pages.fetchers.types), is_public=False)
    return prepare(pages.fetchers, wanted)

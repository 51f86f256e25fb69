"""What somebody follows as an OPML list, out and in: the way to and from other readers."""

from __future__ import annotations

from asyncio import gather
from collections.abc import AsyncIterator
from typing import Final

from fastapi import APIRouter, Request, Response

from clawfeed.auth.authorization import Access, SignedIn, guarded_router, open_to
from clawfeed.auth.return_path import HOME, next_path
from clawfeed.domain.errors import (
    ClawFeedError,
    InvalidInputError,
    RefusalCode,
    SourceError,
    UserError,
)
from clawfeed.sources.discovery.opml import read_opml, render_opml
from clawfeed.sources.documents.opml import OpmlDocument
from clawfeed.storage.sources.imported_folders import Folders
from clawfeed.storage.sources.subscriptions import MOST_SUBSCRIPTIONS
from clawfeed.storage.sources.visible_sources import SourceFilter, SourceScope
from clawfeed.web.frame.form_errors import refusal
from clawfeed.web.frame.page_rendering import HEADERS, PageView
from clawfeed.web.sources.source_context import SourcePages
from clawfeed.web.sources.source_import import ImportProgress, imported

# As many as one person may have of their own.
MOST_AT_ONCE: Final = 1_000
MOST_REFUSED_SHOWN: Final = 50


def source_opml_routes(pages: SourcePages) -> APIRouter:
    router = guarded_router("/sources", tag="pages", in_schema=False)
    site = pages.site

    @router.get("/opml")
    @open_to(Access.READ)
    async def export(caller: SignedIn) -> Response:
        wanted = SourceFilter(which=SourceScope.SUBSCRIBED, limit=MOST_SUBSCRIPTIONS)
        rows, folders = await gather(
            pages.reads.list(caller.user.id, wanted), Folders(pages.database).of(caller.user.id)
        )
        sources = [row.as_source() for row in rows]
        types = pages.fetchers.types
        written = render_opml(sources, types, title="ClawFeed", folders=folders)
        named = {"Content-Disposition": 'attachment; filename="clawfeed.opml"'}
        return Response(written.document, 200, {**HEADERS, **named}, "text/x-opml; charset=utf-8")

    @router.post("/opml")
    @open_to(Access.WRITE)
    async def import_(request: Request, caller: SignedIn) -> Response:
        """Answers as it goes: how far it is, then what came of it, with the script or without."""
        file = await site.upload(request)
        wanted = _after(request)
        page = await site.page(request, caller)
        turns, user = pages.limits.importing_now, caller.user.id
        try:
            with turns.held(user):
                document = await _read(pages, file)
        except UserError as error:
            mistake = {"mistake": refusal(page, error), "next": wanted}
            return site.render(page, "sources/source_import_failed.html", mistake, status=422)
        told = _told(pages, page, imported(pages, user, document))
        values = {"next": wanted}
        return site.stream(page, "sources/source_import.html", values, told, turns.held(user))

    return router


async def _told(
    pages: SourcePages, page: PageView, steps: AsyncIterator[ImportProgress]
) -> AsyncIterator[str]:
    """Each step as a line that hides the one before it, and the outcome at the end."""
    done = None
    try:
        async for done in steps:
            yield pages.site.html(page, "sources/source_import_step.html", {"done": done})
        is_whole = True
    except ClawFeedError:  # the page is half written: no error page can take its place
        is_whole = False
    outcome = {
        "done": done,
        "is_whole": is_whole,
        "notes": [refusal(page, each) for each in done.notes] if done else [],
        "refused": [
            (name, refusal(page, error))
            for name, error in (done.refused[:MOST_REFUSED_SHOWN] if done else [])
        ],
    }
    yield pages.site.html(page, "sources/source_import_done.html", outcome)


def _after(request: Request) -> str:
    """Where the way goes on; to what they follow, unless they come from elsewhere."""
    wanted = next_path(request.query_params.get("next"))
    return "/sources" if wanted == HOME else wanted


async def _read(pages: SourcePages, file: bytes) -> OpmlDocument:
    if not file.strip():
        raise InvalidInputError(
            "there was no file; choose an OPML list and send it again", RefusalCode.LIST_MISSING
        )
    try:
        document = await read_opml(pages.parse, file)
    except SourceError as error:
        raise InvalidInputError(
            f"this list cannot be read: {error.detail}", RefusalCode.LIST_UNREADABLE
        ) from error
    if len(document.outlines) > MOST_AT_ONCE:
        raise InvalidInputError(
            f"this list has {len(document.outlines)} entries, and {MOST_AT_ONCE} at once is the "
            "most: divide it, or let an operator run `clawfeed source import`",
            RefusalCode.LIST_TOO_LONG,
            n=len(document.outlines),
            most=MOST_AT_ONCE,
        )
    return document

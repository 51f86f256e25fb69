"""`/`: the newest edition, and what to do while there is none."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from clawfeed.auth.authorization import Access, Anyone, guarded_router, open_to
from clawfeed.domain.edition_period import EditionType
from clawfeed.storage.fleet_metrics import fleet_figures
from clawfeed.storage.newest_digest import newest_digest
from clawfeed.storage.reader_opinions import ReaderOutlook, reader_outlook
from clawfeed.web.frame.site import PageView
from clawfeed.web.reading.edition_page import ReadingPages, edition_values


def today_routes(pages: ReadingPages) -> APIRouter:
    router = guarded_router(tag="pages", in_schema=False)
    site = pages.site

    @router.get("/")
    @open_to(Access.EVERYONE)
    async def today(request: Request, caller: Anyone) -> Response:
        page = await site.page(request, caller)
        reader = caller.user.id if caller else None
        digest = await newest_digest(pages.digests, reader, EditionType.DAILY, now=page.now)
        is_own = digest is not None and not digest.is_systems
        outlook = None if reader is None or is_own else await reader_outlook(pages.database, reader)
        values = {"outlook": outlook, "yours": _yours(page, outlook), "is_own": is_own}
        if digest is None:
            figures = await fleet_figures(pages.database, now=page.now)
            return site.render(page, "reading/no_edition.html", {"figures": figures, **values})
        found = await edition_values(pages, page, digest)
        return site.render(page, "reading/today.html", {**values, **found})

    return router


def _yours(page: PageView, outlook: ReaderOutlook | None) -> str:
    """The key of the sentence on when a reader's own edition comes; empty for a stranger."""
    if outlook is None:
        return ""
    if not outlook.follows:
        return "today.yours_follow"
    due = outlook.next_due_at
    return "today.yours_now" if due is None or due <= page.now else "today.yours_at"

"""`/`: the newest edition, and what to do while there is none."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter, Request, Response

from clawfeed.auth.authorization import Access, Anyone, guarded_router, open_to
from clawfeed.domain.editions.edition_period import EditionType
from clawfeed.storage.digests.digests import StoredDigest
from clawfeed.storage.digests.newest_digest import newest_digest
from clawfeed.storage.operations.collector_metrics import fleet_figures
from clawfeed.storage.readers.front_page import FrontPage, front_page
from clawfeed.storage.readers.story_feedback import Opinions, ReaderOutlook
from clawfeed.web.frame.page_rendering import PageView
from clawfeed.web.reading.edition_page import (
    LOOKED_AT,
    EditionSurroundings,
    ReadingPages,
    edition_values,
    opinions_on,
    values_of,
)

DAILY_EDITION = EditionType.DAILY


def today_routes(pages: ReadingPages) -> APIRouter:
    router = guarded_router(tag="pages", in_schema=False)
    site = pages.site

    @router.get("/")
    @open_to(Access.EVERYONE)
    async def today(request: Request, caller: Anyone) -> Response:
        reader, now = caller.user.id if caller else None, site.now()
        page, front = await asyncio.gather(
            site.page(request, caller),
            front_page(pages.database, reader, DAILY_EDITION, LOOKED_AT, now=now),
        )
        digest = front.digest
        if front.is_damaged:  # in the log; the one before it is better than none
            digest = await newest_digest(pages.digests, reader, DAILY_EDITION, now=now)
        is_own = digest is not None and not digest.is_systems
        outlook = None if is_own else front.outlook
        values = {"outlook": outlook, "yours": _yours(page, outlook), "is_own": is_own}
        if digest is None:
            figures = await fleet_figures(pages.database, now=page.now)
            return site.render(page, "reading/no_edition.html", {"figures": figures, **values})
        found = await _values(pages, page, front, digest)
        return site.render(page, "reading/today.html", {**values, **found})

    return router


async def _values(
    pages: ReadingPages, page: PageView, front: FrontPage, digest: StoredDigest
) -> dict[str, object]:
    if front.digest is None:
        return await edition_values(pages, page, digest)
    said = Opinions(votes=front.votes, marks=front.marks)
    if not front.has_all_marks:
        said = await opinions_on(pages, page, digest.content.stories)
    around = EditionSurroundings(said=said, earlier=front.earlier, beside=front.beside)
    return values_of(pages, page, digest, around)


def _yours(page: PageView, outlook: ReaderOutlook | None) -> str:
    """The key of the sentence on when a reader's own edition comes; empty for a stranger."""
    if outlook is None:
        return ""
    if not outlook.follows:
        return "today.yours_follow"
    due = outlook.next_due_at
    return "today.yours_now" if due is None or due <= page.now else "today.yours_at"

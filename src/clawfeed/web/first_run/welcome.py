"""`/welcome`: choose what to follow, then see the first edition come. Each step may be left out.

Nothing is remembered about it: what is followed, and what was made, says how far somebody is.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from fastapi import APIRouter, Request, Response

from clawfeed.auth.authorization import Access, SignedIn, guarded_router, open_to
from clawfeed.domain.editions.edition_period import EditionType
from clawfeed.domain.ids import UserId
from clawfeed.rendering.safe_text import one_line
from clawfeed.storage.database import Database
from clawfeed.storage.editions.edition_metrics import is_trigger_missed
from clawfeed.storage.editions.first_poll_progress import ReadSoFar, read_so_far
from clawfeed.storage.editions.reader_queue import DueReader
from clawfeed.storage.readers.first_edition_progress import OwnFirstEdition, own_first_edition
from clawfeed.storage.sources.pack_choices import PackToChoose, packs_to_choose
from clawfeed.web.first_run.progress import FirstRunStage, stage_of
from clawfeed.web.frame.page_rendering import PageView, Site, wants_fragment

START_GRACE: Final = timedelta(minutes=1)
AskForEdition = Callable[[DueReader], Awaitable[None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstRunPages:
    """What these pages need. *ask* lets the next trigger make somebody's edition (`want_now`)."""

    site: Site
    database: Database
    ask: AskForEdition
    trigger_every: timedelta


def welcome_routes(pages: FirstRunPages) -> APIRouter:
    router = guarded_router("/welcome", tag="pages", in_schema=False)
    site = pages.site

    @router.get("")
    @open_to(Access.READ)
    async def choose(request: Request, caller: SignedIn) -> Response:
        page, packs, so_far = await asyncio.gather(
            site.page(request, caller),
            packs_to_choose(pages.database, caller.user.id),
            read_so_far(pages.database, caller.user.id),
        )
        values = {"packs": [_pack(each) for each in packs], "followed": so_far.sources}
        return site.render(page, "first_run/welcome.html", values)

    @router.get("/edition")
    @open_to(Access.READ)
    async def edition(request: Request, caller: SignedIn) -> Response:
        page = await site.page(request, caller)
        values = await _progress(pages, page, caller.user.id)
        if wants_fragment(request):
            return site.fragment(page, "first_run/progress.html", {**values, "is_news": True})
        return site.render(page, "first_run/edition.html", {**values, "is_news": False})

    @router.post("/edition")
    @open_to(Access.WRITE)
    async def ask(request: Request, caller: SignedIn) -> Response:
        """Nothing is made here: it is dated now, and whoever triggers makes it, once."""
        await site.form(request)
        await pages.ask(DueReader(id=caller.user.id, type=EditionType.DAILY))
        return site.go("/welcome/edition")

    return router


async def _progress(pages: FirstRunPages, page: PageView, reader: UserId) -> dict[str, object]:
    so_far, own = await asyncio.gather(
        read_so_far(pages.database, reader),
        own_first_edition(pages.database, reader, pages.site.defaults),
    )
    return {
        "stage": str(stage_of(so_far, own, page.now)),
        "is_over": stage_of(so_far, own, page.now) in {FirstRunStage.READY, FirstRunStage.NOTHING},
        "so_far": so_far,
        "title": one_line(own.title),
        "has_everybodys": own.has_everybodys,
        "next": page.when(own.next_due_at) if own.next_due_at else None,
        "is_unattended": _is_unattended(pages, page, so_far, own),
    }


def _is_unattended(
    pages: FirstRunPages, page: PageView, so_far: ReadSoFar, own: OwnFirstEdition
) -> bool:
    """Whether nobody triggers editions; not said in a house that is just starting."""
    is_early = so_far.followed_at is not None and page.now - so_far.followed_at < START_GRACE
    return not is_early and is_trigger_missed(own.triggered_at, page.now, every=pages.trigger_every)


def _pack(pack: PackToChoose) -> dict[str, object]:
    return {
        "slug": pack.slug,
        "name": one_line(pack.name) or pack.slug,
        "description": one_line(pack.description),
        "total": pack.total,
        "missing": pack.total - pack.followed,
        "more": pack.total - len(pack.sources),
        "sources": [
            {
                "id": each.id,
                "name": one_line(each.name) or f"{each.type} {each.id}",
                "place": one_line(each.host) or each.type,
                "is_followed": each.is_followed,
            }
            for each in pack.sources
        ],
    }

"""`/operations/editions`: every edition in the making or made, the system's and readers'."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Final

from fastapi import APIRouter, Request, Response

from clawfeed.auth.authorization import Access, SignedIn, guarded_router, open_to
from clawfeed.digest.edition_admin import EditionAdmin
from clawfeed.domain.editions.edition import (
    SYSTEM_SCOPE,
    ArticleState,
    EditionTask,
    TaskState,
    plan_batches,
)
from clawfeed.domain.editions.edition_interventions import PersonMove
from clawfeed.domain.errors import UserError
from clawfeed.domain.pagination import page_of, place_or_none
from clawfeed.domain.people.users import Caller
from clawfeed.rendering.dates import period_worded
from clawfeed.rendering.safe_text import one_line
from clawfeed.rendering.wording import wording_of
from clawfeed.storage.editions.edition_overview import EditionOverview, editions_overview
from clawfeed.storage.editions.editions import EditionStore
from clawfeed.storage.timestamps import seconds
from clawfeed.web.frame.flash import Done, Flash
from clawfeed.web.frame.form_errors import refusal
from clawfeed.web.frame.page_rendering import PageView
from clawfeed.web.operations.admin_context import PAGE, AdminPages, status_of
from clawfeed.web.operations.edition_failures import failure_line

PAGE_PATH: Final = "/operations/editions"
_LONGEST_DATE: Final = 40
KINDS: Final = {TaskState.PUBLISHED: "good", TaskState.ARCHIVED: ""}


def editions_routes(pages: AdminPages, admin: EditionAdmin, every: timedelta) -> APIRouter:
    """*every* is between two triggers: plans are counted in them."""
    router = guarded_router(PAGE_PATH, tag="pages", in_schema=False)
    site, store = pages.site, EditionStore(pages.database)

    async def listed(
        request: Request, caller: Caller, before: str = "", mistake: UserError | None = None
    ) -> Response:
        place = place_or_none(before)
        page, tasks = await asyncio.gather(
            site.page(request, caller), store.recent(limit=PAGE + 1, before=place)
        )
        shown, more = page_of(tasks, PAGE, lambda task: (seconds(task.due_at), task.id))
        overviews = await editions_overview(pages.database, [task.id for task in shown])
        values = {
            "editions": [_line(page, task, overviews.get(task.id), every) for task in shown],
            "older": f"{PAGE_PATH}?before={more}" if more else None,
            "newest": PAGE_PATH if place else None,
            "mistake": refusal(page, mistake),
        }
        status = status_of(mistake) if mistake else 200
        return site.render(page, "operations/editions.html", values, status=status)

    @router.get("")
    @open_to(Access.ADMIN)
    async def editions(request: Request, caller: SignedIn, before: str = "") -> Response:
        return await listed(request, caller, before)

    @router.post("/today")
    @open_to(Access.ADMIN)
    async def begin_todays(request: Request, caller: SignedIn) -> Response:
        """Begin today's edition, if it is not there yet; its triggers finish it (S002-14)."""
        await site.form(request)
        try:
            status = await admin.start(hand=pages.hand(request, caller, pages.site.now()))
        except UserError as error:
            return await listed(request, caller, mistake=error)
        return site.go(f"{PAGE_PATH}/{status.task.id}", Flash(done=Done.EDITION_STARTED))

    @router.post("/reopen")
    @open_to(Access.ADMIN)
    async def reopen(request: Request, caller: SignedIn) -> Response:
        """The system's archived edition of a date goes on where it stood (S002-13)."""
        given = await site.form(request)
        date = one_line(given.get("date", ""))[:_LONGEST_DATE]
        try:
            hand = pages.hand(request, caller, pages.site.now())
            status = await admin.move(PersonMove.REOPEN, date or None, hand=hand)
        except UserError as error:
            return await listed(request, caller, mistake=error)
        return site.go(f"{PAGE_PATH}/{status.task.id}", Flash(done=Done.EDITION_REOPENED))

    return router


def name_of(page: PageView, task: EditionTask) -> dict[str, object]:
    """Which edition it is, and where it stands."""
    kind = "bad" if task.alarmed_at and not task.is_over else KINDS.get(task.state, "warn")
    return {
        "id": task.id,
        "name": one_line(period_worded(task.type, task.period, page.language)),
        "type": wording_of(page.language).types[task.type],
        "is_systems": task.scope == SYSTEM_SCOPE,
        "state": task.state,
        "kind": kind,
        "is_late": task.alarmed_at is not None and not task.is_over,
        "because": task.archived_because,
        "due": page.when(task.due_at),
    }


def _line(
    page: PageView, task: EditionTask, found: EditionOverview | None, every: timedelta
) -> dict[str, object]:
    overview = found or EditionOverview()
    articles = sum(overview.articles.values())
    plan = plan_batches(articles, task.batch_size, every)
    return {
        **name_of(page, task),
        "articles": articles,
        "completed": overview.articles.get(ArticleState.COMPLETED, 0),
        "failed": overview.articles.get(ArticleState.FAILED, 0),
        "retries": overview.retries,
        "batches": overview.batches,
        "planned": max(plan.batches, overview.batches),
        "minutes": plan.duration // timedelta(minutes=1),
        "readers": overview.readers,
        "failure": failure_line(task.failure),
        "deliveries": sorted(overview.deliveries.items()),
        "digest_id": overview.digest_id,
    }

"""`/operations/editions/{id}`: one edition, its batches, its channels, and what to do with it."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Final

from fastapi import APIRouter, Request, Response

from clawfeed.auth.authorization import Access, SignedIn, guarded_router, open_to
from clawfeed.digest.driver.driver import action_of
from clawfeed.digest.edition_admin import EditionAdmin, EditionStatus
from clawfeed.domain.editions.delivery import ChannelState, DeliveryState
from clawfeed.domain.editions.edition import ArticleState
from clawfeed.domain.editions.edition_decision import IdleReason, NothingToDo
from clawfeed.domain.editions.edition_interventions import ALLOWED_STATES, PersonMove, PersonTrigger
from clawfeed.domain.errors import InvalidInputError, UserError
from clawfeed.domain.ids import TaskId
from clawfeed.domain.people.users import Caller
from clawfeed.rendering.safe_text import one_line
from clawfeed.storage.editions.edition_overview import retries_of
from clawfeed.web.frame.address_numbers import number_in
from clawfeed.web.frame.flash import Done, Flash
from clawfeed.web.frame.form_errors import refusal
from clawfeed.web.frame.page_rendering import PageView
from clawfeed.web.operations.admin_context import AdminPages, one_of, status_of
from clawfeed.web.operations.edition_failures import failure_line
from clawfeed.web.operations.editions import PAGE_PATH, name_of

_DONE: Final = {
    PersonMove.RESET: Done.EDITION_RESET,
    PersonMove.REOPEN: Done.EDITION_REOPENED,
    PersonMove.FORCE_PUBLISH: Done.EDITION_FORCED,
    PersonMove.RETRY_FAILED: Done.EDITION_RETRIED,
}
DELIVERY_KINDS: Final = {
    DeliveryState.SENT: "good",
    DeliveryState.PENDING: "",
    DeliveryState.UNCERTAIN: "warn",
    DeliveryState.PARTIAL: "bad",
    DeliveryState.FAILED: "bad",
}


def one_edition_routes(pages: AdminPages, admin: EditionAdmin) -> APIRouter:
    router = guarded_router(PAGE_PATH, tag="pages", in_schema=False)
    site = pages.site

    async def shown(
        request: Request,
        caller: Caller,
        task_id: TaskId,
        *,
        said: str = "",
        mistake: UserError | None = None,
    ) -> Response:
        page, status, retries = await asyncio.gather(
            site.page(request, caller),
            admin.status_of(task_id),
            retries_of(pages.database, task_id),
        )
        values = {
            **_values(page, status),
            "retries": retries,
            "said": f"idle.{said}" if said in set(IdleReason) else "",
            "mistake": refusal(page, mistake),
        }
        status_code = status_of(mistake) if mistake else 200
        return site.render(page, "operations/edition.html", values, status=status_code)

    @router.get("/{task_id}")
    @open_to(Access.ADMIN)
    async def edition(request: Request, caller: SignedIn, task_id: str, said: str = "") -> Response:
        return await shown(request, caller, _task_in(task_id), said=said)

    @router.post("/{task_id}")
    @open_to(Access.ADMIN)
    async def move(request: Request, caller: SignedIn, task_id: str) -> Response:
        given = await site.form(request)
        wanted, task = given.get("move", ""), _task_in(task_id)
        try:
            if wanted == PersonTrigger.TRIGGER:
                return await _triggered(pages, admin, request, caller, task)
            wished = one_of(PersonMove, wanted)
            await admin.move_task(wished, task, hand=pages.hand(request, caller, pages.site.now()))
        except InvalidInputError as error:
            return await shown(request, caller, task, mistake=error)
        return site.go(f"{PAGE_PATH}/{task}", Flash(done=_DONE[wished]))

    return router


async def _triggered(
    pages: AdminPages, admin: EditionAdmin, request: Request, caller: Caller, task: TaskId
) -> Response:
    """One step now. Why there was nothing to do stands in the address: a code of our own."""
    report = await admin.advance(task, hand=pages.hand(request, caller, pages.site.now()))
    if isinstance(report.step, NothingToDo):
        return pages.site.go(f"{PAGE_PATH}/{task}?said={action_of(report.step)}")
    return pages.site.go(f"{PAGE_PATH}/{task}", Flash(done=Done.EDITION_TRIGGERED))


def _task_in(text: str) -> TaskId:
    return TaskId(number_in(text, "edition"))


def _values(page: PageView, status: EditionStatus) -> dict[str, object]:
    task = status.task
    finished = [batch for batch in status.batches if batch.outcome]
    return {
        "edition": name_of(page, task),
        "moves": [move for move in PersonMove if task.state in ALLOWED_STATES[move]],
        "is_over": task.is_over,
        "articles": {state: status.articles.get(state, 0) for state in ArticleState},
        "planned": max(status.plan.batches, len(status.batches)),
        "finished": len(finished),
        "minutes": status.plan.duration // timedelta(minutes=1),
        "failure": failure_line(task.failure),
        "article_failures": [
            (failure_line(failure), count) for failure, count in status.article_failures
        ],
        "digest_id": status.digest_id,
        "moments": [
            ("covers_from", page.when(task.covers_from)),
            ("covers_until", page.when(task.covers_until)),
            ("started", page.when(task.started_at)),
            ("published", page.when(task.published_at) if task.published_at else ""),
            ("expires", "" if task.is_over else page.when(task.expires_at)),
        ],
        "batches": [
            {
                "number": batch.index,
                "articles": batch.articles,
                "began": page.when(batch.started_at),
                "seconds": None if batch.duration_seconds is None else batch.duration_seconds,
                "outcome": batch.outcome,
            }
            for batch in status.batches
        ],
        "deliveries": [
            {
                "channel": f"{one_line(each.channel_name) or each.kind}",
                "kind_of_channel": each.kind,
                "channel_id": each.channel_id,
                "is_paused": each.channel_state is ChannelState.PAUSED,
                "state": each.state,
                "kind": DELIVERY_KINDS[each.state],
                "sent": each.sent_parts,
                "parts": each.parts,
                "error": one_line(each.last_error or ""),
            }
            for each in status.deliveries
        ],
    }

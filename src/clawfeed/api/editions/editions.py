"""The system's daily edition for operators: have it made, see how far it is, take a hand in it.

At the root, as the contract names these endpoints (S002-14, S002-16); for admins and `API_KEY`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response

from clawfeed.api.editions.edition_schemas import (
    DateInput,
    RetryInput,
    TaskListSchema,
    TaskStatusSchema,
    TriggerInput,
    status_as_json,
    task_as_json,
)
from clawfeed.api.http.request_fields import Cursor, Limit
from clawfeed.api.http.responses import (
    MISSING_RESPONSE,
    NOT_MODIFIED,
    REFUSALS,
    json_answer,
    listed,
)
from clawfeed.auth.authorization import Access, SignedIn, guarded_router, open_to
from clawfeed.auth.client_address import TrustedProxies
from clawfeed.auth.request_actor import Doorkeeper
from clawfeed.digest.edition_admin import EditionAdmin
from clawfeed.domain.editions.edition import EditionTask
from clawfeed.domain.editions.edition_interventions import PersonMove
from clawfeed.domain.pagination import page_of, place_in
from clawfeed.domain.people.users import Caller
from clawfeed.storage.editions.editions import EditionStore
from clawfeed.storage.timestamps import seconds

Day = Annotated[
    str | None, Query(max_length=100, description="Which edition; without, today's: `2026-11-15`")
]
# Who sends no body means today's.
TODAYS_EDITION = TriggerInput()
_ANSWERS: dict[str, Any] = {
    "response_model": TaskStatusSchema,
    "responses": {**REFUSALS, **MISSING_RESPONSE},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class EditionsApi(Doorkeeper):
    """What these endpoints need."""

    admin: EditionAdmin
    store: EditionStore
    clock: Callable[[], datetime]
    trusted_proxies: TrustedProxies = ()


def edition_routes(api: EditionsApi) -> list[APIRouter]:
    return [_trigger_routes(api), _move_routes(api), _list_routes(api)]


def _trigger_routes(api: EditionsApi) -> APIRouter:
    router = guarded_router(tag="editions")

    @router.post(
        "/trigger-export-sync",
        summary="Make an edition from where it stands to its end",
        **_ANSWERS,
    )
    @open_to(Access.ADMIN)
    async def trigger_export_sync(
        request: Request, caller: SignedIn, wanted: TriggerInput = TODAYS_EDITION
    ) -> Response:
        hand = api.hand(request, caller, api.clock())
        return json_answer(status_as_json(await api.admin.run_to_end(wanted.date, hand=hand)))

    @router.post(
        "/trigger-export",
        summary="Begin an edition; the triggers finish it",
        status_code=202,
        **_ANSWERS,
    )
    @open_to(Access.ADMIN)
    async def trigger_export(
        request: Request, caller: SignedIn, wanted: TriggerInput = TODAYS_EDITION
    ) -> Response:
        hand = api.hand(request, caller, api.clock())
        return json_answer(status_as_json(await api.admin.start(wanted.date, hand=hand)), 202)

    @router.get("/task-status", summary="How far an edition is, and what is planned", **_ANSWERS)
    @open_to(Access.ADMIN)
    async def task_status(date: Day = None) -> Response:
        return json_answer(status_as_json(await api.admin.status(date or None)))

    return router


def _move_routes(api: EditionsApi) -> APIRouter:
    router = guarded_router(tag="editions")

    @router.post(
        "/retry-failed-tasks", summary="Put the failed articles into words again", **_ANSWERS
    )
    @open_to(Access.ADMIN)
    async def retry_failed_tasks(
        request: Request, caller: SignedIn, wanted: RetryInput
    ) -> Response:
        return await _moved(api, request, caller, PersonMove.RETRY_FAILED, wanted)

    @router.post(
        "/force-publish", summary="Publish what is completed, without the rest", **_ANSWERS
    )
    @open_to(Access.ADMIN)
    async def force_publish(request: Request, caller: SignedIn, wanted: DateInput) -> Response:
        return await _moved(api, request, caller, PersonMove.FORCE_PUBLISH, wanted)

    @router.post("/reset-task", summary="Make an unpublished edition from the start", **_ANSWERS)
    @open_to(Access.ADMIN)
    async def reset_task(request: Request, caller: SignedIn, wanted: DateInput) -> Response:
        return await _moved(api, request, caller, PersonMove.RESET, wanted)

    @router.post(
        "/reopen-task", summary="Go on with an archived edition where it stood", **_ANSWERS
    )
    @open_to(Access.ADMIN)
    async def reopen_task(request: Request, caller: SignedIn, wanted: DateInput) -> Response:
        return await _moved(api, request, caller, PersonMove.REOPEN, wanted)

    return router


def _list_routes(api: EditionsApi) -> APIRouter:
    router = guarded_router("/api", tag="editions")

    @router.get(
        "/editions",
        summary="Every edition in the making or made, the newest first, readers' own too",
        response_model=TaskListSchema,
        responses={**REFUSALS, **NOT_MODIFIED},
    )
    @open_to(Access.ADMIN)
    async def editions(request: Request, limit: Limit = 50, cursor: Cursor = "") -> Response:
        before = place_in(cursor)
        found = await api.store.recent(limit=limit + 1, before=before)
        page, more = page_of(found, limit, _place)
        return listed(
            request, {"editions": [task_as_json(task) for task in page], "next_cursor": more}
        )

    return router


def _place(task: EditionTask) -> tuple[float, ...]:
    return seconds(task.due_at), task.id


async def _moved(
    api: EditionsApi, request: Request, caller: Caller, move: PersonMove, wanted: DateInput
) -> Response:
    retries = wanted.max_retries if isinstance(wanted, RetryInput) else None
    hand = api.hand(request, caller, api.clock())
    status = await api.admin.move(move, wanted.date, hand=hand, max_retries=retries)
    return json_answer(status_as_json(status))

"""How the collector and the scheduler are doing, for operators' scripts; and what to expect."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime

from fastapi import APIRouter, Request, Response

from clawfeed.api.http.language import language_of
from clawfeed.api.http.request_fields import Cursor, Limit, PathId
from clawfeed.api.http.responses import (
    MISSING_RESPONSE,
    REFUSALS,
    WORDED_RESPONSE,
    json_answer,
    worded,
)
from clawfeed.api.http.status_json import (
    due_as_json,
    outlook_as_json,
    scheduler_as_json,
    status_in_turns,
)
from clawfeed.api.operations.status_schemas import (
    DueSchema,
    ForecastSchema,
    SchedulerSchema,
    StatusSchema,
)
from clawfeed.auth.authorization import Access, SignedIn, guarded_router, open_to
from clawfeed.domain.forecast.forecast_report import ForecastReport
from clawfeed.domain.ids import SourceId
from clawfeed.domain.pagination import page_of, place_in
from clawfeed.storage.database import Database
from clawfeed.storage.operations.collector_status import CollectorStatus
from clawfeed.storage.operations.scheduler_stats import scheduler_stats
from clawfeed.storage.polling.due_sources import SourceTypeName, due_sources
from clawfeed.storage.sources.source_status import SourceState
from clawfeed.storage.sources.visible_sources import VisibleSources


@dataclass(frozen=True, slots=True, kw_only=True)
class Operations:
    """What the operators' endpoints need. *status* knows this installation's intervals."""

    database: Database
    sources: VisibleSources
    clock: Callable[[], datetime]
    status: Callable[[], Awaitable[CollectorStatus]]
    outlook: Callable[[SourceId], Awaitable[tuple[SourceState, ForecastReport]]]


def operation_routes(operations: Operations) -> APIRouter:
    router = guarded_router("/api", tag="operations")
    _add_collector(router, operations)
    _add_scheduler(router, operations)
    _add_forecast(router, operations)
    return router


def _add_collector(router: APIRouter, operations: Operations) -> None:
    @router.get(
        "/collector/status",
        summary="Every source: how it does, when next, and why then",
        response_model=StatusSchema,
        responses={200: WORDED_RESPONSE},
    )
    @open_to(Access.ADMIN)
    async def collector_status(request: Request) -> Response:
        found, language = await operations.status(), language_of(request)
        return worded(await status_in_turns(found, language), language)


def _add_scheduler(router: APIRouter, operations: Operations) -> None:
    @router.get(
        "/scheduler/stats",
        summary="Cadences, due sources, hit rates; in all and by source type",
        response_model=SchedulerSchema,
    )
    @open_to(Access.ADMIN)
    async def stats() -> Response:
        types, now = operations.sources.types, operations.clock()
        return json_answer(
            scheduler_as_json(await scheduler_stats(operations.database, types, now=now))
        )

    @router.get(
        "/scheduler/due",
        summary="Who is due now, the longest first; all, or of one source type",
        response_model=DueSchema,
    )
    @open_to(Access.ADMIN)
    async def due(
        source_type: SourceTypeName | None = None, limit: Limit = 100, cursor: Cursor = ""
    ) -> Response:
        found = await due_sources(
            operations.database,
            operations.sources.types,
            now=operations.clock(),
            source_type=source_type,
            after=place_in(cursor) or (-1, 0),
            limit=limit + 1,
        )
        page, more = page_of(found, limit, lambda source: source.place)
        return json_answer({"sources": [due_as_json(each) for each in page], "next_cursor": more})


def _add_forecast(router: APIRouter, operations: Operations) -> None:
    @router.get(
        "/sources/{source_id:number}/forecast",
        summary="A source's week, its next dates, and why",
        response_model=ForecastSchema,
        responses={**REFUSALS, **MISSING_RESPONSE, 200: WORDED_RESPONSE},
    )
    @open_to(Access.READ)
    async def forecast(request: Request, caller: SignedIn, source_id: PathId) -> Response:
        await operations.sources.get(SourceId(source_id), caller.user.id)
        state, outlook = await operations.outlook(SourceId(source_id))
        language = language_of(request)
        return worded(outlook_as_json(state, outlook, language), language)

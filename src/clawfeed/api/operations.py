"""How the collector and the scheduler are doing, for operators' scripts; and what to expect."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime

from fastapi import APIRouter, Response

from clawfeed.api.answers import MISSING, REFUSALS, json_answer
from clawfeed.api.inputs import PathId
from clawfeed.api.operation_documents import (
    ForecastDocument,
    SchedulerDocument,
    StatusDocument,
)
from clawfeed.api.shapes import outlook_as_json, scheduler_as_json, status_as_json
from clawfeed.domain.ids import SourceId
from clawfeed.domain.outlook import Outlook
from clawfeed.entrance.access import Access, SignedIn, guarded_router, open_to
from clawfeed.storage.database import Database
from clawfeed.storage.followed_sources import FollowedSources
from clawfeed.storage.scheduler_stats import scheduler_stats
from clawfeed.storage.source_admin import Standing
from clawfeed.storage.status import CollectorStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class Operations:
    """What the operators' endpoints need. *status* knows this installation's intervals."""

    database: Database
    clock: Callable[[], datetime]
    status: Callable[[], Awaitable[CollectorStatus]]
    outlook: Callable[[SourceId], Awaitable[tuple[Standing, Outlook]]]


def operation_routes(operations: Operations) -> APIRouter:
    router = guarded_router("/api", tag="operations")

    @router.get(
        "/collector/status",
        summary="Every source: how it does, when next, and why then",
        response_model=StatusDocument,
    )
    @open_to(Access.ADMIN)
    async def collector_status() -> Response:
        return json_answer(status_as_json(await operations.status()))

    @router.get(
        "/scheduler/stats",
        summary="Cadences, due sources, hit rates; in all and by type",
        response_model=SchedulerDocument,
    )
    @open_to(Access.ADMIN)
    async def stats() -> Response:
        overall, by_type = await scheduler_stats(operations.database, now=operations.clock())
        return json_answer(scheduler_as_json(overall, by_type))

    @router.get(
        "/sources/{source_id:int}/forecast",
        summary="A source's week, its next dates, and why",
        response_model=ForecastDocument,
        responses={**REFUSALS, **MISSING},
    )
    @open_to(Access.READ)
    async def forecast(caller: SignedIn, source_id: PathId) -> Response:
        await FollowedSources(operations.database).get(SourceId(source_id), caller.user.id)
        return json_answer(outlook_as_json(*await operations.outlook(SourceId(source_id))))

    return router

"""How the collector and the scheduler are doing, for operators' scripts."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime

import orjson
from fastapi import APIRouter, Depends, Response

from clawfeed.api.access import operator_only
from clawfeed.api.shapes import outlook_as_json, scheduler_as_json, status_as_json
from clawfeed.domain.ids import SourceId
from clawfeed.domain.outlook import Outlook
from clawfeed.domain.secret import Secret
from clawfeed.storage.database import Database
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
    api_key: Secret | None = None


def operation_routes(operations: Operations) -> APIRouter:
    guard = Depends(operator_only(operations.api_key))
    router = APIRouter(prefix="/api", tags=["operations"], dependencies=[guard])

    @router.get("/collector/status", summary="Every source: how it does, when next, and why then")
    async def collector_status() -> Response:
        return _json(status_as_json(await operations.status()))

    @router.get("/scheduler/stats", summary="Cadences, due sources, hit rates; in all and by type")
    async def stats() -> Response:
        overall, by_type = await scheduler_stats(operations.database, now=operations.clock())
        return _json(scheduler_as_json(overall, by_type))

    @router.get("/sources/{source_id}/forecast", summary="A source's week, its next dates, and why")
    async def forecast(source_id: int) -> Response:
        return _json(outlook_as_json(*await operations.outlook(SourceId(source_id))))

    return router


def _json(body: object) -> Response:
    """Straight from bytes: a response model would cost four times as much on long lists."""
    return Response(orjson.dumps(body), media_type="application/json")

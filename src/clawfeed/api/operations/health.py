"""Is it alive, is it ready, how is it doing: for supervisors, load balancers and Prometheus."""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, tzinfo
from ipaddress import ip_address

from fastapi import APIRouter, Request, Response
from fastapi.responses import PlainTextResponse

from clawfeed.api.http.problems import ProblemType, problem
from clawfeed.api.operations.status_schemas import HealthSchema, ReadySchema
from clawfeed.auth.authorization import Access, guarded_router, open_to
from clawfeed.domain.alarm import AlarmCode, Trouble
from clawfeed.domain.editions.edition_period import system_day
from clawfeed.domain.errors import StorageError
from clawfeed.domain.secret import Secret
from clawfeed.domain.wording.alarm_wording import alarm_words
from clawfeed.storage.database import Database
from clawfeed.storage.editions.edition_metrics import edition_figures
from clawfeed.storage.operations.collector_metrics import fleet_figures
from clawfeed.storage.operations.health_facts import health_facts
from clawfeed.storage.operations.troubles import TroubleRules, find_troubles, vital_troubles
from clawfeed.storage.outbox.outbox_admin import OutboxAdmin

# A readiness probe that hangs is worse than one that says no.
READY_WITHIN = timedelta(seconds=2)
# Without these the house does not do what it is for, so a server is not ready; nor is it without a
# database. With the name for programs: the first that is true is told.
PROBLEMS = {
    AlarmCode.NO_COLLECTOR: ProblemType.NO_COLLECTOR,
    AlarmCode.NO_EDITION_TRIGGER: ProblemType.NO_EDITION_TRIGGER,
    AlarmCode.NO_DELIVERY: ProblemType.NO_DELIVERY,
}


def _no_outage() -> None:
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """What the health endpoints need to know.

    *outage* tells what this process's watcher knows of a database that cannot be written: a read
    alone would not notice.
    """

    database: Database
    clock: Callable[[], datetime]
    version: str
    metrics_token: Secret | None = None
    rules: TroubleRules = field(default_factory=TroubleRules)
    timezone: tzinfo = UTC
    outage: Callable[[], Trouble | None] = _no_outage


def health_routes(health: Health) -> APIRouter:
    router = guarded_router(tag="health")
    opened_at = health.clock()

    @router.get("/healthz", summary="The process answers", response_model=HealthSchema)
    @open_to(Access.UNASKED)
    async def healthz() -> dict[str, str]:
        return {"status": "ok", "version": health.version}

    @router.get(
        "/readyz",
        summary="It works: the database, collecting, editions and deliveries",
        response_model=ReadySchema,
        responses={503: {"description": "One of them does not; `type` tells which"}},
    )
    @open_to(Access.UNASKED)
    async def readyz() -> Response:
        now = health.clock()
        try:
            async with asyncio.timeout(READY_WITHIN.total_seconds()):
                found = await vital_troubles(health.database, health.rules, now=now)
        except (StorageError, TimeoutError):
            return problem(503, "the database does not answer")
        if health.outage():
            return problem(503, "the database cannot be written")
        for trouble in health.rules.due(found, now - opened_at):
            if trouble.code in PROBLEMS:
                sentence = alarm_words(trouble).sentence
                return problem(503, sentence, kind=PROBLEMS[trouble.code])
        return Response(b'{"status":"ready"}', media_type="application/json")

    @router.get(
        "/metrics",
        summary="Figures for Prometheus",
        response_class=PlainTextResponse,
        responses={401: {"description": "Neither from this machine nor with METRICS_TOKEN"}},
    )
    @open_to(Access.UNASKED)
    async def metrics(request: Request) -> Response:
        if not _may_read_metrics(request, health.metrics_token):
            return problem(
                401, "give METRICS_TOKEN as a Bearer token", {"WWW-Authenticate": "Bearer"}
            )
        text = await _metrics_text(health, opened_at)
        return Response(text, media_type="text/plain; version=0.0.4")

    return router


async def _metrics_text(health: Health, opened_at: datetime) -> bytes:
    """Every figure of this moment. *opened_at*: what is young is not yet troubled."""
    from clawfeed.api.operations.metrics import render

    now, database = health.clock(), health.database
    facts = await health_facts(database, now=now, reads_x=health.rules.reads_x)
    figures = await fleet_figures(database, now=now, facts=facts)
    editions = await edition_figures(database, period=system_day(now, health.timezone))
    found = await find_troubles(database, health.rules, now=now, facts=facts)
    outage = health.outage()
    codes = [each.code for each in health.rules.due(found, now - opened_at)]
    codes += [outage.code] if outage else []
    outbox = await OutboxAdmin(database).figures(now=now)
    return render(figures, editions, outbox, codes, version=health.version, now=now)


def _may_read_metrics(request: Request, token: Secret | None) -> bool:
    """With a token: whoever has it. Without one: this machine only, and not through a proxy."""
    if token is not None:
        given = request.headers.get("authorization", "")
        return hmac.compare_digest(given.encode(), f"Bearer {token.reveal()}".encode())
    if "x-forwarded-for" in request.headers or "forwarded" in request.headers:
        return False
    return request.client is not None and _is_loopback(request.client.host)


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False

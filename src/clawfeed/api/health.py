"""Is it alive, is it ready, how is it doing: for supervisors, load balancers and Prometheus."""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from ipaddress import ip_address

from fastapi import APIRouter, Request, Response
from fastapi.responses import PlainTextResponse

from clawfeed.api.operation_schemas import HealthSchema, ReadySchema
from clawfeed.api.problems import ProblemType, problem
from clawfeed.auth.authorization import Access, guarded_router, open_to
from clawfeed.domain.edition_period import system_day
from clawfeed.domain.errors import StorageError
from clawfeed.domain.secret import Secret
from clawfeed.storage.collector_signs import GRACE, FleetPulse, fleet_pulse
from clawfeed.storage.database import Database
from clawfeed.storage.edition_figures import edition_figures, is_trigger_missed, last_trigger
from clawfeed.storage.fleet_metrics import fleet_figures
from clawfeed.storage.outbox_admin import OutboxAdmin

# A readiness probe that hangs is worse than one that says no.
READY_WITHIN = timedelta(seconds=2)
NOBODY_COLLECTS = (
    "sources are due and no collector gives a sign of life: start `clawfeed collect --loop`, or "
    "look at its log"
)
NOBODY_TRIGGERS = (
    "nobody triggers editions: start `clawfeed cron --loop`, or set up what `clawfeed cron --print "
    "crontab` prints"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """What the health endpoints need to know. Editions are triggered *every* so often."""

    database: Database
    clock: Callable[[], datetime]
    version: str
    metrics_token: Secret | None = None
    every: timedelta = timedelta(minutes=10)
    timezone: tzinfo = UTC


def health_routes(health: Health) -> APIRouter:
    router = guarded_router(tag="health")
    opened_at = health.clock()

    @router.get("/healthz", summary="The process answers", response_model=HealthSchema)
    @open_to(Access.UNASKED)
    async def healthz() -> dict[str, str]:
        return {"status": "ok", "version": health.version}

    @router.get(
        "/readyz",
        summary="It can work: its database answers, what is due is collected, editions are made",
        response_model=ReadySchema,
        responses={503: {"description": "One of them does not; `type` tells which"}},
    )
    @open_to(Access.UNASKED)
    async def readyz() -> Response:
        try:
            async with asyncio.timeout(READY_WITHIN.total_seconds()):
                pulse = await fleet_pulse(health.database, health.clock())
                triggered_at = await last_trigger(health.database)
        except (StorageError, TimeoutError):
            return problem(503, "the database does not answer")
        if is_nobody_collecting(pulse, health.clock(), opened_at):
            return problem(503, NOBODY_COLLECTS, kind=ProblemType.NO_COLLECTOR)
        # A server that just started gives its triggers as much time as any.
        last = max(triggered_at or opened_at, opened_at)
        if is_trigger_missed(last, health.clock(), every=health.every):
            return problem(503, NOBODY_TRIGGERS, kind=ProblemType.NO_EDITION_TRIGGER)
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
        from clawfeed.api.metrics import render

        now = health.clock()
        figures = await fleet_figures(health.database, now=now)
        today = system_day(now, health.timezone)
        editions = await edition_figures(health.database, period=today)
        outbox = await OutboxAdmin(health.database).figures(now=now)
        text = render(figures, editions, outbox, version=health.version, now=now)
        return Response(text, media_type="text/plain; version=0.0.4")

    return router


def is_nobody_collecting(pulse: FleetPulse, now: datetime, opened_at: datetime) -> bool:
    """Whether sources wait in vain; a server that just started gives its collectors time, too."""
    return now - opened_at > GRACE and pulse.is_missed(now)


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

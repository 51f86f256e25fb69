"""What the operators' endpoints answer, for the OpenAPI document."""

from __future__ import annotations

from datetime import datetime

from pydantic import BaseModel, ConfigDict, JsonValue

from clawfeed.api.sources.source_schemas import ErrorSchema
from clawfeed.domain.alarm import AlarmCode
from clawfeed.domain.schedule.cadence import Cadence
from clawfeed.domain.schedule.schedule import Mode
from clawfeed.domain.sources.source_status import Status
from clawfeed.storage.polling.due_sources import SourceTypeName


class HealthSchema(BaseModel):
    model_config = ConfigDict(json_schema_extra={"example": {"status": "ok", "version": "0.1.0"}})

    status: str
    version: str


class ReadySchema(BaseModel):
    model_config = ConfigDict(json_schema_extra={"example": {"status": "ready"}})

    status: str


class SourceStatusSchema(BaseModel):
    """How one source is doing, when it is polled next, and why then (S000-18)."""

    id: int
    name: str
    type: str
    interval_minutes: float
    last_fetched_at: datetime | None
    next_fetch_at: datetime | None
    fetch_count: int
    fetch_error_count: int
    last_error: ErrorSchema | None
    status: Status
    schedule_mode: Mode
    cadence: Cadence | None
    because: str
    because_code: str | None
    because_parameters: dict[str, str | int | float]
    stale: bool


class FleetSchema(BaseModel):
    """Figures over all sources (S000-19)."""

    total_sources: int
    active_sources: int
    paused_sources: int
    paused_by_error: int
    fetches_24h: int
    errors_24h: int
    raw_items_24h: int
    items_24h: int
    fetches_today: int
    success_rate: float | None


class ReadsSchema(BaseModel):
    """The month's use of a paid API."""

    used: int
    limit: int


class CollectorSchema(BaseModel):
    """A collector of the last day (S000-22)."""

    name: str
    started_at: datetime
    last_seen_at: datetime
    is_alive: bool


class TroubleSchema(BaseModel):
    """What is wrong: a code for programs, a sentence for people."""

    code: AlarmCode
    subject: str
    parameters: dict[str, JsonValue]
    text: str
    way_out: str


class StatusSchema(BaseModel):
    sources: list[SourceStatusSchema]
    stats: FleetSchema
    x_reads: ReadsSchema | None
    collectors: list[CollectorSchema]
    troubles: list[TroubleSchema]


class SchedulerFiguresSchema(BaseModel):
    """How the schedule is doing (S004-9)."""

    total: int
    with_stats: int
    due_now: int
    in_backoff: int
    mean_hit_rate: float | None
    cadences: dict[str, int]
    modes: dict[str, int]


class SchedulerSchema(SchedulerFiguresSchema):
    """*by_source_type* has `rss` and `custom` (S004-1), *by_type* the concrete types."""

    by_source_type: dict[str, SchedulerFiguresSchema]
    by_type: dict[str, SchedulerFiguresSchema]


class DueSourceSchema(BaseModel):
    id: int
    name: str
    type: str
    source_type: SourceTypeName
    due_since: datetime | None


class DueSchema(BaseModel):
    """Who is due, in the order in which they are claimed (S004-8)."""

    sources: list[DueSourceSchema]
    next_cursor: str | None


class PlannedPollSchema(BaseModel):
    at: datetime
    because: str
    because_code: str | None
    because_parameters: dict[str, str | int | float]


class ForecastSchema(BaseModel):
    """A source's week: *hour_of_week* has 168 levels, Monday 00:00 first; 1 is its average."""

    id: int
    name: str
    schedule_mode: Mode
    cadence: Cadence | None
    next_fetch_at: datetime | None
    because: str
    because_code: str | None
    because_parameters: dict[str, str | int | float]
    summary: str
    items_per_day: float
    hour_of_week: list[float]
    next_polls: list[PlannedPollSchema]
    stale: bool

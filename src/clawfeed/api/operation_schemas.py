"""What the operators' endpoints answer, for the OpenAPI document."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class HealthSchema(BaseModel):
    model_config = ConfigDict(json_schema_extra={"example": {"status": "ok", "version": "0.1.0"}})

    status: str
    version: str


class ReadySchema(BaseModel):
    model_config = ConfigDict(json_schema_extra={"example": {"status": "ready"}})

    status: str


class ErrorSchema(BaseModel):
    message: str
    at: str


class SourceStatusSchema(BaseModel):
    """S000-18."""

    id: int
    name: str
    type: str
    interval_minutes: float
    last_fetched_at: str | None
    next_fetch_at: str | None
    fetch_count: int
    fetch_error_count: int
    last_error: ErrorSchema | None
    status: str
    schedule_mode: str
    cadence: str | None
    because: str
    because_code: str | None
    because_parameters: dict[str, str | int | float]
    stale: bool


class FleetSchema(BaseModel):
    """S000-19."""

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
    started_at: str
    last_seen_at: str
    is_alive: bool


class StatusSchema(BaseModel):
    sources: list[SourceStatusSchema]
    stats: FleetSchema
    x_reads: ReadsSchema | None
    collectors: list[CollectorSchema]


class SchedulerFiguresSchema(BaseModel):
    """S004-9."""

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
    source_type: str
    due_since: str | None


class DueSchema(BaseModel):
    """Who is due, in the order in which they are claimed (S004-8)."""

    sources: list[DueSourceSchema]
    next_cursor: str | None


class PlannedPollSchema(BaseModel):
    at: str
    because: str
    because_code: str | None
    because_parameters: dict[str, str | int | float]


class ForecastSchema(BaseModel):
    """A source's week: *hour_of_week* has 168 levels, Monday 00:00 first; 1 is its average."""

    id: int
    name: str
    schedule_mode: str
    cadence: str | None
    next_fetch_at: str | None
    because: str
    because_code: str | None
    because_parameters: dict[str, str | int | float]
    summary: str
    items_per_day: float
    hour_of_week: list[float]
    next_polls: list[PlannedPollSchema]
    stale: bool

"""The answers of the sources endpoints, for the OpenAPI document; answers are made without them."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from clawfeed.api.http.problems import Problem, ProblemType
from clawfeed.domain.schedule.cadence import Cadence
from clawfeed.domain.sources.source_faults import FaultKind
from clawfeed.domain.sources.source_status import Status

_SOURCE: dict[str, Any] = {
    "id": 3,
    "name": "Example",
    "type": "rss",
    "config": {"url": "https://example.org/feed.xml"},
    "is_public": True,
    "is_active": True,
    "subscriber_count": 12,
    "last_fetched_at": "2026-11-15T12:00:00Z",
    "created_at": "2026-11-01T09:30:00Z",
    "is_own": False,
    "is_subscribed": True,
    "status": "ok",
    "fetch_interval_minutes": 240,
    "next_fetch_at": "2026-11-15T16:00:00Z",
    "cadence": "P3",
    "is_cadence_set": False,
    "fetch_error_count": 0,
    "last_error": None,
}


class Schema(BaseModel):
    """An answer; it holds nothing that is not said here."""

    model_config = ConfigDict(extra="forbid")


class ErrorSchema(Schema):
    message: str
    at: datetime


class SourceSchema(Schema):
    """A source. From `is_own` on: for signed-in callers only."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"example": _SOURCE})

    id: int
    name: str
    type: str
    config: dict[str, Any]
    is_public: bool
    is_active: bool
    subscriber_count: int
    last_fetched_at: datetime | None
    created_at: datetime
    is_own: bool | None = None
    is_subscribed: bool | None = None
    status: Status | None = None
    fetch_interval_minutes: float | None = None
    next_fetch_at: datetime | None = None
    cadence: Cadence | None = None
    is_cadence_set: bool | None = None
    fetch_error_count: int | None = None
    last_error: ErrorSchema | None = None


class FaultSchema(Schema):
    """What is odd about a source; *text* follows "this source …"."""

    kind: FaultKind
    text: str
    twin: int | None


class OneSourceSchema(SourceSchema):
    """One source; `faults` for its owner and admins only."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"example": {**_SOURCE, "faults": []}}
    )

    faults: list[FaultSchema] | None = None


class ResumedSchema(Schema):
    """Somebody's own source that an admin resumed: how it stands, and nothing of what it is."""

    id: int
    is_active: bool
    status: Status


class SourceListSchema(Schema):
    """A part of the list; `next_cursor` is null at its end."""

    sources: list[SourceSchema]
    next_cursor: str | None


class PollSchema(Schema):
    """One poll of a source."""

    id: int
    planned_at: datetime | None
    started_at: datetime
    finished_at: datetime
    seconds: float
    outcome: Literal["new", "unchanged", "failed", "postponed", "skipped"]
    inserted: int
    reason: str | None
    detail: str | None


class LogSchema(Schema):
    """A part of a source's log, newest first; `next_cursor` is null at its end."""

    polls: list[PollSchema]
    next_cursor: str | None


class SoonSchema(Schema):
    """When the poll can be expected, and why then."""

    id: int
    next_fetch_at: datetime
    because: str
    because_code: str | None
    because_parameters: dict[str, str | int | float]


class FeedSchema(Schema):
    url: str
    title: str


class PreviewSchema(Schema):
    title: str
    url: str | None
    published_at: datetime | None


class ResolvedSchema(Schema):
    """What an address would be. Its config is as it was asked for, unmasked, ready to be sent.

    *note* says why there is no preview, if nothing here can read the type.
    """

    type: str
    name: str
    config: dict[str, Any]
    feeds: list[FeedSchema]
    preview: list[PreviewSchema]
    existing: SourceSchema | None
    note: str | None


class ExistsSchema(Problem):
    """A refusal. Of the type `already-exists` it has `existing`: the source that is the same."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "type": ProblemType.ALREADY_EXISTS.uri,
                "title": "Conflict",
                "status": 409,
                "detail": "rss source 3 (Example) is the same thing already",
                "existing": _SOURCE,
            }
        }
    )

    existing: SourceSchema | None = None


EXISTS_RESPONSE: dict[int | str, dict[str, Any]] = {
    409: {"model": ExistsSchema, "description": "It is there already; `existing` is it"}
}

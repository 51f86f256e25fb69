"""Editions in the making, over HTTP: what comes in, and what operators are answered."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from clawfeed.api.http.request_fields import Input, Line
from clawfeed.digest.edition_admin import EditionStatus
from clawfeed.domain.editions.delivery import ChannelState, DeliveryState
from clawfeed.domain.editions.edition import ArchiveReason, ArticleState, EditionTask, TaskState
from clawfeed.domain.editions.edition_decision import BatchOutcome
from clawfeed.domain.editions.edition_failure import FailureCode
from clawfeed.domain.editions.edition_period import EditionType
from clawfeed.domain.moments import iso

MOST_RETRIES = 100


class TriggerInput(Input):
    """Which edition; without a date, today's."""

    model_config = ConfigDict(json_schema_extra={"example": {"date": "2026-11-15"}})

    date: Line | None = None


class DateInput(Input):
    """Which edition."""

    model_config = ConfigDict(json_schema_extra={"example": {"date": "2026-11-15"}})

    date: Line


class RetryInput(DateInput):
    """*maxRetries*: how often each may be tried once more; else as `MAX_RETRY_COUNT` says."""

    model_config = ConfigDict(
        json_schema_extra={"example": {"date": "2026-11-15", "maxRetries": 3}}
    )

    max_retries: Annotated[
        int | None, Field(alias="maxRetries", strict=True, ge=0, le=MOST_RETRIES)
    ] = None


class TaskSchema(BaseModel):
    """An edition in the making: which one, and how far it is (S002-3)."""

    date: str
    type: EditionType
    scope: str
    state: TaskState
    batch_index: int
    batch_size: int
    covers_from: datetime
    covers_until: datetime
    due_at: datetime
    expires_at: datetime
    started_at: datetime
    published_at: datetime | None
    archived_from: TaskState | None
    archived_because: ArchiveReason | None
    alarmed_at: datetime | None


class ArticlesSchema(BaseModel):
    """How many articles are in each state."""

    pending: int
    processing: int
    completed: int
    failed: int


class BatchSchema(BaseModel):
    """One batch (S002-16); without an outcome it still runs."""

    index: int
    articles: int
    started_at: datetime
    duration_seconds: float | None
    outcome: BatchOutcome | None


class PlanSchema(BaseModel):
    """How long all of it takes by triggers alone (S002-11)."""

    batches: int
    minutes: int


class DeliverySchema(BaseModel):
    """The edition's way to one channel (S002-17); its messages are in `GET /api/outbox`."""

    channel_id: int
    kind: str
    name: str
    channel_state: ChannelState
    state: DeliveryState
    parts: int
    sent: int
    last_error: str | None


class TaskStatusSchema(TaskSchema):
    articles: ArticlesSchema
    batches: list[BatchSchema]
    plan: PlanSchema
    last_error_code: FailureCode | None
    last_error: str | None
    digest_id: int | None
    deliveries: list[DeliverySchema]


class TaskListSchema(BaseModel):
    editions: list[TaskSchema]
    next_cursor: str | None


def task_as_json(task: EditionTask) -> dict[str, Any]:
    return {
        "date": task.period,
        "type": task.type,
        "scope": task.scope,
        "state": task.state,
        "batch_index": task.batch_index,
        "batch_size": task.batch_size,
        "covers_from": iso(task.covers_from),
        "covers_until": iso(task.covers_until),
        "due_at": iso(task.due_at),
        "expires_at": iso(task.expires_at),
        "started_at": iso(task.started_at),
        "published_at": iso(task.published_at),
        "archived_from": task.archived_from,
        "archived_because": task.archived_because,
        "alarmed_at": iso(task.alarmed_at),
    }


def status_as_json(status: EditionStatus) -> dict[str, Any]:
    failure = status.task.failure
    return {
        **task_as_json(status.task),
        "articles": {str(state): status.articles.get(state, 0) for state in ArticleState},
        "batches": [
            {
                "index": batch.index,
                "articles": batch.articles,
                "started_at": iso(batch.started_at),
                "duration_seconds": batch.duration_seconds,
                "outcome": batch.outcome,
            }
            for batch in status.batches
        ],
        "plan": {
            "batches": status.plan.batches,
            "minutes": int(status.plan.duration.total_seconds() // 60),
        },
        "last_error_code": failure.code if failure else None,
        "last_error": (failure.detail or None) if failure else None,
        "digest_id": status.digest_id,
        "deliveries": [
            {
                "channel_id": each.channel_id,
                "kind": each.kind,
                "name": each.channel_name,
                "channel_state": each.channel_state,
                "state": each.state,
                "parts": each.parts,
                "sent": each.sent_parts,
                "last_error": each.last_error,
            }
            for each in status.deliveries
        ],
    }

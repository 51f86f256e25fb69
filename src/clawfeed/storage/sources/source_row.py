"""A source as lists show it: a row that is read as it is, and what follows from it."""

from __future__ import annotations

import json
from typing import NamedTuple

from clawfeed.domain.errors import Reason
from clawfeed.domain.ids import JsonValue, SourceId, UserId
from clawfeed.domain.sources.source import Source
from clawfeed.domain.sources.source_status import Status, is_failing, next_fetch_at, status_of
from clawfeed.storage.config_table import read_rows
from clawfeed.storage.json_columns import read_object
from clawfeed.storage.sources.last_error import LastError, read_last_error


class SourceRow(NamedTuple):
    """One row, as the database has it: a list of 200 costs a third of what values would.

    Moments are seconds, flags 0/1 and *config* and *last_error* are texts.
    """

    id: SourceId
    name: str
    type: str
    config: str
    host: str
    param_key: str | None
    is_active: int
    is_public: int
    created_by: UserId | None
    last_fetched_at: float | None
    fetch_error_count: int
    last_error: str | None
    paused_because: str | None
    has_stats: int
    created_at: float
    last_check_at: float | None
    next_due_at: float | None
    backoff_until: float | None
    cadence: str | None
    is_cadence_set: int | None
    subscribers: int
    is_subscribed: int
    # The intervals by type that an admin set, as JSON; None where the query did not ask for them.
    overrides: str | None

    def is_of(self, viewer: UserId | None) -> bool:
        return viewer is not None and self.created_by == viewer

    def interval_rows(self) -> dict[str, str]:
        """*overrides* as rows of the `config` table."""
        return read_rows(json.loads(self.overrides or "[]"))

    def settings(self) -> dict[str, JsonValue]:
        """*config* read; empty if it is damaged."""
        return read_object(self.config)

    def as_source(self) -> Source:
        """What it is, without how it is doing."""
        return Source(
            id=self.id,
            type=self.type,
            name=self.name,
            config=self.settings(),
            is_public=bool(self.is_public),
            created_by=self.created_by,
            host=self.host,
        )

    def error(self) -> LastError | None:
        """`last_error` read (S001-9); None while there is none."""
        return read_last_error(self.last_error)

    def failure(self) -> Reason | None:
        """Why the last poll failed, as it was stored; None if it did not, or nobody knows."""
        error = self.error()
        return error.reason if error else None

    def status(self, now: float) -> Status:
        return status_of(
            is_active=bool(self.is_active),
            paused_because=self.paused_because,
            needs_login=self.failure() is Reason.AUTH_REQUIRED,
            is_backing_off=(self.backoff_until or 0.0) > now,
            was_polled=self.was_polled,
        )

    @property
    def is_failing(self) -> bool:
        return is_failing(
            is_active=bool(self.is_active),
            paused_because=self.paused_because,
            errors=self.fetch_error_count,
        )

    @property
    def was_polled(self) -> bool:
        return bool(self.last_check_at or self.last_fetched_at)

    def next_fetch_at(self, every: float) -> float | None:
        """The date that is told; *every* is its interval in seconds."""
        return next_fetch_at(
            is_active=bool(self.is_active),
            was_polled=self.was_polled,
            last_fetched_at=self.last_fetched_at,
            next_due_at=self.next_due_at,
            backoff_until=self.backoff_until,
            every=every,
        )

    @property
    def other_subscribers(self) -> int:
        """How many follow it besides the viewer."""
        return self.subscribers - self.is_subscribed

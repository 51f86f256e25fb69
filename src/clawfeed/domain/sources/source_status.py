"""How a source is doing, in one word: the same in the API, on the screen and in figures."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

# `paused_because` of sources that stopped by themselves.
PAUSED_BY_FAILURES: Final = ("errors", "gone")


class Status(StrEnum):
    """How a source is doing, in the words people see (S000-18)."""

    OK = "ok"
    PAUSED = "paused"
    PAUSED_BY_ERROR = "paused_by_error"
    AUTH_REQUIRED = "auth_required"
    BACKING_OFF = "backing_off"
    NEVER_FETCHED = "never_fetched"


def status_of(
    *,
    is_active: bool,
    paused_because: str | None,
    needs_login: bool,
    is_backing_off: bool,
    was_polled: bool,
) -> Status:
    """The first of these that is true: paused, no login, backing off, new; else all is well."""
    if not is_active:
        by_failures = paused_because in PAUSED_BY_FAILURES
        return Status.PAUSED_BY_ERROR if by_failures else Status.PAUSED
    if needs_login:
        return Status.AUTH_REQUIRED
    if is_backing_off:
        return Status.BACKING_OFF
    return Status.OK if was_polled else Status.NEVER_FETCHED


def is_failing(*, is_active: bool, paused_because: str | None, errors: int) -> bool:
    """Whether its last polls failed, or stopped it: what lists and counts call failing.

    One that somebody paused is not, however it did before: they know, and wanted it so.
    """
    return errors > 0 if is_active else paused_because in PAUSED_BY_FAILURES


def next_fetch_at(
    *,
    is_active: bool,
    was_polled: bool,
    last_fetched_at: float | None,
    next_due_at: float | None,
    backoff_until: float | None,
    every: float,
) -> float | None:
    """The date that people and programs are told, in seconds since 1970: the same everywhere.

    None while paused and before the first poll. One without a date of its own, as rows of an
    older system are, goes by its interval (S000-20).
    """
    if not is_active or not was_polled:
        return None
    if next_due_at is None:
        return None if last_fetched_at is None else last_fetched_at + every
    return max(next_due_at, backoff_until or 0.0)

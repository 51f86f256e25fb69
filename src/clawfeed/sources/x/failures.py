"""What the failures of several back ends come to: one error that says when to come back."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from clawfeed.domain.errors import Reason, SourceError
from clawfeed.domain.polling.failures import as_source_error, outcome_of
from clawfeed.domain.schedule.backoff import FIRST_WAIT, back_off
from clawfeed.domain.sources.source import Postponed

API: Final = "X API"
LONGEST_DETAIL: Final = 400
# Of failures after which we may return equally soon: which one a person can act on.
MOST_TELLING: Final = (
    Reason.OFFLINE, Reason.AUTH_REQUIRED, Reason.MISCONFIGURED, Reason.REFUSED, Reason.BUSY,
    Reason.BROKEN, Reason.TIMED_OUT, Reason.TOO_LARGE, Reason.UNREADABLE, Reason.UNREACHABLE,
    Reason.BLOCKED, Reason.GONE, Reason.OUR_BUG,
)  # fmt: skip


def one_for_all(failures: list[tuple[str, SourceError]]) -> SourceError:
    """The failure of the back end that can be asked again first, told with all the others'.

    Its reason, status and wait stay together: the wait of one under the reason of another would be
    a rest that nobody asked for. Only the API's word on a missing account counts before it.
    It is doubtful only if all are that were not postponed: any other proves that we are online.
    """
    if not failures:
        return SourceError(Reason.MISCONFIGURED, "neither a token nor a bridge is set up for this")
    missing = [error for name, error in failures if name == API and error.reason is Reason.GONE]
    chosen = missing[0] if missing else min(_as_evidence(failures), key=_soonest)
    detail = "; ".join(f"{name}: {error.detail}" for name, error in failures)
    told = as_source_error(chosen, detail=detail[:LONGEST_DETAIL])
    told.is_doubtful &= all(error.is_doubtful or error.postponed for _, error in failures)
    return told


def _as_evidence(failures: list[tuple[str, SourceError]]) -> list[SourceError]:
    """A bridge that lacks a page proves little while another back end may still have it."""
    errors = [error for _, error in failures]
    if all(error.reason is Reason.GONE for error in errors):
        return errors
    return [
        SourceError(Reason.BROKEN, error.detail) if error.reason is Reason.GONE else error
        for error in errors
    ]


def _soonest(error: SourceError) -> tuple[timedelta, int]:
    """When the schedule would return for *error* alone; of equals the most telling is first."""
    outcome, rank = outcome_of(error), MOST_TELLING.index(error.reason)
    if isinstance(outcome, Postponed):
        return outcome.wait or timedelta(0), rank
    rest = back_off(outcome, failures=1, base=timedelta(0))
    # A login that fails is tried every hour; whatever backs off doubles beyond that.
    return rest.wait if rest.is_rest else FIRST_WAIT, rank

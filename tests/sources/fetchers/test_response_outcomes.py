"""What a refusal means for a source, whoever reports it."""

from __future__ import annotations

from datetime import timedelta

import pytest

from clawfeed.domain.errors import Reason, SourceError
from clawfeed.domain.polling.failures import decide_reason, outcome_of
from clawfeed.domain.schedule.backoff import back_off
from clawfeed.domain.sources.source import Failed
from clawfeed.egress.request_and_response import Response
from clawfeed.sources.fetchers.response_outcomes import failure
from tests.support.clocks import NOON

QUARTER, HOUR = timedelta(minutes=15), timedelta(hours=1)
WAITS = {
    400: QUARTER,
    401: HOUR,
    402: QUARTER,
    403: 12 * HOUR,
    404: QUARTER,
    408: QUARTER,
    410: QUARTER,
    413: QUARTER,
    429: 6 * HOUR,
    451: 12 * HOUR,
    500: QUARTER,
    502: QUARTER,
    503: 6 * HOUR,
}


@pytest.mark.parametrize(("status", "wait"), WAITS.items())
def test_a_status_keeps_us_away_as_long_whoever_reports_it(status: int, wait: timedelta) -> None:
    """(S004-7, settled 8): the table of docs/scheduling.md, for our fetchers and for plug-ins."""
    answer = Response(status=status, headers={}, body=b"", url="https://a.example/")
    ours = failure(answer, now=NOON)
    told = decide_reason(Reason.BROKEN, "no", status=status)
    theirs = SourceError(told, "no", status=status)

    assert (_first_wait(ours), _first_wait(theirs)) == (wait, wait)


def _first_wait(error: SourceError) -> timedelta:
    outcome = outcome_of(error)
    assert isinstance(outcome, Failed)
    return back_off(outcome, failures=1, base=QUARTER).wait

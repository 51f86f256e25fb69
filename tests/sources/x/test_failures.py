"""What the failures of several back ends come to."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

import pytest

from clawfeed.domain.because import Because, Rule
from clawfeed.domain.errors import Reason, SourceError
from clawfeed.domain.polling.failures import outcome_of
from clawfeed.domain.sources.source import Failed
from clawfeed.sources.x.failures import API, one_for_all

DAY = timedelta(days=1)


def silent() -> SourceError:
    return SourceError(Reason.UNREACHABLE, "silent", is_doubtful=True)


def at_rest() -> SourceError:
    rests = Because(Rule.READS_SPENT, {"api": "X"})
    return SourceError(Reason.BUSY, "at rest", wait=DAY, postponed=rests)


def answered() -> SourceError:
    """Left alone for longer than who is silent: that one decides."""
    return SourceError(Reason.REFUSED, "refused", status=403)


def missing() -> SourceError:
    return SourceError(Reason.GONE, "gone", status=404)


@dataclass(frozen=True)
class Case:
    failures: list[SourceError]
    is_doubtful: bool


@pytest.mark.parametrize(
    "case",
    [
        Case([silent()], is_doubtful=True),
        Case([silent(), silent()], is_doubtful=True),
        # Who was not asked knows nothing of the network.
        Case([at_rest(), silent()], is_doubtful=True),
        Case([silent(), at_rest()], is_doubtful=True),
        Case([answered(), silent()], is_doubtful=False),
        Case([silent(), answered()], is_doubtful=False),
        Case([silent(), missing()], is_doubtful=False),
        Case([missing(), silent()], is_doubtful=False),
        Case([at_rest(), silent(), answered()], is_doubtful=False),
    ],
    ids=lambda case: ", ".join(error.detail for error in case.failures),
)
def test_it_may_be_our_own_outage_only_if_nobody_answered(case: Case) -> None:
    """(settled 2)."""
    names = (API, "bridge 1", "bridge 2")

    outcome = outcome_of(one_for_all(list(zip(names, case.failures, strict=False))))

    assert isinstance(outcome, Failed)
    assert outcome.is_doubtful is case.is_doubtful


def test_what_could_be_allowed_is_told_with_the_failure() -> None:
    """Whoever sets up a bridge in their own network hears what `EGRESS_ALLOW` lacks."""
    refused = SourceError(Reason.BLOCKED, "a private address", refused=("bridge.lan", 8080))

    assert one_for_all([("bridge 1", refused)]).refused == ("bridge.lan", 8080)

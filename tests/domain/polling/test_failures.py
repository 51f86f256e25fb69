"""What a failure is, decided once (S004-7, settled question 8)."""

from __future__ import annotations

import inspect
from datetime import timedelta
from typing import Any

import pytest

from clawfeed.domain.because import Because, Rule
from clawfeed.domain.errors import EgressError, Reason, SourceError, WorldError
from clawfeed.domain.polling.failures import as_source_error, decide_reason, outcome_of
from clawfeed.domain.schedule.backoff import back_off
from clawfeed.domain.sources.source import Failed, Postponed

MINUTE = timedelta(minutes=1)


@pytest.mark.parametrize(
    ("said", "status", "reason"),
    [
        ("", 429, Reason.BUSY),
        ("Rate limit exceeded", None, Reason.BUSY),
        ("操作过于频繁", None, Reason.BUSY),
        ("could not generate the page", None, Reason.BROKEN),
        ("", 403, Reason.REFUSED),
        ("access is Forbidden", None, Reason.REFUSED),
        ("", 401, Reason.AUTH_REQUIRED),
        ("the token expired", None, Reason.AUTH_REQUIRED),
        ("登录已过期", None, Reason.AUTH_REQUIRED),
        ("certificate has expired", None, Reason.BROKEN),
        ("证书已过期", None, Reason.BROKEN),
        ("rate limit", 403, Reason.REFUSED),
        ("rate limit", 500, Reason.BUSY),
        ("", 500, Reason.BROKEN),
        ("forbidden", 503, Reason.BUSY),
        ("rate limit", 451, Reason.REFUSED),
        ("rate limit", 404, Reason.GONE),
        # What no family names leaves the word to the words.
        ("", 402, Reason.BROKEN),
        ("rate limit", 402, Reason.BUSY),
    ],
)
def test_a_strangers_failure_is_known_by_its_status_then_by_its_words(
    said: str, status: int | None, reason: Reason
) -> None:
    """Settled 8: "generate" is not "rate", an expired certificate is not an expired login."""
    assert decide_reason(Reason.BROKEN, said, status=status) is reason


@pytest.mark.parametrize("reason", [Reason.UNREACHABLE, Reason.GONE, Reason.MISCONFIGURED])
def test_a_reason_that_says_more_than_broken_is_believed(reason: Reason) -> None:
    assert decide_reason(reason, "rate limit, expired, forbidden") is reason


@pytest.mark.parametrize(
    ("given", "status", "reason"),
    [
        (Reason.AUTH_REQUIRED, 404, Reason.AUTH_REQUIRED),
        (Reason.BUSY, 404, Reason.BUSY),
        (Reason.BUSY, 408, Reason.BUSY),
        (Reason.AUTH_REQUIRED, 503, Reason.AUTH_REQUIRED),
        (Reason.REFUSED, 429, Reason.BUSY),
        (Reason.UNREACHABLE, 401, Reason.AUTH_REQUIRED),
        (Reason.GONE, 403, Reason.REFUSED),
    ],
)
def test_a_reason_gives_way_to_the_statuses_that_the_contract_names(
    given: Reason, status: int, reason: Reason
) -> None:
    """(S004-7): some APIs answer 404 to who has to log in, and only the plug-in knows."""
    assert decide_reason(given, "", status=status) is reason


def test_our_own_failures_are_not_read_again() -> None:
    error = SourceError(Reason.BROKEN, "one answered 403 Forbidden; one 500", status=500)

    assert outcome_of(error) == Failed(reason=Reason.BROKEN, detail=error.detail, status=500)


def test_who_was_not_asked_is_postponed_whatever_carried_the_news() -> None:
    resting = Because(Rule.HOST_QUEUE, {"host": "a.example"})
    error = EgressError(Reason.BUSY, "too many wait", wait=MINUTE, postponed=resting)

    outcome = outcome_of(as_source_error(error))

    assert outcome == Postponed(because=resting, detail="too many wait", wait=MINUTE)


class _KindError(SourceError):
    """A source's failure that says more."""


def test_an_error_of_a_request_is_the_sources_with_all_that_it_knows() -> None:
    """(settled 2): what is lost on the way charges a source for our own outage."""
    known: dict[str, Any] = {
        "reason": Reason.BUSY,
        "detail": "down",
        "status": 503,
        "wait": MINUTE,
        "postponed": Because(Rule.OFFLINE),
        "refused": ("a.example", 80),
        "is_doubtful": True,
    }
    error = EgressError(**known)

    copy = as_source_error(error, kind=_KindError)
    retold = as_source_error(error, detail="all are down")

    assert known.keys() == inspect.signature(WorldError).parameters.keys()
    assert isinstance(copy, _KindError)
    assert vars(copy) == known
    assert (vars(retold), str(retold)) == ({**known, "detail": "all are down"}, "all are down")


def test_a_wait_alone_is_a_failure_that_asks_for_rest() -> None:
    """A server that says "busy" was asked: its 503 counts, and so does a plug-in's word."""
    error = SourceError(Reason.BUSY, "busy", wait=MINUTE)

    assert outcome_of(error) == Failed(reason=Reason.BUSY, detail="busy", wait=MINUTE)


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("rates.example did not finish its answer in time.", Reason.BROKEN),
        ("https://api.rates.example:8080/expired?forbidden cannot be reached", Reason.BROKEN),
        ("rates.example says: rate limit exceeded", Reason.BUSY),
    ],
)
def test_the_name_of_a_host_is_no_word(said: str, reason: Reason) -> None:
    """(S004-7): codes decide, and where a plug-in has only words, addresses are none."""
    assert decide_reason(Reason.BROKEN, said) is reason


def test_a_host_called_rates_that_times_out_is_not_busy() -> None:
    """(S004-7): minutes, not six hours."""
    silent = "https://rates.example did not finish its answer in time."
    outcome = outcome_of(as_source_error(EgressError(Reason.TIMED_OUT, silent)))
    assert isinstance(outcome, Failed)

    rest = back_off(outcome, failures=1, base=timedelta(minutes=15))

    assert (outcome.reason, rest.because.rule) == (Reason.TIMED_OUT, Rule.BACK_OFF)
    assert rest.wait == timedelta(minutes=15)

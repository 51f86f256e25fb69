"""One table for what a status says, and the few who mean something else by it."""

from __future__ import annotations

import pytest

from clawfeed.domain.errors import Reason
from clawfeed.domain.status_reasons import OF_WHAT_WE_SEND, reason_of_status

TABLE = {
    400: Reason.UNREADABLE,
    401: Reason.AUTH_REQUIRED,
    402: Reason.UNREADABLE,
    403: Reason.REFUSED,
    404: Reason.GONE,
    408: Reason.TIMED_OUT,
    410: Reason.GONE,
    413: Reason.UNREADABLE,
    418: Reason.UNREADABLE,
    429: Reason.BUSY,
    451: Reason.REFUSED,
    499: Reason.UNREADABLE,
    500: Reason.BROKEN,
    502: Reason.BROKEN,
    503: Reason.BUSY,
    504: Reason.BROKEN,
    599: Reason.BROKEN,
}


@pytest.mark.parametrize(("status", "reason"), TABLE.items())
def test_the_family_of_each_status(status: int, reason: Reason) -> None:
    assert reason_of_status(status, otherwise=Reason.UNREADABLE) is reason


def test_what_no_family_names_means_to_each_what_they_say() -> None:
    assert reason_of_status(418, otherwise=Reason.MISCONFIGURED) is Reason.MISCONFIGURED
    assert reason_of_status(500, otherwise=Reason.MISCONFIGURED) is Reason.BROKEN


def test_of_what_we_send_they_may_want_less_or_money_for_it() -> None:
    found = {
        status: reason_of_status(status, otherwise=Reason.UNREADABLE, overrides=OF_WHAT_WE_SEND)
        for status in TABLE
    }

    assert found == {**TABLE, 402: Reason.REFUSED, 413: Reason.TOO_LARGE}


def test_an_override_goes_before_the_table() -> None:
    own = {503: Reason.BROKEN}

    assert reason_of_status(503, otherwise=Reason.UNREADABLE, overrides=own) is Reason.BROKEN

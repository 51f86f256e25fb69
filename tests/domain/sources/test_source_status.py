"""One word for how a source is doing."""

from __future__ import annotations

import pytest

from clawfeed.domain.sources.source_status import Status, status_of

CASES = [
    # active, paused because, no login, backs off, was polled
    ((False, "errors", True, True, True), Status.PAUSED_BY_ERROR),
    ((False, "gone", False, False, True), Status.PAUSED_BY_ERROR),
    ((False, "person", True, True, True), Status.PAUSED),
    ((False, None, False, False, False), Status.PAUSED),
    ((True, "errors", True, True, True), Status.AUTH_REQUIRED),
    ((True, None, False, True, False), Status.BACKING_OFF),
    ((True, None, False, False, False), Status.NEVER_FETCHED),
    ((True, None, False, False, True), Status.OK),
]


@pytest.mark.parametrize(("facts", "status"), CASES)
def test_the_first_that_is_true_names_the_status(
    facts: tuple[bool, str | None, bool, bool, bool], status: Status
) -> None:
    is_active, paused_because, needs_login, is_backing_off, was_polled = facts

    assert status is status_of(
        is_active=is_active,
        paused_because=paused_because,
        needs_login=needs_login,
        is_backing_off=is_backing_off,
        was_polled=was_polled,
    )

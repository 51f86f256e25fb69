"""Is it them, or is it us? (SPEC, settled 2)."""

from __future__ import annotations

from datetime import timedelta

import pytest

from clawfeed.egress.outage import FAILURE_WINDOW, FailureOrigin, NetworkWatch
from tests.egress.loopback_servers import NOON

MINUTE = timedelta(minutes=1)
OURS, DOUBTFUL, THEIRS = FailureOrigin.OURS, FailureOrigin.DOUBTFUL, FailureOrigin.THEIRS


def online() -> NetworkWatch:
    return NetworkWatch(has_route=lambda: True)


@pytest.mark.parametrize(
    ("is_silent", "verdicts"),
    [(False, [DOUBTFUL] * 2 + [OURS] * 4), (True, [DOUBTFUL] * 4 + [OURS] * 2)],
    ids=["no DNS", "a black hole"],
)
def test_many_strangers_lost_in_a_row_mean_that_we_are_offline(
    is_silent: bool, verdicts: list[FailureOrigin]
) -> None:
    """And nobody is to blame: neither those after it was known nor those before."""
    watch = online()

    found = [
        watch.lost(host, NOON + n * MINUTE, since=n, is_silent=is_silent)
        for n, host in enumerate("abcdef")
    ]

    assert found == verdicts
    assert watch.is_offline


def test_one_host_lost_many_times_is_its_own_trouble() -> None:
    watch = online()

    verdicts = [watch.lost("a", NOON + n * MINUTE, since=n) for n in range(4)]

    assert verdicts == [DOUBTFUL, THEIRS, THEIRS, THEIRS]


def test_who_is_lost_while_others_answer_is_to_blame_at_once() -> None:
    watch = online()
    watch.answered(10.0)

    verdicts = [watch.lost(host, NOON, since=9.0, is_silent=True) for host in "abcdef"]

    assert verdicts == [THEIRS] * 6
    assert not watch.is_offline


def test_any_answer_starts_the_count_again() -> None:
    watch = online()
    watch.lost("a", NOON, since=1)
    watch.lost("b", NOON, since=1)

    watch.answered(2.0)

    assert watch.lost("c", NOON, since=3) is DOUBTFUL
    assert not watch.is_offline


def test_old_losses_do_not_count() -> None:
    watch = online()
    watch.lost("a", NOON, since=1)
    watch.lost("b", NOON + MINUTE, since=1)

    assert watch.lost("c", NOON + FAILURE_WINDOW, since=1) is DOUBTFUL
    assert watch.lost("d", NOON + FAILURE_WINDOW, since=1) is OURS


def test_once_offline_we_stay_offline_until_someone_answers() -> None:
    watch = online()
    for host in "abc":
        watch.lost(host, NOON, since=1)

    assert watch.lost("a", NOON + 10 * FAILURE_WINDOW, since=99) is OURS
    watch.answered(100.0)
    assert not watch.is_offline


def test_without_a_route_no_second_witness_is_needed_and_none_that_we_were_online() -> None:
    """Nor is a host to blame that fell silent (F8)."""
    first, silent = (NetworkWatch(has_route=lambda: False) for _ in range(2))

    assert first.lost("a", NOON, since=1) is OURS
    assert silent.lost("a", NOON, since=1, is_silent=True) is OURS


def test_nor_when_our_route_was_gone_while_we_waited_and_is_back() -> None:
    """(F8): what was lost is sent again only seconds later; who asked after it is judged anew."""
    has_route = [False]
    watch = NetworkWatch(has_route=lambda: has_route[0])
    watch.note_route(10.0)
    has_route[0] = True
    watch.note_route(11.0)

    asked_after = watch.lost("a", NOON, since=10.5, is_silent=True)
    asked_before = watch.lost("b", NOON, since=9.0, is_silent=True)

    assert (asked_before, asked_after) == (OURS, DOUBTFUL)


def test_the_memory_of_losses_is_bounded() -> None:
    watch = online()

    for number in range(1000):
        watch.lost(str(number), NOON, since=1, is_silent=True)

    assert len(watch._failed_at) <= 5

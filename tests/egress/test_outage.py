"""Is it them, or is it us? (SPEC, settled 2)."""

from __future__ import annotations

from datetime import timedelta

from clawfeed.egress.outage import FAILURE_WINDOW, NetworkWatch
from tests.egress.loopback_servers import NOON

MINUTE = timedelta(minutes=1)


def test_three_strangers_lost_in_a_row_mean_that_we_are_offline() -> None:
    watch = NetworkWatch(has_route=lambda: True)

    decisions = [watch.lost(host, NOON + n * MINUTE) for n, host in enumerate("abc")]

    assert decisions == [False, False, True]


def test_one_host_lost_many_times_is_its_own_trouble() -> None:
    watch = NetworkWatch(has_route=lambda: True)

    decisions = [watch.lost("a", NOON + n * MINUTE) for n in range(10)]

    assert not any(decisions)


def test_any_answer_starts_the_count_again() -> None:
    watch = NetworkWatch(has_route=lambda: True)
    watch.lost("a", NOON)
    watch.lost("b", NOON)

    watch.answered()

    assert not watch.lost("c", NOON)
    assert not watch.is_offline


def test_old_losses_do_not_count() -> None:
    watch = NetworkWatch(has_route=lambda: True)
    watch.lost("a", NOON)
    watch.lost("b", NOON + MINUTE)

    assert not watch.lost("c", NOON + FAILURE_WINDOW)
    assert watch.lost("d", NOON + FAILURE_WINDOW)


def test_once_offline_we_stay_offline_until_someone_answers() -> None:
    watch = NetworkWatch(has_route=lambda: True)
    for host in "abc":
        watch.lost(host, NOON)

    assert watch.lost("a", NOON + 10 * FAILURE_WINDOW)
    watch.answered()
    assert not watch.is_offline


def test_a_route_that_was_there_and_is_gone_needs_no_second_witness() -> None:
    watch = NetworkWatch(has_route=lambda: False)

    before = watch.lost("a", NOON)
    watch.answered()
    after = watch.lost("a", NOON)

    assert (before, after) == (False, True)


def test_a_host_that_fell_silent_is_not_to_blame_when_our_route_is_gone() -> None:
    """(F8): and is, while the route is there, or if there never was one."""
    has_route = [True]
    watch = NetworkWatch(has_route=lambda: has_route[0])
    never_online = NetworkWatch(has_route=lambda: False)
    watch.answered()

    before = watch.was_cut_off(since=0)
    has_route[0] = False
    after = watch.was_cut_off(since=0)

    assert (before, after, never_online.was_cut_off(since=0)) == (False, True, False)
    assert watch.is_offline


def test_nor_when_our_route_was_gone_while_we_waited_and_is_back() -> None:
    """(F8): what was lost is sent again only seconds later; who asked after it is judged anew."""
    has_route = [False]
    watch = NetworkWatch(has_route=lambda: has_route[0])
    watch.answered()
    watch.note_route(10.0)
    has_route[0] = True
    watch.note_route(11.0)

    asked_before, asked_after = (watch.was_cut_off(since=start) for start in (9.0, 10.5))

    assert (asked_before, asked_after) == (True, False)


def test_the_memory_of_losses_is_bounded() -> None:
    watch = NetworkWatch(has_route=lambda: True)

    for number in range(1000):
        watch.lost(str(number), NOON)

    assert len(watch._failed_at) <= 3

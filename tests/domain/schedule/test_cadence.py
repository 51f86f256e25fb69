"""How often a source publishes, at which hour, and so when the contract polls again."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clawfeed.domain.because import Rule
from clawfeed.domain.schedule.cadence import (
    Cadence,
    Frequency,
    PublishHabits,
    analyse,
    classify,
    is_analysis_due,
    next_cadence_poll,
    read_habits,
)
from clawfeed.domain.schedule.longest_wait import LONGEST_WAIT
from clawfeed.domain.schedule.publish_hours import PublishHours, publish_hours
from clawfeed.domain.wording.because_wording import render_because
from tests.support.clocks import NOON

HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
SHANGHAI = ZoneInfo("Asia/Shanghai")
BERLIN = ZoneInfo("Europe/Berlin")
MORNING = PublishHours(mean=8.5, deviation=1.2)

moments = st.datetimes(datetime(2001, 1, 1), datetime(2035, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001 -- hypothesis adds the zone
zones = st.sampled_from([UTC, SHANGHAI, BERLIN, ZoneInfo("America/St_Johns")])
throws = st.floats(0, 1, exclude_max=True)
hours = st.builds(PublishHours, mean=st.floats(0, 23.99), deviation=st.floats(1, 6))
habits = st.builds(
    PublishHabits,
    frequency=st.none() | st.sampled_from(Frequency),
    cadence=st.none() | st.sampled_from(Cadence),
    hours=st.none() | hours,
)


def every(gap: timedelta, times: int = 20) -> list[datetime]:
    return [NOON - gap * place for place in range(times)]


def at(*clock_times: str) -> list[datetime]:
    """One moment a day at each of these times, in UTC."""
    return [
        datetime.fromisoformat(f"2026-11-{day:02}T{text}Z")
        for day, text in enumerate(clock_times, 1)
    ]


@pytest.mark.parametrize(
    ("gap_hours", "frequency", "cadence", "base_minutes"),
    [
        (5.99, "realtime", "P0", 15),
        (6, "high", "P1", 30),
        (17.99, "high", "P1", 30),
        (18, "daily", "P2", 60),
        (35.99, "daily", "P2", 60),
        (36, "daily_fixed", "P3", 120),
        (71.99, "daily_fixed", "P3", 120),
        (72, "weekly", "P4", 240),
        (167, "weekly", "P4", 240),
        (168, "weekly", "P4", 240),
        (169, "weekly", "P4", 240),
        (170, "monthly", "P5", 480),
        (719.99, "monthly", "P5", 480),
        (720, "low", "P6", 1440),
        (5000, "low", "P6", 1440),
    ],
)
def test_the_mean_gap_makes_the_type_and_the_type_the_cadence(
    gap_hours: float, frequency: str, cadence: str, base_minutes: int
) -> None:
    """(S004-2)."""
    found = classify(every(gap_hours * HOUR), UTC)

    assert (found, found.cadence) == (frequency, cadence)
    assert found.cadence.base == timedelta(minutes=base_minutes)


def test_only_the_latest_twenty_moments_count() -> None:
    """(S004-2) a source that woke up is judged by what it does now."""
    slow_past = [NOON - 400 * DAY - DAY * place for place in range(10)]

    assert classify(every(HOUR * 24, 20) + slow_past, UTC) is Frequency.DAILY
    assert classify(every(HOUR * 24, 19) + slow_past, UTC) is Frequency.MONTHLY


def test_the_order_in_which_moments_come_does_not_matter() -> None:
    assert classify(every(DAY)[::-1], UTC) is Frequency.DAILY


def test_five_in_one_local_day_is_realtime_however_long_the_mean_gap() -> None:
    """(S004-2, settled 10) a day is a day of TIMEZONE, not any 24 hours."""
    weekly = every(7 * DAY, 10)
    evening = [datetime(2026, 11, 10, 14, tzinfo=UTC) + HOUR * place for place in range(5)]

    assert classify(weekly + evening, UTC) is Frequency.REALTIME
    assert classify(weekly + evening[:4], UTC) is Frequency.WEEKLY
    # 22:00 to 02:00 in Shanghai: two on one day, three on the next.
    assert classify(weekly + evening, SHANGHAI) is not Frequency.REALTIME


@pytest.mark.parametrize("published", [[], every(HOUR, 1), every(HOUR, 2)])
def test_fewer_than_three_items_are_taken_for_daily(published: list[datetime]) -> None:
    """(S004-2)."""
    assert classify(published, UTC) is Frequency.DAILY
    assert publish_hours(published, UTC) is None


def test_a_first_import_with_one_time_for_all_is_not_realtime() -> None:
    """(settled 9) one burst is not a rhythm."""
    burst = [NOON] * 30

    assert classify(burst, UTC) is Frequency.DAILY
    assert publish_hours(burst, UTC) is None
    assert classify(burst + [NOON - 5 * DAY * place for place in range(4)], UTC) is Frequency.WEEKLY


def test_many_items_a_day_are_realtime_though_all_are_stamped_with_midnight() -> None:
    """(S004-2, settled 9) the largest burst may be an import and counts once; the others count."""
    midnights = every(DAY, 4)

    assert classify(midnights * 5, UTC) is Frequency.REALTIME
    assert classify(midnights * 4, UTC) is Frequency.DAILY
    assert classify(midnights + midnights[:1] * 50, UTC) is Frequency.DAILY


@pytest.mark.parametrize(
    ("clock_times", "mean", "deviation"),
    [
        (("08:00", "09:00", "10:00"), 9.0, 1.0),
        (("06:00", "09:00", "12:00"), 9.0, 2.45),
        (("23:30", "00:30", "23:30", "00:30"), 0.0, 1.0),
        (("23:00", "23:30", "00:30", "02:00"), 0.25, 1.15),
        (("22:00", "23:00", "00:00", "01:00"), 23.5, 1.12),
        (("09:00", "09:00", "09:00"), 9.0, 1.0),
        (("00:00", "04:00", "08:00", "12:00", "16:00", "20:00"), 10.0, 6.0),
        (("23:59:58", "23:59:59", "23:59:59"), 0.0, 1.0),
    ],
    ids=str,
)
def test_the_usual_hour_is_a_mean_on_a_clock_cut_where_nothing_happens(
    clock_times: tuple[str, ...], mean: float, deviation: float
) -> None:
    """(S004-3, settled 7) and the deviation lies between one and six hours."""
    assert publish_hours(at(*clock_times), UTC) == PublishHours(mean=mean, deviation=deviation)


def test_the_usual_hour_looks_at_the_latest_thirty_and_at_the_local_clock() -> None:
    """(S004-3, settled 10)."""
    at_noon = every(DAY, 20)
    at_three = [NOON + 3 * HOUR - DAY * (20 + place) for place in range(10)]
    at_midnight = [NOON - 12 * HOUR - DAY * (40 + place) for place in range(30)]

    found = publish_hours(at_noon + at_three + at_midnight, UTC)

    assert found == PublishHours(mean=13.0, deviation=1.41)
    assert publish_hours(at_noon, SHANGHAI) == PublishHours(mean=20.0, deviation=1.0)


@given(st.lists(moments, max_size=40), zones)
def test_the_usual_hour_is_on_the_clock_and_its_deviation_within_bounds(
    published: list[datetime], zone: ZoneInfo
) -> None:
    """(S004-3)."""
    found = publish_hours(published, zone)

    assert (found is None) == (len(set(published)) < 3)
    if found:
        assert 0 <= found.mean < 24
        assert 1 <= found.deviation <= 6


@pytest.mark.parametrize(
    ("check_count", "is_hit", "is_due"),
    [
        (1, True, True),
        (3, True, True),
        (1, False, False),
        (3, False, False),
        (4, True, False),
        (5, True, False),
        (9, True, False),
        (10, False, True),
        (11, True, False),
        (100, False, True),
    ],
)
def test_analysis_is_due_every_tenth_check_and_at_a_newcomers_hits(
    check_count: int, is_hit: bool, is_due: bool
) -> None:
    """(S004-5)."""
    assert is_analysis_due(check_count=check_count, is_hit=is_hit) is is_due


@pytest.mark.parametrize(
    ("known", "published", "expected"),
    [
        # Nothing known, nothing to learn from: the contract's guess.
        ((None, None), [], ("daily", "P2")),
        ((None, None), every(7 * DAY), ("weekly", "P4")),
        # A changed type changes the cadence, even one set by hand.
        (("daily", "P2"), every(4 * DAY), ("weekly", "P4")),
        (("daily", "P0"), every(4 * DAY), ("weekly", "P4")),
        (("daily", "P0"), every(HOUR), ("realtime", "P0")),
        # An unchanged type keeps what somebody set.
        (("daily", "P0"), every(DAY), ("daily", "P0")),
        # Too little history keeps it, too.
        (("daily", "P5"), every(DAY, 2), ("daily", "P5")),
        (("weekly", "P4"), [], ("weekly", "P4")),
        (("weekly", None), [], ("weekly", "P4")),
        ((None, "P1"), [NOON] * 9, ("daily", "P1")),
        # Only P0-P6: anything else is as if nothing were set.
        (("daily", "P7"), every(DAY), ("daily", "P2")),
        (("daily", "p1"), [], ("daily", "P2")),
        (("hourly", "P1"), every(DAY), ("daily", "P2")),
    ],
)
def test_what_is_known_gives_way_only_to_a_changed_type(
    known: tuple[str | None, str | None],
    published: list[datetime],
    expected: tuple[str, str],
) -> None:
    """(S004-5)."""
    found = analyse(read_habits(*known, None, None), published, UTC)

    assert (found.frequency, found.cadence) == expected


def test_the_hours_are_learned_with_the_type() -> None:
    """(S004-3, S004-5)."""
    found = analyse(PublishHabits(hours=MORNING), every(DAY), UTC)

    assert found.hours == PublishHours(mean=12.0, deviation=1.0)
    assert analyse(found, every(DAY, 2), UTC).hours is None


@pytest.mark.parametrize(
    ("mean", "deviation"),
    [
        (None, 1.0),
        (9.0, None),
        (24.0, 1.0),
        (-0.1, 1.0),
        (float("nan"), 1.0),
        (9.0, 0.5),
        (9.0, 7.0),
        (9.0, float("nan")),
    ],
)
def test_stored_hours_that_make_no_sense_are_as_if_absent(
    mean: float | None, deviation: float | None
) -> None:
    assert read_habits("daily", "P2", mean, deviation).hours is None


@pytest.mark.parametrize(
    ("cadence", "expected"),
    [
        ("P0", "publishes all day long (P0): every 15 min"),
        ("P1", "publishes several times a day (P1): every 30 min"),
        ("P2", "publishes about once a day (P2): every 1 h"),
        ("P3", "publishes every 2-3 days (P3): every 2 h"),
        ("P4", "publishes about once a week (P4): every 4 h"),
        ("P5", "publishes about once a month (P5): every 8 h"),
        ("P6", "publishes rarely (P6): every 24 h"),
    ],
)
def test_without_an_hour_the_base_rules_and_says_so(cadence: str, expected: str) -> None:
    """(S004-2, S004-6, settled 11: `daily_fixed` is shown as "every 2-3 days")."""
    frequency = next(type_ for type_ in Frequency if type_.cadence == cadence)
    known = PublishHabits(frequency=frequency, cadence=frequency.cadence)

    date, because = next_cadence_poll(known, last_poll=NOON, now=NOON, timezone=UTC, dice=0.5)

    assert date == NOON + frequency.cadence.base
    assert render_because(because) == expected


@pytest.mark.parametrize(
    ("now", "frequency", "expected", "because"),
    [
        ("09:00", "daily", "09:42", "(±1.2 h), so next poll 09:42"),
        ("09:41", "daily", "09:42", "(±1.2 h), so next poll 09:42"),
        ("07:42", "daily", "09:42", "(±1.2 h), so next poll 09:42"),
        ("07:41", "daily", "09:41", "(±1.2 h); until then every 2 h"),
        ("09:42", "daily", "11:42", "(±1.2 h); until then every 2 h"),
        ("06:00", "daily_fixed", "09:42", "(±1.2 h), so next poll 09:42"),
        ("10:00", "daily_fixed", "14:00", "(±1.2 h); until then every 4 h"),
        ("02:00", "weekly", "09:42", "(±1.2 h), so next poll 09:42"),
        ("10:00", "weekly", "18:00", "(±1.2 h); until then every 8 h"),
    ],
)
def test_a_source_with_an_hour_is_polled_one_deviation_after_it(
    now: str, frequency: str, expected: str, because: str
) -> None:
    """(S004-6) past: next day; never later than 2 x base."""
    [start], [end] = at(now), at(expected)
    known = PublishHabits(
        frequency=Frequency(frequency), cadence=Frequency(frequency).cadence, hours=MORNING
    )

    found, why = next_cadence_poll(known, last_poll=start, now=start, timezone=UTC, dice=0.9)

    words = "usually publishes around 08:30 " + because
    assert (found, render_because(why)) == (end, words)


def test_an_hour_that_passed_today_means_tomorrow() -> None:
    """(S004-6) seen where 2 x base is longer than the night."""
    known = PublishHabits(frequency=Frequency.WEEKLY, cadence=Cadence.P6, hours=MORNING)

    date, _ = next_cadence_poll(known, last_poll=NOON, now=NOON, timezone=UTC, dice=0.5)

    assert date == NOON + DAY - timedelta(hours=2, minutes=18)


def test_an_hour_late_in_the_evening_is_polled_after_midnight() -> None:
    """(S004-6, settled 7) 23:00 ± 3 h means 02:00, tonight's as well as tomorrow's."""
    known = PublishHabits(
        frequency=Frequency.DAILY, cadence=Cadence.P2, hours=PublishHours(mean=23.0, deviation=3.0)
    )
    [after_midnight] = at("00:30")

    found, because = next_cadence_poll(
        known, last_poll=after_midnight, now=after_midnight, timezone=UTC, dice=0.5
    )

    assert [found] == at("02:00")
    assert render_because(because) == "usually publishes around 23:00 (±3.0 h), so next poll 02:00"


def test_the_hour_is_the_local_clocks_also_when_the_clocks_change() -> None:
    """(S004-6, settled 10) summer time ends in Berlin on 2026-10-25."""
    known = PublishHabits(frequency=Frequency.WEEKLY, cadence=Cadence.P4, hours=MORNING)
    saturday = datetime(2026, 10, 24, 2, 0, tzinfo=UTC)

    summer, because = next_cadence_poll(
        known, last_poll=saturday, now=saturday, timezone=BERLIN, dice=0.5
    )
    winter, _ = next_cadence_poll(
        known, last_poll=saturday + DAY, now=saturday + DAY, timezone=BERLIN, dice=0.5
    )

    assert summer == datetime(2026, 10, 24, 7, 42, tzinfo=UTC)
    assert winter == datetime(2026, 10, 25, 8, 42, tzinfo=UTC)
    assert render_because(because).endswith("so next poll 09:42")


def test_a_day_of_twenty_five_hours_is_not_waited_out() -> None:
    """(S004-6, settled 11) never more than 24 h, also when the clocks are set back."""
    known = PublishHabits(frequency=Frequency.WEEKLY, cadence=Cadence.P6, hours=MORNING)
    saturday = datetime(2026, 10, 24, 7, 43, tzinfo=UTC)

    date, _ = next_cadence_poll(known, last_poll=saturday, now=saturday, timezone=BERLIN, dice=0.5)

    assert date == saturday + LONGEST_WAIT


@pytest.mark.parametrize("frequency", ["realtime", "high", "monthly", "low"])
def test_other_types_do_not_wait_for_an_hour(frequency: str) -> None:
    """(S004-6)."""
    plain = PublishHabits(frequency=Frequency(frequency), cadence=Cadence.P1)
    with_hours = replace(plain, hours=MORNING)

    first = next_cadence_poll(plain, last_poll=NOON, now=NOON, timezone=UTC, dice=0.3)
    second = next_cadence_poll(with_hours, last_poll=NOON, now=NOON, timezone=UTC, dice=0.3)

    assert first == second


def test_a_day_is_the_longest_wait_and_beats_jitter_and_twice_the_base() -> None:
    """(S004-6, settled 11)."""
    rare = PublishHabits(frequency=Frequency.LOW, cadence=Cadence.P6)
    by_hand = PublishHabits(
        frequency=Frequency.DAILY, cadence=Cadence.P6, hours=PublishHours(mean=10.99, deviation=1.0)
    )

    jittered, _ = next_cadence_poll(rare, last_poll=NOON, now=NOON, timezone=UTC, dice=0.99)
    past_by_a_blink, _ = next_cadence_poll(by_hand, last_poll=NOON, now=NOON, timezone=UTC, dice=0)

    assert jittered == NOON + LONGEST_WAIT
    assert past_by_a_blink == NOON + LONGEST_WAIT - timedelta(seconds=36)


@given(habits, moments, st.timedeltas(timedelta(0), timedelta(minutes=10)), zones, throws)
def test_a_check_is_never_later_than_the_contract_allows(
    known: PublishHabits, last_poll: datetime, took: timedelta, zone: ZoneInfo, dice: float
) -> None:
    """(S004-6) 24 h, 2 x base with an hour, 0.85-1.15 x base without; the same for equal input."""
    now = last_poll + took

    date, because = next_cadence_poll(known, last_poll=last_poll, now=now, timezone=zone, dice=dice)
    again = next_cadence_poll(known, last_poll=last_poll, now=now, timezone=zone, dice=dice)

    assert (date, because) == again
    assert date > now
    assert date - last_poll <= LONGEST_WAIT
    if because.rule is not Rule.CADENCE:
        assert date - last_poll <= 2 * known.base
    else:
        share = (date - last_poll) / known.base
        assert share <= 1.15
        assert share >= 0.85 or date - last_poll == LONGEST_WAIT

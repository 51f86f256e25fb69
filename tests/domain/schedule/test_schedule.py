"""When to poll again: three policies behind one function."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clawfeed.domain.because import Because, Rule
from clawfeed.domain.schedule.cadence import Cadence, Frequency
from clawfeed.domain.schedule.interval import interval_for
from clawfeed.domain.schedule.longest_wait import LONGEST_WAIT
from clawfeed.domain.schedule.schedule import (
    SHORTEST_DELAY,
    Mode,
    NextPoll,
    Policy,
    Rhythm,
    is_stale,
    learn,
    mode_of,
    next_poll,
    why_every,
    widen_for_silence,
)
from clawfeed.domain.sources.source import Hints
from clawfeed.domain.wording.because_wording import render_because
from clawfeed.sources.source_types.built_in import BUILT_IN
from tests.support.clocks import NOON

MINUTE = timedelta(minutes=1)
HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
SLOW_SERVER = Hints(wait=20 * HOUR, skip_hours=frozenset({12, 13, 14, 15, 16}))
BUSY = Rhythm(frequency_type="high", cadence="P1")
FORESEEN = Because(Rule.FORECAST, {"expected": 0.4, "per_day": 2.0})


def poll(**changes: Any) -> NextPoll:
    """The next poll of an ordinary feed with a known rhythm, but for *changes*."""
    usual: dict[str, Any] = {
        "source_type": "rss",
        "interval": interval_for(BUILT_IN.facts(changes.get("source_type", "rss")), {}, None),
        "rhythm": BUSY,
        "dated": 20,
        "last_poll": NOON,
        "now": NOON + timedelta(seconds=3),
    }
    return next_poll(**{**usual, **changes})


@pytest.mark.parametrize("policy", Policy)
@pytest.mark.parametrize("dated", [0, 20])
@pytest.mark.parametrize(
    ("source_type", "overrides", "own"),
    [
        ("rss", {}, 30),
        ("my_plugin", {}, 30),
        ("rss", {"rss": 60}, None),
        ("hackernews", {}, None),
        ("reddit", {}, None),
        ("github_trending", {}, None),
        ("github-trending", {}, None),
        ("twitter_list", {}, None),
        ("twitter_account", {}, None),
    ],
)
def test_a_chosen_interval_or_a_hot_list_pins_whatever_is_known(
    source_type: str, overrides: dict[str, int], own: int | None, dated: int, policy: Policy
) -> None:
    """(settled 1)."""
    interval = interval_for(BUILT_IN.facts(source_type), overrides, own)

    assert mode_of(interval, dated=dated, policy=policy) is Mode.PINNED


@pytest.mark.parametrize(
    "source_type", ["rss", "digest_feed", "website", "custom_api", "my_plugin"]
)
def test_the_others_are_smart_from_their_third_dated_item_on(source_type: str) -> None:
    """(settled 1) unless the operator wants intervals."""
    interval = interval_for(BUILT_IN.facts(source_type), {}, None)

    assert mode_of(interval) is Mode.FIXED
    assert mode_of(interval, dated=2) is Mode.FIXED
    assert mode_of(interval, dated=3) is Mode.SMART
    assert mode_of(interval, dated=3, policy=Policy.FORECAST) is Mode.SMART
    assert mode_of(interval, dated=3, policy=Policy.FIXED) is Mode.FIXED


@pytest.mark.parametrize(
    ("overrides", "own", "rule"),
    [
        ({}, None, Rule.TYPE_INTERVAL),
        ({"rss": 60}, None, Rule.INTERVAL_SETTING),
        ({"rss": 60}, 30, Rule.OWN_INTERVAL),
    ],
)
def test_programs_learn_who_chose_an_interval_by_the_rules_code(
    overrides: dict[str, int], own: int | None, rule: Rule
) -> None:
    """Two of the sentences are alike; the codes are not."""
    interval = interval_for(BUILT_IN.facts("rss"), overrides, own)

    assert why_every(interval, "rss").rule is rule


@pytest.mark.parametrize(
    ("changes", "wait", "because"),
    [
        ({"dated": 2}, 4 * HOUR, "every 240 min (the usual for rss)"),
        ({"policy": Policy.FIXED}, 4 * HOUR, "every 240 min (the usual for rss)"),
        ({"source_type": "hackernews"}, HOUR, "every 60 min (the usual for hackernews)"),
        ({"source_type": "twitter_list"}, 30 * MINUTE, "every 30 min (the usual for twitter_list)"),
        (
            {"interval": interval_for(BUILT_IN.facts("rss"), {"rss": 90}, None)},
            90 * MINUTE,
            "every 90 min (FETCH_INTERVAL_RSS)",
        ),
        (
            {"interval": interval_for(BUILT_IN.facts("rss"), {}, 2880)},
            2 * DAY,
            "every 2880 min (source's own interval)",
        ),
    ],
    ids=str,
)
def test_pinned_and_fixed_sources_come_exactly_one_interval_after_the_last_poll(
    changes: dict[str, Any], wait: timedelta, because: str
) -> None:
    """(S000-1, S000-2, S000-4, S000-20, settled 1) neither dice nor server move the date."""
    found = poll(**changes, dice=0.9, hints=SLOW_SERVER)

    assert (found.at, render_because(found.because)) == (NOON + wait, because)
    assert found.mode is not Mode.SMART


def test_an_interval_that_passed_while_we_polled_is_due_at_once() -> None:
    found = poll(interval=interval_for(BUILT_IN.facts("rss"), {}, 1), now=NOON + 2 * MINUTE)

    assert found.at == NOON + 2 * MINUTE + SHORTEST_DELAY


@pytest.mark.parametrize(
    ("dice", "minutes"), [(0.0, 25.5), (0.5, 30.0), (0.99, 34.41)], ids=["low", "middle", "high"]
)
def test_a_smart_source_follows_its_cadence(dice: float, minutes: float) -> None:
    """(S004-6, settled 1)."""
    found = poll(dice=dice)

    assert found == NextPoll(
        at=NOON + minutes * MINUTE,
        because=Because(Rule.CADENCE, {"frequency": "high", "cadence": "P1", "every_minutes": 30}),
        mode=Mode.SMART,
    )


def test_a_smart_source_of_which_nothing_is_stored_is_taken_for_daily() -> None:
    """(S004-2)."""
    assert poll(rhythm=Rhythm()).at == NOON + HOUR


def test_the_usual_hour_is_read_on_the_operators_clock() -> None:
    """(S004-6, settled 10)."""
    rhythm = Rhythm(
        frequency_type="weekly", cadence="P4", avg_publish_hour=22.0, std_publish_hour=1.5
    )

    found = poll(rhythm=rhythm, timezone=ZoneInfo("Asia/Shanghai"))

    assert found.at == NOON + 3.5 * HOUR
    assert render_because(found.because) == (
        "usually publishes around 22:00 (±1.5 h), so next poll 23:30"
    )


def test_a_smart_source_hears_the_server() -> None:
    assert poll(hints=Hints(wait=2 * HOUR)).because.rule is Rule.SERVER_HINT
    assert poll(hints=Hints(wait=90 * DAY)).at == NOON + LONGEST_WAIT


@pytest.mark.parametrize(
    ("planned", "expected"),
    [
        (NOON + 2 * HOUR, NOON + 2 * HOUR),
        (NOON + 3 * DAY, NOON + DAY),
        (NOON - HOUR, NOON + timedelta(seconds=3) + SHORTEST_DELAY),
    ],
)
def test_a_forecast_rules_within_the_limits_every_policy_has(
    planned: datetime, expected: datetime
) -> None:
    """(settled 1, S004-6) after now, within a day of the last poll."""
    found = poll(policy=Policy.FORECAST, forecast=(planned, FORESEEN))

    assert (found.at, found.because) == (expected, FORESEEN)


def test_a_forecast_is_slowed_down_by_the_server_and_ignored_by_other_policies() -> None:
    """(settled 1)."""
    forecast = (NOON + HOUR, FORESEEN)

    slowed = poll(policy=Policy.FORECAST, forecast=forecast, hints=Hints(wait=2 * HOUR))
    cadence = poll(policy=Policy.CADENCE, forecast=forecast)
    nobody_foresees = poll(policy=Policy.FORECAST)

    assert slowed.because == Because(Rule.SERVER_HINT, {"instead_of": "forecast"})
    assert cadence == nobody_foresees == poll()


def test_a_clock_that_was_set_back_does_not_push_the_date_away() -> None:
    assert poll(now=NOON - 5 * HOUR).at == NOON - 5 * HOUR + 30 * MINUTE


def test_what_is_learned_is_stored_as_text_and_numbers() -> None:
    """(S004-1, S004-2, S004-3)."""
    daily = [NOON - DAY * place for place in range(5)]

    known = learn(Rhythm(check_count=3), daily, UTC)
    unknown = learn(Rhythm(avg_publish_hour=9.0, std_publish_hour=1.0), daily[:2], UTC)

    assert known == Rhythm(
        frequency_type="daily",
        cadence="P2",
        avg_publish_hour=12.0,
        std_publish_hour=1.0,
        check_count=3,
    )
    assert unknown == Rhythm(frequency_type="daily", cadence="P2")


@pytest.mark.parametrize(
    ("gaps_in_hours", "silent_for", "stale"),
    [
        # Regular: four mean gaps, and never within two days.
        ([24, 24, 24], 4 * DAY, False),
        ([24, 24, 24], 4 * DAY + MINUTE, True),
        ([1, 1, 1], 2 * DAY, False),
        ([1, 1, 1], 2 * DAY + MINUTE, True),
        # Uneven: three times its longest silence.
        ([24, 72, 24], 9 * DAY, False),
        ([24, 72, 24], 9 * DAY + MINUTE, True),
        # No rhythm, no reproach; two moments, or one moment many times.
        ([24], 900 * DAY, False),
        ([], 900 * DAY, False),
        ([0, 0, 0, 0], 900 * DAY, False),
        # Dated in the future.
        ([24, 24], -DAY, False),
    ],
)
def test_a_source_is_stale_when_silent_far_beyond_its_own_rhythm(
    gaps_in_hours: list[int], silent_for: timedelta, stale: bool
) -> None:
    moments = [NOON]
    for gap in gaps_in_hours:
        moments.append(moments[-1] - gap * HOUR)

    assert is_stale(moments, NOON + silent_for) is stale


@pytest.mark.parametrize(
    ("silent_for", "every", "cadence"),
    [
        (3 * DAY, 30 * MINUTE, "P1"),
        (5 * DAY, 4 * HOUR, "P4"),
        (20 * DAY, 8 * HOUR, "P5"),
        (7 * 365 * DAY, 24 * HOUR, "P6"),
    ],
)
def test_a_silent_source_is_polled_as_its_silence_deserves(
    silent_for: timedelta, every: timedelta, cadence: str
) -> None:
    """(settled 16) under every policy that learns; a long weekend is no silence."""
    silent = replace(BUSY, is_stale=True, last_article_at=NOON - silent_for)
    soon = (NOON + 5 * MINUTE, FORESEEN)

    slowed = widen_for_silence(silent, NOON)
    by_cadence = poll(rhythm=slowed, now=NOON)
    by_forecast = poll(rhythm=slowed, now=NOON, policy=Policy.FORECAST, forecast=soon)

    assert (slowed.cadence, by_cadence.at) == (cadence, NOON + every)
    rules = (by_cadence.because.rule, by_forecast.because.rule)
    if silent_for > 4 * DAY:
        assert (by_forecast.at, rules) == (NOON + every, (Rule.SILENCE, Rule.SILENCE))
    else:
        assert (by_forecast.at, rules) == (soon[0], (Rule.CADENCE, Rule.FORECAST))


def test_a_cadence_that_a_person_set_stands_whatever_the_silence_and_the_forecast() -> None:
    """(S004-5): and it rules before there is a history; an interval somebody set still wins."""
    chosen = Rhythm(
        cadence="P3", is_cadence_set=True, is_stale=True, last_article_at=NOON - 99 * DAY
    )
    forecast = (NOON + 5 * MINUTE, FORESEEN)

    assert widen_for_silence(chosen, NOON) == chosen
    for policy in (Policy.CADENCE, Policy.FORECAST):
        ruled = poll(rhythm=chosen, dated=0, policy=policy, forecast=forecast)
        assert (ruled.at, ruled.mode) == (NOON + 2 * HOUR, Mode.SMART)
    assert poll(rhythm=chosen, source_type="hackernews").mode is Mode.PINNED
    # The first type is no change; another is (S004-5).
    first = learn(chosen, [NOON - HOUR * place for place in range(20)], UTC)
    changed = learn(first, [NOON - DAY * place for place in range(20)], UTC)
    assert (first.frequency_type, first.cadence, first.is_cadence_set) == ("realtime", "P3", True)
    assert (changed.frequency_type, changed.cadence, changed.is_cadence_set) == (
        "daily",
        "P2",
        False,
    )


def test_a_long_silence_far_in_the_past_does_not_excuse_one_now() -> None:
    """Only the latest twenty moments are its rhythm."""
    lately = [NOON - DAY * place for place in range(20)]
    long_ago = [NOON - 900 * DAY - DAY * place for place in range(10)]

    assert is_stale(lately + long_ago, NOON + 5 * DAY)


rhythms = st.builds(
    Rhythm,
    frequency_type=st.none() | st.sampled_from([*map(str, Frequency), "nonsense"]),
    cadence=st.none() | st.sampled_from([*map(str, Cadence), "P7"]),
    avg_publish_hour=st.none() | st.floats(0, 23.99),
    std_publish_hour=st.none() | st.floats(1, 6),
)
questions = st.fixed_dictionaries(
    {
        "rhythm": rhythms,
        "dated": st.integers(0, 30),
        "interval": st.builds(
            interval_for,
            st.just(BUILT_IN.facts("rss")),
            st.just({}),
            st.none() | st.integers(1, 100_000),
        ),
        "now": st.datetimes(
            datetime(2001, 1, 1),  # noqa: DTZ001 -- hypothesis adds the zone
            datetime(2035, 1, 1),  # noqa: DTZ001
            timezones=st.just(UTC),
        ),
        "policy": st.sampled_from(Policy),
        "dice": st.floats(0, 1, exclude_max=True),
        "timezone": st.sampled_from([UTC, ZoneInfo("Asia/Shanghai"), ZoneInfo("Europe/Berlin")]),
        "forecast": st.none()
        | st.datetimes(
            datetime(2001, 1, 1),  # noqa: DTZ001 -- hypothesis adds the zone
            datetime(2035, 1, 1),  # noqa: DTZ001
            timezones=st.just(UTC),
        ).map(lambda at: (at, FORESEEN)),
    }
)
hints = st.builds(
    Hints,
    wait=st.none() | st.timedeltas(),
    skip_hours=st.frozensets(st.integers(0, 23)),
    skip_days=st.frozensets(st.integers(0, 6)),
)


@given(questions, st.timedeltas(-2 * DAY, 2 * DAY), hints)
def test_the_promises_hold_whatever_is_asked(
    question: dict[str, Any], took: timedelta, heard: Hints
) -> None:
    """(S000-20, S004-6, settled 1, settled 11) and hints never make it earlier."""
    question["last_poll"] = question["now"] - took
    now = question["now"]

    found = poll(**question, hints=heard)
    unheard = poll(**question)

    assert found == poll(**question, hints=heard)
    assert found.at is not None
    assert unheard.at is not None
    assert found.at > now
    assert found.at >= unheard.at
    if found.mode is Mode.SMART:
        assert found.at <= now + LONGEST_WAIT
    else:
        exact = question["last_poll"] + question["interval"].every
        assert found.at == max(exact, now + SHORTEST_DELAY)

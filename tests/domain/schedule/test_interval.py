"""The fixed rhythm: the table, who may override it, and what does not count."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clawfeed.domain.because import Rule
from clawfeed.domain.ids import SourceId
from clawfeed.domain.schedule.interval import (
    LONGEST_MINUTES,
    Intervals,
    interval_for,
    merge_overrides,
    positive_minutes,
    read_overrides,
)
from clawfeed.domain.sources.source import Source
from clawfeed.domain.sources.type_facts import KnownTypes, TypeFacts
from clawfeed.sources.source_types.built_in import BUILT_IN


@pytest.mark.parametrize(
    ("kind", "minutes"),
    [
        ("twitter_feed", 30),
        ("twitter_account", 30),
        ("twitter_list", 30),
        ("twitter_foryou", 30),
        ("twitter_bookmarks", 60),
        ("twitter_favorites", 60),
        ("hackernews", 60),
        ("reddit", 60),
        ("rss", 240),
        ("digest_feed", 240),
        ("github_trending", 240),
        ("website", 240),
        ("custom_api", 120),
        ("somebodys_plugin", 240),
    ],
)
def test_every_type_has_its_minutes_and_a_strange_one_has_240(kind: str, minutes: int) -> None:
    """(S000-1)."""
    interval = interval_for(BUILT_IN.facts(kind), {}, None)

    assert interval.minutes == minutes
    assert interval.every == timedelta(minutes=minutes)
    assert interval.rule is Rule.TYPE_INTERVAL
    assert not interval.is_chosen


@pytest.mark.parametrize(
    ("kind", "own", "minutes", "rule"),
    [
        ("rss", None, 60, Rule.INTERVAL_SETTING),
        ("rss", 15, 15, Rule.OWN_INTERVAL),
        ("rss", 0, 60, Rule.INTERVAL_SETTING),
        ("rss", -5, 60, Rule.INTERVAL_SETTING),
        ("website", 15, 15, Rule.OWN_INTERVAL),
        ("website", None, 240, Rule.TYPE_INTERVAL),
        ("twitter_account", None, 7, Rule.INTERVAL_SETTING),
    ],
)
def test_the_sources_own_interval_beats_its_types_which_beats_the_table(
    kind: str, own: int | None, minutes: int, rule: Rule
) -> None:
    """(S000-2, S000-23)."""
    interval = interval_for(BUILT_IN.facts(kind), {"rss": 60, "twitter_feed": 7}, own)

    assert (interval.minutes, interval.rule) == (minutes, rule)


@pytest.mark.parametrize(
    ("kind", "setting"),
    [("rss", "FETCH_INTERVAL_RSS"), ("twitter_account", "FETCH_INTERVAL_TWITTER_FEED")],
)
def test_an_override_is_known_by_the_name_of_its_setting(kind: str, setting: str) -> None:
    interval = interval_for(BUILT_IN.facts(kind), {"rss": 60, "twitter_feed": 60}, None)

    assert interval.setting == setting


@pytest.mark.parametrize(
    ("value", "minutes"),
    [
        ("60", 60),
        (" 60 ", 60),
        (60, 60),
        ("0", None),
        (0, None),
        ("-5", None),
        (-5, None),
        ("1.5", None),
        (1.5, None),
        ("1_000", None),
        ("٣", None),
        ("abc", None),
        ("", None),
        (None, None),
        (True, None),
        ([60], None),
        ("9" * 5000, None),
        (LONGEST_MINUTES, LONGEST_MINUTES),
        (LONGEST_MINUTES + 1, None),
    ],
)
def test_only_positive_integers_count(value: object, minutes: int | None) -> None:
    """(S000-2)."""
    assert positive_minutes(value) == minutes  # type: ignore[arg-type]  # anything JSON may hold


@pytest.mark.parametrize("name", ["FETCH_INTERVAL_RSS", "fetch_interval_rss", "FETCH_INTERVAL_Rss"])
def test_an_override_is_heard_in_any_case(name: str) -> None:
    """(S000-2)."""
    found = read_overrides({name: "60", "HOME": "/root", "FETCH_INTERVAL_": "3"}, BUILT_IN)

    assert found.minutes == {"rss": 60}
    assert found.warnings == ()


def test_a_wrong_override_keeps_the_default_and_gives_one_warning() -> None:
    """(S000-2)."""
    rows = {"FETCH_INTERVAL_RSS": "soon", "FETCH_INTERVAL_REDDIT": "5", "FETCH_INTERVAL_X": ""}

    found = read_overrides(rows, BUILT_IN, where=" in .env")

    assert found.minutes == {"reddit": 5}
    [warning] = found.warnings
    assert warning.startswith('FETCH_INTERVAL_RSS in .env is "soon": expected a positive whole')
    assert interval_for(BUILT_IN.facts("rss"), found.minutes, None).minutes == 240


def test_of_two_spellings_the_upper_case_one_wins() -> None:
    rows = {"fetch_interval_rss": "1", "FETCH_INTERVAL_RSS": "2", "Fetch_Interval_Rss": "3"}

    assert read_overrides(rows, BUILT_IN).minutes == {"rss": 2}


def test_the_environment_beats_the_config_table() -> None:
    """(S000-2)."""
    from_table = read_overrides(
        {"fetch_interval_twitter_account": "10", "FETCH_INTERVAL_RSS": "9"}, BUILT_IN
    )
    from_env = read_overrides({"FETCH_INTERVAL_TWITTER_FEED": "20"}, BUILT_IN)

    merged = merge_overrides(from_table.minutes, from_env.minutes)

    assert merged == {"twitter_feed": 20, "rss": 9}


@given(st.text(), st.dictionaries(st.text(), st.integers()), st.none() | st.integers())
def test_there_is_always_a_positive_interval(
    kind: str, overrides: dict[str, int], own: int | None
) -> None:
    interval = interval_for(BUILT_IN.facts(kind), overrides, own)

    assert timedelta(0) < interval.every <= timedelta(minutes=LONGEST_MINUTES)


def followed(source_type: str, **config: int) -> Source:
    return Source(id=SourceId(1), type=source_type, name="x", config=config)


@pytest.mark.parametrize(
    ("source", "minutes"),
    [
        (followed("rss"), 240),
        (followed("rss", fetch_interval_minutes=7), 7),
        (followed("weather"), 15),
        (followed("weather", fetch_interval_minutes=7), 7),
        (followed("tides"), 99),
        (followed("unknown"), 240),
    ],
)
def test_a_plug_ins_own_interval_stands_where_a_types_default_would(
    source: Source, minutes: int
) -> None:
    """(S003-2, S000-23)."""
    plugins = (TypeFacts(name="weather", minutes=15), TypeFacts(name="tides", minutes=30))
    intervals = Intervals(types=KnownTypes(plugins), overrides={"tides": 99})

    assert intervals.of(source).minutes == minutes
    assert intervals.every(source) == timedelta(minutes=minutes)
    assert intervals.by_type()["weather"] == 15


def test_the_promises_to_users_follow_from_the_table() -> None:
    """(S000-24): a feed's items within 4 hours, an account's within 30 minutes.

    That the due query takes under 1 ms at 224 sources is measured by `bench/bench_schedule.py`.
    """
    intervals = Intervals(types=BUILT_IN)

    assert intervals.by_type()["rss"] <= 4 * 60
    assert intervals.by_type()["twitter_feed"] <= 30

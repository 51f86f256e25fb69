"""A reason is a rule with parameters: stored as JSON, read in English and Chinese."""

from __future__ import annotations

import re

import pytest

from clawfeed.domain.because import (
    PARAMETERS,
    Because,
    Rule,
    Scalar,
    from_text,
    to_text,
)
from clawfeed.domain.schedule.cadence import Frequency
from clawfeed.domain.wording.because_figures import clock, how_often, span
from clawfeed.domain.wording.because_wording import Language, render_because

# One value for every parameter there is.
VALUES: dict[str, Scalar] = {
    "minutes": 240,
    "type": "rss",
    "setting": "FETCH_INTERVAL_RSS",
    "frequency": "weekly",
    "cadence": "P4",
    "every_minutes": 90.0,
    "hour": 9.7,
    "deviation": 1.24,
    "poll_at": "10:54",
    "expected": 1.26,
    "per_day": 3.0,
    "instead_of": "cadence",
    "left": 640,
    "limit": 10_000,
    "days": 16,
    "share": 40.0,
    "posts_per_day": 60.0,
    "cost": 5,
    "posts_found": 2.5,
    "failures": 3,
    "silent_days": 2_570.3,
    "host": "a.example",
    "until": "2026-11-15T13:30:00Z",
    "site": "Reddit",
    "api": "X",
    "every_days": 2.5,
    "posts": 5,
    "items": 2000,
    "megabytes": 20,
    "why": "no fetcher for the source type 'gopher'",
    "on_days": "weekdays",
    "at_hours": "09:00",
    "next_expected": "2026-11-17",
    "asked_minutes": 1440.0,
}


def example(rule: Rule) -> Because:
    return Because(rule, {name: VALUES[name] for name in PARAMETERS.get(rule, {})})


@pytest.mark.parametrize("rule", Rule)
@pytest.mark.parametrize("language", Language)
def test_every_rule_is_a_sentence_in_every_language(rule: Rule, language: Language) -> None:
    """With exactly the parameters that the rule is said to have: one more would raise."""
    sentence = render_because(example(rule), language)

    assert sentence
    assert "{" not in sentence
    assert bool(re.search(r"[\u4e00-\u9fff]", sentence)) == (language is Language.CHINESE)


@pytest.mark.parametrize("rule", Rule)
def test_what_is_stored_is_what_is_read_and_the_same_text_each_time(rule: Rule) -> None:
    because = example(rule)
    shuffled = Because(rule, dict(reversed(list(because.parameters.items()))))

    assert from_text(to_text(because)) == because
    assert to_text(shuffled) == to_text(because)


@pytest.mark.parametrize(
    ("rule", "english", "chinese"),
    [
        (
            Rule.TYPE_INTERVAL,
            "every 240 min (the usual for rss)",
            "每 240 分钟一次（rss 的默认间隔）",
        ),
        (
            Rule.CADENCE,
            "publishes about once a week (P4): every 1.5 h",
            "更新频率：约每周一次（P4），每 1.5 小时抓取一次",
        ),
        (
            Rule.USUAL_HOUR,
            "usually publishes around 09:42 (±1.2 h), so next poll 10:54",
            "通常在 09:42 左右发布（±1.2 小时），因此下次在 10:54 抓取",
        ),
        (
            Rule.FORECAST,
            "about 1.3 new items expected by then; publishes about 3.0 times a day",
            "预计届时约有 1.3 条新内容；每天发布约 3.0 次",
        ),
        (
            Rule.FORECAST_HABIT,
            "usually publishes on weekdays around 09:00; next expected Tue 17 Nov",
            "通常工作日 09:00 左右发布；预计下次更新：11 月 17 日（周二）",
        ),
        (
            Rule.FORECAST_NEXT,
            "publishes about 3.0 times a day, at no usual time; next expected around Tue 17 Nov",
            "每天发布约 3.0 次，时间不定；预计下次更新在 11 月 17 日（周二） 前后",
        ),
        (
            Rule.FEED_HINT_CAPPED,
            (
                "the feed asks for 24 h between polls, but publishes about 3.0 times a day: "
                "polled sooner"
            ),
            "该订阅源要求每次间隔 24 小时，但实际每天发布约 3.0 次，因此会提前抓取",
        ),
        (
            Rule.HOST_RESTS,
            "a.example asked us to stay away until 13:30 UTC",
            "a.example 要求在 13:30（UTC）之前不要访问",
        ),
        (
            Rule.READ_BUDGET,
            (
                "X budget: 640 of 10,000 reads left for 16 days, a share of 40 a day; "
                "it posts 60 a day"
            ),
            "X 读取额度：剩余 640/10,000，要用 16 天，该源每天可用 40；它每天约发 60 条",
        ),
        (Rule.OTHER_VERSION, "set by another version of ClawFeed", "由另一个版本的 ClawFeed 设定"),
    ],
)
def test_figures_are_shown_as_people_read_them(rule: Rule, english: str, chinese: str) -> None:
    because = example(rule)

    assert render_because(because) == english
    assert render_because(because, Language.CHINESE) == chinese


@pytest.mark.parametrize(
    ("because", "english", "chinese"),
    [
        (
            Because(Rule.BACK_OFF, {"failures": 1}),
            "backing off after 1 failure",
            "失败 1 次，推迟重试",
        ),
        (
            Because(Rule.BACK_OFF, {"failures": 2}),
            "backing off after 2 failures in a row",
            "连续失败 2 次，推迟重试",
        ),
        (
            Because(Rule.READ_TURN, {"api": "X", "every_days": 1.04, "posts": 1}),
            "the monthly X read budget is short: read every 1 day, 1 post at a time",
            "本月的 X 读取额度不足：每 1 天读取一次，每次 1 条",
        ),
        (
            Because(Rule.READ_TURN, {"api": "X", "every_days": 2.5, "posts": 5}),
            "the monthly X read budget is short: read every 2.5 days, 5 posts at a time",
            "本月的 X 读取额度不足：每 2.5 天读取一次，每次 5 条",
        ),
        (
            Because(Rule.FORECAST, {"expected": 0.3, "per_day": 12.0}),
            "something new by then in 26 of 100 cases; publishes about 12 times a day",
            "届时有新内容的可能性约为 26%；每天发布约 12 次",
        ),
        (
            Because(
                Rule.FORECAST_HABIT,
                {
                    "per_day": 1.0,
                    "on_days": "tue,fri",
                    "at_hours": "07-10,17-19",
                    "next_expected": "damaged",
                },
            ),
            "usually publishes on Tuesdays and Fridays 07-10 and 17-19; next expected damaged",
            "通常周二和周五 07-10 点、17-19 点发布；预计下次更新：damaged",
        ),
        (
            Because(Rule.FORECAST_LONGEST, {"per_day": 0.144}),
            "publishes about once a week; never left alone for longer than a day",
            "每周发布约 1 次；抓取间隔最长一天",
        ),
        (
            Because(Rule.FORECAST_LONGEST, {"per_day": 0.001}),
            "publishes less than once a month; never left alone for longer than a day",
            "每月发布不到 1 次；抓取间隔最长一天",
        ),
    ],
)
def test_one_and_many_are_told_apart(because: Because, english: str, chinese: str) -> None:
    assert render_because(because) == english
    assert render_because(because, Language.CHINESE) == chinese


def test_figures_are_in_the_unit_that_people_would_use() -> None:
    assert [span(minutes) for minutes in (15, 59, 60, 90)] == ["15 min", "59 min", "1 h", "1.5 h"]
    assert [clock(hour) for hour in (0, 9.7, 23.995)] == ["00:00", "09:42", "00:00"]
    assert [how_often(per_day) for per_day in (24, 1, 0.5, 1 / 7, 0.1)] == [
        "about 24 times a day",
        "about once a day",
        "about 3.5 times a week",
        "about once a week",
        "about 3.0 times a month",
    ]


def test_the_last_day_of_a_budget_is_one_day() -> None:
    last = example(Rule.READ_BUDGET)

    sentence = render_because(Because(last.rule, {**last.parameters, "days": 1}))

    assert "reads left for 1 day, a share" in sentence


def test_a_whole_number_may_stand_where_a_fraction_is_expected() -> None:
    stored = Because(Rule.FORECAST_LONGEST, {"per_day": 3})

    assert from_text(to_text(stored)) == stored


@pytest.mark.parametrize("frequency", Frequency)
def test_every_frequency_has_a_chinese_name(frequency: Frequency) -> None:
    parameters: dict[str, Scalar] = {
        "frequency": str(frequency), "cadence": "P0", "every_minutes": 15,
    }  # fmt: skip

    assert frequency not in render_because(Because(Rule.CADENCE, parameters), Language.CHINESE)


@pytest.mark.parametrize(
    "stored",
    [
        "every 240 min",
        "[]",
        "7",
        "{}",
        '{"rule": "of_tomorrow"}',
        '{"rule": ["asked"]}',
        '{"rule": "back_off"}',
        '{"rule": "back_off", "failures": "many"}',
        '{"rule": "back_off", "failures": true}',
        '{"rule": "forecast_longest", "per_day": NaN}',
        '{"rule": "forecast_longest", "per_day": -1e999}',
        '{"rule": "forecast_longest", "per_day": 1' + "0" * 400 + "}",
        "[" * 100_000,
    ],
)
def test_what_another_version_or_damage_left_is_still_a_reason(stored: str) -> None:
    because = from_text(stored)

    assert because == Because(Rule.OTHER_VERSION)


def test_what_a_rule_is_not_said_to_have_is_left_out() -> None:
    """One row with more than its rule would spoil the whole list it is shown in."""
    because = from_text('{"rule": "asked", "hour": "x", "left": {}}')

    assert because == Because(Rule.ASKED)
    assert render_because(because) == "somebody asked for a poll"


def test_before_anything_planned_a_source_there_is_no_reason() -> None:
    assert from_text("") is from_text(None) is None
    assert render_because(None) == ""

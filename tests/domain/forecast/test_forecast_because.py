"""Reasons that a person can hold against what the source really does (POLLING, "Explaining it")."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest

from clawfeed.domain.because import Because, Rule
from clawfeed.domain.forecast.forecast import from_history, plan
from clawfeed.domain.forecast.forecast_because import explain
from clawfeed.domain.forecast.planner import PollPlan
from clawfeed.domain.wording.because_wording import Language, render_because

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
MONDAY = datetime(2026, 3, 2, tzinfo=UTC)
BERLIN = ZoneInfo("Europe/Berlin")


def days(*weekdays: int, hour: float = 9, weeks: int = 12) -> list[datetime]:
    """An item on each of *weekdays* (Monday is 0) at *hour* UTC, up to MONDAY."""
    past = [MONDAY - day * DAY for day in range(1, 7 * weeks + 1)]
    return [day + hour * HOUR for day in past if day.weekday() in weekdays]


def reason(published: Sequence[datetime], tz: timezone | ZoneInfo = UTC) -> Because:
    """Of a poll that nothing is expected from."""
    state = from_history(published, MONDAY)
    return explain(state, PollPlan(at=MONDAY + HOUR, expected=0.01, is_longest=False), tz)


@pytest.mark.parametrize(
    ("published", "english", "chinese"),
    [
        (
            days(0, 1, 2, 3, 4),
            "usually publishes on weekdays around 09:00; next expected Mon 2 Mar",
            "通常工作日 09:00 左右发布；预计下次更新：3 月 2 日（周一）",
        ),
        (
            days(1),
            "usually publishes on Tuesdays around 09:00; next expected Tue 3 Mar",
            "通常周二 09:00 左右发布；预计下次更新：3 月 3 日（周二）",
        ),
        (
            days(5, 6, hour=20.5),
            "usually publishes at weekends around 20:30; next expected Sat 7 Mar",
            "通常周末 20:30 左右发布；预计下次更新：3 月 7 日（周六）",
        ),
        (
            [at + n * HOUR for at in days(*range(7), hour=8.5) for n in range(4)],
            "usually publishes every day 08-12; next expected Mon 2 Mar",
            "通常每天 08-12 点发布；预计下次更新：3 月 2 日（周一）",
        ),
    ],
    ids=["weekdays at nine", "Tuesdays", "weekends", "office hours"],
)
def test_habits_are_told_with_the_day_of_the_next_item(
    published: list[datetime], english: str, chinese: str
) -> None:
    because = reason(published)

    assert render_because(because) == english
    assert render_because(because, Language.CHINESE) == chinese


def test_days_and_hours_are_those_of_the_reader() -> None:
    because = reason(days(0, 1, 2, 3, 4, hour=23.5), BERLIN)

    assert because.parameters["at_hours"] == "00:30"
    assert because.parameters["next_expected"] == "2026-03-03"


@pytest.mark.parametrize(
    ("published", "rule"),
    [
        ([MONDAY - n * 10.3 * DAY for n in range(1, 10)], Rule.FORECAST_NEXT),
        ([MONDAY - 119 * DAY], Rule.FORECAST_QUIET),
    ],
)
def test_a_source_without_habits_has_a_date_or_is_quiet(
    published: list[datetime], rule: Rule
) -> None:
    assert reason(published).rule is rule


def test_no_reason_speaks_of_no_items() -> None:
    """39 of 100 reasons said "about 0.0 new items expected": nobody polls for that."""
    habits = [days(0, 3), days(*range(7)), [MONDAY - n * 17.3 * DAY for n in range(7)]]
    for published in habits:
        state, at = from_history(published, MONDAY), MONDAY
        for _ in range(40):
            found = plan(state, last_poll=at, now=at, price=200.0, beta=1 / 3)
            because = explain(state, found, UTC)
            at = found.at

            assert "0.0" not in render_because(because)
            assert because.rule is not Rule.FORECAST or found.expected >= 0.05

"""Why the learned schedule polls when it does, in figures that people can believe or not."""

from __future__ import annotations

import math
from datetime import UTC, date, datetime, timedelta, tzinfo

from clawfeed.domain.because import Because, Rule, Scalar
from clawfeed.domain.forecast.planner import PollPlan
from clawfeed.domain.forecast.state import Forecast
from clawfeed.domain.forecast.usual_hours import Habit, days_of, habit_of
from clawfeed.domain.forecast.weekly_profile import DAY, HOUR, HOURS_A_WEEK, OFFSET, hour_of_week

# As many items expected as make one more likely than none.
EVEN_CHANCE = math.log(2)
# From here on what is expected by the next poll says more than the source's habits,
LIKELY_ITEMS = 0.5
# and below it is no reason that anybody believes.
UNLIKELY_ITEMS = 0.05
# So many items after it should have published, it may as well have stopped: we begin anew.
OVERDUE_ITEMS = 1.6
# Further ahead nobody can say.
WEEKS_AHEAD = 8


def explain(state: Forecast, plan: PollPlan, timezone: tzinfo) -> Because:
    """The reason of a planned poll: what is expected by then, or when something is."""
    rate: dict[str, Scalar] = {"per_day": round(state.rate, 4)}
    if plan.is_longest:
        return Because(Rule.FORECAST_LONGEST, rate)
    if plan.expected >= LIKELY_ITEMS:
        return Because(Rule.FORECAST, {"expected": round(plan.expected, 2), **rate})
    habit = habit_of(state, timezone)
    day = next_expected(state, habit, timezone)
    if day and not habit.is_none:
        usual = {"on_days": habit.on_days, "at_hours": habit.at_hours}
        return Because(Rule.FORECAST_HABIT, {**rate, **usual, "next_expected": day.isoformat()})
    if plan.expected >= UNLIKELY_ITEMS:
        return Because(Rule.FORECAST, {"expected": round(plan.expected, 2), **rate})
    if day:
        return Because(Rule.FORECAST_NEXT, {**rate, "next_expected": day.isoformat()})
    return Because(Rule.FORECAST_QUIET, rate)


def next_expected(state: Forecast, habit: Habit, timezone: tzinfo) -> date | None:
    """The local day on which a new item becomes more likely than none; None if that is far off.

    One of its usual days: what it does on others is too little to name one.
    """
    since = state.since if state.since < OVERDUE_ITEMS else 0.0
    weeks, left = divmod(max(0.0, EVEN_CHANCE - since), state.rate * 7)
    if weeks >= WEEKS_AHEAD:
        return None
    week, hourly = state.shape(state.learned_at).week(), state.rate * HOUR / DAY
    first, hours = int((state.learned_at - OFFSET) // HOUR), 0
    while hours < HOURS_A_WEEK and left > 0:
        left -= hourly * week[hour_of_week(first + hours)]
        hours += 1
    wait = timedelta(weeks=weeks, hours=max(0, hours - 1))
    day = (datetime.fromtimestamp(state.learned_at, UTC) + wait).astimezone(timezone).date()
    usual = days_of(habit.on_days)
    return next(day + timedelta(days=n) for n in range(7) if (day.weekday() + n) % 7 in usual)

"""The rule that chose a date, with its parameters: what is stored, compared and sent to programs.

People read it in words; those are made at the edges by `because_wording`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, TypeAlias

Scalar: TypeAlias = str | int | float


class Rule(StrEnum):
    """Every rule that dates, pauses or puts off a source. Stored and shown to programs."""

    # By its interval
    TYPE_INTERVAL = "type_interval"
    OWN_INTERVAL = "own_interval"
    INTERVAL_SETTING = "interval_setting"
    # By its history
    CADENCE = "cadence"
    USUAL_HOUR = "usual_hour"
    BEFORE_USUAL_HOUR = "before_usual_hour"
    FORECAST = "forecast"
    FORECAST_LONGEST = "forecast_longest"
    SILENCE = "silence"
    # By what its server or its document said
    SERVER_HINT = "server_hint"
    SKIP_HOUR = "skip_hour"
    SKIP_DAY = "skip_day"
    # By the budget of a paid API
    READ_BUDGET = "read_budget"
    READ_BUDGET_PER_POLL = "read_budget_per_poll"
    # By what may be stored in a day
    SOURCE_QUOTA = "source_quota"
    PERSON_QUOTA = "person_quota"
    # After a failure
    BACK_OFF = "back_off"
    RATE_LIMITED = "rate_limited"
    AUTH_REQUIRED = "auth_required"
    FORBIDDEN = "forbidden"
    RETRY_AFTER = "retry_after"
    # Put off: nobody was asked
    OFFLINE = "offline"
    NOBODY_ANSWERED = "nobody_answered"
    HOST_RESTS = "host_rests"
    HOST_QUEUE = "host_queue"
    HOST_TURN = "host_turn"
    SITE_PACE = "site_pace"
    API_RESTS = "api_rests"
    READS_SPENT = "reads_spent"
    READ_TURN = "read_turn"
    NO_FETCHER = "no_fetcher"
    # By a person, or by what happened to us
    NEVER_POLLED = "never_polled"
    ASKED = "asked"
    ASKED_HOST_RESTS = "asked_host_rests"
    RESUMED = "resumed"
    SETTINGS_CHANGED = "settings_changed"
    STARTED_ANEW = "started_anew"
    DATE_MENDED = "date_mended"
    # Paused: there is no date
    PAUSED_ERRORS = "paused_errors"
    PAUSED_GONE = "paused_gone"
    PAUSED_PERSON = "paused_person"
    # Written by a version that knew other rules; the next poll replaces it
    OTHER_VERSION = "other_version"
    # By its history: when it usually publishes, when it is next expected to, that it seldom does
    FORECAST_HABIT = "forecast_habit"
    FORECAST_NEXT = "forecast_next"
    FORECAST_QUIET = "forecast_quiet"
    # By its document's wish, as far as the feed's own habits bear it out
    FEED_HINT_CAPPED = "feed_hint_capped"


INTERVAL_RULES = frozenset({Rule.TYPE_INTERVAL, Rule.OWN_INTERVAL, Rule.INTERVAL_SETTING})

# Beyond any figure a rule goes by; a damaged row may hold what no float can.
LARGEST_NUMBER = 1e15

_BUDGET: Mapping[str, type] = {"left": int, "limit": int, "days": int, "share": float}
# What each rule must bring along; rules that are not here need nothing. `float` takes an `int`.
# `instead_of` is the rule that would have chosen an earlier date.
PARAMETERS: Mapping[Rule, Mapping[str, type]] = {
    Rule.TYPE_INTERVAL: {"minutes": float, "type": str},
    Rule.OWN_INTERVAL: {"minutes": int},
    Rule.INTERVAL_SETTING: {"minutes": int, "setting": str},
    Rule.CADENCE: {"frequency": str, "cadence": str, "every_minutes": float},
    Rule.USUAL_HOUR: {"hour": float, "deviation": float, "poll_at": str},
    Rule.BEFORE_USUAL_HOUR: {"hour": float, "deviation": float, "every_minutes": float},
    Rule.FORECAST: {"expected": float, "per_day": float},
    Rule.FORECAST_LONGEST: {"per_day": float},
    Rule.SILENCE: {"silent_days": float, "every_minutes": float},
    Rule.SERVER_HINT: {"instead_of": str},
    Rule.SKIP_HOUR: {"instead_of": str},
    Rule.SKIP_DAY: {"instead_of": str},
    Rule.READ_BUDGET: {**_BUDGET, "posts_per_day": float},
    Rule.READ_BUDGET_PER_POLL: {**_BUDGET, "cost": int, "posts_found": float},
    Rule.SOURCE_QUOTA: {"items": int, "megabytes": int},
    Rule.PERSON_QUOTA: {"items": int, "megabytes": int},
    Rule.BACK_OFF: {"failures": int},
    Rule.HOST_RESTS: {"host": str, "until": str},
    Rule.HOST_QUEUE: {"host": str},
    Rule.SITE_PACE: {"site": str, "every_minutes": float},
    Rule.API_RESTS: {"api": str, "until": str},
    Rule.READS_SPENT: {"api": str},
    Rule.READ_TURN: {"api": str, "every_days": float, "posts": int},
    Rule.NO_FETCHER: {"why": str},
    Rule.FORECAST_HABIT: {
        "per_day": float,
        "on_days": str,
        "at_hours": str,
        "next_expected": str,
    },
    Rule.FORECAST_NEXT: {"per_day": float, "next_expected": str},
    Rule.FORECAST_QUIET: {"per_day": float},
    Rule.FEED_HINT_CAPPED: {"instead_of": str, "asked_minutes": float, "per_day": float},
}


@dataclass(frozen=True, slots=True)
class Because:
    """One rule and the figures it went by."""

    rule: Rule
    parameters: Mapping[str, Scalar] = field(default_factory=dict)


# One for all: `json.dumps` makes a new one for each text that is not spelled its own way.
_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def to_text(because: Because) -> str:
    """As it is stored: JSON, the same text for the same reason."""
    stored = {**because.parameters, "rule": str(because.rule)}
    return _ENCODER.encode(stored)


def from_text(text: str | None) -> Because | None:
    """What `to_text` wrote; None where nothing was. Anything else is another version's."""
    if not text:
        return None
    try:
        stored = json.loads(text)
    except (ValueError, RecursionError):
        return Because(Rule.OTHER_VERSION)
    code = stored.get("rule") if isinstance(stored, dict) else None
    rule = _RULES.get(code) if isinstance(code, str) else None
    if rule is None or not _is_whole(rule, stored):
        return Because(Rule.OTHER_VERSION)
    # Only what the rule is said to have: nobody knows how to show the rest.
    return Because(rule, {name: stored[name] for name in PARAMETERS.get(rule, {})})


_RULES: Mapping[str, Rule] = {str(rule): rule for rule in Rule}


def _is_whole(rule: Rule, parameters: Mapping[str, object]) -> bool:
    """Whether every parameter of *rule* is there and of its kind."""
    return all(
        _is_of_kind(parameters.get(name), kind) for name, kind in PARAMETERS.get(rule, {}).items()
    )


def _is_of_kind(value: object, kind: type) -> bool:
    """Whether *value* can be shown as one: numbers as large as ours get, and no NaN."""
    if kind is str:
        return isinstance(value, str)
    if isinstance(value, bool) or not isinstance(value, (int, float) if kind is float else int):
        return False
    return abs(value) <= LARGEST_NUMBER

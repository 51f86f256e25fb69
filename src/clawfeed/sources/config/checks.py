"""Sentences about a source's config: each names the key and says what would be right (S001-17)."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Final

from clawfeed.domain.errors import Reason, SourceError
from clawfeed.domain.ids import JsonValue
from clawfeed.domain.schedule.interval import LONGEST_MINUTES
from clawfeed.domain.sources.type_facts import OWN_INTERVAL
from clawfeed.sources.fetcher import Fetcher

MOST_UNKNOWN: Final = 5
LONGEST_QUOTE: Final = 40

Config = Mapping[str, JsonValue]


def require(fetcher: Fetcher, config: Config) -> None:
    """Raise `SourceError(MISCONFIGURED)` with all that is wrong with *config*, if anything is."""
    problems = fetcher.check(config)
    if problems:
        raise SourceError(Reason.MISCONFIGURED, " ".join(problems))


def check_keys(config: Config, known: Collection[str]) -> list[str]:
    """Keys nobody reads, and the interval that every source may choose for itself."""
    unknown = [key for key in config if key not in known and key != OWN_INTERVAL]
    names = ", ".join(sorted(known)) if unknown else ""
    problems = [
        f"{quote(key)} is no setting of this source; its settings are {names}."
        for key in unknown[:MOST_UNKNOWN]
    ]
    if len(unknown) > MOST_UNKNOWN:
        problems.append(f"So are {len(unknown) - MOST_UNKNOWN} more keys.")
    return problems + check_number(config, OWN_INTERVAL, 1, LONGEST_MINUTES)


def check_choice(config: Config, key: str, choices: Collection[str]) -> list[str]:
    value = config.get(key)
    if value is None or (isinstance(value, str) and value in choices):
        return []
    return [f"{key} must be one of {', '.join(choices)}, not {describe(value)}."]


def check_number(config: Config, key: str, low: int, high: int) -> list[str]:
    value = config.get(key)
    if value is None or (type(value) is int and low <= value <= high):
        return []
    return [f"{key} must be a whole number from {low} to {high}, not {describe(value)}."]


def check_text(
    config: Config, key: str, pattern: re.Pattern[str], what: str, *, required: bool = False
) -> list[str]:
    """Whether the text under *key* fits *pattern* as a whole; *what* is the pattern in words."""
    value = config.get(key)
    if value is None or value == "":
        return [f"{key} is missing: it must be {what}."] if required else []
    if isinstance(value, str) and pattern.fullmatch(value):
        return []
    return [f"{key} must be {what}, not {describe(value)}."]


def describe(value: JsonValue) -> str:
    """A value in a few words, however large it is."""
    match value:
        case None:
            return "empty"
        case bool():
            return str(value).lower()
        case str():
            return quote(value)
        case list():
            return f"a list of {len(value)} values"
        case dict():
            return f"an object with {len(value)} keys"
    number = str(value) if abs(value) < 10**15 else "a number that large"
    return number[:LONGEST_QUOTE]


def quote(text: str) -> str:
    """The beginning of a text, with everything odd in it escaped (T29)."""
    return repr(text) if len(text) <= LONGEST_QUOTE else f"{text[:LONGEST_QUOTE]!r}…"

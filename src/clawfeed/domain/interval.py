"""How many minutes lie between two polls of a source, and which rule says so.

The fixed rhythm only: what a source's history teaches is the business of `cadence`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Protocol

from clawfeed.domain.ids import JsonValue

TYPE_MINUTES: Mapping[str, int] = {
    "twitter_feed": 30,
    "twitter_list": 30,
    "twitter_foryou": 30,
    "twitter_bookmarks": 60,
    "twitter_favorites": 60,
    "hackernews": 60,
    "reddit": 60,
    "rss": 240,
    "digest_feed": 240,
    "github_trending": 240,
    "website": 240,
    "custom_api": 120,
}
# A second name for the same kind of source (S001-8): one default, one override.
TYPE_ALIASES: Mapping[str, str] = {"twitter_account": "twitter_feed"}
DEFAULT_MINUTES = 240
# A century: more is a typo, and `now + interval` must stay within the calendar.
LONGEST_MINUTES = 100 * 365 * 24 * 60

OVERRIDE_PREFIX = "FETCH_INTERVAL_"
OWN = "source's own interval"
TYPE_DEFAULT = "type default"


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """The time between two polls, and the rule that chose it, as shown to people."""

    minutes: int
    rule: str

    @property
    def every(self) -> timedelta:
        return timedelta(minutes=self.minutes)

    @property
    def is_chosen(self) -> bool:
        """Somebody asked for this number, so no policy may learn another (settled 1: pinned)."""
        return self.rule != TYPE_DEFAULT


class HasInterval(Protocol):
    """As much of a source as its interval depends on."""

    @property
    def type(self) -> str: ...

    @property
    def config(self) -> Mapping[str, JsonValue]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Intervals:
    """The fixed intervals of this installation. *plugins* are minutes by plug-in name (S003-2)."""

    overrides: Mapping[str, int] = field(default_factory=dict)
    plugins: Mapping[str, int] = field(default_factory=dict)

    def of(self, source: HasInterval) -> Interval:
        """The interval that rules *source*: its own, its type's override, its type's default."""
        own = positive_minutes(source.config.get("fetch_interval_minutes"))
        interval = interval_for(source.type, self.overrides, own)
        minutes = self.plugins.get(source.type)
        if minutes is None or interval.is_chosen:
            return interval
        return Interval(minutes=minutes, rule=TYPE_DEFAULT)

    def by_type(self) -> dict[str, int]:
        """Minutes by type, as they count now; for the start-up log (S000-8)."""
        known = {name: interval_for(name, self.overrides, None).minutes for name in TYPE_MINUTES}
        return {**known, **self.plugins}

    def every(self, source: HasInterval) -> timedelta:
        return self.of(source).every


def interval_for(type: str, overrides: Mapping[str, int], own: int | None) -> Interval:  # noqa: A002 -- the column's name
    """Choose the interval: the source's own, else its type's override, else its type's default.

    *overrides* come from `read_overrides`. A number that is not positive never counts.
    """
    key = type_key(type)
    if own is not None and positive_minutes(own):
        return Interval(minutes=own, rule=OWN)
    override = positive_minutes(overrides.get(key))
    if override:
        return Interval(minutes=override, rule=OVERRIDE_PREFIX + key.upper())
    return Interval(minutes=TYPE_MINUTES.get(key, DEFAULT_MINUTES), rule=TYPE_DEFAULT)


def positive_minutes(value: JsonValue) -> int | None:
    """The minutes meant by a number or its text; None for anything but a positive integer."""
    if isinstance(value, str):
        text = value.strip()
        # Not int() alone: it takes "1_000" and "٣", and refuses over 4300 digits by raising.
        value = int(text) if text.isascii() and text.isdigit() and len(text) < 12 else None
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if 0 < value <= LONGEST_MINUTES else None


def type_key(type: str) -> str:  # noqa: A002 -- the column's name
    """The name a type's interval is kept under: lower case, aliases resolved."""
    key = type.strip().lower().replace("-", "_")
    return TYPE_ALIASES.get(key, key)


def is_override_name(name: str) -> bool:
    """Whether *name* has the form `FETCH_INTERVAL_<TYPE>`, in any case."""
    return name.upper().startswith(OVERRIDE_PREFIX) and len(name) > len(OVERRIDE_PREFIX)


@dataclass(frozen=True, slots=True, kw_only=True)
class Overrides:
    """The minutes that count, by type, and one sentence for each that does not."""

    minutes: Mapping[str, int]
    warnings: tuple[str, ...] = ()


def read_overrides(rows: Mapping[str, str], *, where: str = "") -> Overrides:
    """Take the `FETCH_INTERVAL_<TYPE>` rows among *rows*; all others are ignored.

    An empty text is no row. *where* tells the reader of a warning which place to poll at.
    Of two spellings of one name the upper-case one wins.
    """
    minutes: dict[str, int] = {}
    warnings: list[str] = []
    # Reversed, because capitals sort first and the last one written stays.
    for name in sorted(filter(is_override_name, rows), reverse=True):
        text = rows[name].strip()
        number = positive_minutes(text)
        if number:
            minutes[type_key(name[len(OVERRIDE_PREFIX) :])] = number
        elif text:
            warnings.append(_not_minutes(name + where, text))
    return Overrides(minutes=minutes, warnings=tuple(reversed(warnings)))


def merge_overrides(from_table: Mapping[str, int], from_env: Mapping[str, int]) -> dict[str, int]:
    """Both kinds of override together; the environment wins (S000-2)."""
    return {**from_table, **from_env}


def _not_minutes(label: str, text: str) -> str:
    shown = text if len(text) <= 40 else text[:40] + "…"
    return f'{label} is "{shown}": expected a positive whole number of minutes, so it is ignored'

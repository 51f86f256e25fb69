"""How many minutes lie between two polls of a source, and which rule says so.

The fixed rhythm only: what a source's history teaches is the business of `cadence`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Literal, Protocol, TypeAlias

from clawfeed.domain.because import Rule
from clawfeed.domain.ids import JsonValue
from clawfeed.domain.sources.type_facts import OWN_INTERVAL, KnownTypes, TypeFacts

# A century: more is a typo, and `now + interval` must stay within the calendar.
LONGEST_MINUTES = 100 * 365 * 24 * 60

# The rules of `because` that go by an interval.
IntervalRule: TypeAlias = Literal[Rule.TYPE_INTERVAL, Rule.OWN_INTERVAL, Rule.INTERVAL_SETTING]
OVERRIDE_PREFIX = "FETCH_INTERVAL_"


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """The time between two polls, and the rule that chose it.

    *setting* is the name of what overrides the type's default, if that is the rule.
    """

    minutes: float
    rule: IntervalRule
    setting: str = ""
    is_hot_list: bool = False  # of a type whose interval is its rhythm

    @property
    def every(self) -> timedelta:
        return timedelta(minutes=self.minutes)

    @property
    def is_chosen(self) -> bool:
        """Somebody asked for this number, so no policy may learn another (settled 1: pinned)."""
        return self.rule is not Rule.TYPE_INTERVAL

    @property
    def is_pinned(self) -> bool:
        """Whether it rules whatever the source's history teaches (settled 1)."""
        return self.is_chosen or self.is_hot_list


class HasInterval(Protocol):
    """As much of a source as its interval depends on."""

    @property
    def type(self) -> str: ...

    @property
    def config(self) -> Mapping[str, JsonValue]: ...


class IntervalRules(Protocol):
    """Who knows which interval rules a source."""

    @property
    def types(self) -> KnownTypes[TypeFacts]: ...

    def of(self, source: HasInterval) -> Interval: ...

    def every(self, source: HasInterval) -> timedelta: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Intervals:
    """The fixed intervals of this installation: of its types, and what it chose for some."""

    types: KnownTypes[TypeFacts]
    overrides: Mapping[str, int] = field(default_factory=dict)

    def of(self, source: HasInterval) -> Interval:
        """The interval that rules *source*: its own, its type's override, its type's default."""
        own = positive_minutes(source.config.get(OWN_INTERVAL))
        return interval_for(self.types.facts(source.type), self.overrides, own)

    def by_type(self) -> dict[str, float]:
        """Minutes by type, as they count now; for the start-up log (S000-8)."""
        return {
            facts.name: interval_for(facts, self.overrides, None).minutes for facts in self.types
        }

    def every(self, source: HasInterval) -> timedelta:
        return self.of(source).every


def interval_for(facts: TypeFacts, overrides: Mapping[str, int], own: int | None) -> Interval:
    """Choose the interval: the source's own, else its type's override, else its type's default.

    *overrides* come from `read_overrides`. A number that is not positive never counts.
    """
    is_hot_list = facts.is_hot_list
    if own is not None and positive_minutes(own):
        return Interval(minutes=own, rule=Rule.OWN_INTERVAL, is_hot_list=is_hot_list)
    override = positive_minutes(overrides.get(facts.name))
    if override:
        setting = OVERRIDE_PREFIX + facts.name.upper()
        return Interval(
            minutes=override,
            rule=Rule.INTERVAL_SETTING,
            setting=setting,
            is_hot_list=is_hot_list,
        )
    return Interval(minutes=facts.minutes, rule=Rule.TYPE_INTERVAL, is_hot_list=is_hot_list)


def positive_minutes(value: JsonValue) -> int | None:
    """The minutes meant by a number or its text; None for anything but a positive integer."""
    if isinstance(value, str):
        text = value.strip()
        # Not int() alone: it takes "1_000" and "٣", and refuses over 4300 digits by raising.
        value = int(text) if text.isascii() and text.isdigit() and len(text) < 12 else None
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if 0 < value <= LONGEST_MINUTES else None


def is_override_name(name: str) -> bool:
    """Whether *name* has the form `FETCH_INTERVAL_<TYPE>`, in any case."""
    return name.upper().startswith(OVERRIDE_PREFIX) and len(name) > len(OVERRIDE_PREFIX)


@dataclass(frozen=True, slots=True, kw_only=True)
class Overrides:
    """The minutes that count, by type, and one sentence for each that does not."""

    minutes: Mapping[str, int]
    warnings: tuple[str, ...] = ()


def read_overrides(
    rows: Mapping[str, str], types: KnownTypes[TypeFacts], *, where: str = ""
) -> Overrides:
    """Take the `FETCH_INTERVAL_<TYPE>` rows among *rows*; all others are ignored.

    An empty text is no row. *where* tells the reader of a warning which place to look at.
    Of two spellings of one name the upper-case one wins.
    """
    minutes: dict[str, int] = {}
    warnings: list[str] = []
    # Reversed, because capitals sort first and the last one written stays.
    for name in sorted(filter(is_override_name, rows), reverse=True):
        text = rows[name].strip()
        number = positive_minutes(text)
        if number:
            minutes[types.key(name[len(OVERRIDE_PREFIX) :])] = number
        elif text:
            warnings.append(_not_minutes(name + where, text))
    return Overrides(minutes=minutes, warnings=tuple(reversed(warnings)))


def merge_overrides(from_table: Mapping[str, int], from_env: Mapping[str, int]) -> dict[str, int]:
    """Both kinds of override together; the environment wins (S000-2)."""
    return {**from_table, **from_env}


def _not_minutes(label: str, text: str) -> str:
    shown = text if len(text) <= 40 else text[:40] + "…"
    return f'{label} is "{shown}": expected a positive whole number of minutes, so it is ignored'

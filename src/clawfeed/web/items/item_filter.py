"""What somebody asked a list of items for, as it stands in the address.

What makes no sense there, or is not theirs, is as if it had not been asked for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from enum import StrEnum
from typing import Final
from urllib.parse import urlencode

from clawfeed.domain.ids import SourceId
from clawfeed.domain.search_terms import Term, query_terms
from clawfeed.rendering.safe_text import one_line
from clawfeed.sources.source_types.source_type import SourceTypes
from clawfeed.storage.items.followed_items import FollowedSource
from clawfeed.web.frame.address_numbers import number_or_none

PATH: Final = "/items"
LONGEST_SEARCH: Final = 200


class DaySpan(StrEnum):
    """Days of the reader's calendar, today's among them."""

    TODAY = "today"
    THREE_DAYS = "3d"
    WEEK = "7d"


_DAYS: Final = {DaySpan.TODAY: 1, DaySpan.THREE_DAYS: 3, DaySpan.WEEK: 7}


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemFilter:
    """*text* is what was typed; without a word in it, *terms* are none.

    *unknown* was typed as a source's name, and is nobody's.
    """

    text: str = ""
    source: FollowedSource | None = None
    type: str = ""
    period: DaySpan | None = None
    unknown: str = ""

    @property
    def terms(self) -> tuple[Term, ...]:
        return query_terms(self.text)

    @property
    def is_narrow(self) -> bool:
        return bool(self.asked)

    @property
    def asked(self) -> dict[str, str]:
        """As it stands in an address."""
        asked = {
            "q": self.text,
            "source": str(self.source.id) if self.source else "",
            "type": self.type,
            "period": self.period or "",
        }
        return {name: value for name, value in asked.items() if value}

    def address(self, *, without: str = "", **more: str) -> str:
        """Of the list that is asked for so, *without* one of its parts, and with *more*."""
        parts = {name: value for name, value in self.asked.items() if name != without} | more
        return f"{PATH}?{urlencode(parts)}" if parts else PATH

    def since(self, now: datetime, zone: tzinfo) -> datetime | None:
        if self.period is None:
            return None
        midnight = now.astimezone(zone).replace(hour=0, minute=0, second=0, microsecond=0)
        return midnight - timedelta(days=_DAYS[self.period] - 1)

    def of(self, followed: Sequence[FollowedSource], types: SourceTypes) -> list[SourceId]:
        """The sources whose items are asked for."""
        return [
            each.id
            for each in followed
            if self.source in {None, each} and self.type in {"", types.key(each.type)}
        ]


def filter_in(
    query: Mapping[str, str], followed: Sequence[FollowedSource], types: SourceTypes
) -> ItemFilter:
    """What the parameters of an address ask for, of what somebody follows."""
    named = one_line(query.get("source", ""))[:LONGEST_SEARCH]
    source = _source_named(named, followed)
    kind = types.key(query.get("type", "")[:LONGEST_SEARCH])
    period = query.get("period", "")
    return ItemFilter(
        text=one_line(query.get("q", ""))[:LONGEST_SEARCH],
        source=source,
        type=kind if kind in {types.key(each.type) for each in followed} else "",
        period=DaySpan(period) if period in set(DaySpan) else None,
        unknown="" if source or number_or_none(named) else named,
    )


def _source_named(named: str, followed: Sequence[FollowedSource]) -> FollowedSource | None:
    """By its id as links have it, by its name, or the first that has *named* in its name."""
    if not named:
        return None
    number = number_or_none(named)
    if number and (found := [each for each in followed if each.id == number]):
        return found[0]
    wanted = named.casefold()
    names = [(one_line(each.name).casefold(), each) for each in followed]
    exact = [each for name, each in names if name == wanted]
    return next(iter(exact or [each for name, each in names if wanted in name]), None)

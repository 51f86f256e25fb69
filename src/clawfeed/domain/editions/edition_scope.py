"""Who shares an edition: its scope, and which editions of a scope there are at a moment.

Readers who follow the same sources and want them in the same language, zone and hour are one
scope: one edition, one bill (S001-19). Whoever has interests of their own is a scope of their own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, time, timedelta
from hashlib import sha256
from zoneinfo import ZoneInfo

from clawfeed.domain.editions.edition import NewTask
from clawfeed.domain.editions.edition_period import Calendar, EditionType, Period
from clawfeed.domain.ids import SourceId, UserId

# An edition that is promised for an hour is begun so much earlier: selection takes seconds, a
# model that has to be waited for takes minutes.
LEAD_TIME = timedelta(minutes=10)
DEFAULT_TIME = time(7, 30)
# What a longer edition is made from: what lasted, not what was loud.
MADE_FROM = {
    EditionType.WEEKLY: EditionType.DAILY,
    EditionType.MONTHLY: EditionType.WEEKLY,
}
# Nobody waits longer for the next edition of a type: a period, and an hour of daylight saving.
LONGEST_WAIT = {
    EditionType.FOUR_HOURS: timedelta(hours=5),
    EditionType.DAILY: timedelta(hours=25),
    EditionType.WEEKLY: timedelta(days=7, hours=1),
    EditionType.MONTHLY: timedelta(days=31, hours=1),
}
# How long an edition of one's own is the newest there can be, or the one before that: that long
# it is what its reader finds in front of them, and what their channels get.
CURRENT_SPAN = {
    EditionType.FOUR_HOURS: timedelta(hours=8),
    EditionType.DAILY: timedelta(days=2),
    EditionType.WEEKLY: timedelta(weeks=2),
    EditionType.MONTHLY: timedelta(days=62),
}
# What a reader gets who said nothing.
DEFAULT_TYPES = (EditionType.DAILY, EditionType.WEEKLY)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderSettings:
    """How a reader wants their editions; *edition_time* is by when they are there."""

    language: str = "en"
    zone: str = "UTC"
    edition_time: time = DEFAULT_TIME

    @property
    def calendar(self) -> Calendar:
        """Their day begins when their edition is begun; never on the evening before."""
        begins = int((self._hour - self.lead_time).total_seconds()) // 60
        return Calendar(zone=ZoneInfo(self.zone), begins=time(begins // 60, begins % 60))

    @property
    def lead_time(self) -> timedelta:
        """How long before it is there their edition is begun."""
        return min(LEAD_TIME, self._hour)

    @property
    def _hour(self) -> timedelta:
        return timedelta(hours=self.edition_time.hour, minutes=self.edition_time.minute)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderScope:
    """What stands behind the name of a scope that is not the system's."""

    name: str
    sources: tuple[SourceId, ...]
    has_private_source: bool
    reader: UserId | None = None  # whose interests count; None for a shared one

    @property
    def subscription_hash(self) -> str:
        return subscription_hash(self.sources)


def subscription_hash(sources: Iterable[SourceId]) -> str:
    """One name for a set of sources, whatever order they come in (S001-19)."""
    return sha256(",".join(map(str, sorted(set(sources)))).encode()).hexdigest()


def scope_of(
    reader: UserId,
    sources: Sequence[SourceId],
    settings: ReaderSettings,
    *,
    has_private_source: bool,
    is_personal: bool,
) -> ReaderScope:
    """The scope of a reader. A personal one keeps its name, so that it remembers what it told."""
    ordered = tuple(sorted(set(sources)))
    if is_personal:
        name = f"reader-{reader}"
    else:
        wishes = f"{settings.language} {settings.zone} {settings.edition_time:%H:%M}"
        name = f"set-{subscription_hash(ordered)[:16]}-{sha256(wishes.encode()).hexdigest()[:8]}"
    return ReaderScope(
        name=name,
        sources=ordered,
        has_private_source=has_private_source,
        reader=reader if is_personal else None,
    )


def may_inherit(parent_has_private: bool, child_has_private: bool) -> bool:  # noqa: FBT001 -- two of a kind
    """Whether a scope may know what its first reader was told in another one.

    A private source's headline must reach nobody but its owner; a scope that has one is that
    owner's alone.
    """
    return child_has_private or not parent_has_private


def task_of_period(scope: str, period: Period, *, batch_size: int, language: str) -> NewTask:
    """The edition of *scope* that is read in *period* and tells of the one before."""
    return NewTask(
        scope=scope,
        type=period.type,
        period=period.name,
        covers_from=period.previous.starts_at,
        covers_until=period.starts_at,
        due_at=period.starts_at,
        expires_at=period.ends_at,
        batch_size=batch_size,
        language=language,
        zone=str(period.calendar.zone),
    )


def first_task(new: NewTask, now: datetime) -> NewTask:
    """A scope's first edition tells of what is there: who begins to read need not wait a day."""
    length = new.covers_until - new.covers_from
    return replace(new, covers_from=now - length, covers_until=now, due_at=min(new.due_at, now))

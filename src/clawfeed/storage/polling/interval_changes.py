"""Dates that follow a changed interval: nobody waits four hours for the sake of an old setting."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias

from clawfeed.domain.because import INTERVAL_RULES, from_text, to_text
from clawfeed.domain.schedule.interval import Interval
from clawfeed.domain.schedule.schedule import Mode, NextPoll, Rhythm, why_every
from clawfeed.domain.sources.source import Source
from clawfeed.storage.database import Database, Row, Statement, Steps
from clawfeed.storage.leases import FREE
from clawfeed.storage.polling.learned_rhythms import RHYTHM, to_rhythm
from clawfeed.storage.sources.sources import COLUMNS, to_source
from clawfeed.storage.timestamps import moment, seconds

# The date that a source's rhythm gives it since its last poll.
Plan: TypeAlias = Callable[[Source, Rhythm, datetime], NextPoll]


@dataclass(frozen=True, slots=True, kw_only=True)
class _NewDate:
    source_id: int
    checked: float
    at: float
    because: str
    mode: str


async def follow_intervals(
    database: Database,
    interval_of: Callable[[Source], Interval],
    *,
    now: datetime,
    plan: Plan | None = None,
) -> int:
    """Date sources anew whose interval is not the one their date was made with (S000-2, S000-20).

    Not those that rest or wait in a queue, and of those with a rhythm only whom somebody has given
    an interval since. Whose interval was taken away goes back to its rhythm, if *plan* knows one.
    Returns how many there were.
    """
    rows = await database.read(
        f"""
        SELECT {COLUMNS}, t.because, t.last_check_at, t.schedule_mode, {RHYTHM}
        FROM source_stats t JOIN sources s ON s.id = t.source_id
        WHERE t.{FREE} AND t.backoff_until IS NULL AND t.waiting_since IS NULL
          AND t.last_check_at > 0 AND t.last_check_at <= :now AND t.next_due_at IS NOT NULL
          AND s.is_active = 1 AND s.is_deleted = 0
        """,  # noqa: S608 -- our own constant
        {"now": seconds(now)},
    )
    changed = [(row, interval_of(to_source(row))) for row in rows]
    dates = [_new_date(*each, plan) for each in changed if _is_other(*each)]
    if dates:
        await database.run(lambda: _redate(dates, now))
    return len(dates)


def _is_other(row: Row, interval: Interval) -> bool:
    """Whether its date was made with another interval: its reason holds it."""
    because = from_text(row["because"])
    if row["schedule_mode"] == Mode.SMART:
        goes_by_it = interval.is_chosen
    else:
        goes_by_it = because is not None and because.rule in INTERVAL_RULES
    return goes_by_it and because != why_every(interval, str(row["type"]))


def _new_date(row: Row, interval: Interval, plan: Plan | None) -> _NewDate:
    checked = float(row["last_check_at"])
    source = to_source(row)
    learned = None
    if plan and not interval.is_pinned:
        learned = plan(source, to_rhythm(row), moment(checked))
    mode = str(Mode.PINNED) if interval.is_chosen else str(row["schedule_mode"])
    if learned and learned.at:
        mode = str(learned.mode)
    if learned and learned.at and learned.mode is Mode.SMART:
        at, because = seconds(learned.at), learned.because
    else:
        at, because = checked + interval.every.total_seconds(), why_every(interval, source.type)
    return _NewDate(
        source_id=source.id, checked=checked, at=at, because=to_text(because), mode=mode
    )


def _redate(dates: list[_NewDate], now: datetime) -> Steps[None]:
    for date in dates:
        yield Statement(
            f"""
            UPDATE source_stats SET next_due_at = :at, because = :because, updated_at = :now,
                schedule_mode = :mode
            WHERE source_id = :id AND {FREE} AND last_check_at = :checked
            """,  # noqa: S608 -- our own constant
            {
                "at": date.at,
                "because": date.because,
                "now": seconds(now),
                "mode": date.mode,
                "checked": date.checked,
                "id": date.source_id,
            },
        )

"""How readers want their editions, and which they get."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from clawfeed.domain.editions.edition_period import EditionType, Period, period_at
from clawfeed.domain.editions.edition_scope import DEFAULT_TYPES, MADE_FROM, ReaderSettings
from clawfeed.domain.ids import UserId
from clawfeed.storage.database import Database, Statement, Steps
from clawfeed.storage.editions.edition_scopes import ReaderScopes
from clawfeed.storage.person_lock import hold
from clawfeed.storage.timestamps import moment, seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedReaderSettings:
    """*types* in the order of their length. *dues*: when the next of each of them is begun."""

    settings: ReaderSettings
    types: tuple[EditionType, ...]
    dues: Mapping[EditionType, datetime] = field(default_factory=dict)

    @property
    def next_due_at(self) -> datetime | None:
        return min(self.dues.values(), default=None)


class ReaderSettingsStore:
    """One person's settings at a time; *defaults* are what people get who said nothing."""

    def __init__(self, database: Database, defaults: ReaderSettings) -> None:
        self._db, self._scopes = database, ReaderScopes(database, defaults)

    async def get(self, user: UserId) -> SavedReaderSettings:
        rows = await self._db.read(
            "SELECT type, is_wanted, next_due_at FROM reader_editions WHERE user_id = :user",
            {"user": user},
        )
        known = {EditionType(row["type"]): row for row in rows}
        wanted = [
            kind
            for kind in EditionType
            if (known[kind]["is_wanted"] if kind in known else kind in DEFAULT_TYPES)
        ]
        return SavedReaderSettings(
            settings=await self._scopes.settings(user),
            types=tuple(wanted),
            dues={kind: moment(known[kind]["next_due_at"]) for kind in wanted if kind in known},
        )

    async def save(
        self, user: UserId, saved: SavedReaderSettings, *, now: datetime
    ) -> SavedReaderSettings:
        """Keep *saved*, and answer with what is kept.

        Whoever moves their hour gets no second edition for it, and loses none: their next one
        comes when the period of the new hours ends, or at once if they had none of that period. A
        type that is new to them begins at once.
        """
        await self._db.run(lambda: _save(user, saved, now))
        return await self.get(user)


def _save(user: UserId, saved: SavedReaderSettings, now: datetime) -> Steps[None]:
    yield from hold(user)
    settings = saved.settings
    yield Statement(
        """
        INSERT INTO reader_settings (user_id, language, zone, edition_time, updated_at)
        VALUES (:user, :language, :zone, :time, :now)
        ON CONFLICT (user_id) DO UPDATE SET language = excluded.language, zone = excluded.zone,
            edition_time = excluded.edition_time, updated_at = excluded.updated_at
        """,
        {
            "user": user,
            "language": settings.language,
            "zone": settings.zone,
            "time": f"{settings.edition_time:%H:%M}",
            "now": seconds(now),
        },
    )
    had = yield from _last_periods(user, now)
    for kind in EditionType:
        next_due_at = _next_due(period_at(kind, now, settings.calendar), had.get(kind), now)
        yield Statement(
            """
            INSERT INTO reader_editions (user_id, type, is_wanted, next_due_at)
            VALUES (:user, :type, :wanted, :first_due_at)
            ON CONFLICT (user_id, type) DO UPDATE SET is_wanted = excluded.is_wanted,
                next_due_at = CASE WHEN reader_editions.next_due_at > :now
                    THEN :next_due_at ELSE reader_editions.next_due_at END
            """,
            {
                "user": user,
                "type": kind,
                "wanted": int(kind in saved.types),
                "now": seconds(now),
                # Who asked for theirs before they were in the queue has it.
                "first_due_at": seconds(next_due_at if kind in had else now),
                "next_due_at": seconds(next_due_at),
            },
        )


def _last_periods(user: UserId, now: datetime) -> Steps[dict[EditionType, str]]:
    """The period of the newest edition of each type that this reader got; none of a clock ahead."""
    rows = yield Statement(
        """
        SELECT t.type, max(t.period) AS period
        FROM edition_readers r JOIN edition_tasks t ON t.id = r.task_id
        WHERE r.user_id = :user AND t.due_at <= :now GROUP BY t.type
        """,
        {"user": user, "now": seconds(now)},
    )
    return {EditionType(row["type"]): str(row["period"]) for row in rows}


def _next_due(current: Period, had: str | None, now: datetime) -> datetime:
    """When the next edition is begun under new hours. Names of periods are in order of time."""
    if had is not None and had < current.name:
        return now
    following = current.next
    while had is not None and current.type in MADE_FROM and following.name <= had:
        following = following.next
    return following.starts_at

"""Whose turn it is at a host that takes one request at a time, for all collectors together."""

from __future__ import annotations

from datetime import datetime, timedelta

from clawfeed.domain.schedule.longest_wait import LONGEST_WAIT
from clawfeed.storage.database import Database, SqlValue, Statement, Steps
from clawfeed.storage.timestamps import seconds


class HostTurns:
    """Turns are rests in `host_cooldowns`: while one lasts, nobody claims a source there."""

    def __init__(self, database: Database) -> None:
        self._db = database

    async def take(self, host: str, gap: timedelta, *, at: datetime) -> timedelta | None:
        """None if it is our turn: it is then nobody else's for *gap*. Else how long to wait."""
        turn: dict[str, SqlValue] = {"host": host, "now": seconds(at), "until": seconds(at + gap)}
        return await self._db.run(lambda: _take(turn))


def _take(turn: dict[str, SqlValue]) -> Steps[timedelta | None]:
    """One statement decides, so two collectors cannot both be told yes."""
    rows = yield Statement(
        """
        INSERT INTO host_cooldowns (host, until, because) VALUES (:host, :until, 'turn')
        ON CONFLICT (host) DO UPDATE SET until = excluded.until, because = excluded.because
        WHERE host_cooldowns.until <= :now OR host_cooldowns.until > :now + :longest
        RETURNING until
        """,
        {**turn, "longest": LONGEST_WAIT.total_seconds()},
    )
    if rows:
        return None
    rows = yield Statement(
        "SELECT until - :now AS wait FROM host_cooldowns WHERE host = :host",
        {"host": turn["host"], "now": turn["now"]},
    )
    return timedelta(seconds=float(rows[0]["wait"]))

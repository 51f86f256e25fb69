"""Which hosts rest and until when, known to every collector: the table `host_cooldowns`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from clawfeed.domain.schedule.longest_wait import LONGEST_WAIT
from clawfeed.storage.database import Database, SqlValue, Statement, Steps
from clawfeed.storage.sources.visibility_conditions import VISIBLE_TO_ALL
from clawfeed.storage.timestamps import CLOCKS_DIFFER, moment, seconds

# A host that would rest for longer than any may is damage (F15).
RESTING_HOST = "until > :now AND until < :longest"


def resting_params(now: datetime) -> dict[str, SqlValue]:
    """The parameters of `RESTING_HOST`."""
    return {"now": seconds(now), "longest": seconds(_latest_end(now))}


def resting_hosts(now: datetime) -> Steps[dict[str, float]]:
    """Until when each host rests. A turn (`host_turns`) is a rest, too, for all but its holder."""
    rows = yield Statement(
        f"SELECT host, until FROM host_cooldowns WHERE {RESTING_HOST}",  # noqa: S608 -- our own constant
        resting_params(now),
    )
    return {str(row["host"]): float(row["until"]) for row in rows}


@dataclass(frozen=True, slots=True, kw_only=True)
class CoolingHosts:
    """Hosts that asked for rest: *count* of them, and the first few with the end of theirs.

    Only those that a public source has are named: where somebody's own leads is theirs alone (T18).
    """

    count: int
    first: tuple[tuple[str, datetime], ...]


async def cooling_hosts(database: Database, now: datetime, *, limit: int) -> CoolingHosts:
    """Those that rest longest come first. A mere turn is no rest that anybody asked for."""
    rows = await database.read(
        f"""
        SELECT host, until, count(*) OVER () AS n, CASE WHEN host IN (
            SELECT s.host FROM sources s WHERE {VISIBLE_TO_ALL}
        ) THEN 1 ELSE 0 END AS is_named FROM host_cooldowns
        WHERE {RESTING_HOST} AND because <> 'turn'
        ORDER BY is_named DESC, until DESC, host LIMIT :limit
        """,  # noqa: S608 -- our own constant
        {**resting_params(now), "limit": limit},
    )
    return CoolingHosts(
        count=int(rows[0]["n"]) if rows else 0,
        first=tuple((str(row["host"]), moment(row["until"])) for row in rows if row["is_named"]),
    )


def save_cooldowns(cooldowns: Mapping[str, datetime], now: datetime) -> Steps[None]:
    """Tell all which hosts asked for rest; the longer counts, but none of a lost future (F15)."""
    longest = seconds(_latest_end(now))
    for host, until in sorted(cooldowns.items()):
        yield Statement(
            """
            INSERT INTO host_cooldowns (host, until, because) VALUES (:host, :until, 'asked')
            ON CONFLICT (host) DO UPDATE SET until = excluded.until, because = excluded.because
            WHERE excluded.until > host_cooldowns.until OR host_cooldowns.until >= :longest
            """,
            {"host": host, "until": seconds(until), "longest": longest},
        )


def _latest_end(now: datetime) -> datetime:
    """A rest that ends later was written by a clock that has been set back since."""
    return now + LONGEST_WAIT + CLOCKS_DIFFER

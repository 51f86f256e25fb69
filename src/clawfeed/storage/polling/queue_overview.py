"""What a collector asks before it claims, in one read: who waits, who holds, which hosts rest.

And which intervals an admin has set: they count from the next tick on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from clawfeed.storage.config_table import AS_TEXT, OVERRIDES, read_rows
from clawfeed.storage.database import Database, Row
from clawfeed.storage.leases import holders_of
from clawfeed.storage.polling.host_cooldowns import RESTING_HOST, resting_params
from clawfeed.storage.polling.host_queue import DUE, NEVER_PLANNED, OF_ROW, QUEUE, SOURCES
from clawfeed.storage.timestamps import moment, seconds

# A backlog larger than this is "many": counting it exactly helps nobody.
COUNT_UP_TO = 10_000
_COUNTED = f"""
    SELECT 'due' AS kind, '' AS name, CAST(count(*) AS DOUBLE PRECISION) AS number FROM (
        SELECT t.source_id FROM {QUEUE} WHERE {OF_ROW} AND {DUE}
        UNION ALL
        SELECT s.id FROM sources s WHERE {NEVER_PLANNED}
        LIMIT :most
    ) AS due
"""  # noqa: S608 -- our own constants
_SURROUNDINGS = f"""
    SELECT 'worker' AS kind, leased_by AS name, 0.0 AS number
    FROM ({holders_of(SOURCES)}) AS holders
    UNION ALL
    SELECT 'rest', host, until FROM host_cooldowns WHERE {RESTING_HOST} AND because <> 'turn'
    UNION ALL
    SELECT 'interval', {AS_TEXT}, 0.0 FROM config WHERE {OVERRIDES}
"""  # noqa: S608 -- our own constants


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueSurroundings:
    """What others left for a collector to heed.

    *workers* hold something. *cooldowns* are the hosts that asked some collector for rest, and
    until when. *interval_rows* are those of the `config` table.
    """

    workers: frozenset[str]
    cooldowns: Mapping[str, datetime]
    interval_rows: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueOverview(QueueSurroundings):
    """The queue at one moment: *due* counts what could be claimed, up to `COUNT_UP_TO`."""

    due: int


async def queue_overview(database: Database, now: datetime) -> QueueOverview:
    """The queue as it is *now*: one crossing."""
    params = {"now": seconds(now), "most": COUNT_UP_TO, **resting_params(now)}
    rows = await database.read(f"{_COUNTED} UNION ALL {_SURROUNDINGS}", params)
    around = _to_surroundings(rows)
    return QueueOverview(
        due=sum(int(row["number"]) for row in rows if row["kind"] == "due"),
        workers=around.workers,
        cooldowns=around.cooldowns,
        interval_rows=around.interval_rows,
    )


async def queue_surroundings(database: Database, now: datetime) -> QueueSurroundings:
    """The same without the count, which costs the most: for whom it tells nothing."""
    return _to_surroundings(await database.read(_SURROUNDINGS, resting_params(now)))


def _to_surroundings(rows: Sequence[Row]) -> QueueSurroundings:
    return QueueSurroundings(
        workers=frozenset(str(row["name"]) for row in rows if row["kind"] == "worker"),
        cooldowns={
            str(row["name"]): moment(row["number"]) for row in rows if row["kind"] == "rest"
        },
        interval_rows=read_rows(row["name"] for row in rows if row["kind"] == "interval"),
    )

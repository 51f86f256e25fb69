"""How far the first reading of sources is: what a first edition waits for, and its reader sees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from clawfeed.domain.editions.first_edition import FirstItems
from clawfeed.domain.ids import SourceId, UserId
from clawfeed.storage.database import Database
from clawfeed.storage.sources.status_conditions import FAILING
from clawfeed.storage.sources.visibility_conditions import VISIBLE_SOURCE
from clawfeed.storage.sql_lists import chunks, in_list
from clawfeed.storage.timestamps import moment, moment_or_none

# Over `s` and its statistics `t`: a failed poll is one, too.
_UNREAD = "s.is_active = 1 AND s.last_fetched_at IS NULL AND coalesce(t.last_check_at, 0) = 0"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadSoFar:
    """Of the sources somebody follows: how many there are, were polled, and fail; their items.

    *followed_at* is when they last began to follow something.
    """

    sources: int
    polled: int
    failing: int
    items: int
    followed_at: datetime | None


async def first_items(database: Database, sources: Sequence[SourceId]) -> FirstItems:
    """One crossing for as many sources as anybody begins with."""
    unread, since, moments = 0, list[float](), list[float]()
    for some in chunks(sorted(set(sources))):
        names, params = in_list(some)
        [row] = await database.read(
            f"""
            SELECT coalesce(sum(CASE WHEN {_UNREAD} THEN 1 ELSE 0 END), 0) AS unread,
                max(CASE WHEN {_UNREAD} THEN s.created_at END) AS since,
                min((SELECT min(i.fetched_at) FROM raw_items i WHERE i.source_id = s.id)) AS first
            FROM sources s LEFT JOIN source_stats t ON t.source_id = s.id
            WHERE s.id IN ({names}) AND s.is_deleted = 0
            """,  # noqa: S608 -- our own constant and the names of parameters
            params,
        )
        unread += int(row["unread"])
        since += [] if row["since"] is None else [float(row["since"])]
        moments += [] if row["first"] is None else [float(row["first"])]
    return FirstItems(
        unread=unread,
        unread_since=moment(max(since)) if since else None,
        first_item_at=moment(min(moments)) if moments else None,
    )


async def read_so_far(database: Database, reader: UserId) -> ReadSoFar:
    [row] = await database.read(
        f"""
        SELECT count(*) AS sources,
            coalesce(sum(CASE WHEN {_UNREAD} THEN 0 ELSE 1 END), 0) AS polled,
            coalesce(sum(CASE WHEN {FAILING} THEN 1 ELSE 0 END), 0) AS failing,
            coalesce(sum((SELECT count(*) FROM raw_items i WHERE i.source_id = s.id)), 0) AS items,
            max(u.created_at) AS followed_at
        FROM user_subscriptions u JOIN sources s ON s.id = u.source_id
            LEFT JOIN source_stats t ON t.source_id = s.id
        WHERE u.user_id = :user AND {VISIBLE_SOURCE}
        """,  # noqa: S608 -- our own constants
        {"user": reader},
    )
    return ReadSoFar(
        sources=int(row["sources"]),
        polled=int(row["polled"]),
        failing=int(row["failing"]),
        items=int(row["items"]),
        followed_at=moment_or_none(row["followed_at"]),
    )

"""The due list, for people: who would be claimed now, in all or of one source type (S004-8)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeAlias, get_args

from clawfeed.domain.ids import SourceId
from clawfeed.domain.sources.type_facts import KnownTypes, TypeFacts
from clawfeed.storage.database import Database
from clawfeed.storage.polling.host_queue import DUE, NEVER_PLANNED
from clawfeed.storage.sources.sources import of_types
from clawfeed.storage.timestamps import moment_or_none, seconds

# S004's source types (settled 15): a feed that any reader can use, and everything else.
SourceTypeName: TypeAlias = Literal["rss", "custom"]
SOURCE_TYPES: tuple[SourceTypeName, ...] = get_args(SourceTypeName)


@dataclass(frozen=True, slots=True, kw_only=True)
class DueSource:
    id: SourceId
    name: str
    type: str
    source_type: str
    due_since: datetime | None  # None if nobody ever came
    place: tuple[float, int]  # in the list: when it was due, in seconds, and its id


async def due_sources(
    database: Database,
    types: KnownTypes[TypeFacts],
    *,
    now: datetime,
    source_type: SourceTypeName | None = None,
    after: tuple[float, int] | None = None,
    limit: int,
) -> list[DueSource]:
    """Never-fetched first, then the longest overdue, as claims take them (S000-4).

    *after* is the place of the last one that is known already.
    """
    since, last = after or (-1.0, 0)
    feeds = [each.name for each in types if each.stats_type == "rss"]
    is_feed, params = of_types(feeds, types)
    of_type = {None: "1 = 1", "rss": is_feed, "custom": f"NOT {is_feed}"}
    rows = await database.read(
        f"""
        SELECT s.id, s.name, s.type, coalesce(t.next_due_at, 0) AS since
        FROM sources s LEFT JOIN source_stats t ON t.source_id = s.id
        WHERE (({DUE}) OR ({NEVER_PLANNED})) AND {of_type[source_type]}
          AND (coalesce(t.next_due_at, 0) > :since
               OR (coalesce(t.next_due_at, 0) = :since AND s.id > :last))
        ORDER BY coalesce(t.next_due_at, 0), s.id LIMIT :limit
        """,  # noqa: S608 -- our own constants and parameter names
        {
            "now": seconds(now),
            "limit": limit,
            "since": since,
            "last": last,
            **(params if source_type else {}),
        },
    )
    return [
        DueSource(
            id=SourceId(row["id"]),
            name=str(row["name"]),
            type=str(row["type"]),
            source_type=types.facts(str(row["type"])).stats_type,
            due_since=moment_or_none(row["since"] or None),
            place=(float(row["since"]), int(row["id"])),
        )
        for row in rows
    ]

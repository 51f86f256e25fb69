"""The items an edition chooses from, as values: those of given sources, in a stretch of time.

The API's own lists are `items`: bytes, never values, because they are only passed on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import orjson
from ada_url import URL

from clawfeed.domain.editions.edition_item import EditionItem
from clawfeed.domain.ids import ItemId, JsonValue, SourceId, UserId
from clawfeed.storage.database import Database, Row
from clawfeed.storage.sources.visibility_conditions import VISIBLE_SOURCE
from clawfeed.storage.sql_lists import chunks, in_list
from clawfeed.storage.timestamps import moment, moment_or_none, seconds

# An article's first screens are enough to choose and to write from; twenty thousand whole ones
# would be gigabytes.
LONGEST_CONTENT = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class EditionItemQuery:
    """Items of *sources* fetched in [*since*, *until*), as *reader* may see them.

    Without a reader it is what a stranger may see: public sources alone. *not_before* leaves out
    what is dated earlier: a source that was just added brings the entries of years.
    """

    sources: Sequence[SourceId]
    reader: UserId | None
    since: datetime
    until: datetime
    limit: int
    not_before: datetime | None = None


async def read_edition_items(database: Database, wanted: EditionItemQuery) -> list[EditionItem]:
    """The newest first, at most *limit*; none of a source the reader may not know of (T18)."""
    found: list[EditionItem] = []
    for some in chunks(sorted(set(wanted.sources))):
        names, params = in_list(some)
        rows = await database.read(
            f"""
            SELECT i.id, i.source_id, s.name, s.type, s.host, i.title, i.url, i.author,
                substr(i.content, 1, {LONGEST_CONTENT}) AS content, i.published_at,
                i.fetched_at, i.metadata
            FROM sources s CROSS JOIN raw_items i
            WHERE s.id IN ({names}) AND {VISIBLE_SOURCE}
              AND i.source_id = s.id AND i.fetched_at >= :since AND i.fetched_at < :until
              AND (i.published_at IS NULL OR i.published_at >= :not_before)
            ORDER BY i.fetched_at DESC, i.id DESC LIMIT :limit
            """,  # noqa: S608 -- our own constants and the names of parameters
            {
                "user": wanted.reader,
                "since": seconds(wanted.since),
                "until": seconds(wanted.until),
                "limit": wanted.limit,
                "not_before": seconds(wanted.not_before) if wanted.not_before else 0.0,
                **params,
            },
        )
        found += [_to_item(row) for row in rows]
    found.sort(key=lambda item: (item.fetched_at, item.id), reverse=True)
    return found[: wanted.limit]


async def read_signals(
    database: Database, sources: Sequence[SourceId], *, since: datetime, limit: int
) -> list[tuple[ItemId, SourceId, dict[str, JsonValue]]]:
    """The signals of what *sources* brought since then, the newest first: what is usual there."""
    found: list[tuple[ItemId, SourceId, dict[str, JsonValue]]] = []
    for some in chunks(sorted(set(sources))):
        names, params = in_list(some)
        rows = await database.read(
            f"""
            SELECT i.id, i.source_id, i.metadata FROM raw_items i
            WHERE i.source_id IN ({names}) AND i.fetched_at >= :since AND i.metadata <> '{{}}'
            ORDER BY i.id DESC LIMIT :limit
            """,  # noqa: S608 -- the names of parameters
            {"since": seconds(since), "limit": limit, **params},
        )
        found += [
            (ItemId(row["id"]), SourceId(row["source_id"]), _metadata(row["metadata"]))
            for row in rows
        ]
    return found


def _to_item(row: Row) -> EditionItem:
    return EditionItem(
        id=ItemId(row["id"]),
        source_id=SourceId(row["source_id"]),
        source_name=row["name"],
        source_type=row["type"],
        publisher=_host_of(row["url"]) or row["host"],
        title=row["title"],
        url=row["url"],
        author=row["author"],
        content=row["content"],
        published_at=moment_or_none(row["published_at"]),
        fetched_at=moment(row["fetched_at"]),
        metadata=_metadata(row["metadata"]),
    )


def _host_of(url: str | None) -> str:
    """Without `www.`, which says nothing about who it is; "" for no host."""
    try:
        return URL(url).hostname.removeprefix("www.") if url else ""
    except ValueError:
        return ""


def _metadata(text: str) -> dict[str, JsonValue]:
    """One damaged row must not spoil the edition."""
    try:
        found = orjson.loads(text)
    except orjson.JSONDecodeError:
        return {}
    return found if isinstance(found, dict) else {}

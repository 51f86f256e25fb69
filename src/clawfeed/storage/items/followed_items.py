"""What the sources a reader follows brought, as lines to read: newest first, narrowed, searched.

The API's own lists are `items`: whole and of all that may be seen, passed on as they are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, cast

import orjson

from clawfeed.domain.ids import ItemId, JsonValue, SourceId, UserId
from clawfeed.domain.search_terms import LONGEST_MARKUP, Term
from clawfeed.storage.database import Database, SqlValue
from clawfeed.storage.items.item_json import read_all
from clawfeed.storage.items.items import PagePosition
from clawfeed.storage.items.search import query_text, search_conditions, spelling_of
from clawfeed.storage.json_columns import read_object
from clawfeed.storage.sources.visibility_conditions import VISIBLE_SOURCE
from clawfeed.storage.timestamps import moment, moment_or_none, seconds

# The index knows whose an item is. Beyond so many sources naming them costs more than looking.
MOST_NAMED: Final = 100
# "So many or more" says as much as the number, and counting ends there.
MOST_COUNTED: Final = 1_000
_LAST_MOMENT: Final = 1e15
_COLUMNS: Final = f"""
    i.id, i.source_id, s.name, i.title, i.url, substr(i.content, 1, {LONGEST_MARKUP}) AS content,
        i.published_at, i.fetched_at, i.metadata
"""
_NAMES: Final = "id, source_id, name, title, url, content, published_at, fetched_at, metadata"
_BEFORE_START: Final = (
    "r.fetched_at <= :start_at AND (r.fetched_at < :start_at OR r.id <= :start_id)"
)
# Each source's items are walked along their index, newest first. SQLite leaves a source by itself
# as soon as its items are too old for the page (5,000 sources of a million items: 45 ms).
_NEWEST_SQLITE: Final = f"""
    SELECT r.id AS item_id, r.fetched_at AS item_at
    FROM {{asked}} AS asked CROSS JOIN raw_items r
    WHERE r.source_id = CAST(asked.value AS BIGINT) AND r.fetched_at >= :since AND {_BEFORE_START}
    ORDER BY r.fetched_at DESC, r.id DESC LIMIT :limit
"""  # noqa: S608 -- our own constants
# PostgreSQL must be told to do so, and where to stop: when a page's worth of sources brought their
# newest, all items of a page are younger than that.
_NEWEST_POSTGRESQL: Final = f"""
    WITH latest AS MATERIALIZED (
        SELECT CAST(asked.value AS BIGINT) AS id, (
            SELECT max(fetched_at) FROM raw_items
            WHERE source_id = CAST(asked.value AS BIGINT) AND fetched_at < :start_at
        ) AS at FROM {{asked}} AS asked
    ), oldest AS MATERIALIZED (
        SELECT coalesce((
            SELECT at FROM latest WHERE at IS NOT NULL ORDER BY at DESC LIMIT 1 OFFSET :limit
        ), 0) AS at
    )
    SELECT found.id AS item_id, found.fetched_at AS item_at
    FROM oldest CROSS JOIN latest CROSS JOIN LATERAL (
        SELECT r.id, r.fetched_at FROM raw_items r
        WHERE r.source_id = latest.id AND r.fetched_at >= :since AND r.fetched_at >= oldest.at
            AND {_BEFORE_START}
        ORDER BY r.fetched_at DESC, r.id DESC LIMIT :limit
    ) AS found
    ORDER BY found.fetched_at DESC, found.id DESC LIMIT :limit
"""  # noqa: S608 -- our own constants


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowedSource:
    id: SourceId
    name: str
    type: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowedQuery:
    """Items of *sources* fetched at or after *since* that have all *terms*, *limit* of them.

    Of which sources is not the asker's word: what *reader* may not see is left out all the same.
    """

    reader: UserId
    sources: Sequence[SourceId]
    limit: int
    since: datetime | None = None
    terms: tuple[Term, ...] = ()
    start: PagePosition | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemLine:
    """An item for a list; *beginning* is that of its content, HTML."""

    id: ItemId
    source_id: SourceId
    source_name: str
    title: str
    url: str | None
    beginning: str
    published_at: datetime | None
    fetched_at: datetime
    metadata: Mapping[str, JsonValue]


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemLines:
    """One page, and where the next begins."""

    items: list[ItemLine]
    next: PagePosition | None


async def followed_sources(database: Database, reader: UserId) -> list[FollowedSource]:
    """What *reader* follows and may still see (T18), by name."""
    rows = await read_all(
        database,
        "s.id, s.name, s.type",
        "user_subscriptions u JOIN sources s ON s.id = u.source_id "
        f"WHERE u.user_id = :user AND {VISIBLE_SOURCE}",
        {"user": reader},
    )
    found = [FollowedSource(id=SourceId(row[0]), name=row[1], type=row[2]) for row in rows]
    return sorted(found, key=lambda each: (each.name.casefold(), each.id))


async def next_poll_of_followed(database: Database, reader: UserId) -> datetime | None:
    """When the first of their active sources is polled next, as far as that is planned."""
    [row] = await database.read(
        f"""
        SELECT min(t.next_due_at) AS at FROM user_subscriptions u
        JOIN sources s ON s.id = u.source_id JOIN source_stats t ON t.source_id = s.id
        WHERE u.user_id = :user AND s.is_active = 1 AND {VISIBLE_SOURCE}
        """,  # noqa: S608 -- our own constant
        {"user": reader},
    )
    return moment_or_none(row["at"])


async def followed_items(database: Database, wanted: FollowedQuery) -> ItemLines:
    """The newest fetched first; found items in the order they were stored.

    Items that are stored meanwhile come before *start* and shift nothing.
    """
    params = {**_params(database, wanted), "limit": wanted.limit + 1}
    sql = _search_sql(database, wanted) if wanted.terms else _list_sql(database)
    rows, last_at = await _read(database, sql, params)
    lines = [_to_line(row) for row in rows]
    if len(lines) <= wanted.limit:
        return ItemLines(items=lines, next=None)
    following = PagePosition(fetched_at=last_at, item_id=lines[-1].id)
    return ItemLines(items=lines[:-1], next=following)


async def count_found(database: Database, wanted: FollowedQuery) -> int:
    """How many items a search finds, wherever its page begins; `MOST_COUNTED` at most."""
    whole = FollowedQuery(
        reader=wanted.reader,
        sources=wanted.sources,
        since=wanted.since,
        terms=wanted.terms,
        limit=MOST_COUNTED,
    )
    # Without an order: PostgreSQL would walk a million ids for the sake of a few matches.
    found = f"SELECT 1 AS one FROM {_found_by(database, whole)} LIMIT :limit"  # noqa: S608
    [row] = await database.read(
        f"SELECT count(*) AS n FROM ({found}) AS found",  # noqa: S608 -- our own constants
        {**_params(database, whole), "limit": MOST_COUNTED},
    )
    return int(row["n"])


def _list_sql(database: Database) -> str:
    is_sqlite = database.dialect.name == "sqlite"
    newest = (_NEWEST_SQLITE if is_sqlite else _NEWEST_POSTGRESQL).format(
        asked=database.dialect.texts_in_json
    )
    return f"""
        SELECT {_COLUMNS} FROM ({newest}) AS newest CROSS JOIN raw_items i CROSS JOIN sources s
        WHERE i.id = newest.item_id AND s.id = i.source_id AND {VISIBLE_SOURCE}
        ORDER BY newest.item_at DESC, newest.item_id DESC LIMIT :limit
    """  # noqa: S608 -- our own constants


def _search_sql(database: Database, wanted: FollowedQuery) -> str:
    return f"""
        SELECT {_COLUMNS} FROM {_found_by(database, wanted)}
        ORDER BY {spelling_of(database).item_id} DESC LIMIT :limit
    """  # noqa: S608 -- our own constants


def _found_by(database: Database, wanted: FollowedQuery) -> str:
    """`IS TRUE`: without it PostgreSQL reads all items of these sources before it looks for words.

    Of a million items that took 31 seconds, and takes 18 milliseconds so.
    """
    where = search_conditions(
        spelling_of(database), is_dated=wanted.since is not None, is_later=wanted.start is not None
    )
    asked = f"SELECT CAST(asked.value AS BIGINT) FROM {database.dialect.texts_in_json} AS asked"  # noqa: S608
    return f"""
        item_search CROSS JOIN raw_items i CROSS JOIN sources s
        WHERE s.id = i.source_id AND {VISIBLE_SOURCE} AND (i.source_id IN ({asked})) IS TRUE
            AND {" AND ".join(where)}
    """


def _params(database: Database, wanted: FollowedQuery) -> dict[str, SqlValue]:
    """Parameters of the statement that is made for *wanted*, all but its limit."""
    params: dict[str, SqlValue] = {
        "user": wanted.reader,
        "json": orjson.dumps([str(each) for each in wanted.sources]).decode(),
    }
    start = wanted.start or PagePosition(fetched_at=_LAST_MOMENT, item_id=0)
    if not wanted.terms:
        since = 0.0 if wanted.since is None else seconds(wanted.since)
        return params | {"since": since, "start_at": start.fetched_at, "start_id": start.item_id}
    named = wanted.sources if len(wanted.sources) <= MOST_NAMED else ()
    params["query"] = query_text(wanted.terms, named, database)
    if wanted.since is not None:
        params["since"] = seconds(wanted.since)
    if wanted.start is not None:
        params["start_id"] = start.item_id
    return params


async def _read(
    database: Database, sql: str, params: Mapping[str, SqlValue]
) -> tuple[list[list[Any]], float]:
    """The rows, and the last one's date of fetch to the last digit: older SQLites round in JSON.

    One value on SQLite, for the reason that `item_json` gives.
    """
    if database.dialect.name != "sqlite":
        rows = [list(cast("Sequence[Any]", row)) for row in await database.read(sql, params)]
        return rows, rows[-1][7] if rows else 0.0
    [row] = await database.read(
        f"SELECT min(fetched_at) AS last_at, json_group_array(json_array({_NAMES})) AS all_rows "  # noqa: S608
        f"FROM ({sql})",
        params,
    )
    return orjson.loads(row["all_rows"]), row["last_at"] or 0.0


def _to_line(row: Sequence[Any]) -> ItemLine:
    item_id, source_id, name, title, url, content, published_at, fetched_at, metadata = row
    return ItemLine(
        id=ItemId(item_id),
        source_id=SourceId(source_id),
        source_name=name,
        title=title,
        url=url,
        beginning=content,
        published_at=moment_or_none(published_at),
        fetched_at=moment(fetched_at),
        metadata=read_object(metadata),
    )

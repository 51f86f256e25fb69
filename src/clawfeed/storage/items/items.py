"""Stored items for a person: newest first, searched, counted, and of what they follow.

Everything here looks through one window: sources that are not deleted, and public or the person's
own (T18).
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import orjson

from clawfeed.domain.errors import NotFoundError
from clawfeed.domain.ids import SourceId, UserId
from clawfeed.domain.pagination import cursor_of
from clawfeed.domain.search_terms import Term
from clawfeed.storage.database import Database, SqlValue
from clawfeed.storage.items.item_json import iso_of, read_all, read_items
from clawfeed.storage.items.search import query_text, search_conditions, spelling_of
from clawfeed.storage.sources.visibility_conditions import VISIBLE_SOURCE
from clawfeed.storage.timestamps import seconds

DAY = timedelta(hours=24)
# How long a count of old items is believed: only the hourly housekeeping changes it.
COUNTS_KEPT = timedelta(minutes=1)
# Tried one after the other: whoever follows much has enough items in a day, and sorting a month's
# would cost thirty times as much.
DIGEST_WINDOWS = (DAY, 7 * DAY)
LONG_AGO = datetime.fromtimestamp(0, UTC)

# CROSS JOIN keeps SQLite to our order of tables: along an index, until there are enough.
_JOINED = "raw_items i CROSS JOIN sources s WHERE s.id = i.source_id"


@dataclass(frozen=True, slots=True, kw_only=True)
class PagePosition:
    """The item a page begins with. Items stored meanwhile come before it and shift nothing."""

    fetched_at: float
    item_id: int

    @classmethod
    def at(cls, place: tuple[float, int] | None) -> PagePosition | None:
        """What a cursor stands for; None at the beginning of the list."""
        return cls(fetched_at=place[0], item_id=place[1]) if place else None

    @property
    def cursor(self) -> str:
        return cursor_of(self.fetched_at, self.item_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemQuery:
    """Which of a person's items to list. *terms* must all be in an item."""

    user_id: UserId | None  # None is a stranger, who sees what is public
    limit: int
    offset: int = 0
    source_id: SourceId | None = None
    since: datetime | None = None
    terms: tuple[Term, ...] = ()
    start: PagePosition | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Items as JSON, and where the next page begins."""

    items: list[orjson.Fragment]
    next: PagePosition | None


@dataclass(frozen=True, slots=True, kw_only=True)
class _OldCounts:
    """How many items each source has that were fetched before a moment."""

    counted_at: datetime
    before: float
    by_source: dict[int, int]


class ItemStore:
    """Reads items; never one the person may not see."""

    def __init__(self, database: Database) -> None:
        self._db = database
        self._counting = asyncio.Lock()
        self._old: _OldCounts | None = None

    async def page(self, wanted: ItemQuery) -> Page:
        """One page, the newest fetched first; found items in the order they were stored.

        Raises `NotFoundError` for a source they may not see, as for one that is not there.
        """
        if wanted.source_id is not None:
            await self._require_source(wanted.user_id, wanted.source_id)
        rest = self._search_sql(wanted) if wanted.terms else _list_sql(wanted)
        rows = await read_items(self._db, rest, self._params(wanted))
        if len(rows.texts) <= wanted.limit:
            return Page(items=rows.texts, next=None)
        following = PagePosition(fetched_at=rows.last_at, item_id=rows.last_id)
        return Page(items=rows.texts[:-1], next=following)

    async def stats(
        self, user_id: UserId, *, now: datetime, after: int = 0, limit: int
    ) -> list[dict[str, object]]:
        """Visible sources by id: items in all, the last one's date, and the last day's."""
        old = await self._old_counts(now)
        rows = await read_all(
            self._db,
            "visible.id, name, type, last_at, newer, not_last_day",
            f"""(
                SELECT s.id, s.name, s.type,
                    (SELECT max(fetched_at) FROM raw_items WHERE source_id = s.id) AS last_at,
                    (SELECT count(*) FROM raw_items
                        WHERE source_id = s.id AND fetched_at >= :before) AS newer,
                    (SELECT count(*) FROM raw_items WHERE source_id = s.id
                        AND fetched_at >= :before AND fetched_at < :day) AS not_last_day
                FROM sources s WHERE {VISIBLE_SOURCE} AND s.id > :after ORDER BY s.id LIMIT :limit
            ) AS visible""",  # noqa: S608 -- our own constants
            {
                "user": user_id,
                "before": old.before,
                "day": seconds(now - DAY),
                "after": after,
                "limit": limit,
            },
        )
        return [_stats_as_json(row, old.by_source.get(row[0], 0)) for row in rows]

    async def for_digest(
        self, user_id: UserId, *, since: datetime | None, limit: int, now: datetime
    ) -> list[orjson.Fragment]:
        """The newest items of the sources they follow and may see (S001-13)."""
        earliest = since or LONG_AGO
        for window in DIGEST_WINDOWS:
            start = max(earliest, now - window)
            items = await self._followed(user_id, start, limit)
            if start == earliest or len(items) == limit:
                return items
        return await self._followed(user_id, earliest, limit)

    async def _followed(
        self, user_id: UserId, since: datetime, limit: int
    ) -> list[orjson.Fragment]:
        """Sorts ids and dates only, which an index holds; the texts are fetched afterwards."""
        found = await read_items(
            self._db,
            f"""(
                SELECT i.id AS item_id, i.fetched_at AS item_at
                FROM user_subscriptions u CROSS JOIN sources s CROSS JOIN raw_items i
                WHERE u.user_id = :user AND s.id = u.source_id AND {VISIBLE_SOURCE}
                  AND i.source_id = s.id AND i.fetched_at >= :since
                ORDER BY i.fetched_at DESC, i.id DESC LIMIT :limit
            ) AS newest CROSS JOIN {_JOINED} AND i.id = newest.item_id
            ORDER BY newest.item_at DESC, newest.item_id DESC LIMIT :limit""",  # noqa: S608
            {"user": user_id, "since": seconds(since), "limit": limit},
        )
        return found.texts

    async def _require_source(self, user_id: UserId | None, source_id: SourceId) -> None:
        found = await self._db.read(
            f"SELECT s.id FROM sources s WHERE s.id = :source_id AND {VISIBLE_SOURCE}",  # noqa: S608
            {"user": user_id, "source_id": source_id},
        )
        if not found:
            raise NotFoundError(f"there is no source {source_id}")

    def _search_sql(self, wanted: ItemQuery) -> str:
        spelling = spelling_of(self._db)
        where = search_conditions(
            spelling, is_dated=wanted.since is not None, is_later=wanted.start is not None
        )
        return (
            f"item_search CROSS JOIN {_JOINED} AND {VISIBLE_SOURCE} AND "
            f"{' AND '.join(where)} ORDER BY {spelling.item_id} DESC LIMIT :limit OFFSET :offset"
        )

    def _params(self, wanted: ItemQuery) -> dict[str, SqlValue]:
        params: dict[str, SqlValue] = {
            "user": wanted.user_id,
            "limit": wanted.limit + 1,
            "offset": wanted.offset,
        }
        if wanted.terms:
            sources = () if wanted.source_id is None else (wanted.source_id,)
            params["query"] = query_text(wanted.terms, sources, self._db)
        elif wanted.source_id is not None:
            params["source_id"] = wanted.source_id
        if wanted.since is not None:
            params["since"] = seconds(wanted.since)
        if wanted.start is not None:
            params["start_id"] = wanted.start.item_id
            if not wanted.terms:
                params["start_at"] = wanted.start.fetched_at
        return params

    async def _old_counts(self, now: datetime) -> _OldCounts:
        """Counting a million rows takes a tenth of a second; so it is done once a minute."""
        async with self._counting:
            if self._old is None or now - self._old.counted_at > COUNTS_KEPT:
                before = seconds(now - DAY)
                rows = await self._db.read(
                    "SELECT source_id, count(*) AS n FROM raw_items WHERE fetched_at < :before "
                    "GROUP BY source_id",
                    {"before": before},
                )
                counts = {int(row["source_id"]): int(row["n"]) for row in rows}
                self._old = _OldCounts(counted_at=now, before=before, by_source=counts)
            return self._old


def _list_sql(wanted: ItemQuery) -> str:
    where = [VISIBLE_SOURCE]
    if wanted.source_id is not None:
        where.append("i.source_id = :source_id")
    if wanted.since is not None:
        where.append("i.fetched_at >= :since")
    if wanted.start is not None:
        where.append(
            "i.fetched_at <= :start_at AND (i.fetched_at < :start_at OR i.id <= :start_id)"
        )
    return (
        f"{_JOINED} AND {' AND '.join(where)} "
        "ORDER BY i.fetched_at DESC, i.id DESC LIMIT :limit OFFSET :offset"
    )


def _stats_as_json(row: Sequence[Any], older: int) -> dict[str, object]:
    source_id, name, source_type, last_at, newer, not_last_day = row
    return {
        "source_id": source_id,
        "name": name,
        "type": source_type,
        "total_items": older + newer,
        "last_item_at": iso_of(last_at),
        "items_24h": newer - not_last_day,
    }

"""Rows of items as JSON, made where it costs least.

On SQLite the database writes the JSON and hands over one value. Its driver gives way to other
threads after each row: two hundred rows are two hundred waits for a busy event loop, up to 5 ms
each. PostgreSQL's rows come over a socket all at once, so there Python writes it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, cast

import orjson

from clawfeed.domain.moments import iso
from clawfeed.storage.database import Database, Row, SqlValue
from clawfeed.storage.timestamps import moment_or_none

_COLUMNS = {
    "id": "i.id",
    "source_id": "i.source_id",
    "source_name": "s.name",
    "source_type": "s.type",
    "title": "i.title",
    "url": "i.url",
    "author": "i.author",
    "content": "i.content",
    "fetched_at": "i.fetched_at",
    "published_at": "i.published_at",
    "metadata": "i.metadata",
}
_DATE = "strftime('%Y-%m-%dT%H:%M:%SZ', {column}, 'unixepoch')"
# Checked first: one damaged row must not spoil the answer.
_METADATA = "json(CASE WHEN json_valid(i.metadata) THEN i.metadata ELSE '{}' END)"
_WRITTEN = {
    **_COLUMNS,
    "fetched_at": _DATE.format(column="i.fetched_at"),
    "published_at": _DATE.format(column="i.published_at"),
    "metadata": _METADATA,
}
_ROW_COLUMNS = ", ".join(f"{column} AS {name}" for name, column in _COLUMNS.items())
_PAIRS = ", ".join(f"'{name}', {column}" for name, column in _WRITTEN.items())
_TEXT_COLUMNS = f"i.id AS id, i.fetched_at AS at, json_object({_PAIRS}) AS item"


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemRows:
    """Items as JSON in the order asked for, and what orders the last of them."""

    texts: list[orjson.Fragment]
    last_id: int
    last_at: float


NO_ITEMS = ItemRows(texts=[], last_id=0, last_at=0.0)


async def read_items(database: Database, rest: str, params: Mapping[str, SqlValue]) -> ItemRows:
    """The items of `SELECT ... FROM` *rest*, which names `raw_items i` and `sources s`.

    *rest* must order by falling date of fetch or falling id, and have a limit.
    """
    if database.dialect.name == "sqlite":
        return await _read_written(database, rest, params)
    rows = await database.read(f"SELECT {_ROW_COLUMNS} FROM {rest}", params)  # noqa: S608
    if not rows:
        return NO_ITEMS
    texts = [orjson.Fragment(orjson.dumps(_as_json(row))) for row in rows]
    return ItemRows(texts=texts, last_id=rows[-1]["id"], last_at=rows[-1]["fetched_at"])


async def read_all(
    database: Database, columns: str, rest: str, params: Mapping[str, SqlValue]
) -> list[list[Any]]:
    """Many short rows: numbers and names only, exact to fifteen digits."""
    if database.dialect.name != "sqlite":
        rows = await database.read(f"SELECT {columns} FROM {rest}", params)  # noqa: S608
        return [list(_values(row)) for row in rows]
    [row] = await database.read(
        f"SELECT json_group_array(json_array({columns})) AS all_rows FROM {rest}",  # noqa: S608
        params,
    )
    found: list[list[Any]] = orjson.loads(row["all_rows"])
    return found


# The items of one poll have one date, and a source's last date is asked for again and again.
@lru_cache(maxsize=16_384)
def iso_of(value: float | None) -> str | None:
    """A stored moment as programs read it."""
    return iso(moment_or_none(value))


async def _read_written(database: Database, rest: str, params: Mapping[str, SqlValue]) -> ItemRows:
    """JSON holds no line breaks, so lines keep the items apart."""
    [row] = await database.read(
        "SELECT min(at) AS last_at, group_concat(id) AS ids, "  # noqa: S608
        f"CAST(group_concat(item, char(10)) AS BLOB) AS items FROM (SELECT {_TEXT_COLUMNS} "
        f"FROM {rest})",
        params,
    )
    if row["ids"] is None:
        return NO_ITEMS
    texts = [orjson.Fragment(line) for line in row["items"].split(b"\n")]
    last_id = int(row["ids"].rpartition(",")[2])
    return ItemRows(texts=texts, last_id=last_id, last_at=float(row["last_at"]))


def _as_json(row: Row) -> dict[str, Any]:
    item = dict(zip(_COLUMNS, _values(row), strict=True))
    item["fetched_at"] = iso_of(item["fetched_at"])
    item["published_at"] = iso_of(item["published_at"])
    item["metadata"] = _metadata(item["metadata"])
    return item


def _values(row: Row) -> Iterable[Any]:
    return cast("Iterable[Any]", row)


def _metadata(text: str) -> object:
    """The stored JSON as it is, if it is JSON: one damaged row must not spoil the answer."""
    try:
        orjson.loads(text)
    except orjson.JSONDecodeError:
        return {}
    return orjson.Fragment(text)

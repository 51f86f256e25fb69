"""The index items are searched by: filled in batches beside the collecting, never within a poll."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass

from clawfeed.domain.search_terms import LONGEST_MARKUP, Term, index_words, source_word
from clawfeed.storage.database import Database, Dialect, Row, Statement, Steps


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchDialect:
    """How one database says what both do."""

    item_id: str  # the item a row of `item_search` is for
    matches: str  # whether a row of `item_search` has all words of `:query`
    add: str
    # Ids below the newest that may still be committed: transactions overlap on PostgreSQL only.
    margin: int


SQLITE = SearchDialect(
    item_id="item_search.rowid",
    matches="item_search MATCH :query",
    add="""
    INSERT INTO item_search (rowid, words)
    SELECT i.id, fresh.value FROM json_each(:words) AS fresh
    CROSS JOIN raw_items i WHERE i.id = CAST(fresh.key AS INTEGER)
      AND NOT EXISTS (SELECT 1 FROM item_search WHERE rowid = CAST(fresh.key AS INTEGER))
    """,
    margin=0,
)
POSTGRESQL = SearchDialect(
    item_id="item_search.item_id",
    matches="item_search.words @@ CAST(CAST(:query AS TEXT) AS tsquery)",
    # The lock keeps an item from being removed between our reading and our commit.
    add="""
    INSERT INTO item_search (item_id, words)
    SELECT i.id, array_to_tsvector(string_to_array(fresh.value, ' '))
    FROM json_each_text(CAST(CAST(:words AS TEXT) AS json)) AS fresh (key, value)
    JOIN raw_items i ON i.id = CAST(fresh.key AS BIGINT)
    ORDER BY i.id FOR KEY SHARE OF i
    ON CONFLICT DO NOTHING
    """,
    margin=10_000,
)


class SearchIndex:
    """Brings new items into the index. Any number of collectors may do so at once."""

    def __init__(self, database: Database) -> None:
        self._db = database
        self._spelling = spelling_of(database)

    async def index_new(self, batch: int) -> int:
        """Index up to *batch* items that are not yet; returns how many there were.

        Items are found by their ids above the last one indexed, less a margin, since on
        PostgreSQL a smaller id may be committed after a larger one.
        """
        rows = await self._new_items(batch)
        if rows:
            words = await asyncio.to_thread(_words_by_id, rows)
            newest = max(int(row["id"]) for row in rows)
            await self._db.run(lambda: _add(self._spelling.add, words, newest))
        return len(rows)

    async def _new_items(self, batch: int) -> list[Row]:
        return await self._db.read(
            f"""
            SELECT i.id, i.source_id, i.title, i.author,
                substr(i.content, 1, {LONGEST_MARKUP}) AS content
            FROM raw_items i WHERE i.id IN (
                SELECT n.id FROM raw_items n
                WHERE n.id > (SELECT up_to FROM search_progress) - :margin AND NOT EXISTS (
                    SELECT 1 FROM item_search WHERE {self._spelling.item_id} = n.id
                )
                ORDER BY n.id LIMIT :batch
            )
            """,  # noqa: S608 -- our own constants
            {"margin": self._spelling.margin, "batch": batch},
        )


def spelling_of(database: Database) -> SearchDialect:
    return _spelling(database.dialect)


def _spelling(dialect: Dialect) -> SearchDialect:
    return SQLITE if dialect.name == "sqlite" else POSTGRESQL


def index_anew(source_id: int, dialect: Dialect) -> Steps[None]:
    """Forget what is indexed of a source's items: they are about to be another source's.

    A word of each says whose it is. Indexing goes back to the first of them by itself.
    """
    whose = "SELECT id FROM raw_items WHERE source_id = :source"
    yield Statement(
        f"DELETE FROM item_search WHERE {_spelling(dialect).item_id} IN ({whose})",  # noqa: S608
        {"source": source_id},
    )
    first = "SELECT min(id) - 1 FROM raw_items WHERE source_id = :source"
    yield Statement(
        f"UPDATE search_progress SET up_to = ({first}) WHERE up_to > ({first})",  # noqa: S608
        {"source": source_id},
    )


def query_text(terms: Sequence[Term], sources: Sequence[int], database: Database) -> str:
    """`:query` for items that have all *terms* (and are of one of *sources*, if any are given).

    Terms hold letters and digits only, so a quote ends nothing.
    """
    whose = [source_word(each) for each in sources]
    if database.dialect.name == "sqlite":
        words = [f'"{term.word}"{"*" if term.is_beginning else ""}' for term in terms]
        either = " OR ".join(f'"{word}"' for word in whose)
        return " AND ".join([*words, f"({either})"] if whose else words)
    words = [f"'{term.word}'{':*' if term.is_beginning else ''}" for term in terms]
    either = " | ".join(f"'{word}'" for word in whose)
    return " & ".join([*words, f"({either})"] if whose else words)


def search_conditions(spelling: SearchDialect, *, is_dated: bool, is_later: bool) -> list[str]:
    """Which items `i` are found by `:query`: *is_dated* `:since`, *is_later* from `:start_id` on.

    To be read by falling id: the index gives that for nothing, and ids grow with the fetch date.
    Whoever sorts by date must first collect every match, and a common word has 300,000.
    """
    where = [spelling.matches, f"i.id = {spelling.item_id}"]
    if is_dated:
        # Without the bound on ids, all matches older than *since* would be looked at.
        oldest = "(SELECT min(id + 0) FROM raw_items WHERE fetched_at >= :since)"
        where += ["i.fetched_at >= :since", f"{spelling.item_id} >= coalesce({oldest}, 0)"]
    if is_later:
        # Said of both: PostgreSQL walks them side by side, and would begin one at its newest.
        where += [f"{spelling.item_id} <= :start_id", "i.id <= :start_id"]
    return where


def _words_by_id(rows: Sequence[Row]) -> str:
    """All items' words as one JSON text: one statement takes them all in, on both databases."""
    return json.dumps({int(row["id"]): " ".join(_words(row)) for row in rows}, ensure_ascii=False)


def _words(row: Row) -> list[str]:
    found = index_words(title=row["title"], author=row["author"], content=row["content"])
    return [source_word(row["source_id"]), *found]


def _add(sql: str, words: str, newest: int) -> Steps[None]:
    yield Statement(sql, {"words": words})
    yield Statement(
        "UPDATE search_progress SET up_to = :newest WHERE up_to < :newest", {"newest": newest}
    )

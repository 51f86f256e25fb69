"""One source becomes another: what hangs on it moves, and it goes (S001-22).

Every function is a part of a transaction. The fence comes first: a poll of the source that goes
may be under way, and finds its claim revoked when it wants to store (decision 0003).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from clawfeed.domain.ids import SourceId
from clawfeed.domain.sources.source import Source
from clawfeed.domain.sources.type_facts import TypeFacts
from clawfeed.storage.database import Dialect, SqlValue, Statement, Steps
from clawfeed.storage.items.search import index_anew
from clawfeed.storage.leases import REVOKED
from clawfeed.storage.sources.first_stats import FirstDate, make_rows
from clawfeed.storage.timestamps import seconds

# A key begins with the source's id (S001-2), so an item that moves gets another one.
_NEW_KEY = """CASE WHEN substr({0}.dedup_key, 1, CAST(:cut AS INTEGER)) = CAST(:old AS TEXT)
    THEN CAST(:new AS TEXT) || substr({0}.dedup_key, CAST(:cut AS INTEGER) + 1)
    ELSE {0}.dedup_key END"""
# Items of both, by what is one thing.
_PAIRS = f"""
    SELECT g.id AS gone_id, k.id AS kept_id
    FROM raw_items g JOIN raw_items k
        ON k.source_id = :kept AND k.dedup_key = {_NEW_KEY.format("g")}
    WHERE g.source_id = :gone
"""  # noqa: S608 -- our own constants


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeCounts:
    """What moved. *repeated* items were there already, and were not kept twice."""

    items: int = 0
    repeated: int = 0
    marks: int = 0
    subscriptions: int = 0
    packs: int = 0


def merge(
    gone: Source, kept: Source, facts: TypeFacts, dialect: Dialect, now: datetime
) -> Steps[MergeCounts]:
    """Move all of *gone* to *kept*; nothing that either has seen will be told again."""
    yield from fence_off(gone, facts, now)
    yield Statement(
        f"UPDATE source_stats SET {REVOKED}, updated_at = :now WHERE source_id = :id",  # noqa: S608
        {"id": kept.id, "now": seconds(now)},
    )
    yield from index_anew(gone.id, dialect)
    items, repeated, marks = yield from _move_items(gone.id, kept.id)
    subscriptions = yield from share_readers(gone, kept.id)
    packs = yield from share_packs(gone.id, kept.id)
    yield from _keep_freshness(gone.id, kept.id, now)
    yield from remove(gone.id, now)
    return MergeCounts(
        items=items, repeated=repeated, marks=marks, subscriptions=subscriptions, packs=packs
    )


def fence_off(gone: Source, facts: TypeFacts, now: datetime) -> Steps[None]:
    """Take the source from whoever polls it: a late result finds another claim, stores nothing.

    One that was never polled gets its row for this, or a first claim could slip in between.
    """
    yield from make_rows([FirstDate(gone.id, facts)], now=now)
    yield Statement(
        f"""
        UPDATE source_stats SET {REVOKED}, next_due_at = NULL, waiting_since = NULL,
            updated_at = :now
        WHERE source_id = :id
        """,  # noqa: S608 -- our own constant
        {"id": gone.id, "now": seconds(now)},
    )


def share_readers(gone: Source, target: SourceId) -> Steps[int]:
    """Let who reads *gone* follow *target*; how many did not yet.

    Of a private source only its owner does: others may have followed it while it was public.
    """
    rows = yield Statement(
        """
        INSERT INTO user_subscriptions (user_id, source_id, created_at)
        SELECT u.user_id, CAST(:target AS BIGINT), u.created_at FROM user_subscriptions u
        WHERE u.source_id = :gone AND (:for_all = 1 OR u.user_id = :owner)
        ON CONFLICT DO NOTHING RETURNING user_id
        """,
        {
            "target": target,
            "gone": gone.id,
            "for_all": int(gone.is_public),
            "owner": gone.created_by,
        },
    )
    return len(rows)


def share_packs(gone: SourceId, target: SourceId) -> Steps[int]:
    """Put *target* where *gone* stands in packs; how many did not hold it yet."""
    rows = yield Statement(
        """
        INSERT INTO source_pack_sources (pack_id, source_id, position)
        SELECT p.pack_id, CAST(:target AS BIGINT), p.position FROM source_pack_sources p
        WHERE p.source_id = :gone
        ON CONFLICT DO NOTHING RETURNING pack_id
        """,
        {"target": target, "gone": gone},
    )
    return len(rows)


def remove(gone: SourceId, now: datetime) -> Steps[None]:
    """Take the source out of everybody's sight, lists and packs; its row stays as a witness."""
    for table in ("user_subscriptions", "source_pack_sources"):
        yield Statement(f"DELETE FROM {table} WHERE source_id = :id", {"id": gone})  # noqa: S608
    yield Statement(
        "UPDATE sources SET is_deleted = 1, updated_at = :now WHERE id = :id",
        {"id": gone, "now": seconds(now)},
    )


def _move_items(gone: SourceId, kept: SourceId) -> Steps[tuple[int, int, int]]:
    """How many items moved, how many were there already, and how many marks came along."""
    ids = _params(gone, kept)
    yield _copy_seen(ids)
    [counted] = yield Statement(
        "SELECT count(*) AS n FROM marks m JOIN raw_items i ON i.id = m.raw_item_id "
        "WHERE i.source_id = :gone",
        {"gone": gone},
    )
    yield from _point_to_kept(ids)
    moved = yield Statement(
        f"""
        UPDATE raw_items SET source_id = :kept, dedup_key = {_NEW_KEY.format("raw_items")}
        WHERE source_id = :gone AND id NOT IN (SELECT gone_id FROM ({_PAIRS}) AS pairs)
        RETURNING id
        """,  # noqa: S608 -- our own constants
        ids,
    )
    left = yield Statement(
        "DELETE FROM raw_items WHERE source_id = :gone RETURNING id", {"gone": gone}
    )
    return len(moved), len(left), int(counted["n"])


def share_items(gone: SourceId, target: SourceId, author: str) -> Steps[int]:
    """Give *target* the items of *gone* that *author* wrote; how many it did not have yet."""
    ids = {**_params(gone, target), "author": author.lower()}
    by_author = (
        "SELECT dedup_key FROM raw_items WHERE source_id = :gone AND lower(author) = :author"
    )
    yield _copy_seen(ids, f"s.dedup_key IN ({by_author})")
    moved = yield Statement(
        f"""
        UPDATE raw_items SET source_id = :kept, dedup_key = {_NEW_KEY.format("raw_items")}
        WHERE source_id = :gone AND lower(author) = :author
          AND id NOT IN (SELECT gone_id FROM ({_PAIRS}) AS pairs)
        RETURNING id
        """,  # noqa: S608 -- our own constants
        ids,
    )
    return len(moved)


def _copy_seen(ids: Mapping[str, SqlValue], which: str = "1 = 1") -> Statement:
    """What was seen at *gone* counts as seen at *kept*, so that it is not told again."""
    return Statement(
        f"""
        INSERT INTO seen_items (source_id, dedup_key, published_at, first_seen_at)
        SELECT CAST(:kept AS BIGINT), {_NEW_KEY.format("s")}, s.published_at, s.first_seen_at
        FROM seen_items s WHERE s.source_id = :gone AND {which}
        ON CONFLICT DO NOTHING
        """,  # noqa: S608 -- our own constants
        ids,
    )


def _point_to_kept(ids: Mapping[str, SqlValue]) -> Steps[None]:
    """Marks and stories of an item that both have point to the one that stays."""
    pairs = f"({_PAIRS}) AS pairs"
    yield Statement(
        f"""
        UPDATE marks SET raw_item_id =
            (SELECT pairs.kept_id FROM {pairs} WHERE pairs.gone_id = marks.raw_item_id)
        WHERE raw_item_id IN (SELECT pairs.gone_id FROM {pairs})
        """,  # noqa: S608 -- our own constants
        ids,
    )
    yield Statement(
        f"""
        INSERT INTO story_items (story_id, raw_item_id, added_at)
        SELECT x.story_id, pairs.kept_id, x.added_at
        FROM story_items x JOIN {pairs} ON pairs.gone_id = x.raw_item_id
        WHERE 1 = 1
        ON CONFLICT DO NOTHING
        """,  # noqa: S608 -- our own constants
        ids,
    )


def _keep_freshness(gone: SourceId, kept: SourceId, now: datetime) -> Steps[None]:
    """The newest item of both is now the one's; all other figures tell of its own polls."""
    newest = "SELECT last_article_at FROM source_stats WHERE source_id = :gone"
    yield Statement(
        f"""
        UPDATE source_stats SET last_article_at = ({newest}), updated_at = :now
        WHERE source_id = :kept AND coalesce(last_article_at, 0) < coalesce(({newest}), 0)
        """,  # noqa: S608 -- our own constants
        {"gone": gone, "kept": kept, "now": seconds(now)},
    )


def _params(gone: SourceId, kept: SourceId) -> dict[str, SqlValue]:
    old, new = f"{gone}:", f"{kept}:"
    return {"gone": gone, "kept": kept, "old": old, "new": new, "cut": len(old)}

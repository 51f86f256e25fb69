"""The folders of other readers' lists, as packs: of the person who imports them, or of nobody.

A folder in a folder is a pack with both names, "News / Local", so that it can be written out again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from clawfeed.domain.ids import PackId, SourceId, UserId
from clawfeed.domain.slugs import slug_of
from clawfeed.storage.database import Database, Insert, Row, Statement, Steps
from clawfeed.storage.sources.packs import PackContent, add_pack
from clawfeed.storage.sources.visibility_conditions import VISIBLE_PACK, VISIBLE_TO_ALL
from clawfeed.storage.taken_slugs import first_free
from clawfeed.storage.timestamps import seconds

# For a name without a letter from a to z: "新闻".
NAMELESS_SLUG: Final = "folder"


@dataclass(frozen=True, slots=True, kw_only=True)
class Folder:
    """A pack as part of a list; its sources in their order."""

    name: str
    source_ids: tuple[SourceId, ...]


class Folders:
    """Packs for whoever imports and exports lists."""

    def __init__(self, database: Database) -> None:
        self._db = database

    async def fill(
        self,
        contents: Mapping[str, Sequence[SourceId]],
        *,
        owner: UserId | None = None,
        now: datetime,
    ) -> None:
        """Put these sources into the packs of these names, which are made if they are missing.

        What is in them stays. Only *owner*'s packs are touched, whatever others are called; without
        one those that nobody owns. New ones of a person are private; `QuotaError` if they have too
        many.
        """
        await self._db.run(lambda: _fill_all(contents, owner, now))

    async def of(self, user: UserId) -> list[Folder]:
        """The person's own packs, oldest first."""
        rows = await self._db.read(
            """
            SELECT p.id, p.name, x.source_id
            FROM source_packs p JOIN source_pack_sources x ON x.pack_id = p.id
            WHERE p.created_by = :user ORDER BY p.id, x.position, x.source_id
            """,
            {"user": user},
        )
        return _folders(rows)

    async def list(self, *, private: bool) -> list[Folder]:
        """Public packs and those nobody owns, oldest first; people's *private* ones if asked."""
        rows = await self._db.read(
            f"""
            SELECT p.id, p.name, x.source_id
            FROM source_packs p JOIN source_pack_sources x ON x.pack_id = p.id
            WHERE {VISIBLE_PACK} OR p.created_by IS NULL OR :private = 1
            ORDER BY p.id, x.position, x.source_id
            """,  # noqa: S608 -- our own constant
            {"private": int(private), "user": None},
        )
        return _folders(rows)


def _folders(rows: Sequence[Row]) -> list[Folder]:
    found: dict[int, tuple[str, list[SourceId]]] = {}
    for row in rows:
        found.setdefault(row["id"], (row["name"], []))[1].append(SourceId(row["source_id"]))
    return [Folder(name=name, source_ids=tuple(ids)) for name, ids in found.values()]


def _fill_all(
    contents: Mapping[str, Sequence[SourceId]], owner: UserId | None, now: datetime
) -> Steps[None]:
    for name, ids in sorted(contents.items()):
        pack = yield from _pack_of(owner, name, now)
        yield from _append(pack, ids)
        if owner is not None:
            continue  # who sees a person's pack is for them to say
        # Nobody else need know that there is one with private sources alone.
        yield Statement(
            f"""
            UPDATE source_packs SET updated_at = :now, is_public = CASE WHEN EXISTS (
                SELECT 1 FROM source_pack_sources x JOIN sources s ON s.id = x.source_id
                WHERE x.pack_id = :id AND {VISIBLE_TO_ALL}
            ) THEN 1 ELSE 0 END WHERE id = :id
            """,  # noqa: S608 -- our own constant
            {"id": pack, "now": seconds(now)},
        )


def _pack_of(owner: UserId | None, name: str, now: datetime) -> Steps[PackId]:
    """The pack of that name that belongs to *owner*, or to nobody, found or made."""
    query = Statement(
        "SELECT id FROM source_packs WHERE coalesce(created_by, 0) = :owner AND name = :name "
        "ORDER BY id",
        {"owner": owner or 0, "name": name},
    )
    rows = yield query
    if not rows:
        slug = yield from first_free("source_packs", slug_of(name) or NAMELESS_SLUG)
        content = PackContent(name=name, is_public=owner is None)
        yield from add_pack(owner, slug, content, now)
        rows = yield query
    return PackId(rows[0]["id"])


def _append(pack: PackId, ids: Sequence[SourceId]) -> Steps[None]:
    [row] = yield Statement(
        "SELECT coalesce(max(position), -1) AS last FROM source_pack_sources WHERE pack_id = :id",
        {"id": pack},
    )
    first = int(row["last"]) + 1
    yield Insert(
        table="source_pack_sources",
        columns=("pack_id", "source_id", "position"),
        rows=[(pack, each, place) for place, each in enumerate(dict.fromkeys(ids), first)],
    )

"""The folders of other readers' lists, as packs that nobody owns.

A folder in a folder is a pack with both names, "News / Local", so that it can be written out again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from clawfeed.domain.ids import PackId, SourceId
from clawfeed.domain.slugs import LONGEST_SLUG, slug_of
from clawfeed.storage.database import Database, Insert, Statement, Steps
from clawfeed.storage.packs import PackContent, add_unowned
from clawfeed.storage.source_visibility import VISIBLE_PACK, VISIBLE_TO_ALL
from clawfeed.storage.timestamps import seconds

# For a name without a letter from a to z: "新闻".
NAMELESS: Final = "folder"


@dataclass(frozen=True, slots=True, kw_only=True)
class Folder:
    """A pack as part of a list; its sources in their order."""

    name: str
    source_ids: tuple[SourceId, ...]


class Folders:
    """Packs for the operator who imports and exports lists."""

    def __init__(self, database: Database) -> None:
        self._db = database

    async def fill(self, contents: Mapping[str, Sequence[SourceId]], *, now: datetime) -> None:
        """Put these sources into the packs of these names, which are made if they are missing.

        What is in them stays. Packs of people are left alone, whatever their name.
        """
        await self._db.run(lambda: _fill_all(contents, now))

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
        found: dict[int, tuple[str, list[SourceId]]] = {}
        for row in rows:
            found.setdefault(row["id"], (row["name"], []))[1].append(SourceId(row["source_id"]))
        return [Folder(name=name, source_ids=tuple(ids)) for name, ids in found.values()]


def _fill_all(contents: Mapping[str, Sequence[SourceId]], now: datetime) -> Steps[None]:
    for name, ids in sorted(contents.items()):
        pack = yield from _unowned(name, now)
        yield from _append(pack, ids)
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


def _unowned(name: str, now: datetime) -> Steps[PackId]:
    """The pack of that name that belongs to nobody, found or made."""
    query = "SELECT id FROM source_packs WHERE created_by IS NULL AND name = :name ORDER BY id"
    rows = yield Statement(query, {"name": name})
    if not rows:
        slug = yield from _free_slug(name)
        yield from add_unowned(slug, PackContent(name=name), now)
        rows = yield Statement(query, {"name": name})
    return PackId(rows[0]["id"])


def _free_slug(name: str) -> Steps[str]:
    base = slug_of(name)[: LONGEST_SLUG - 6] or NAMELESS
    rows = yield Statement(
        "SELECT slug FROM source_packs WHERE slug = :slug OR slug LIKE :more",
        {"slug": base, "more": f"{base}-%"},
    )
    taken = {str(row["slug"]) for row in rows}
    number = next(n for n in range(1, len(taken) + 2) if _numbered(base, n) not in taken)
    return _numbered(base, number)


def _numbered(base: str, number: int) -> str:
    return base if number == 1 else f"{base}-{number}"


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

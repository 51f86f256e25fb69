"""Packs with what is in them, for somebody who is about to choose: one crossing."""

from __future__ import annotations

from dataclasses import dataclass

from clawfeed.domain.ids import SourceId, UserId
from clawfeed.storage.database import Database, Row
from clawfeed.storage.sources.visibility_conditions import VISIBLE_PACK, VISIBLE_SOURCE

# As many as somebody looks through who just came; the others have a page of their own.
MOST_PACKS = 8
MOST_SOURCES = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceToChoose:
    id: SourceId
    name: str
    type: str
    host: str
    is_followed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PackToChoose:
    """*sources* are the first of *total*."""

    slug: str
    name: str
    description: str
    total: int
    followed: int
    sources: tuple[SourceToChoose, ...]


async def packs_to_choose(database: Database, reader: UserId) -> list[PackToChoose]:
    """The oldest packs that *reader* may know of, with something in them."""
    rows = await database.read(
        f"""
        SELECT * FROM (
            SELECT p.id AS pack, p.slug, p.name AS pack_name, p.description, s.id, s.name, s.type,
                s.host, CASE WHEN f.user_id IS NULL THEN 0 ELSE 1 END AS is_followed,
                row_number() OVER (PARTITION BY p.id ORDER BY x.position, s.id) AS place,
                count(*) OVER (PARTITION BY p.id) AS total,
                count(f.user_id) OVER (PARTITION BY p.id) AS followed
            FROM (SELECT * FROM source_packs p WHERE {VISIBLE_PACK} ORDER BY p.id LIMIT :packs) AS p
                JOIN source_pack_sources x ON x.pack_id = p.id
                JOIN sources s ON s.id = x.source_id
                LEFT JOIN user_subscriptions f ON f.source_id = s.id AND f.user_id = :user
            WHERE {VISIBLE_SOURCE}
        ) AS chosen
        WHERE place <= :sources ORDER BY pack, place
        """,  # noqa: S608 -- our own constants
        {"user": reader, "packs": MOST_PACKS, "sources": MOST_SOURCES},
    )
    packs: dict[int, list[Row]] = {}
    for row in rows:
        packs.setdefault(int(row["pack"]), []).append(row)
    return [_to_pack(each) for each in packs.values()]


def _to_pack(rows: list[Row]) -> PackToChoose:
    first = rows[0]
    return PackToChoose(
        slug=first["slug"],
        name=first["pack_name"],
        description=first["description"],
        total=int(first["total"]),
        followed=int(first["followed"]),
        sources=tuple(
            SourceToChoose(
                id=SourceId(row["id"]),
                name=row["name"],
                type=row["type"],
                host=row["host"],
                is_followed=bool(row["is_followed"]),
            )
            for row in rows
        ),
    )

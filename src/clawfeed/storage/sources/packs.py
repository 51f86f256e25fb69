"""Sets of sources that people put together, share by a short name, and install."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from clawfeed.domain.errors import AlreadyExistsError, NotFoundError, QuotaError, RefusalCode
from clawfeed.domain.ids import PackId, SourceId, UserId
from clawfeed.storage.database import (
    ConstraintError,
    Database,
    Insert,
    Row,
    SqlValue,
    Statement,
    Steps,
    execute,
)
from clawfeed.storage.person_lock import hold
from clawfeed.storage.sources.subscriptions import follow
from clawfeed.storage.sources.visibility_conditions import (
    VISIBLE_PACK,
    VISIBLE_SOURCE,
    require_visible,
)
from clawfeed.storage.taken_slugs import free_of, taken_like
from clawfeed.storage.timestamps import moment, seconds

# Of one person; far beyond what anybody keeps in order (T26).
MOST_PACKS = 100
# In one of them: as many as an OPML list may bring.
MOST_PACKED = 1_000

# Over the alias `p`; binds `:user`. How many of its sources the reader may know of.
_COLUMNS = f"""
    p.id, p.slug, p.name, p.description, p.is_public, p.created_by, p.created_at, p.updated_at,
        (SELECT count(*) FROM source_pack_sources x JOIN sources s ON s.id = x.source_id
         WHERE x.pack_id = p.id AND {VISIBLE_SOURCE}) AS source_count
"""  # noqa: S608 -- the only fragment is our own constant


@dataclass(frozen=True, slots=True, kw_only=True)
class PackContent:
    """What a person says about a pack. A public one holds public sources only."""

    name: str
    description: str = ""
    is_public: bool = True
    source_ids: tuple[SourceId, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PackedSource:
    id: SourceId
    name: str
    type: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Pack:
    """A pack as one reader sees it: *sources* are those they may know of; a list has none."""

    id: PackId
    slug: str
    name: str
    description: str
    is_public: bool
    created_by: UserId | None
    created_at: datetime
    updated_at: datetime
    source_count: int
    sources: tuple[PackedSource, ...] = ()

    def is_of(self, viewer: UserId | None) -> bool:
        return viewer is not None and self.created_by == viewer


class PackStore:
    """Packs; *user* is who asks, None for a stranger."""

    def __init__(self, database: Database) -> None:
        self._db = database

    async def list(self, user: UserId | None, *, after: int = 0, limit: int) -> builtins.list[Pack]:
        """Public packs and the person's own, oldest first, without their sources.

        A page of packs with a thousand sources each would be a day's reading for any client.
        """
        rows = await self._db.read(
            f"""
            SELECT {_COLUMNS} FROM source_packs p
            WHERE {VISIBLE_PACK} AND p.id > :after ORDER BY p.id LIMIT :limit
            """,  # noqa: S608 -- only our own constants
            {"user": user, "after": after, "limit": limit},
        )
        return [_to_pack(row) for row in rows]

    async def get(self, user: UserId | None, slug: str) -> Pack:
        """The pack, or `NotFoundError`; somebody else's private one is not found."""
        params: dict[str, SqlValue] = {"user": user, "slug": slug}
        packs = await self._db.read(
            f"SELECT {_COLUMNS} FROM source_packs p WHERE {VISIBLE_PACK} AND p.slug = :slug",  # noqa: S608
            params,
        )
        if not packs:
            raise NotFoundError(f"there is no pack named {slug}")
        sources = await self._db.read(
            f"""
            SELECT s.id, s.name, s.type
            FROM source_packs p JOIN source_pack_sources x ON x.pack_id = p.id
            JOIN sources s ON s.id = x.source_id
            WHERE p.slug = :slug AND {VISIBLE_SOURCE} ORDER BY x.position, s.id
            """,  # noqa: S608 -- only our own constants
            params,
        )
        return _to_pack(packs[0], sources)

    async def free_slug(self, wished: str) -> str:
        """*wished*, or with the first number behind it that makes it nobody's yet."""
        asked = taken_like("source_packs", wished)
        return free_of(wished, await self._db.read(asked.sql, asked.params))

    async def add(self, owner: UserId, slug: str, content: PackContent, *, now: datetime) -> Pack:
        """Store a new pack; `AlreadyExistsError` if its slug is taken.

        `QuotaError` if the owner has `MOST_PACKS`.
        """
        try:
            await self._db.run(lambda: add_pack(owner, slug, content, now))
        except ConstraintError as error:
            raise AlreadyExistsError(
                f"there is a pack named {slug} already", RefusalCode.PACK_THERE, name=slug
            ) from error
        return await self.get(owner, slug)

    async def save(self, user: UserId, pack: Pack, content: PackContent, *, now: datetime) -> Pack:
        """Replace what the pack says and holds; its slug stays."""
        await self._db.run(lambda: _save(user, pack.id, content, now))
        return await self.get(user, pack.slug)

    async def remove(self, pack: Pack) -> None:
        """Forget the pack; its sources and who follows them stay as they are."""
        await execute(self._db, "DELETE FROM source_packs WHERE id = :id", {"id": pack.id})

    async def install(self, user: UserId, pack: Pack, *, now: datetime) -> int:
        """Follow all the pack's sources the person may see; how many were new."""
        ids = [source.id for source in pack.sources]
        return await self._db.run(lambda: follow(user, ids, now))


def _to_pack(row: Row, sources: Sequence[Row] = ()) -> Pack:
    return Pack(
        id=PackId(row["id"]),
        slug=row["slug"],
        name=row["name"],
        description=row["description"],
        is_public=bool(row["is_public"]),
        created_by=None if row["created_by"] is None else UserId(row["created_by"]),
        created_at=moment(row["created_at"]),
        updated_at=moment(row["updated_at"]),
        source_count=int(row["source_count"]),
        sources=tuple(
            PackedSource(id=SourceId(each["id"]), name=each["name"], type=each["type"])
            for each in sources
        ),
    )


def add_pack(owner: UserId | None, slug: str, content: PackContent, now: datetime) -> Steps[None]:
    """The statements of `PackStore.add`; without an *owner* a pack of nobody's (S001-18)."""
    if owner is not None:
        yield from _check_quota(owner)
        yield from require_visible(owner, content.source_ids, and_public=content.is_public)
    rows = yield Statement(
        """
        INSERT INTO source_packs
            (slug, name, description, created_by, is_public, created_at, updated_at)
        VALUES (:slug, :name, :description, :owner, :is_public, :now, :now) RETURNING id
        """,
        {
            "slug": slug,
            "name": content.name,
            "description": content.description,
            "owner": owner,
            "is_public": int(content.is_public),
            "now": seconds(now),
        },
    )
    yield from _fill(PackId(rows[0]["id"]), content.source_ids)


def _check_quota(owner: UserId) -> Steps[None]:
    yield from hold(owner)
    rows = yield Statement(
        "SELECT count(*) AS n FROM source_packs WHERE created_by = :user", {"user": owner}
    )
    if int(rows[0]["n"]) >= MOST_PACKS:
        raise QuotaError(
            f"a person may have {MOST_PACKS} packs at most; remove one first",
            RefusalCode.TOO_MANY,
            most=MOST_PACKS,
        )


def _save(user: UserId, pack: PackId, content: PackContent, now: datetime) -> Steps[None]:
    yield from require_visible(user, content.source_ids, and_public=content.is_public)
    yield Statement(
        """
        UPDATE source_packs SET name = :name, description = :description,
            is_public = :is_public, updated_at = :now
        WHERE id = :id
        """,
        {
            "id": pack,
            "name": content.name,
            "description": content.description,
            "is_public": int(content.is_public),
            "now": seconds(now),
        },
    )
    yield Statement("DELETE FROM source_pack_sources WHERE pack_id = :id", {"id": pack})
    yield from _fill(pack, content.source_ids)


def _fill(pack: PackId, ids: Sequence[SourceId]) -> Steps[None]:
    if not ids:
        return
    yield Insert(
        table="source_pack_sources",
        columns=("pack_id", "source_id", "position"),
        rows=[(pack, source_id, place) for place, source_id in enumerate(dict.fromkeys(ids))],
        returning="source_id",
    )

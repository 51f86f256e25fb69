"""Who follows what. A source is fetched once for all who do (S001-16)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from clawfeed.domain.errors import QuotaError, RefusalCode
from clawfeed.domain.ids import SourceId, UserId
from clawfeed.storage.database import Database, Insert, Statement, Steps, read_by
from clawfeed.storage.person_lock import hold
from clawfeed.storage.sources.visibility_conditions import (
    VISIBLE_SOURCE,
    VISIBLE_TO_ALL,
    require_visible,
)
from clawfeed.storage.sql_lists import chunks, in_list
from clawfeed.storage.timestamps import moment, seconds

# Far beyond what a person reads; a script that follows everything is not a person (T26).
MOST_SUBSCRIPTIONS = 5_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Subscription:
    source_id: SourceId
    name: str
    type: str
    is_public: bool
    is_active: bool
    since: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class DefaultContent:
    """What a new reader gets: this pack, else this source, else all public ones (S001-15)."""

    pack: str | None = None
    source_id: SourceId | None = None


class SubscriptionStore:
    """One person's subscriptions at a time."""

    def __init__(self, database: Database) -> None:
        self._db = database

    async def list(self, user: UserId, *, after: int = 0, limit: int) -> list[Subscription]:
        """What *user* follows and may still see, oldest source first, from *after* on."""
        rows = await self._db.read(
            f"""
            SELECT s.id, s.name, s.type, s.is_public, s.is_active, u.created_at
            FROM user_subscriptions u JOIN sources s ON s.id = u.source_id
            WHERE u.user_id = :user AND u.source_id > :after AND {VISIBLE_SOURCE}
            ORDER BY u.source_id LIMIT :limit
            """,  # noqa: S608 -- the only fragment is our own constant
            {"user": user, "after": after, "limit": limit},
        )
        return [
            Subscription(
                source_id=SourceId(row["id"]),
                name=row["name"],
                type=row["type"],
                is_public=bool(row["is_public"]),
                is_active=bool(row["is_active"]),
                since=moment(row["created_at"]),
            )
            for row in rows
        ]

    async def change(
        self,
        user: UserId,
        *,
        add: Sequence[SourceId] = (),
        remove: Sequence[SourceId] = (),
        now: datetime,
    ) -> tuple[int, int]:
        """Follow *add* and leave *remove*, all or nothing; how many were new, how many were left.

        `NotFoundError` for a source the person may not know of, `QuotaError` beyond the
        limit. Following what is followed already, and leaving what is not, change nothing.
        """
        return await self._db.run(lambda: _change(user, add, remove, now))

    async def follow_default(self, user: UserId, default: DefaultContent, *, now: datetime) -> int:
        """Follow the default content (S001-15); how many were new."""
        return await self._db.run(lambda: _follow_default(user, default, now))


def _change(
    user: UserId, add: Sequence[SourceId], remove: Sequence[SourceId], now: datetime
) -> Steps[tuple[int, int]]:
    removed = 0
    for some in chunks(sorted(set(remove))):
        names, params = in_list(some)
        rows = yield Statement(
            f"DELETE FROM user_subscriptions WHERE user_id = :user AND source_id IN ({names}) "  # noqa: S608
            "RETURNING source_id",
            {"user": user, **params},
        )
        removed += len(rows)
    yield from require_visible(user, add, and_public=False)
    added = yield from follow(user, add, now)
    return added, removed


def follow(user: UserId, ids: Sequence[SourceId], now: datetime) -> Steps[int]:
    """Subscribe *user* to sources they may see; how many were new."""
    if not ids:
        return 0
    yield from hold(user)
    rows = yield Insert(
        table="user_subscriptions",
        columns=("user_id", "source_id", "created_at"),
        rows=[(user, source_id, seconds(now)) for source_id in sorted(set(ids))],
        returning="source_id",
    )
    counted = yield Statement(
        "SELECT count(*) AS n FROM user_subscriptions WHERE user_id = :user", {"user": user}
    )
    if int(counted[0]["n"]) > MOST_SUBSCRIPTIONS:
        raise QuotaError(
            f"a person may follow {MOST_SUBSCRIPTIONS:,} sources at most; leave some first",
            RefusalCode.TOO_MANY,
            most=MOST_SUBSCRIPTIONS,
        )
    return len(rows)


def _follow_default(user: UserId, default: DefaultContent, now: datetime) -> Steps[int]:
    ids = yield from default_sources(default)
    return (yield from follow(user, ids[:MOST_SUBSCRIPTIONS], now))


async def read_default_sources(database: Database, default: DefaultContent) -> list[SourceId]:
    """`default_sources` for who only looks: no writer waits for it."""
    return await read_by(database, default_sources(default))


def default_sources(default: DefaultContent) -> Steps[list[SourceId]]:
    """The public sources a stranger's edition is made of, and a new reader starts with.

    A pack or a source that is not there (any more) is passed over, so that nobody starts empty.
    """
    if default.pack is not None:
        rows = yield Statement(
            f"""
            SELECT s.id FROM source_packs p JOIN source_pack_sources x ON x.pack_id = p.id
            JOIN sources s ON s.id = x.source_id
            WHERE p.slug = :slug AND {VISIBLE_TO_ALL}
            ORDER BY x.position, s.id
            """,  # noqa: S608 -- our own constant
            {"slug": default.pack},
        )
        if rows:
            return [SourceId(row["id"]) for row in rows]
    if default.source_id is not None:
        rows = yield Statement(
            f"SELECT s.id FROM sources s WHERE s.id = :id AND {VISIBLE_TO_ALL}",  # noqa: S608
            {"id": default.source_id},
        )
        if rows:
            return [default.source_id]
    rows = yield Statement(
        f"SELECT s.id FROM sources s WHERE {VISIBLE_TO_ALL} ORDER BY s.id"  # noqa: S608
    )
    return [SourceId(row["id"]) for row in rows]

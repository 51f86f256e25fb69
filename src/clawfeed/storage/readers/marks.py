"""What readers marked. A mark outlives its item: it has the address and the title."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from clawfeed.domain.errors import NotFoundError, QuotaError, RefusalCode
from clawfeed.domain.ids import ItemId, MarkId, UserId
from clawfeed.storage.bounds import NO_LIMIT
from clawfeed.storage.database import Database, Row, Statement, Steps
from clawfeed.storage.person_lock import hold
from clawfeed.storage.sources.visibility_conditions import VISIBLE_SOURCE
from clawfeed.storage.timestamps import moment, seconds

MOST_MARKS = 100_000


class MarkStatus(StrEnum):
    """What the reader meant by it."""

    SAVED = "saved"
    READ = "read"
    LIKED = "liked"
    DISLIKED = "disliked"


@dataclass(frozen=True, slots=True, kw_only=True)
class NewMark:
    """An item, or any address with a title."""

    item_id: ItemId | None = None
    url: str = ""
    title: str = ""
    note: str = ""
    status: MarkStatus = MarkStatus.SAVED


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    id: MarkId
    item_id: ItemId | None
    url: str
    title: str
    note: str
    status: MarkStatus
    created_at: datetime


class MarkStore:
    """One person's marks at a time."""

    def __init__(self, database: Database) -> None:
        self._db = database

    async def list(
        self, user: UserId, *, status: MarkStatus | None, before: MarkId | None, limit: int
    ) -> list[Mark]:
        """The newest first, of this status only if given, older than *before* if given."""
        rows = await self._db.read(
            """
            SELECT id, raw_item_id, url, title, note, status, created_at FROM marks
            WHERE user_id = :user AND id < :before AND (:status = '' OR status = :status)
            ORDER BY id DESC LIMIT :limit
            """,
            {
                "user": user,
                "before": NO_LIMIT if before is None else before,
                "status": status or "",
                "limit": limit,
            },
        )
        return [_to_mark(row) for row in rows]

    async def get(self, user: UserId, mark: MarkId) -> Mark:
        """One mark; `NotFoundError` if it is not theirs."""
        rows = await self._db.read(
            "SELECT id, raw_item_id, url, title, note, status, created_at FROM marks "
            "WHERE id = :id AND user_id = :user",
            {"id": mark, "user": user},
        )
        if not rows:
            raise NotFoundError(f"there is no mark {mark}")
        return _to_mark(rows[0])

    async def save(self, user: UserId, new: NewMark, *, now: datetime) -> Mark:
        """Store the mark; the same address marked again is one mark, with what was said last.

        `NotFoundError` for an item the person may not see.
        """
        return await self._db.run(lambda: _save(user, new, now))

    async def forget_item(self, user: UserId, item: ItemId) -> None:
        """Forget the marks of an item, by whichever of its addresses; none is fine, too."""

        def steps() -> Steps[None]:
            yield Statement(
                """
                DELETE FROM marks WHERE user_id = :user AND status = 'saved' AND (
                    raw_item_id = :item OR url IN (SELECT url FROM raw_items WHERE id = :item)
                )
                """,
                {"user": user, "item": item},
            )

        await self._db.run(steps)

    async def remove(self, user: UserId, mark: MarkId) -> None:
        """Forget the mark; `NotFoundError` if it is not theirs."""

        def steps() -> Steps[None]:
            rows = yield Statement(
                "DELETE FROM marks WHERE id = :id AND user_id = :user RETURNING id",
                {"id": mark, "user": user},
            )
            if not rows:
                raise NotFoundError(f"there is no mark {mark}")

        await self._db.run(steps)


def _save(user: UserId, new: NewMark, now: datetime) -> Steps[Mark]:
    yield from hold(user)
    url, title = new.url, new.title
    if new.item_id is not None:
        url, title = yield from _address_of(user, new.item_id)
    rows = yield Statement(
        """
        INSERT INTO marks (user_id, raw_item_id, url, title, note, status, created_at)
        VALUES (:user, :item, :url, :title, :note, :status, :now)
        ON CONFLICT (user_id, url) DO UPDATE SET title = excluded.title, note = excluded.note,
            status = excluded.status,
            raw_item_id = coalesce(excluded.raw_item_id, marks.raw_item_id)
        RETURNING id, raw_item_id, url, title, note, status, created_at
        """,
        {
            "user": user,
            "item": new.item_id,
            "url": url,
            "title": title,
            "note": new.note,
            "status": new.status,
            "now": seconds(now),
        },
    )
    counted = yield Statement(
        "SELECT count(*) AS n FROM marks WHERE user_id = :user", {"user": user}
    )
    if int(counted[0]["n"]) > MOST_MARKS:
        raise QuotaError(
            f"a person may keep {MOST_MARKS:,} marks at most; remove some first",
            RefusalCode.TOO_MANY,
            most=MOST_MARKS,
        )
    return _to_mark(rows[0])


def _address_of(user: UserId, item: ItemId) -> Steps[tuple[str, str]]:
    rows = yield Statement(
        f"""
        SELECT r.url, r.title FROM raw_items r JOIN sources s ON s.id = r.source_id
        WHERE r.id = :item AND {VISIBLE_SOURCE}
        """,  # noqa: S608 -- the only fragment is our own constant
        {"item": item, "user": user},
    )
    if not rows:
        raise NotFoundError(f"there is no item {item}")
    return address_to_mark(item, rows[0]["url"]), rows[0]["title"]


def address_to_mark(item: ItemId, url: str | None) -> str:
    """What an item is saved under; one without an address is still one thing to mark."""
    return url or f"urn:clawfeed:item:{item}"


def _to_mark(row: Row) -> Mark:
    return Mark(
        id=MarkId(row["id"]),
        item_id=None if row["raw_item_id"] is None else ItemId(row["raw_item_id"]),
        url=row["url"],
        title=row["title"],
        note=row["note"],
        status=MarkStatus(row["status"]),
        created_at=moment(row["created_at"]),
    )

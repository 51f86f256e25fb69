"""The latest items and polls, for people who watch the collector work."""

from __future__ import annotations

from dataclasses import dataclass

from clawfeed.storage.database import Database


@dataclass(frozen=True, slots=True, kw_only=True)
class RecentItem:
    source: str
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RecentPoll:
    """A line of `fetch_log`. *id* grows with time."""

    id: int
    source: str
    outcome: str
    inserted: int
    detail: str


async def recent_items(database: Database, count: int) -> list[RecentItem]:
    """The last *count* that came in, newest first."""
    rows = await database.read(
        "SELECT i.title, s.name FROM raw_items i JOIN sources s ON s.id = i.source_id "
        "ORDER BY i.id DESC LIMIT :count",
        {"count": count},
    )
    return [RecentItem(source=str(row["name"]), title=str(row["title"])) for row in rows]


async def polls_after(database: Database, last: int) -> list[RecentPoll]:
    """Every poll logged after the one with the id *last*, oldest first."""
    rows = await database.read(
        "SELECT l.id, s.name, l.outcome, l.inserted, l.detail FROM fetch_log l "
        "JOIN sources s ON s.id = l.source_id WHERE l.id > :last ORDER BY l.id",
        {"last": last},
    )
    return [
        RecentPoll(
            id=int(row["id"]),
            source=str(row["name"]),
            outcome=str(row["outcome"]),
            inserted=int(row["inserted"] or 0),
            detail=str(row["detail"] or ""),
        )
        for row in rows
    ]

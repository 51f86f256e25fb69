"""Sources counted for who looks at lists: of each type, and those that fail."""

from __future__ import annotations

from dataclasses import dataclass

from clawfeed.domain.ids import SourceId, UserId
from clawfeed.storage.database import Database
from clawfeed.storage.sources.status_conditions import FAILING, PAUSED_BY_HAND
from clawfeed.storage.sources.visibility_conditions import VISIBLE_SOURCE
from clawfeed.storage.sql_lists import chunks, in_list


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowedCounts:
    """How many sources somebody follows, and how they are doing."""

    total: int
    failing: int
    paused: int

    @property
    def fine(self) -> int:
        return self.total - self.failing - self.paused


async def followed_by(database: Database, user: UserId) -> FollowedCounts:
    [row] = await database.read(
        f"""
        SELECT count(*) AS n,
            coalesce(sum(CASE WHEN {FAILING} THEN 1 ELSE 0 END), 0) AS failing,
            coalesce(sum(CASE WHEN {PAUSED_BY_HAND} THEN 1 ELSE 0 END), 0) AS paused
        FROM user_subscriptions u JOIN sources s ON s.id = u.source_id
        WHERE u.user_id = :user AND {VISIBLE_SOURCE}
        """,  # noqa: S608 -- our own constants
        {"user": user},
    )
    return FollowedCounts(
        total=int(row["n"]), failing=int(row["failing"]), paused=int(row["paused"])
    )


async def types_seen_by(database: Database, viewer: UserId | None) -> dict[str, int]:
    """How many sources of each type *viewer* may see, the most common first."""
    rows = await database.read(
        f"SELECT s.type, count(*) AS n FROM sources s WHERE {VISIBLE_SOURCE} "  # noqa: S608
        "GROUP BY s.type ORDER BY n DESC, s.type",
        {"user": viewer},
    )
    return {str(row["type"]): int(row["n"]) for row in rows}


async def not_followed(database: Database, user: UserId, ids: list[SourceId]) -> list[SourceId]:
    """Those of *ids* that *user* does not follow yet, in their order."""
    followed: set[int] = set()
    for some in chunks(sorted(set(ids))):
        names, params = in_list(some)
        rows = await database.read(
            "SELECT source_id FROM user_subscriptions "  # noqa: S608 -- only parameter names
            f"WHERE user_id = :user AND source_id IN ({names})",
            {"user": user, **params},
        )
        followed |= {int(row["source_id"]) for row in rows}
    return [each for each in dict.fromkeys(ids) if each not in followed]

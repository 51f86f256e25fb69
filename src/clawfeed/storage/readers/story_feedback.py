"""What one reader said about the stories in front of them, and what is coming for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from clawfeed.domain.ids import MarkId, StoryId, UserId, VoteId
from clawfeed.storage.database import Database
from clawfeed.storage.sql_lists import in_list
from clawfeed.storage.timestamps import moment_or_none


@dataclass(frozen=True, slots=True, kw_only=True)
class Opinions:
    """Votes by story: the vote's id and 1 or -1. Marks by the address that was saved."""

    votes: Mapping[StoryId, tuple[VoteId, int]]
    marks: Mapping[str, MarkId]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderOutlook:
    """How many sources a reader follows, and when their next edition is begun."""

    follows: int
    next_due_at: datetime | None


async def opinions(
    database: Database, reader: UserId, stories: Sequence[StoryId], urls: Sequence[str]
) -> Opinions:
    """Of *reader* about these stories and addresses, in one crossing."""
    # None is like nothing, and an empty list is no SQL.
    story_names, params = in_list(list(stories) or [None], "story")
    url_names, url_params = in_list(list(urls) or [None], "url")
    rows = await database.read(
        f"""
        SELECT id, story_id, vote, '' AS url FROM story_votes
        WHERE user_id = :user AND story_id IN ({story_names})
        UNION ALL
        SELECT id, NULL, 0, url FROM marks
        WHERE user_id = :user AND status = 'saved' AND url IN ({url_names})
        """,  # noqa: S608 -- the names of parameters
        {"user": reader, **params, **url_params},
    )
    return Opinions(
        votes={
            StoryId(row["story_id"]): (VoteId(row["id"]), row["vote"])
            for row in rows
            if row["story_id"] is not None
        },
        marks={row["url"]: MarkId(row["id"]) for row in rows if row["story_id"] is None},
    )


async def reader_outlook(database: Database, reader: UserId) -> ReaderOutlook:
    [row] = await database.read(
        """
        SELECT (SELECT count(*) FROM user_subscriptions WHERE user_id = :user) AS follows,
            (SELECT min(next_due_at) FROM reader_editions
                WHERE user_id = :user AND is_wanted = 1) AS next_due_at
        """,
        {"user": reader},
    )
    return ReaderOutlook(
        follows=int(row["follows"]), next_due_at=moment_or_none(row["next_due_at"])
    )

"""More or less like this: what readers said about stories. A vote outlives its story."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from clawfeed.domain.editions.edition import SYSTEM_SCOPE
from clawfeed.domain.errors import NotFoundError, QuotaError, RefusalCode
from clawfeed.domain.ids import DigestId, StoryId, UserId, VoteId
from clawfeed.storage.bounds import NO_LIMIT
from clawfeed.storage.database import Database, Row, Statement, Steps
from clawfeed.storage.digests.digests import READABLE_DIGEST
from clawfeed.storage.person_lock import hold
from clawfeed.storage.timestamps import moment, seconds

MOST_VOTES = 10_000
_COLUMNS = "id, story_id, headline, vote, created_at"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryVote:
    """*vote* is 1 for more and -1 for less; *story_id* is None once the story is forgotten."""

    id: VoteId
    story_id: StoryId | None
    headline: str
    vote: int
    created_at: datetime


class VoteStore:
    """One person's votes at a time."""

    def __init__(self, database: Database) -> None:
        self._db = database

    async def list(self, user: UserId, *, before: VoteId | None, limit: int) -> list[StoryVote]:
        """The newest first, older than *before* if given."""
        rows = await self._db.read(
            f"SELECT {_COLUMNS} FROM story_votes WHERE user_id = :user AND id < :before "  # noqa: S608
            "ORDER BY id DESC LIMIT :limit",
            {"user": user, "before": NO_LIMIT if before is None else before, "limit": limit},
        )
        return [_to_vote(row) for row in rows]

    async def save(
        self, user: UserId, digest: DigestId, story: StoryId, vote: int, *, now: datetime
    ) -> StoryVote:
        """Store the vote; voted again, the story has the last one.

        `NotFoundError` for an edition they may not read, or a story it neither tells nor left out.
        """
        return await self._db.run(lambda: _save(user, digest, story, vote, now))

    async def vote_again(
        self, user: UserId, story: StoryId, vote: int, *, now: datetime
    ) -> StoryVote:
        """The same by the newest edition they may read that told the story, or left it out."""
        return await self._db.run(lambda: _save(user, None, story, vote, now))

    async def remove(self, user: UserId, vote: VoteId) -> StoryVote:
        """Forget the vote, and say what it was; `NotFoundError` if it is not theirs."""

        def steps() -> Steps[StoryVote]:
            rows = yield Statement(
                "DELETE FROM story_votes WHERE id = :id AND user_id = :user "  # noqa: S608
                f"RETURNING {_COLUMNS}",
                {"id": vote, "user": user},
            )
            if not rows:
                raise NotFoundError(f"there is no vote {vote}")
            return _to_vote(rows[0])

        return await self._db.run(steps)


def _save(
    user: UserId, digest: DigestId | None, story: StoryId, vote: int, now: datetime
) -> Steps[StoryVote]:
    yield from hold(user)
    headline = yield from _headline(user, digest, story)
    rows = yield Statement(
        f"""
        INSERT INTO story_votes (user_id, story_id, headline, vote, created_at)
        VALUES (:user, :story, :headline, :vote, :now)
        ON CONFLICT (user_id, story_id) DO UPDATE
        SET headline = excluded.headline, vote = excluded.vote, created_at = excluded.created_at
        RETURNING {_COLUMNS}
        """,  # noqa: S608 -- our own constant
        {"user": user, "story": story, "headline": headline, "vote": vote, "now": seconds(now)},
    )
    counted = yield Statement(
        "SELECT count(*) AS n FROM story_votes WHERE user_id = :user", {"user": user}
    )
    if int(counted[0]["n"]) > MOST_VOTES:
        raise QuotaError(
            f"a person may have {MOST_VOTES:,} votes at most; remove some first",
            RefusalCode.TOO_MANY,
            most=MOST_VOTES,
        )
    return _to_vote(rows[0])


def _headline(user: UserId, digest: DigestId | None, story: StoryId) -> Steps[str]:
    """As the edition told it; of a story that it left out, as its source has it."""
    rows = yield Statement(
        f"""
        SELECT coalesce(t.headline, s.title) AS headline
        FROM digests d JOIN stories s ON s.id = :story AND s.scope = d.scope
        LEFT JOIN story_tellings t ON t.story_id = s.id AND t.digest_id = d.id
        LEFT JOIN edition_candidates c ON c.story_id = s.id AND c.task_id = d.task_id
        WHERE (d.id = :digest OR :digest = 0) AND {READABLE_DIGEST}
          AND (t.story_id IS NOT NULL OR c.story_id IS NOT NULL)
        ORDER BY d.id DESC LIMIT 1
        """,  # noqa: S608 -- our own constant
        {"digest": digest or 0, "story": story, "reader": user, "system": SYSTEM_SCOPE},
    )
    if not rows:
        where = "an edition of yours" if digest is None else f"edition {digest}"
        raise NotFoundError(f"there is no story {story} in {where}")
    return str(rows[0]["headline"])


def _to_vote(row: Row) -> StoryVote:
    return StoryVote(
        id=VoteId(row["id"]),
        story_id=None if row["story_id"] is None else StoryId(row["story_id"]),
        headline=row["headline"],
        vote=row["vote"],
        created_at=moment(row["created_at"]),
    )

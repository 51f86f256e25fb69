"""What a scope's readers were told: a story's last telling, its timeline, and what is known."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from clawfeed.domain.editions.edition_period import EditionType
from clawfeed.domain.editions.story import Story, Telling
from clawfeed.domain.ids import DigestId, StoryId
from clawfeed.storage.database import Database, Row, Statement, Steps
from clawfeed.storage.sql_lists import chunks, in_list
from clawfeed.storage.timestamps import moment, seconds

_NEVER = 1e18
_COLUMNS = "t.story_id, t.digest_id, t.headline, t.fingerprint, t.what_changed, t.told_at"


async def last_tellings(
    database: Database,
    stories: Sequence[StoryId],
    kind: EditionType,
    *,
    before: datetime | None = None,
) -> dict[StoryId, Telling]:
    """The newest telling of each of *stories* by an edition of this type, *before* then if given.

    What the four-hourly edition told is still news to who reads the daily one.
    """
    found: dict[StoryId, Telling] = {}
    for some in chunks(sorted(set(stories))):
        names, params = in_list(some)
        rows = await database.read(
            f"""
            SELECT {_COLUMNS} FROM story_tellings t JOIN digests d ON d.id = t.digest_id
            WHERE t.story_id IN ({names}) AND d.type = :type AND t.told_at < :before
            ORDER BY t.told_at, t.digest_id
            """,  # noqa: S608 -- our own constant and the names of parameters
            {"type": kind, "before": seconds(before) if before else _NEVER, **params},
        )
        found |= {StoryId(row["story_id"]): _to_telling(row) for row in rows}
    return found


async def known_stories(database: Database, scope: str, *, since: datetime) -> list[Story]:
    """The stories of *scope* that were seen since then, told or not, the newest first."""
    rows = await database.read(
        """
        SELECT id, scope, title, lead, first_seen_at, last_seen_at FROM stories
        WHERE scope = :scope AND last_seen_at >= :since ORDER BY last_seen_at DESC, id DESC
        """,
        {"scope": scope, "since": seconds(since)},
    )
    return [to_story(row) for row in rows]


def inherit_stories(parent: str, scope: str, *, since: datetime) -> Steps[None]:
    """Let *scope* know what was told in *parent*: whoever follows one source more has read it."""
    rows = yield Statement(
        """
        SELECT s.id, s.scope, s.title, s.lead, s.first_seen_at, s.last_seen_at FROM stories s
        WHERE s.scope = :parent AND s.last_seen_at >= :since
          AND EXISTS (SELECT 1 FROM story_tellings t WHERE t.story_id = s.id)
        ORDER BY s.id
        """,
        {"parent": parent, "since": seconds(since)},
    )
    for row in rows:
        made = yield Statement(
            """
            INSERT INTO stories (scope, title, lead, first_seen_at, last_seen_at)
            VALUES (:scope, :title, :lead, :first, :last) RETURNING id
            """,
            {
                "scope": scope,
                "title": row["title"],
                "lead": row["lead"],
                "first": row["first_seen_at"],
                "last": row["last_seen_at"],
            },
        )
        yield Statement(
            """
            INSERT INTO story_tellings (story_id, digest_id, position, headline, fingerprint,
                what_changed, told_at)
            SELECT :copy, digest_id, position, headline, fingerprint, what_changed, told_at
            FROM story_tellings WHERE story_id = :original
            """,
            {"copy": made[0]["id"], "original": row["id"]},
        )


async def read_timeline(database: Database, story: StoryId) -> list[Telling]:
    """Every telling of it, the oldest first."""
    rows = await database.read(
        f"SELECT {_COLUMNS} FROM story_tellings t WHERE t.story_id = :story "  # noqa: S608
        "ORDER BY t.told_at, t.digest_id",
        {"story": story},
    )
    return [_to_telling(row) for row in rows]


def to_story(row: Row) -> Story:
    return Story(
        id=StoryId(row["id"]),
        scope=row["scope"],
        title=row["title"],
        lead=row["lead"],
        first_seen_at=moment(row["first_seen_at"]),
        last_seen_at=moment(row["last_seen_at"]),
    )


def _to_telling(row: Row) -> Telling:
    return Telling(
        story_id=StoryId(row["story_id"]),
        digest_id=DigestId(row["digest_id"]),
        headline=row["headline"],
        fingerprint=row["fingerprint"],
        what_changed=row["what_changed"],
        told_at=moment(row["told_at"]),
    )

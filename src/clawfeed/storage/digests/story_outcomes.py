"""What became of a story where an edition was chosen: in or out, by which score, told how often."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from clawfeed.domain.editions.edition_period import EditionType
from clawfeed.domain.editions.selection import DropReason, Score
from clawfeed.domain.editions.story import Story, Telling
from clawfeed.domain.ids import DigestId, StoryId
from clawfeed.storage.database import Database, Row
from clawfeed.storage.editions.edition_json import from_text
from clawfeed.storage.editions.stories import read_timeline, to_story


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryReport:
    """One story in the choosing of one edition. *dropped* is None if it was chosen.

    Without a *digest_id* the edition is still in the making.
    """

    story: Story
    type: EditionType
    period: str
    digest_id: DigestId | None
    score: Score
    dropped: DropReason | None
    timeline: tuple[Telling, ...]


async def story_report(
    database: Database, story: StoryId, digest: DigestId | None = None
) -> StoryReport | None:
    """Of the edition *digest*, or of the last one that considered the story.

    None if none did, or if that is so long ago that only the edition itself is left.
    """
    rows = await database.read(
        """
        SELECT s.id, s.scope, s.title, s.lead, s.first_seen_at, s.last_seen_at, t.type, t.period,
            d.id AS digest_id, c.score_parts, c.dropped_because
        FROM edition_candidates c JOIN stories s ON s.id = c.story_id
        JOIN edition_tasks t ON t.id = c.task_id LEFT JOIN digests d ON d.task_id = t.id
        WHERE c.story_id = :story AND (:digest = 0 OR d.id = :digest)
        ORDER BY t.due_at DESC, t.id DESC LIMIT 1
        """,
        {"story": story, "digest": digest or 0},
    )
    if not rows:
        return None
    return _to_report(rows[0], tuple(await read_timeline(database, story)))


def _to_report(row: Row, timeline: tuple[Telling, ...]) -> StoryReport | None:
    try:
        score = from_text(Score, row["score_parts"])
        dropped = DropReason(row["dropped_because"]) if row["dropped_because"] else None
    except (msgspec.DecodeError, ValueError):
        return None  # of another version of ClawFeed, or damaged
    return StoryReport(
        story=to_story(row),
        type=EditionType(row["type"]),
        period=row["period"],
        digest_id=None if row["digest_id"] is None else DigestId(row["digest_id"]),
        score=score,
        dropped=dropped,
        timeline=timeline,
    )

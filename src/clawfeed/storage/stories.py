"""What a scope's readers were told: a story's last telling, and its timeline."""

from __future__ import annotations

from collections.abc import Sequence

from clawfeed.domain.ids import DigestId, StoryId
from clawfeed.domain.story import Telling
from clawfeed.storage.database import Database, Row
from clawfeed.storage.sql_lists import chunks, in_list
from clawfeed.storage.timestamps import moment

_COLUMNS = "t.story_id, t.digest_id, t.headline, t.fingerprint, t.what_changed, t.told_at"


async def last_tellings(database: Database, stories: Sequence[StoryId]) -> dict[StoryId, Telling]:
    """The newest telling of each of *stories* that was ever told."""
    found: dict[StoryId, Telling] = {}
    for some in chunks(sorted(set(stories))):
        names, params = in_list(some)
        rows = await database.read(
            f"""
            SELECT {_COLUMNS} FROM story_tellings t
            WHERE t.story_id IN ({names}) AND NOT EXISTS (
                SELECT 1 FROM story_tellings later WHERE later.story_id = t.story_id
                  AND (later.told_at > t.told_at
                       OR (later.told_at = t.told_at AND later.digest_id > t.digest_id))
            )
            """,  # noqa: S608 -- our own constant and the names of parameters
            params,
        )
        found |= {StoryId(row["story_id"]): _to_telling(row) for row in rows}
    return found


async def read_timeline(database: Database, story: StoryId) -> list[Telling]:
    """Every telling of it, the oldest first."""
    rows = await database.read(
        f"SELECT {_COLUMNS} FROM story_tellings t WHERE t.story_id = :story "  # noqa: S608
        "ORDER BY t.told_at, t.digest_id",
        {"story": story},
    )
    return [_to_telling(row) for row in rows]


def _to_telling(row: Row) -> Telling:
    return Telling(
        story_id=StoryId(row["story_id"]),
        digest_id=DigestId(row["digest_id"]),
        headline=row["headline"],
        fingerprint=row["fingerprint"],
        what_changed=row["what_changed"],
        told_at=moment(row["told_at"]),
    )

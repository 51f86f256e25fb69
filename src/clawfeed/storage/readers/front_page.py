"""All that stands on a reader's front page, read in one round: nothing waits for anything else."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from clawfeed.domain.editions.edition import SYSTEM_SCOPE
from clawfeed.domain.editions.edition_period import EditionType
from clawfeed.domain.editions.edition_scope import CURRENT_SPAN
from clawfeed.domain.ids import MarkId, StoryId, UserId, VoteId
from clawfeed.storage.database import Database, SqlValue
from clawfeed.storage.digests.digest_archive import Neighbours, neighbours_of
from clawfeed.storage.digests.digests import (
    DIGESTS_WITH_TASKS,
    HEAD,
    DigestHead,
    DigestStore,
    StoredDigest,
    to_digest,
)
from clawfeed.storage.readers.story_feedback import ReaderOutlook, reader_outlook
from clawfeed.storage.timestamps import seconds

# Marks are known by the address that was saved, and those stand in an edition's text. Of who saved
# more than these, the others are asked for once the text is here: that is a second round.
MARKS_AT_ONCE: Final = 300

# Which edition is in front: the reader's own if it is current, else everybody's newest.
FRONT_DIGEST: Final = """coalesce(
    (SELECT d.id FROM edition_readers r JOIN digests d ON d.task_id = r.task_id
     WHERE r.user_id = :reader AND d.type = :type AND d.scope <> :system
       AND d.created_at > :current
     ORDER BY d.id DESC LIMIT 1),
    (SELECT d.id FROM digests d WHERE d.scope = :system AND d.type = :type
     ORDER BY d.created_at DESC, d.id DESC LIMIT 1))"""


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontPage:
    """*marks* are the reader's newest, and *has_all_marks* says whether there are no others.

    Without a *digest* there is none yet, or the one in front cannot be read: `is_damaged`.
    """

    digest: StoredDigest | None
    is_damaged: bool
    votes: Mapping[StoryId, tuple[VoteId, int]]
    marks: Mapping[str, MarkId]
    has_all_marks: bool
    beside: Neighbours
    earlier: Mapping[EditionType, list[DigestHead]]
    outlook: ReaderOutlook | None


async def front_page(
    database: Database,
    reader: UserId | None,
    kind: EditionType,
    earlier: Mapping[EditionType, int],
    *,
    now: datetime,
) -> FrontPage:
    """The front page of *reader*, None for a stranger, with so many *earlier* ones of each type."""
    params: dict[str, SqlValue] = {
        "reader": reader,
        "type": kind,
        "system": SYSTEM_SCOPE,
        "current": seconds(now - CURRENT_SPAN[kind]),
    }
    store = DigestStore(database)
    (digest, is_damaged), votes, marks, beside, outlook, lists = await asyncio.gather(
        _digest(database, params),
        _votes(database, reader, params),
        _marks(database, reader),
        neighbours_of(database, reader, kind, FRONT_DIGEST, params),
        _outlook(database, reader),
        asyncio.gather(
            *(store.list(reader, kind=each, limit=most) for each, most in earlier.items())
        ),
    )
    return FrontPage(
        digest=digest,
        is_damaged=is_damaged,
        votes=votes,
        marks=marks,
        has_all_marks=len(marks) < MARKS_AT_ONCE,
        beside=beside,
        earlier=dict(zip(earlier, lists, strict=True)),
        outlook=outlook,
    )


async def _digest(
    database: Database, params: Mapping[str, SqlValue]
) -> tuple[StoredDigest | None, bool]:
    rows = await database.read(
        f"SELECT {HEAD}, d.content {DIGESTS_WITH_TASKS} WHERE d.id = {FRONT_DIGEST}", params
    )
    found = to_digest(rows[0]) if rows else None
    return found, bool(rows) and found is None


async def _votes(
    database: Database, reader: UserId | None, params: Mapping[str, SqlValue]
) -> dict[StoryId, tuple[VoteId, int]]:
    """What the reader said about the stories that the edition in front tells."""
    if reader is None:
        return {}
    rows = await database.read(
        f"""
        SELECT v.id, v.story_id, v.vote FROM story_tellings t
        JOIN story_votes v ON v.story_id = t.story_id AND v.user_id = :reader
        WHERE t.digest_id = {FRONT_DIGEST}
        """,  # noqa: S608 -- our own constant
        params,
    )
    return {StoryId(row["story_id"]): (VoteId(row["id"]), row["vote"]) for row in rows}


async def _marks(database: Database, reader: UserId | None) -> dict[str, MarkId]:
    if reader is None:
        return {}
    rows = await database.read(
        "SELECT id, url FROM marks WHERE user_id = :reader AND status = 'saved' "
        "ORDER BY id DESC LIMIT :most",
        {"reader": reader, "most": MARKS_AT_ONCE},
    )
    return {row["url"]: MarkId(row["id"]) for row in rows}


async def _outlook(database: Database, reader: UserId | None) -> ReaderOutlook | None:
    return None if reader is None else await reader_outlook(database, reader)

"""A story over the days, as one reader (None: a stranger) may know it (T13)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from clawfeed.domain.editions.edition import SYSTEM_SCOPE
from clawfeed.domain.editions.edition_period import EditionType
from clawfeed.domain.editions.story import Story
from clawfeed.domain.ids import DigestId, StoryId, UserId
from clawfeed.storage.database import Database, SqlValue
from clawfeed.storage.digests.digests import READABLE_DIGEST
from clawfeed.storage.editions.stories import to_story
from clawfeed.storage.sources.visibility_conditions import VISIBLE_SOURCE
from clawfeed.storage.timestamps import moment

# A story that everybody tells has hundreds; so many tell the same already.
MOST_REPORTS = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class TimelineEntry:
    """One edition that told it: its name and where in it the story stood when it was chosen."""

    digest_id: DigestId
    type: EditionType
    period: str
    headline: str
    what_changed: str
    told_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryReportLine:
    """One item that tells it, and who published that."""

    title: str
    url: str | None
    source_name: str
    fetched_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryTimeline:
    """*tellings* and *reports* from the oldest on."""

    story: Story
    tellings: tuple[TimelineEntry, ...]
    reports: tuple[StoryReportLine, ...]


async def story_timeline(
    database: Database, story: StoryId, reader: UserId | None
) -> StoryTimeline | None:
    """None, as if it were not there, if no edition that *reader* may read considered it."""
    params = {"story": story, "reader": reader, "system": SYSTEM_SCOPE, "user": reader}
    stories = await database.read(
        f"""
        SELECT s.id, s.scope, s.title, s.lead, s.first_seen_at, s.last_seen_at FROM stories s
        WHERE s.id = :story AND EXISTS (
            SELECT 1 FROM digests d
            LEFT JOIN story_tellings t ON t.digest_id = d.id AND t.story_id = s.id
            LEFT JOIN edition_candidates c ON c.task_id = d.task_id AND c.story_id = s.id
            WHERE d.scope = s.scope AND (t.story_id IS NOT NULL OR c.story_id IS NOT NULL)
                AND {READABLE_DIGEST}
        )
        """,  # noqa: S608 -- our own constant
        params,
    )
    if not stories:
        return None
    return StoryTimeline(
        story=to_story(stories[0]),
        tellings=await _tellings(database, params),
        reports=await _reports(database, params),
    )


async def _tellings(
    database: Database, params: Mapping[str, SqlValue]
) -> tuple[TimelineEntry, ...]:
    """Also those it inherited, if they are readable: a reader's former editions are."""
    rows = await database.read(
        f"""
        SELECT t.digest_id, d.type, d.period, t.headline, t.what_changed, t.told_at
        FROM story_tellings t JOIN digests d ON d.id = t.digest_id
        WHERE t.story_id = :story AND {READABLE_DIGEST} ORDER BY t.told_at, t.digest_id
        """,  # noqa: S608 -- our own constant
        params,
    )
    return tuple(
        TimelineEntry(
            digest_id=DigestId(row["digest_id"]),
            type=EditionType(row["type"]),
            period=row["period"],
            headline=row["headline"],
            what_changed=row["what_changed"],
            told_at=moment(row["told_at"]),
        )
        for row in rows
    )


async def _reports(
    database: Database, params: Mapping[str, SqlValue]
) -> tuple[StoryReportLine, ...]:
    """What sources say that this reader may know of (T18)."""
    rows = await database.read(
        f"""
        SELECT r.title, r.url, s.name, r.fetched_at FROM story_items i
        JOIN raw_items r ON r.id = i.raw_item_id JOIN sources s ON s.id = r.source_id
        WHERE i.story_id = :story AND {VISIBLE_SOURCE}
        ORDER BY r.fetched_at, r.id LIMIT {MOST_REPORTS}
        """,  # noqa: S608 -- our own constants
        params,
    )
    return tuple(
        StoryReportLine(
            title=row["title"],
            url=row["url"],
            source_name=row["name"],
            fetched_at=moment(row["fetched_at"]),
        )
        for row in rows
    )

"""Which of a list's items an edition told, as far as one reader may know (T13)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from clawfeed.domain.editions.edition import SYSTEM_SCOPE
from clawfeed.domain.ids import DigestId, ItemId, StoryId, UserId
from clawfeed.storage.database import Database
from clawfeed.storage.digests.digests import READABLE_DIGEST
from clawfeed.storage.sql_lists import in_list


@dataclass(frozen=True, slots=True, kw_only=True)
class TellingKey:
    story_id: StoryId
    digest_id: DigestId


async def tellings_of(
    database: Database, items: Sequence[ItemId], reader: UserId
) -> dict[ItemId, TellingKey]:
    """The last telling of each that *reader* may read, in one crossing."""
    names, params = in_list(list(items) or [None])
    rows = await database.read(
        f"""
        SELECT i.raw_item_id, t.story_id, t.digest_id FROM story_items i
        JOIN story_tellings t ON t.story_id = i.story_id JOIN digests d ON d.id = t.digest_id
        WHERE i.raw_item_id IN ({names}) AND {READABLE_DIGEST} ORDER BY t.told_at, t.digest_id
        """,  # noqa: S608 -- our own constant and the names of parameters
        {"reader": reader, "system": SYSTEM_SCOPE, **params},
    )
    return {
        ItemId(row["raw_item_id"]): TellingKey(
            story_id=StoryId(row["story_id"]), digest_id=DigestId(row["digest_id"])
        )
        for row in rows
    }

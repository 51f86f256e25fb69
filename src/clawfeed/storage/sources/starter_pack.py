"""What a fresh database is filled with, once (S001-18)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from clawfeed.domain.ids import SourceId
from clawfeed.storage.config_table import ConfigTable
from clawfeed.storage.database import Database, Statement, Steps
from clawfeed.storage.sources.packs import PackContent, add_pack
from clawfeed.storage.sources.sources import NewSource, add_sources
from clawfeed.storage.timestamps import seconds

# Set in the `config` table once the question was answered, either way: an emptied starter pack
# stays empty.
STARTER_PACK_ASKED = "starter_pack_asked"


@dataclass(frozen=True, slots=True, kw_only=True)
class StarterPack:
    """The pack's own lines, and what is in it; without *sources* there is none."""

    slug: str
    name: str
    description: str
    sources: Sequence[NewSource]


async def was_asked(database: Database) -> bool:
    return await ConfigTable(database).get(STARTER_PACK_ASKED) is not None


async def fill_once(database: Database, pack: StarterPack, *, now: datetime) -> int:
    """Add *pack* if this was never asked and there is no source; how many sources were added."""
    return await database.run(lambda: _fill_once(pack, now))


def _fill_once(pack: StarterPack, now: datetime) -> Steps[int]:
    # Of two processes that start together, one gets the row and does the work.
    rows = yield Statement(
        """
        INSERT INTO config (key, value, updated_at) VALUES (:key, 'yes', :now)
        ON CONFLICT (key) DO NOTHING RETURNING key
        """,
        {"key": STARTER_PACK_ASKED, "now": seconds(now)},
    )
    used = yield Statement("SELECT 1 AS used FROM sources LIMIT 1")
    if not rows or used or not pack.sources:
        return 0
    ids = yield from add_sources(list(pack.sources), now)
    content = PackContent(
        name=pack.name,
        description=pack.description,
        source_ids=tuple(SourceId(each) for each in ids.values()),
    )
    yield from add_pack(None, pack.slug, content, now)
    return len(ids)

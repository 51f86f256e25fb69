"""What a stranger's edition is made of, and a new reader begins with (S001-15)."""

from __future__ import annotations

import pytest

from clawfeed.domain.ids import SourceId
from clawfeed.storage.database import Database, execute
from clawfeed.storage.sources.subscriptions import (
    DefaultContent,
    default_sources,
    read_default_sources,
)
from tests.support.counting_database import CountingDatabase
from tests.support.items import add_source


@pytest.mark.parametrize(
    ("default", "found"),
    [
        (DefaultContent(), [1, 2, 3]),
        (DefaultContent(pack="one"), [3, 1]),
        (DefaultContent(pack="gone", source_id=SourceId(2)), [2]),
        (DefaultContent(pack="gone", source_id=SourceId(99)), [1, 2, 3]),
    ],
)
async def test_who_only_looks_at_the_default_content_holds_up_no_writer(
    database: Database, default: DefaultContent, found: list[int]
) -> None:
    for name in "abc":
        await add_source(database, name)
    await execute(
        database,
        "INSERT INTO source_packs (slug, name, created_at, updated_at) VALUES ('one', 'One', 0, 0)",
    )
    for position, source in enumerate([3, 1]):
        await execute(
            database,
            "INSERT INTO source_pack_sources (pack_id, source_id, position) "
            "VALUES (1, :source, :position)",
            {"source": source, "position": position},
        )
    counting = CountingDatabase(database)

    read = await read_default_sources(counting, default)

    assert read == found == await database.run(lambda: default_sources(default))
    assert not any(crossing.is_write for crossing in counting.crossings)

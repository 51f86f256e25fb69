"""The folders of a list as packs: filled, never emptied, and nobody's own is touched."""

from __future__ import annotations

from clawfeed.domain.ids import SourceId, UserId
from clawfeed.storage.database import Database
from clawfeed.storage.sources.imported_folders import Folder, Folders
from clawfeed.storage.sources.packs import PackContent, PackStore
from clawfeed.storage.sources.sources import NewSource, SourceStore
from tests.support.api_callers import ANNA, add_people
from tests.support.clocks import NOON


async def add(database: Database, name: str, *, is_public: bool = True) -> SourceId:
    config = {"url": f"https://{name}.example/"}
    new = NewSource(type="rss", name=name, config=config, is_public=is_public)
    return (await SourceStore(database).add(new, now=NOON)).id


async def test_a_folder_is_a_pack_of_its_name(database: Database) -> None:
    """Filled a second time it keeps its order; one with private sources alone is not shown."""
    await add_people(database)
    a, b = await add(database, "a"), await add(database, "b")
    hidden = await add(database, "c", is_public=False)
    packs, folders = PackStore(database), Folders(database)
    content = PackContent(name="News", is_public=False, source_ids=(a,))
    await packs.add(UserId(ANNA), "news", content, now=NOON)

    await folders.fill({"News": [b, hidden], "Mine": [hidden]}, now=NOON)
    await folders.fill({"News": [a, b, a]}, now=NOON)

    seen = await packs.list(None, limit=9)
    assert [(each.name, each.slug, each.source_count) for each in seen] == [("News", "news-2", 2)]
    assert await folders.list(private=False) == [
        Folder(name="Mine", source_ids=(hidden,)),
        Folder(name="News", source_ids=(b, hidden, a)),
    ]
    assert Folder(name="News", source_ids=(a,)) in await folders.list(private=True)

    await folders.fill({"News": [b], "New": [a]}, owner=UserId(ANNA), now=NOON)

    assert await folders.of(UserId(ANNA)) == [
        Folder(name="News", source_ids=(a, b)),
        Folder(name="New", source_ids=(a,)),
    ]
    assert [each.name for each in await packs.list(None, limit=9)] == ["News"]

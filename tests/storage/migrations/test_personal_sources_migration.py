"""What belongs to one person becomes theirs alone, also where all saw it (0013, S001-20)."""

from __future__ import annotations

from clawfeed.storage.database import execute
from clawfeed.storage.drivers.connect import StorageConfig, open_database
from clawfeed.storage.migrate import migrate, migrations
from tests.support.clocks import NOON


async def test_personal_sources_of_before_become_private(empty_database_url: str) -> None:
    """One that nobody owns is the admin's, unless they have it; what is public at X stays so."""
    database = await open_database(StorageConfig(url=empty_database_url))
    before = tuple(each for each in migrations() if each.version < 13)
    await migrate(database, now=NOON, known=before)
    for name, role in (("admin", "admin"), ("ben", "user")):
        await execute(
            database,
            "INSERT INTO users (email, name, slug, role, created_at, updated_at) "
            "VALUES (:name, :name, :name, :role, 0, 0)",
            {"name": name, "role": role},
        )
    rows = [
        ("twitter_bookmarks", "nobody's", None, 1),
        ("twitter_foryou", "ben's", 2, 1),
        ("twitter_favorites", "double", None, 1),
        ("twitter_favorites", "double", 1, 0),
        ("twitter_feed", "public", None, 1),
    ]
    for kind, identity, owner, is_public in rows:
        await execute(
            database,
            "INSERT INTO sources (name, type, identity, created_by, is_public, created_at, "
            "updated_at) VALUES ('x', :kind, :identity, :owner, :public, 0, 0)",
            {"kind": kind, "identity": identity, "owner": owner, "public": is_public},
        )

    await migrate(database, now=NOON)
    found = await database.read(
        "SELECT type, created_by, is_public, is_deleted FROM sources ORDER BY id"
    )
    await database.close()

    assert [tuple(row) for row in found] == [  # type: ignore[arg-type] # iterable on both
        ("twitter_bookmarks", 1, 0, 0),
        ("twitter_foryou", 2, 0, 0),
        ("twitter_favorites", None, 1, 1),
        ("twitter_favorites", 1, 0, 0),
        ("twitter_feed", None, 1, 0),
    ]

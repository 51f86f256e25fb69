"""A private source that nobody could see gets an owner (0015, S001-13)."""

from __future__ import annotations

from clawfeed.storage.database import execute
from clawfeed.storage.drivers.connect import StorageConfig, open_database
from clawfeed.storage.migrate import migrate, migrations
from tests.support.clocks import NOON


async def test_private_sources_of_before_that_nobody_owns_become_the_first_admins(
    empty_database_url: str,
) -> None:
    """Once each, and followed; whoever owns one, and what is public, is left alone."""
    database = await open_database(StorageConfig(url=empty_database_url))
    await migrate(database, now=NOON, known=tuple(m for m in migrations() if m.version < 15))
    for name, role in (("ben", "user"), ("anna", "admin"), ("cleo", "admin")):
        await execute(
            database,
            "INSERT INTO users (email, name, slug, role, created_at, updated_at) "
            "VALUES (:name, :name, :name, :role, 0, 0)",
            {"name": name, "role": role},
        )
    rows = [
        ("nobody's", None, 0),
        ("twice", None, 0),
        ("twice", None, 0),
        ("anna's too", None, 0),
        ("anna's too", 2, 0),
        ("ben's", 1, 0),
        ("public", None, 1),
    ]
    for identity, owner, is_public in rows:
        await execute(
            database,
            "INSERT INTO sources (name, type, identity, created_by, is_public, created_at, "
            "updated_at) VALUES ('x', 'rss', :identity, :owner, :public, 0, 0)",
            {"identity": identity, "owner": owner, "public": is_public},
        )

    await migrate(database, now=NOON)
    found = await database.read(
        "SELECT s.identity, s.created_by, s.is_public, f.user_id FROM sources s "
        "LEFT JOIN user_subscriptions f ON f.source_id = s.id WHERE s.is_deleted = 0 ORDER BY s.id"
    )
    await database.close()

    assert [tuple(row) for row in found] == [  # type: ignore[arg-type] # iterable on both
        ("nobody's", 2, 0, 2),
        ("twice", 2, 0, 2),
        ("anna's too", 2, 0, None),
        ("ben's", 1, 0, None),
        ("public", None, 1, None),
    ]

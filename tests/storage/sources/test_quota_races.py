"""Many requests at once do not pass a quota: each counts what the one before it left (T26)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from clawfeed.domain.errors import QuotaError
from clawfeed.domain.ids import SourceId
from clawfeed.storage.database import Database, execute
from clawfeed.storage.readers.marks import MOST_MARKS, MarkStore, NewMark
from clawfeed.storage.sources.packs import MOST_PACKS, PackContent, PackStore
from clawfeed.storage.sources.subscriptions import MOST_SUBSCRIPTIONS, SubscriptionStore
from tests.support.api_callers import ANNA, add_people
from tests.support.clocks import NOON

Ask = Callable[[int], Awaitable[object]]
ROOM = 5


async def fill(database: Database, count: int, into: str, values: str) -> None:
    await execute(
        database,
        f"""
        INSERT INTO {into}
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {count})
        SELECT {values} FROM n
        """,
    )


async def let_in(ask: Ask) -> int:
    """How many of twenty at once got through."""
    answers = await asyncio.gather(*map(ask, range(1, 21)), return_exceptions=True)
    assert all(isinstance(each, QuotaError) for each in answers if isinstance(each, Exception))
    return sum(not isinstance(each, Exception) for each in answers)


@pytest.mark.slow
async def test_twenty_at_once_find_room_for_five(database: Database) -> None:
    await add_people(database)
    sources, follows = MOST_SUBSCRIPTIONS + 20, MOST_SUBSCRIPTIONS - ROOM
    about = "(name, type, identity, is_public, created_at, updated_at)"
    await fill(database, sources, f"sources {about}", "'s', 'rss', 'i' || i, 1, 0, 0")
    about = "(user_id, source_id, created_at)"
    await fill(database, follows, f"user_subscriptions {about}", f"{ANNA}, i + 20, 0")
    about = "(user_id, url, title, created_at)"
    await fill(database, MOST_MARKS - ROOM, f"marks {about}", f"{ANNA}, 'u' || i, 't', 0")
    about = "(slug, name, created_by, created_at, updated_at)"
    await fill(database, MOST_PACKS - ROOM, f"source_packs {about}", f"'p' || i, 'p', {ANNA}, 0, 0")
    follow, mark, pack = SubscriptionStore(database), MarkStore(database), PackStore(database)

    found = {
        "subscriptions": await let_in(lambda n: follow.change(ANNA, add=[SourceId(n)], now=NOON)),
        "marks": await let_in(
            lambda n: mark.save(ANNA, NewMark(url=f"new{n}", title="t"), now=NOON)
        ),
        "packs": await let_in(
            lambda n: pack.add(ANNA, f"new-{n}", PackContent(name="p"), now=NOON)
        ),
    }

    assert found == {"subscriptions": ROOM, "marks": ROOM, "packs": ROOM}

"""A reader's own edition on demand, in the whole house: made once, and theirs alone."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from pathlib import Path

import pytest

from clawfeed.app.clock import system_clock
from clawfeed.storage.database import Database
from tests.app.whole_server import WholeServer, whole_house
from tests.support.items import add_item, add_source
from tests.support.socket_server import Answer

pytestmark = pytest.mark.slow

NEWS = (
    "Ferry strike stops all traffic to the islands",
    "Orchestra names a conductor from its own ranks",
    "Glacier lake drains overnight and floods a valley",
)


async def _following(house: WholeServer, name: str) -> list[int]:
    """Three public sources with an item of today each, followed by this person."""
    found = []
    for title in NEWS:
        source = await add_source(house.database, f"{name}-{title.split()[0].lower()}")
        at = system_clock() - timedelta(hours=1)
        await add_item(house.database, source, title, at=at, content=f"<p>{title} today.</p>")
        found.append(int(source))
    await house.client.post("/api/subscriptions", house.as_(name), {"source_ids": found})
    return found


async def test_a_reader_makes_their_edition_once_and_nobody_else_reads_it(
    database: Database, tmp_path: Path
) -> None:
    """(S001-19, I6)."""
    async with whole_house(database, tmp_path) as house:
        anna, ben = house.as_("anna"), house.as_("ben")
        await _following(house, "anna")
        muted = {"interests": [{"kind": "muted", "text": "ferry"}]}
        await house.client.put("/api/interests", anna, muted)
        asked: list[Answer] = await asyncio.gather(
            *(house.client.post("/api/digests", anna, {}) for _ in range(5))
        )
        again = await house.client.post("/api/digests", anna, {})
        digest = again.json()["digest"]["id"]
        listed = [(await house.client.get("/api/digests", who)).json() for who in (anna, ben)]
        page = [await house.client.get(f"/digests/{digest}", who) for who in (anna, ben, {})]
        front = await house.client.get("/", anna)
        nothing = await house.client.post("/api/digests", ben, {})

    assert {answer.status for answer in asked} <= {200, 201, 202}
    assert again.status == 200
    headlines = {story["headline"] for story in again.json()["digest"]["stories"]}
    assert headlines == set(NEWS[1:])
    assert again.json()["digest"]["left_out_counts"] == {"muted": 1}
    assert [[each["id"] for each in found["digests"]] for found in listed] == [[digest], []]
    assert [answer.status for answer in page] == [200, 404, 404]
    assert NEWS[1] in front.text
    assert nothing.status == 404


async def test_equal_readers_share_one_edition(database: Database, tmp_path: Path) -> None:
    """(S001-19): equal subscription sets share one digest."""
    async with whole_house(database, tmp_path) as house:
        sources = await _following(house, "anna")
        ben = house.as_("ben")
        await house.client.post("/api/subscriptions", ben, {"source_ids": sources})
        made = [await house.client.post("/api/digests", house.as_(n), {}) for n in ("anna", "ben")]

    assert [answer.status for answer in made] == [201, 200]
    assert len({answer.json()["digest"]["id"] for answer in made}) == 1

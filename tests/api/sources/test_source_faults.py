"""Data faults over HTTP (S001-22): an admin sees them, rehearses the repair, and carries it out."""

from __future__ import annotations

from functools import partial

import pytest

from clawfeed.api.http.application import build_application
from clawfeed.api.sources.source_faults import (
    FaultListSchema,
    FaultsApi,
    FixedSchema,
    fault_routes,
)
from clawfeed.sources.discovery.new_source import part_of
from clawfeed.sources.registry import Fetchers
from clawfeed.sources.source_types.built_in import BUILT_IN
from clawfeed.storage.database import Database
from clawfeed.storage.source_changes.source_repairs import SourceRepairs
from clawfeed.storage.sources.sources import NewSource, SourceStore
from tests.support.api_callers import ADMIN, BEN, NAME_TAGS, add_people, as_user
from tests.support.clocks import NOON, FakeClock
from tests.support.socket_server import served

pytestmark = pytest.mark.one_database


async def test_an_admin_sees_faults_rehearses_and_mends(database: Database) -> None:
    await add_people(database)
    configs = ({"handle": "ann"}, {"handle": "@Ann"}, {"handle": "bob, carol"})
    for config in configs:
        new = NewSource(type="twitter_feed", name="@zoe", config=dict(config))
        await SourceStore(database).add(new, now=NOON)
    part = partial(part_of, Fetchers(BUILT_IN))
    api = FaultsApi(
        repairs=SourceRepairs(database=database, types=BUILT_IN, part=part), clock=FakeClock()
    )
    app = build_application("9.9", [fault_routes(api)], NAME_TAGS)
    wish = {"source_ids": [2], "dry_run": True}
    async with served(app) as client:
        first = await client.ask("GET", "/api/sources/faults?limit=2", as_user(ADMIN))
        cursor = first.json()["next_cursor"]
        rest = await client.ask("GET", f"/api/sources/faults?cursor={cursor}", as_user(ADMIN))
        denied = await client.ask("POST", "/api/sources/fix", as_user(BEN), wish)
        rehearsed = await client.ask("POST", "/api/sources/fix", as_user(ADMIN), wish)
        still = len(await SourceStore(database).list())
        mended = await client.ask("POST", "/api/sources/fix", as_user(ADMIN), {"source_ids": [2]})
        again = await client.ask("POST", "/api/sources/fix", as_user(ADMIN), {"source_ids": [2]})

    FaultListSchema.model_validate(first.json())
    FixedSchema.model_validate(mended.json())
    found = [*first.json()["faults"], *rest.json()["faults"]]
    assert [(each["source_id"], each["kind"], each["repair"]) for each in found] == [
        (1, "misnamed", "rename"),
        (2, "duplicate", "merge"),
        (2, "misnamed", "rename"),
        (3, "absurd_config", "split"),
    ]
    assert (denied.status, still) == (403, 3)
    assert rehearsed.json()["repairs"] == mended.json()["repairs"]
    assert mended.json()["repairs"][0]["into"] == 1
    assert (again.status, again.json()["detail"]) == (404, "there is no source 2")

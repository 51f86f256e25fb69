"""One descriptor, handed to the wiring, and every room knows the type."""

from __future__ import annotations

import json
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from clawfeed.app.settings.config_loading import load_config
from clawfeed.app.settings.intervals import effective_intervals
from clawfeed.app.wiring.collector import CollectorParts, opened_parts
from clawfeed.app.wiring.fetching import SourceTools, opened_sources
from clawfeed.cli.source.arguments import asked_for, meaning_of
from clawfeed.cli.source.source_label import label
from clawfeed.domain.errors import ConfigError, InvalidInputError
from clawfeed.domain.ids import SourceId
from clawfeed.domain.sources.source import Source
from clawfeed.domain.sources.source_faults import faults_among
from clawfeed.domain.sources.type_facts import KnownTypes
from clawfeed.simulator import demo_world
from clawfeed.sources.discovery.new_source import prepare
from clawfeed.sources.discovery.opml import render_opml, to_wanted
from clawfeed.sources.documents.opml import parse_opml
from clawfeed.sources.source_types.built_in import BUILT_IN
from clawfeed.sources.source_types.source_type import SourceTypes
from clawfeed.storage.database import Database
from clawfeed.storage.sources.sources import SourceStore
from tests.app.whole_server import whole_house
from tests.support.clocks import NOON, FakeClock
from tests.support.origin import Stage, on_stage
from tests.support.sample_source_type import tides

TABLE = b"06:10 1.2 m\n18:40 1.4 m\n"


@pytest.fixture
async def stage(tmp_path: Path) -> AsyncIterator[Stage]:
    async with on_stage(demo_world(clock=FakeClock(), seed=1), tmp_path / "journal") as stage:
        # A path that this world knows; what it says there is ours.
        stage.put("/api/news.json*", TABLE, "text/plain")
        yield stage


@pytest.fixture
def types(stage: Stage) -> SourceTypes:
    return KnownTypes((*BUILT_IN, tides(f"{stage.url}/api/news.json")))


@asynccontextmanager
async def opened(
    database: Database, folder: Path, types: SourceTypes, **settings: str
) -> AsyncIterator[SourceTools]:
    config = load_config(settings, directory=folder, types=types)
    async with opened_sources(config, database) as tools:
        yield tools


@asynccontextmanager
async def collecting(
    database: Database, folder: Path, types: SourceTypes, stage: Stage
) -> AsyncIterator[CollectorParts]:
    settings = {"EGRESS_ALLOW": urlsplit(stage.url).netloc}
    config = load_config(settings, directory=folder, types=types)
    async with opened_parts(config, database, lambda _result: None) as parts:
        yield parts


async def test_its_interval_counts_and_can_be_overridden_under_each_of_its_names(
    database: Database, tmp_path: Path, types: SourceTypes
) -> None:
    """(S000-1, S000-2, settled 1)."""
    source = Source(id=SourceId(1), type="tide_tables", name="x")
    usual = load_config({}, directory=tmp_path, types=types)
    faster = load_config({"fetch_interval_Tide_Tables": "5"}, directory=tmp_path, types=types)

    before = (await effective_intervals(usual, database)).of(source)
    after = await effective_intervals(faster, database)

    assert (before.minutes, before.is_pinned, before.is_chosen) == (45, True, False)
    assert after.of(source).setting == "FETCH_INTERVAL_TIDES"
    assert after.by_type()["tides"] == 5
    assert ("FETCH_INTERVAL_TIDES", "45", "default") in usual.describe()


@pytest.mark.parametrize(
    ("target", "kind"),
    [
        ("https://www.tides.example/bergen", None),
        ("~bergen", None),
        ("bergen", "tides"),
        ("~bergen", "Tide-Tables"),
    ],
)
async def test_the_command_line_knows_what_is_meant(
    database: Database, tmp_path: Path, types: SourceTypes, target: str, kind: str | None
) -> None:
    """(S001-17): by address, by its word and by type, stored in one spelling."""
    async with opened(database, tmp_path, types) as tools:
        asked = asked_for(target, kind, None)

        new = prepare(tools.fetchers, await meaning_of(asked, tools, poll=True))

        assert (new.type, new.config, new.name) == ("tides", {"harbour": "bergen"}, "~bergen")
        assert new.param_key is None
        assert new.host.startswith("127.0.0.1")
        assert label(types, new.type, new.name, new.config) == 'tides "~bergen" bergen'


async def test_a_word_or_a_config_that_cannot_work_is_told_so(
    database: Database, tmp_path: Path, types: SourceTypes
) -> None:
    async with opened(database, tmp_path, types) as tools:
        with pytest.raises(InvalidInputError, match='a harbour is "~" and its name'):
            await meaning_of(asked_for("~42", None, None), tools, poll=True)
        with pytest.raises(InvalidInputError, match="harbour is missing"):
            prepare(
                tools.fetchers, await meaning_of(asked_for(None, "tides", "{}"), tools, poll=True)
            )


async def test_it_is_added_by_the_api_polled_and_shown(
    database: Database, tmp_path: Path, stage: Stage, types: SourceTypes
) -> None:
    """(S001-5, S001-17, S004-1, settled 1)."""
    body = {"type": "tides", "config": {"harbour": "~bergen"}, "is_public": True}
    other_name = {"type": "tide_tables", "config": {"harbour": "bergen", "unit": "m"}}
    async with whole_house(database, tmp_path, types=types) as house:
        anna = house.as_("anna")
        added = await house.client.post("/api/sources", anna, body)
        refused = await house.client.post("/api/sources", anna, {"type": "tides"})
        repeated = await house.client.post("/api/sources", anna, body)
        alike = await house.client.post("/api/sources", anna, other_name)

        async with collecting(database, tmp_path, types, stage) as parts:
            await parts.collector.run_once()

        path = f"/api/sources/{added.json()['id']}"
        shown = (await house.client.get(path, anna)).json()
        listed = (await house.client.get("/api/sources?type=tide-tables", anna)).json()
    rows = await database.read(
        "SELECT source_type, schedule_mode, next_due_at - last_check_at AS gap FROM source_stats"
    )
    items = await database.read("SELECT title, metadata FROM raw_items WHERE source_id = 1")

    assert (added.status, refused.status, repeated.status) == (201, 422, 409)
    assert (shown["type"], shown["name"]) == ("tides", "~bergen")
    assert [fault["kind"] for fault in alike.json()["faults"]] == ["looks_like"]
    assert len(listed["sources"]) == 2
    assert {(row["source_type"], row["schedule_mode"]) for row in rows} == {("custom", "pinned")}
    assert {row["gap"] for row in rows} == {timedelta(minutes=45).total_seconds()}
    assert {row["title"] for row in items} == {"06:10 1.2 m", "18:40 1.4 m"}
    assert os.getpid() not in {json.loads(row["metadata"])["pid"] for row in items}
    assert stage.asked()


async def test_its_sources_wait_for_the_host_that_its_fetcher_asks(
    database: Database, tmp_path: Path, stage: Stage, types: SourceTypes
) -> None:
    async with opened(database, tmp_path, types) as tools:
        new = prepare(
            tools.fetchers, await meaning_of(asked_for("~bergen", None, None), tools, poll=True)
        )
    await SourceStore(database).add(replace(new, type="tide_tables", host="old.example"), now=NOON)

    async with collecting(database, tmp_path, types, stage):
        pass

    [source] = await SourceStore(database).list()
    assert source.host == new.host != ""


def test_its_names_are_told_apart_and_go_out_and_in_by_opml(types: SourceTypes) -> None:
    """(S001-17)."""
    source = Source(id=SourceId(1), type="tides", name="~brest", config={"harbour": "~Bergen"})
    twin = replace(source, id=SourceId(2), name="x", config={"harbour": "bergen", "unit": "m"})

    faults = [fault.kind for _, fault in faults_among(types, [source, twin])]
    [outline] = parse_opml(render_opml([source], types, title="t").document.encode()).outlines

    assert faults == ["misnamed", "looks_like"]
    assert to_wanted(outline, types).config == source.config


def test_two_types_of_one_name_are_refused() -> None:
    with pytest.raises(ConfigError, match="two source types are called 'tides'"):
        KnownTypes((*BUILT_IN, tides("http://a.example"), tides("http://b.example")))

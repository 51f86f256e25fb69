"""One descriptor in the registry, and every room knows the type and its settings."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from clawfeed.app.settings.config_loading import load_config
from clawfeed.app.settings.intervals import effective_intervals
from clawfeed.app.settings.setting_table import SettingTable
from clawfeed.app.wiring.collector import CollectorParts, opened_parts
from clawfeed.app.wiring.fetching import SourceTools, opened_sources
from clawfeed.cli.source.arguments import asked_for, meaning_of
from clawfeed.cli.source.source_label import label
from clawfeed.domain.errors import ConfigError, InvalidInputError
from clawfeed.domain.ids import SourceId
from clawfeed.domain.people.users import Scope
from clawfeed.domain.settings.value_kinds import SECRET, TEXT, WEB_ADDRESS, ValueKind, list_of
from clawfeed.domain.sources.source import Source
from clawfeed.domain.sources.source_faults import faults_among
from clawfeed.domain.sources.type_facts import KnownTypes
from clawfeed.simulator import demo_world
from clawfeed.sources.discovery.new_source import prepare
from clawfeed.sources.discovery.opml import render_opml, to_wanted
from clawfeed.sources.documents.opml import parse_opml
from clawfeed.sources.source_types.built_in import BUILT_IN
from clawfeed.sources.source_types.source_type import SourceTypes
from clawfeed.sources.type_settings import type_setting
from clawfeed.storage.database import Database
from clawfeed.storage.sources.sources import SourceStore
from tests.app.whole_server import whole_house
from tests.support.clocks import NOON, FakeClock
from tests.support.html_pages import HtmlPage
from tests.support.manual import setting_complaints, type_complaints
from tests.support.origin import Stage, on_stage
from tests.support.processes import run_clawfeed
from tests.support.sample_source_type import API_KEY, BASE_URL, TIDES

TABLE = b"06:10 1.2 m\n18:40 1.4 m\n"
KEY = "k3y-of-the-harbour-office"
ROOT = Path(__file__).parents[2]


@pytest.fixture
async def stage(tmp_path: Path) -> AsyncIterator[Stage]:
    async with on_stage(demo_world(clock=FakeClock(), seed=1), tmp_path / "journal") as stage:
        # A path that this world knows; what it says there is ours.
        stage.put("/api/news.json*", TABLE, "text/plain")
        yield stage


@pytest.fixture
def types() -> SourceTypes:
    return KnownTypes((*BUILT_IN, TIDES))


def site(stage: Stage) -> dict[str, str]:
    """The settings that lead to the tables on *stage*."""
    return {
        "EGRESS_ALLOW": urlsplit(stage.url).netloc,
        "TIDES_BASE_URL": f"{stage.url}/api/news.json",
    }


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
    config = load_config({**site(stage), "TIDES_API_KEY": KEY}, directory=folder, types=types)
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
    database: Database,
    tmp_path: Path,
    stage: Stage,
    types: SourceTypes,
    *,
    target: str,
    kind: str | None,
) -> None:
    """(S001-17): by address, by its word and by type, stored in one spelling."""
    async with opened(database, tmp_path, types, **site(stage)) as tools:
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
    async with whole_house(database, tmp_path, types=types, settings=site(stage)) as house:
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
    assert {asked.has_authorization for asked in stage.asked()} == {True}


async def test_its_sources_wait_for_the_host_that_its_fetcher_asks(
    database: Database, tmp_path: Path, stage: Stage, types: SourceTypes
) -> None:
    async with opened(database, tmp_path, types, **site(stage)) as tools:
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
        KnownTypes((*BUILT_IN, TIDES, TIDES))


@pytest.mark.parametrize(
    ("in_yaml", "in_dotenv", "in_env", "found", "origin"),
    [
        ("", "", "", "https://tides.example", "default"),
        ("https://yaml.example", "", "", "https://yaml.example", "yaml"),
        ("https://yaml.example", "https://dot.example", "", "https://dot.example", ".env"),
        ("", "https://dot.example", "https://env.example", "https://env.example", "environment"),
    ],
)
def test_its_setting_is_read_from_wherever_settings_are(
    tmp_path: Path,
    types: SourceTypes,
    *,
    in_yaml: str,
    in_dotenv: str,
    in_env: str,
    found: str,
    origin: str,
) -> None:
    """(S003-6)."""
    (tmp_path / "y.yaml").write_text(f"sources:\n  tides_base_url: {in_yaml}\n")
    (tmp_path / ".env").write_text(f"TIDES_BASE_URL={in_dotenv}\nTIDES_BASE_ULR=x\n")
    environ = {"CONFIG_FILE": "y.yaml", "TIDES_BASE_URL": in_env}

    config = load_config(environ, directory=tmp_path, types=types)

    assert config.type_settings[BASE_URL] == found
    assert config.origin["TIDES_BASE_URL"] == origin
    assert "did you mean TIDES_BASE_URL?" in config.warnings[0]


def test_its_secret_may_come_from_a_file_and_is_seen_nowhere(
    tmp_path: Path, types: SourceTypes
) -> None:
    """(T17)."""
    (tmp_path / "key").write_text(KEY)

    config = load_config({"TIDES_API_KEY_FILE": "key"}, directory=tmp_path, types=types)

    key = config.type_settings.get(API_KEY)
    assert key is not None
    assert key.reveal() == KEY
    assert ("TIDES_API_KEY", "***", "environment") in config.describe()
    assert KEY in config.secret_texts()
    assert KEY not in repr(config) + str(config.describe())


def test_a_wrong_value_is_told_with_what_is_expected_and_without_the_secret(
    tmp_path: Path, types: SourceTypes
) -> None:
    """(S002-18)."""
    with pytest.raises(ConfigError) as refused:
        load_config(
            {"TIDES_BASE_URL": "bergen", "TIDES_API_KEY": "a\tb"},
            directory=tmp_path,
            types=types,
        )

    assert refused.value.problems == (
        f'TIDES_BASE_URL is "bergen": expected {WEB_ADDRESS.expected}',
        f"TIDES_API_KEY cannot be used: expected {SECRET.expected}",
    )


@pytest.mark.parametrize(
    ("kind", "text", "hidden"),
    [
        (list_of(SECRET), f"{KEY}, spare-key", {KEY, "spare-key"}),
        (SECRET.then(lambda key: key.reveal().encode()), KEY, {KEY}),
        (list_of(SECRET).then(len), f"{KEY},spare-key", {KEY, "spare-key"}),
        (ValueKind("a key", SECRET.parse, is_secret=True), KEY, {KEY}),
    ],
)
def test_what_is_made_of_secrets_is_one(
    tmp_path: Path, kind: ValueKind[object], text: str, hidden: set[str]
) -> None:
    """(T17): from a file, in the description and where it is wrong, like a plain `SECRET`."""
    setting = type_setting("TIDES_SPARE_KEYS", kind, None, "Keys for when the first is spent.")
    types = KnownTypes((*BUILT_IN, replace(TIDES, settings=(*TIDES.settings, setting))))
    (tmp_path / "keys").write_text(text)

    config = load_config({"TIDES_SPARE_KEYS_FILE": "keys"}, directory=tmp_path, types=types)
    with pytest.raises(ConfigError) as refused:
        load_config({"TIDES_SPARE_KEYS": f"{text}\tx"}, directory=tmp_path, types=types)

    assert config.type_settings[setting] == kind.parse(text)
    assert ("TIDES_SPARE_KEYS", "***", "environment") in config.describe()
    assert set(config.secret_texts()) == hidden
    assert refused.value.problems == (f"TIDES_SPARE_KEYS cannot be used: expected {kind.expected}",)


async def test_the_page_of_the_configuration_shows_its_settings_and_masks_its_secret(
    database: Database, tmp_path: Path, types: SourceTypes
) -> None:
    """(T17)."""
    settings = {"TIDES_BASE_URL": "https://tables.example", "TIDES_API_KEY": KEY}
    async with whole_house(database, tmp_path, types=types, settings=settings) as house:
        page = await house.client.get("/operations/configuration", house.as_("admin", Scope.ADMIN))

    rows = {" ".join(row.split()) for row in HtmlPage(page.text).texts(".settings tbody tr")}
    [base_url] = [row for row in rows if row.startswith("TIDES_BASE_URL")]
    [key] = [row for row in rows if row.startswith("TIDES_API_KEY")]
    assert "https://tables.example environment" in base_url
    assert "Where the tables of tides live." in base_url
    assert key.endswith("set environment")
    assert KEY not in page.text


def test_its_module_and_one_line_of_the_registry_are_all_that_a_clawfeed_needs(
    tmp_path: Path,
) -> None:
    """In a copy of the code: `doctor` reads, checks and shows what the new descriptor declares."""
    package = tmp_path / "src" / "clawfeed"
    shutil.copytree(
        ROOT / "src" / "clawfeed", package, ignore=shutil.ignore_patterns("__pycache__")
    )
    folder = package / "sources" / "source_types"
    shutil.copy(ROOT / "tests" / "support" / "sample_source_type.py", folder / "tides.py")
    registry = folder / "built_in.py"
    line = "MODULES: Final = (\n"
    registry.write_text(registry.read_text().replace(line, f'{line}    "tides",\n', 1))
    environ = {
        "PYTHONPATH": str(package.parent),
        "TIDES_BASE_URL": "https://tables.example",
        "TIDES_API_KEY": KEY,
    }

    shown = run_clawfeed("doctor", "--json", cwd=tmp_path, env=environ)
    wrong = run_clawfeed("doctor", cwd=tmp_path, env={**environ, "TIDES_BASE_URL": "bergen"})

    settings = json.loads(shown.stdout)["settings"]
    assert settings["TIDES_BASE_URL"] == {
        "value": "https://tables.example", "origin": "environment"
    }  # fmt: skip
    assert settings["TIDES_API_KEY"] == {"value": "***", "origin": "environment"}
    assert settings["FETCH_INTERVAL_TIDES"] == {"value": "45", "origin": "default"}
    assert KEY not in shown.stdout + shown.stderr
    assert wrong.returncode == 2
    assert 'TIDES_BASE_URL is "bergen": expected an http' in wrong.stderr


def test_what_is_not_documented_of_it_is_missed() -> None:
    """The checks of the documents go by the descriptor, so that they miss what nobody wrote."""
    example = (ROOT / ".env.example").read_text(encoding="utf-8")
    settings = (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")
    sources = (ROOT / "docs" / "sources.md").read_text(encoding="utf-8")

    for setting in (BASE_URL, API_KEY):
        assert setting_complaints(setting, example, settings) != []
    assert type_complaints(TIDES, sources) == ["tides has 0 sections"]


def test_two_settings_of_one_name_are_refused_unless_they_are_the_same() -> None:
    twin = replace(TIDES, name="ebb", aliases=())
    other = replace(twin, settings=(type_setting("TIDES_API_KEY", TEXT, None, "Something else."),))
    ours = replace(twin, settings=(type_setting("API_KEY", SECRET, None, "The house's own."),))

    shared = SettingTable(KnownTypes((TIDES, twin)))
    assert shared.of_types == (BASE_URL, API_KEY)
    for clash in (other, ours):
        with pytest.raises(ConfigError, match=r"two settings are called (TIDES_)?API_KEY"):
            SettingTable(KnownTypes((TIDES, clash)))


async def test_a_fetcher_is_handed_its_own_settings_and_no_other(
    database: Database, tmp_path: Path
) -> None:
    """One that its descriptor does not declare cannot be read, whoever else declares it."""
    forgetful = replace(TIDES, settings=(API_KEY,))
    types = KnownTypes((forgetful, replace(TIDES, name="ebb", aliases=())))

    with pytest.raises(KeyError, match="TIDES_BASE_URL"):
        async with opened(database, tmp_path, types):
            pass

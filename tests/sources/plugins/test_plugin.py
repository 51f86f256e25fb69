"""Collectors in plain Python: how they are found, run and cleaned (S003-2)."""

from __future__ import annotations

import asyncio
import ssl
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import pytest_asyncio

from clawfeed.domain.errors import ConfigError, Reason, SourceError
from clawfeed.domain.ids import JsonValue
from clawfeed.domain.sources.item import dedup_key
from clawfeed.sources.parsing.pool import ParsePool
from clawfeed.sources.plugins.fetcher import (
    PluginCollector,
    PluginFetcher,
    PluginHttp,
    load_plugins,
)
from clawfeed.sources.plugins.loader import Plugins
from clawfeed.sources.source_types.built_in import BUILT_IN
from tests.sources.simulated_world import Stage, fetched, source_of, staged
from tests.support.clocks import NOON
from tests.support.fetcher_contract import assert_clean
from tests.support.hostile_responses import HOSTILE
from tests.support.parse_settings import BUILT_IN_DOCUMENTS

pytestmark = pytest.mark.asyncio(loop_scope="module")

TIDES = """
from dataclasses import dataclass

@dataclass
class Tide:
    title: str
    published_at: str

class Tides:
    name = "tides"
    default_interval_seconds = 3600
    params = ["Bergen", "Brest"]

    async def fetch(self, param):
        yield Tide(f"High water at {param}", "2026-11-15T11:00:00Z")
"""
PLAIN = """
class Plain:
    name = "plain"
    default_interval_seconds = 60
    async def fetch(self, param):
        yield {"title": f"no parameter: {param!r}"}
COLLECTORS = [Plain()]
"""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def parse() -> AsyncIterator[ParsePool]:
    async with ParsePool(BUILT_IN_DOCUMENTS) as pool:
        yield pool


@pytest_asyncio.fixture(loop_scope="module")
async def stage(tmp_path: Path) -> AsyncIterator[Stage]:
    async with staged(tmp_path) as found:
        yield found


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "plugins"
    made.mkdir()
    return made


def collector(fetch: Any, **other: Any) -> PluginCollector:
    given = {"name": "tried", "interval": timedelta(minutes=1), "fetch": fetch, **other}
    return PluginCollector(**given)


def yielding(*events: object) -> PluginCollector:
    async def fetch(param: str) -> AsyncIterator[object]:
        del param
        for event in events:
            yield event

    return collector(fetch)


def runner(stage: Stage, parse: ParsePool, found: PluginCollector, **other: Any) -> PluginFetcher:
    return PluginFetcher(found, egress=stage.egress, parse=parse, clock=stage.clock, **other)


# --- finding them -------------------------------------------------------------------------------


async def test_a_folder_is_read_with_and_without_parameters(
    folder: Path, stage: Stage, parse: ParsePool
) -> None:
    """One schedule and one state per parameter."""
    (folder / "sample_source_type.py").write_text(TIDES)
    (folder / "plain.py").write_text(PLAIN)
    (folder / "_helper.py").write_text("raise RuntimeError('never loaded')")

    plain, tides = load_plugins(reserved=BUILT_IN, folder=folder).found

    assert (plain.name, plain.configs()) == ("plain", [{}])
    assert (tides.interval, tides.where) == (timedelta(hours=1), "sample_source_type.py")
    assert tides.configs() == [{"param": "Bergen"}, {"param": "Brest"}]
    [one] = fetched(await runner(stage, parse, plain).fetch(source_of("plain"))).drafts
    assert one.title == "no parameter: ''"
    [two] = fetched(await runner(stage, parse, tides).fetch(source_of("t", param="Brest"))).drafts
    assert two.title == "High water at Brest"
    assert two.published_at == datetime(2026, 11, 15, 11, tzinfo=UTC)


async def test_entry_points_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tide_package.py").write_text(TIDES)
    info = tmp_path / "tide_package-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: tide-package\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[clawfeed.collectors]\ntides = tide_package:Tides\n")
    monkeypatch.syspath_prepend(str(tmp_path))

    [found] = load_plugins(reserved=BUILT_IN).found

    assert (found.name, found.where) == ("tides", "tides (tide_package:Tides)")
    sys.modules.pop("tide_package")


async def test_no_plugins_is_no_trouble(folder: Path) -> None:
    assert load_plugins(reserved=BUILT_IN) == Plugins()
    assert load_plugins(reserved=BUILT_IN, folder=folder) == Plugins()


BROKEN = {
    "import": ("import no_such_module", "line 1: ModuleNotFoundError: No module named"),
    "syntax": ("\n\ndef", "line 3: SyntaxError"),
    "exit": ("\nraise SystemExit(3)", "line 2: SystemExit: 3"),
    "deep": ("import json\n\njson.loads('{')", "line 3: JSONDecodeError"),
    "empty": ("x = 1", "no collector in it"),
    "half": (
        "class A:\n    name = 'a'\nCOLLECTORS = [A]",
        "line 1: A has no default_interval_seconds",
    ),
    "built in": (
        PLAIN.replace('"plain"', '"rss"'),
        "line 5: name must not be 'rss': that type is built in",
    ),
    "odd name": (PLAIN.replace('"plain"', '"My Plugin"'), "line 2: name must be a short text"),
    "interval": (PLAIN.replace("60", "'hourly'"), "default_interval_seconds must be a number"),
    "zero": (PLAIN.replace("60", "0"), "default_interval_seconds must be at least 1"),
    "no generator": (PLAIN.replace("yield", "return"), "fetch must be an async generator"),
    "no param": (PLAIN.replace("self, param", "self").replace("{param!r}", ""), "one parameter"),
    "params": (TIDES.replace('["Bergen", "Brest"]', '"Bergen"'), "params must be a list"),
}


@pytest.mark.parametrize("name", BROKEN)
async def test_a_broken_plugin_is_told_and_stops_only_itself(folder: Path, name: str) -> None:
    """One sentence that names the file, the line and the reason; its neighbour loads."""
    text, reason = BROKEN[name]
    (folder / "broken.py").write_text(text)
    (folder / "whole.py").write_text(PLAIN.replace('"plain"', '"whole"'))

    plugins = load_plugins(reserved=BUILT_IN, folder=folder)

    [problem] = plugins.problems
    assert problem.startswith("plug-in broken.py")
    assert reason in problem
    assert "\n" not in problem
    assert [each.name for each in plugins.found] == ["whole"]


async def test_all_broken_plugins_are_told_at_once(folder: Path) -> None:
    """(S002-18)."""
    (folder / "one.py").write_text("1 / 0")
    (folder / "three.py").write_text(PLAIN)
    (folder / "two.py").write_text(PLAIN)

    plugins = load_plugins(reserved=BUILT_IN, folder=folder)

    assert plugins.problems == (
        "plug-in one.py, line 1: ZeroDivisionError: division by zero",
        "plug-in two.py, line 5: the name 'plain' is already used by three.py",
    )
    assert [each.name for each in plugins.found] == ["plain"]


async def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="PLUGINS_DIR"):
        load_plugins(reserved=BUILT_IN, folder=tmp_path / "nowhere")


# --- running them -------------------------------------------------------------------------------


@dataclass
class Sighting:
    title: str
    url: str
    published_at: object
    metadata: dict[str, object]


async def test_events_of_every_shape_are_cleaned_like_a_feeds(
    stage: Stage, parse: ParsePool
) -> None:
    """(T9, T30)."""
    found = yielding(
        {
            "title": "Hello &amp; <b>goodbye</b>",
            "url": "https://a.example/1",
            "content": "<p onclick=x>Hi<script>alert(1)</script></p>",
            "author": "Ann",
            "published_at": NOON,
            "metadata": {"score": 3, "when": NOON, "odd": object(), "nan": float("nan")},
        },
        Sighting("Two", "javascript:alert(1)", 1763200000, {"tags": ("a", "b<c")}),
        {"content": "only words"},
        {},
    )

    result = fetched(await runner(stage, parse, found).fetch(source_of("tried")))

    one, two, three = result.drafts
    assert (one.title, one.author, one.content) == ("Hello & goodbye", "Ann", "<p>Hi</p>")
    assert one.published_at == NOON
    assert one.metadata == {
        "score": 3, "when": "2026-11-15T12:00:00+00:00", "odd": None, "nan": None
    }  # fmt: skip
    assert (two.url, two.published_at) == (None, datetime.fromtimestamp(1763200000, UTC))
    assert two.metadata == {"tags": ["a", "b<c"]}
    assert three.title == "only words"
    assert result.warnings == ("1 events were left out: nothing to show",)


async def test_hostile_events_come_out_clean_and_equal_twice(
    stage: Stage, parse: ParsePool
) -> None:
    """(T29, T30; S001-2)."""
    events = [
        {
            "title": post.title,
            "url": post.url,
            "content": post.content,
            "author": post.author,
            "published_at": post.published,
            "metadata": {post.title: [post.content, post.published]},
        }
        for post in HOSTILE.values()
    ]
    fetcher = runner(stage, parse, yielding(*events))

    first, second = [fetched(await fetcher.fetch(source_of("tried"))) for _ in range(2)]

    assert_clean(first)
    assert len(first.drafts) > len(events) / 2
    assert [dedup_key(source_of("x").id, d) for d in first.drafts] == [
        dedup_key(source_of("x").id, d) for d in second.drafts
    ]


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (ValueError("no such tide\nsecret second line"), "raised ValueError: no such tide"),
        (KeyError("x" * 5000), "raised KeyError: 'xxx"),
        (SystemExit(1), "raised SystemExit: 1"),
        (TimeoutError(), "raised TimeoutError"),
        (RuntimeError(), "raised RuntimeError"),
    ],
)
async def test_whatever_a_plugin_raises_is_its_sources_failure(
    stage: Stage, parse: ParsePool, error: BaseException, text: str
) -> None:
    async def fetch(param: str) -> AsyncIterator[object]:
        yield {"title": param}
        raise error

    with pytest.raises(SourceError) as caught:
        await runner(stage, parse, collector(fetch)).fetch(source_of("tried"))

    assert caught.value.reason is Reason.BROKEN
    assert caught.value.detail.startswith("the plug-in tried raised ")
    assert text in caught.value.detail
    assert "secret" not in caught.value.detail
    assert "test_plugin.py, line " in caught.value.detail
    assert len(caught.value.detail) < 300


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (ValueError("the rates are limited"), Reason.BUSY),
        (ValueError("令牌已过期"), Reason.AUTH_REQUIRED),
        (ValueError("could not generate a tide"), Reason.BROKEN),
        (ssl.SSLError("certificate has expired"), Reason.BROKEN),
        (SourceError(Reason.BROKEN, "no", status=401), Reason.AUTH_REQUIRED),
        (SourceError(Reason.GONE, "forbidden tides"), Reason.GONE),
    ],
)
async def test_what_a_plugin_says_decides_the_reason_that_is_stored(
    stage: Stage, parse: ParsePool, error: Exception, reason: Reason
) -> None:
    """(S004-7, settled 8): here, once; back-off and status go by the code."""

    async def fetch(param: str) -> AsyncIterator[object]:
        yield {"title": param}
        raise error

    with pytest.raises(SourceError) as caught:
        await runner(stage, parse, collector(fetch)).fetch(source_of("tried"))

    assert caught.value.reason is reason


async def test_what_a_plugin_puts_into_an_error_is_of_the_kind_we_go_by(
    stage: Stage, parse: ParsePool
) -> None:
    """Seconds instead of a duration: the next date could not be computed, at every poll."""

    async def fetch(param: str) -> AsyncIterator[object]:
        yield {"title": param}
        raise SourceError(Reason.BROKEN, ValueError("rate limit"), wait=60)  # type: ignore[arg-type] # as strangers do

    with pytest.raises(SourceError) as caught:
        await runner(stage, parse, collector(fetch)).fetch(source_of("tried"))

    error = caught.value
    assert (error.reason, error.detail, error.wait) == (Reason.BUSY, "rate limit", None)


@pytest.mark.parametrize("event", ["a text", 7, None, SimpleNamespace(title="x")])
async def test_an_event_of_no_known_kind_is_the_plugins_fault(
    stage: Stage, parse: ParsePool, event: object
) -> None:
    with pytest.raises(SourceError, match="mapping or a dataclass") as caught:
        await runner(stage, parse, yielding(event)).fetch(source_of("tried"))

    assert caught.value.reason is Reason.BROKEN


async def test_an_endless_plugin_stops_at_a_thousand_and_is_closed(
    stage: Stage, parse: ParsePool
) -> None:
    closed = False

    async def fetch(param: str) -> AsyncIterator[object]:
        nonlocal closed
        number = 0
        try:
            while True:
                number += 1
                yield {"title": f"{param}{number}"}
        finally:
            closed = True

    result = fetched(await runner(stage, parse, collector(fetch)).fetch(source_of("tried")))

    assert len(result.drafts) == 1000
    assert result.warnings == ("only the first 1000 events were taken",)
    assert closed


async def test_a_gluttonous_plugin_stops_at_some_megabytes(stage: Stage, parse: ParsePool) -> None:
    found = yielding(*({"title": str(n), "content": "x" * 200_000} for n in range(100)))

    result = fetched(await runner(stage, parse, found).fetch(source_of("tried")))

    assert 5 <= len(result.drafts) < 100
    assert len(result.warnings) == 1


async def test_a_slow_plugin_is_stopped(stage: Stage, parse: ParsePool) -> None:
    async def fetch(param: str) -> AsyncIterator[object]:
        yield {"title": param}
        await asyncio.sleep(60)

    fetcher = runner(stage, parse, collector(fetch), time_limit=timedelta(milliseconds=50))
    with pytest.raises(SourceError, match=r"not done after 0\.05 s") as caught:
        await fetcher.fetch(source_of("tried"))

    assert caught.value.reason is Reason.TIMED_OUT


async def test_a_plugin_may_go_out_through_the_guarded_door(
    stage: Stage, parse: ParsePool, folder: Path
) -> None:
    (folder / "web.py").write_text(
        "class Web:\n"
        "    name, default_interval_seconds = 'web', 60\n"
        f"    params = ['{stage.url}/feeds/model-watch.json', 'http://127.0.0.1:1/']\n"
        "    async def fetch(self, param, *, http):\n"
        "        status, body = await http.get(param, headers={'X-Test': '1'})\n"
        "        yield {'title': f'{status} {len(body) > 100}'}\n"
    )
    [web] = load_plugins(reserved=BUILT_IN, folder=folder).found
    allowed, forbidden = web.configs()
    fetcher = runner(stage, parse, web)

    [draft] = fetched(await fetcher.fetch(source_of("web", **allowed))).drafts
    with pytest.raises(SourceError) as caught:
        await fetcher.fetch(source_of("web", **forbidden))

    assert draft.title == "200 True"
    assert caught.value.reason is Reason.BLOCKED
    assert stage.journal()[0].other_headers == ("x-test",)


async def test_an_answer_can_be_read_as_text(stage: Stage) -> None:
    answer = await PluginHttp(stage.egress).get(f"{stage.url}/nowhere")

    assert (answer.status, answer.text) == (404, "not found\n")


@pytest.mark.parametrize(
    ("params", "config", "problem"),
    [
        ((), {"param": "Bergen"}, "param must be left out"),
        (("Bergen",), {}, "param must be one of Bergen"),
        (("Bergen",), {"param": "Oslo"}, "param must be one of Bergen"),
        ((), {"nonsense": 1}, "'nonsense' is no setting"),
    ],
)
async def test_configs_that_cannot_work_are_named(
    stage: Stage,
    parse: ParsePool,
    params: tuple[str, ...],
    config: dict[str, JsonValue],
    problem: str,
) -> None:
    fetcher = runner(stage, parse, collector(yielding().fetch, params=params))

    [found] = fetcher.check(config)

    assert found.startswith(problem)
    assert fetcher.place(config) == ""
    with pytest.raises(SourceError) as caught:
        await fetcher.fetch(source_of("tried", **config))
    assert caught.value.reason is Reason.MISCONFIGURED


async def test_a_run_that_finds_nothing_is_fine(stage: Stage, parse: ParsePool) -> None:
    result = fetched(await runner(stage, parse, yielding()).fetch(source_of("tried")))

    assert (result.drafts, result.warnings) == ((), ())

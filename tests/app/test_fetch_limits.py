"""One rule for what a request may cost, walked through every type that is registered (S001-12)."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from clawfeed.app.settings.config_loading import load_config
from clawfeed.app.wiring.entry_points import opened_tools
from clawfeed.app.wiring.fetching import SourceTools
from clawfeed.domain.errors import Reason, SourceError
from clawfeed.domain.ids import JsonValue, SourceId
from clawfeed.domain.sources.source import Source
from clawfeed.sources.source_types.built_in import BUILT_IN
from tests.egress.loopback_servers import Asked, RawServer, reply, serving
from tests.support.virtual_time_loop import run_warped

MANUAL = Path(__file__).parents[2] / "docs" / "sources.md"
PLUGIN = """
class Limited:
    name = "limited"
    default_interval_seconds = 60

    async def fetch(self, param, http):
        answer = await http.get("{url}/api/news.json")
        yield {{"title": str(answer.status), "url": "https://a.example/1"}}
"""
# Those of X again by a bridge: another fetcher asks another host.
BRIDGED = {"twitter_feed by a bridge": "twitter_feed", "twitter_list by a bridge": "twitter_list"}
REDDIT_SIGNED_IN = "reddit with a token"
TYPES = sorted({*(each.name for each in BUILT_IN), "limited"})
WALKED = [*TYPES, *BRIDGED, REDDIT_SIGNED_IN, "resolve"]


async def endless(_: Asked, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
    with suppress(ConnectionError):
        while True:
            writer.write(b"x" * 50_000)
            await writer.drain()


async def late(_: Asked, writer: asyncio.StreamWriter) -> None:
    """An answer far beyond the limit that is set; in time if the setting were not heard."""
    await asyncio.sleep(6)
    with suppress(ConnectionError):
        writer.write(reply(500, b""))


async def elsewhere(asked: Asked, writer: asyncio.StreamWriter) -> None:
    writer.write(reply(302, b"", Location=f"{asked.path}x"))


@asynccontextmanager
async def opened(folder: Path, url: str, walked: str, **limits: str) -> AsyncIterator[SourceTools]:
    plugins = folder / "plugins"
    plugins.mkdir()
    (plugins / "limited.py").write_text(PLUGIN.format(url=url))
    bridges = {"X_BRIDGES": f"{url}/x/{{handle}},{url}/x/list/{{list_id}}"}
    settings = {
        "DATABASE_URL": f"sqlite:///{folder / 'clawfeed.db'}",
        "EGRESS_ALLOW": urlsplit(url).netloc,
        "HOST_SPACING_MS": "0",
        "HOST_CONCURRENCY": "100",
        "PLUGINS_DIR": str(plugins),
        "HACKERNEWS_BASE_URL": url,
        "REDDIT_BASE_URL": url,
        "GITHUB_TRENDING_BASE_URL": url,
        "X_API_BASE_URL": url,
        "STARTER_PACK": "no",
        **(bridges if walked in BRIDGED else {"X_BEARER_TOKEN": "app", "X_USER_TOKEN": "mine"}),
        **limits,
    }
    if walked == REDDIT_SIGNED_IN:
        settings |= {"REDDIT_CLIENT_ID": "id", "REDDIT_CLIENT_SECRET": "secret"}
    async with opened_tools(load_config(settings, directory=folder)) as (_, tools):
        yield tools


async def ask(tools: SourceTools, walked: str, url: str) -> object:
    if walked == "resolve":
        return await tools.discoverer.discover(f"{url}/feeds/harbour-times.xml")
    name = BRIDGED.get(walked, walked.removesuffix(" with a token"))
    configs: Mapping[str, Mapping[str, JsonValue]] = {
        "rss": {"url": f"{url}/feeds/harbour-times.xml"},
        "digest_feed": {"url": f"{url}/feeds/harbour-times.xml"},
        "website": {"url": f"{url}/site/status-page"},
        "custom_api": {"endpoint": f"{url}/api/news.json", "items_path": "items"},
        "reddit": {"subreddit": "python"},
        "twitter_feed": {"handle": "@somebody"},
        "twitter_list": {"list_id": "7"},
        "twitter_search": {"query": "python"},
    }
    fetcher = tools.fetchers.get(name)
    assert fetcher is not None, tools.fetchers.why_absent(name)
    source = Source(id=SourceId(1), type=name, name="x", config=configs.get(name, {}))
    return await fetcher.fetch(source)


async def failure_of(folder: Path, server: RawServer, walked: str, **limits: str) -> SourceError:
    url = f"http://127.0.0.1:{server.port}"
    async with opened(folder, url, walked, **limits) as tools:
        with pytest.raises(SourceError) as caught:
            await ask(tools, walked, url)
    return caught.value


def documented() -> dict[str, str]:
    """The caps in the manual's table, by the words of their row."""
    manual = MANUAL.read_text(encoding="utf-8")
    rows = re.findall(r"^\| (.+?) \| ([\d,]+) \|$", manual, re.MULTILINE)
    caps = {name: cap for names, cap in rows for name in re.findall(r"`([a-z_]+)`", names)}
    [shared] = [cap for words, cap in rows if "all of X" in words]
    caps |= {name: shared for name in TYPES if name.startswith("twitter_")}
    return caps | {"limited": shared, "resolve": caps["rss"], REDDIT_SIGNED_IN: "16,384"}


@pytest.mark.parametrize("walked", WALKED)
async def test_the_operators_limit_holds_for_every_type(tmp_path: Path, walked: str) -> None:
    """(S001-12): FETCH_MAX_BYTES is the limit, whatever a type's own cap."""
    async with serving(endless) as server:
        error = await failure_of(tmp_path, server, walked, FETCH_MAX_BYTES="9000")

    assert error.reason is Reason.TOO_LARGE
    assert "9,000 bytes" in error.detail


@pytest.mark.parametrize("walked", WALKED)
async def test_without_one_each_has_the_cap_that_is_documented(tmp_path: Path, walked: str) -> None:
    """(S001-12): 500 KB, or more where docs/sources.md says so."""
    async with serving(endless) as server:
        error = await failure_of(tmp_path, server, walked)

    assert error.reason is Reason.TOO_LARGE
    assert f"{documented()[BRIDGED.get(walked, walked)]} bytes" in error.detail


@pytest.mark.parametrize("walked", WALKED)
async def test_the_time_of_one_request_is_the_operators(tmp_path: Path, walked: str) -> None:
    """(S001-12)."""
    async with serving(late) as server:
        error = await failure_of(tmp_path, server, walked, FETCH_TIMEOUT_SECONDS="0.2")

    assert error.reason is Reason.TIMED_OUT


@pytest.mark.parametrize(("seconds", "reason"), [(9.5, Reason.BROKEN), (10.5, Reason.TIMED_OUT)])
def test_without_a_setting_it_is_ten_seconds(
    tmp_path: Path, seconds: float, reason: Reason
) -> None:
    """(S001-12): as it is wired, for a server that takes so long to say 500."""

    async def slow(_: Asked, writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(seconds)
        writer.write(reply(500, b""))

    async def asked() -> tuple[SourceError, str]:
        async with serving(slow) as server:
            error = await failure_of(tmp_path, server, "rss")
            return error, server.seen[0].headers["user-agent"]

    error, user_agent = run_warped(asked())

    assert error.reason is reason
    assert user_agent == "ClawFeed-Collector/1.0"


@pytest.mark.parametrize("walked", WALKED)
async def test_nobody_follows_a_fourth_redirect(tmp_path: Path, walked: str) -> None:
    """(S001-12): the first request and three more."""
    async with serving(elsewhere) as server:
        await failure_of(tmp_path, server, walked)

    assert len(server.seen) == 4

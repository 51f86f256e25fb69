"""GitHub Trending: rows of a page that may change under us."""

from __future__ import annotations

import html
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from urllib.parse import unquote

import pytest
import pytest_asyncio

from clawfeed.domain.errors import Reason, SourceError
from clawfeed.domain.ids import JsonValue, SourceId
from clawfeed.domain.sources.source import Fetched, NotModified, Source
from clawfeed.simulator import demo_world
from clawfeed.simulator.services.github_trending import repositories
from clawfeed.sources.discovery.known_sites import recognise
from clawfeed.sources.fetchers.github_trending import GithubTrending
from clawfeed.sources.parsing.pool import ParsePool
from clawfeed.sources.source_types.built_in import BUILT_IN
from tests.support.clocks import NOON, FakeClock
from tests.support.fetcher_contract import FetcherContract, Post, Subject
from tests.support.origin import Stage, door, on_stage
from tests.support.parse_settings import BUILT_IN_DOCUMENTS

# One set of parse processes for the file; starting them costs more than most tests.
pytestmark = pytest.mark.asyncio(loop_scope="module")

HTML = "text/html; charset=utf-8"
ROW = """<article class="Box-row"><h2 class="h3"><a href="{href}">x</a></h2>
<p>{about}</p><div><span itemprop="programmingLanguage">{language}</span>
<a href="/o/r/stargazers">12,345</a><a href="/o/r/forks"> 678 </a>
<span>1,234 stars today</span></div></article>"""


def page(*rows: str) -> bytes:
    text = f"<!DOCTYPE html><html><body>{''.join(rows)}</body></html>"
    return text.encode("utf-8", "surrogatepass")


def row(href: str = "/o/r", about: str = "About", language: str = "Rust") -> str:
    return ROW.format(href=href, about=about, language=language)


def documents(post: Post) -> Mapping[str, bytes]:
    is_plain = post.url == Post().url
    hostile = row(
        href="/o/r" if is_plain else html.escape(post.url),
        about=post.title + post.content,
        language=post.author,
    )
    return {"/trending*": page(hostile)}


class TestKeepsTheContract(FetcherContract):
    subject = Subject(
        build=lambda tools: GithubTrending(
            egress=tools.egress,
            parse=tools.parse,
            clock=tools.clock,
            base_url=tools.url,
            limits=tools.limits,
        ),
        config=lambda _: {"language": "python", "since": "daily"},
        documents=documents,
        key="since",
        content_type=HTML,
        is_dated=False,
    )


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def parse() -> AsyncIterator[ParsePool]:
    async with ParsePool(BUILT_IN_DOCUMENTS) as pool:
        yield pool


@pytest_asyncio.fixture(loop_scope="module")
async def stage(tmp_path: Path) -> AsyncIterator[Stage]:
    async with on_stage(demo_world(seed=1, clock=lambda: NOON), tmp_path / "journal") as stage:
        yield stage


@pytest_asyncio.fixture(loop_scope="module")
async def reader(stage: Stage, parse: ParsePool) -> AsyncIterator[GithubTrending]:
    clock = FakeClock()
    async with door(stage.url, clock=clock) as egress:
        yield GithubTrending(egress=egress, parse=parse, clock=clock, base_url=stage.url)


def source(cursor: Mapping[str, JsonValue] | None = None, **config: JsonValue) -> Source:
    return Source(
        id=SourceId(1), type="github_trending", name="T", config=config, cursor=cursor or {}
    )


async def fetched(reader: GithubTrending, poll: Source) -> Fetched:
    outcome = await reader.fetch(poll)
    assert isinstance(outcome, Fetched)
    return outcome


@pytest.mark.parametrize("language", ["c%2B%2B", "pl%2Fsql", "ren'py"])
async def test_what_its_address_names_can_be_read(reader: GithubTrending, language: str) -> None:
    """The descriptor that knows the address and the fetcher go by one rule."""
    site = recognise(BUILT_IN, f"https://github.com/trending/{language}?since=weekly")

    assert site is not None
    assert (site.config["language"], site.config["since"]) == (unquote(language), "weekly")
    assert reader.check(site.config) == []


@pytest.mark.parametrize(
    ("config", "language", "since", "key"),
    [
        ({}, "", "daily", "stars_today"),
        ({"language": "Python"}, "python", "daily", "stars_today"),
        ({"language": "C++", "since": "weekly"}, "c++", "weekly", "stars_this_week"),
        ({"since": "monthly"}, "", "monthly", "stars_this_month"),
    ],
)
async def test_the_list_is_read_in_order_with_its_signals(
    reader: GithubTrending, config: dict[str, JsonValue], language: str, since: str, key: str
) -> None:
    """S001-3, S001-6."""
    expected = repositories(1, language, since, NOON)

    outcome = await fetched(reader, source(None, **config))

    assert [draft.title for draft in outcome.drafts] == [f"{r.owner}/{r.name}" for r in expected]
    for draft, one in zip(outcome.drafts, expected, strict=True):
        assert draft.url == f"https://github.com/{one.owner}/{one.name}"
        assert draft.published_at is None
        assert html.unescape(draft.content) == one.about
        assert draft.metadata == {
            "language": one.language,
            "stars": one.stars,
            "forks": one.stars // 9,
            key: one.new_stars,
        }


async def test_an_unchanged_page_is_not_read_again(stage: Stage, reader: GithubTrending) -> None:
    first = await fetched(reader, source(since="daily"))

    again = await reader.fetch(source(first.cursor, since="daily"))
    other = await reader.fetch(source(first.cursor, since="weekly"))

    assert isinstance(again, NotModified)
    assert isinstance(other, Fetched)
    assert [entry.status for entry in stage.asked()] == [200, 304, 200]


async def test_a_page_without_rows_is_unreadable(stage: Stage, reader: GithubTrending) -> None:
    stage.put("/trending*", page("<article class='Box-column'>redesigned</article>"), HTML)

    with pytest.raises(SourceError) as caught:
        await reader.fetch(source())

    assert caught.value.reason is Reason.UNREADABLE


async def test_a_page_that_says_there_are_none_is_empty(
    stage: Stage, reader: GithubTrending
) -> None:
    words = "It looks like we don’t have any trending repositories for COBOL."
    stage.put("/trending*", page(f"<div class='blankslate'>{words}</div>"), HTML)

    outcome = await fetched(reader, source(language="cobol", spoken_language="zh"))

    assert outcome.drafts == ()


async def test_rows_that_lead_elsewhere_are_dropped_and_counted(
    stage: Stage, reader: GithubTrending
) -> None:
    rows = [row(href) for href in ("/o/r", "/sponsors/x/y", "//evil/r", "/o/r", "https://a/b")]
    stage.put("/trending*", page(*rows), HTML)

    outcome = await fetched(reader, source())

    assert [draft.title for draft in outcome.drafts] == ["o/r"]
    assert outcome.warnings == ("4 rows could not be read",)


@pytest.mark.parametrize(
    ("config", "key"),
    [
        ({"since": "hourly"}, "since"),
        ({"language": ["python"]}, "language"),
        ({"language": "a\nb"}, "language"),
        ({"spoken_language": "chinese"}, "spoken_language"),
        ({"lang": "go"}, "lang"),
    ],
)
async def test_a_bad_config_is_named(
    reader: GithubTrending, config: dict[str, JsonValue], key: str
) -> None:
    """S001-17."""
    problems = reader.check(config)

    assert len(problems) == 1
    assert key in problems[0]

"""Teasers become articles where a page has one, politely; whatever goes wrong leaves the teaser."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest
import pytest_asyncio

from clawfeed.digest.summaries.full_text import LIMITS, FullText, is_teaser
from clawfeed.digest.summaries.lead_writer import LeadWriter
from clawfeed.digest.writer_interface import StoryMaterial
from clawfeed.egress.client import Egress, EgressConfig
from clawfeed.egress.response_limits import Limits
from clawfeed.simulator import Fault, Misbehaviour, demo_world, status
from clawfeed.sources.documents.article import documents
from clawfeed.sources.parsing.pool import ParseConfig, ParsePool
from tests.digest.summaries.stories import material, source_text
from tests.support.clocks import FakeClock
from tests.support.origin import Stage, door, on_stage, other_body

pytestmark = pytest.mark.asyncio(loop_scope="module")

TITLE = "Old bridge at Riverton closed"
TEASER = "A flood closed the bridge…"
LEAD = "The old bridge at Riverton was closed on Tuesday after a flood damaged two of its pillars."
PARAGRAPHS = (
    LEAD,
    "Engineers of the county need three weeks to find out whether the bridge can be saved.",
    "Until then nine thousand commuters take the ferry, which leaves every twenty minutes.",
)
PAGE = f"""<html><head><title>{TITLE}</title></head><body>
<nav><a href="/">Home</a><a href="/news">News</a><a href="/about">About us</a></nav>
<article><h1>{TITLE}</h1>{"".join(f"<p>{each}</p>" for each in PARAGRAPHS)}</article>
<footer><p>We use cookies to make this site better for you.</p></footer></body></html>"""
# Fifteen seconds of work for an extractor, in a megabyte.
BOMB = "<html><body>" + "<div><a href=x>l</a>t</div>" * 40_000 + "</body></html>"
WALL = (
    "<html><body><main>"
    + "<p>Become a member to read on, for one crown.</p>" * 9
    + "</main></body>"
)
BRIDGE, BAD = "/site/status-page", "/site/morning-wire"
HTML = "text/html; charset=utf-8"
IMPATIENT = Limits(total=timedelta(seconds=1), body=2_000_000)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def pool() -> AsyncIterator[ParsePool]:
    # A long document ends by its processor time, however busy the machine.
    wall, cpu = timedelta(seconds=60), timedelta(seconds=3)
    async with ParsePool(ParseConfig(workers=1, wall=wall, cpu=cpu, documents=documents())) as pool:
        yield pool


@pytest_asyncio.fixture(loop_scope="module")
async def stage(tmp_path: Path) -> AsyncIterator[Stage]:
    clock = FakeClock()
    async with on_stage(demo_world(seed=7, clock=clock), tmp_path / "journal.jsonl") as stage:
        yield stage


def story(*urls: str | None, teaser: str = TEASER) -> StoryMaterial:
    return material(*(source_text(n, TITLE, teaser, url=url) for n, url in enumerate(urls, 1)))


async def enriched(
    stage: Stage, pool: ParsePool, story: StoryMaterial, limits: Limits = LIMITS
) -> StoryMaterial:
    async with door(stage.url, clock=FakeClock()) as egress:
        return await FullText(egress, pool, limits).enrich(story)


async def test_a_teaser_becomes_its_article_and_the_words_its_lead(
    stage: Stage, pool: ParsePool
) -> None:
    stage.put(BRIDGE, PAGE.encode(), HTML)
    teaser = story(f"{stage.url}{BRIDGE}")

    found = await enriched(stage, pool, teaser)

    assert [line for line in found.texts[0].text.splitlines() if line != TITLE] == list(PARAGRAPHS)
    assert found.texts[0].source == teaser.texts[0].source
    assert (await LeadWriter().write(found)).sentences[0].text == LEAD


async def test_a_story_that_one_source_tells_in_full_asks_nobody(
    stage: Stage, pool: ParsePool
) -> None:
    stage.put(BRIDGE, PAGE.encode(), HTML)
    full = source_text(2, TITLE, " ".join(PARAGRAPHS))
    story = material(source_text(1, TITLE, TEASER, url=f"{stage.url}{BRIDGE}"), full)

    assert await enriched(stage, pool, story) == story
    assert stage.asked() == []


async def test_of_several_pages_the_second_may_serve_and_a_third_is_not_asked(
    stage: Stage, pool: ParsePool
) -> None:
    stage.world.misbehave("/gone*", status(404))
    stage.put(BRIDGE, PAGE.encode(), HTML)

    found = await enriched(stage, pool, story(f"{stage.url}/gone", f"{stage.url}{BRIDGE}"))
    in_vain = story(*(f"{stage.url}/gone{n}" for n in range(5)))

    assert [is_teaser(text.text) for text in found.texts] == [True, False]
    assert await enriched(stage, pool, in_vain) == in_vain
    assert len(stage.asked()) == 4


@pytest.mark.parametrize(
    "how",
    [
        pytest.param(Misbehaviour(fault=Fault.NEVER_CLOSE), id="hangs"),
        pytest.param(Misbehaviour(fault=Fault.SLOW_FIRST_BYTE, pause=timedelta(9)), id="is silent"),
        pytest.param(Misbehaviour(fault=Fault.INFINITE_BODY), id="never ends"),
        pytest.param(Misbehaviour(fault=Fault.GZIP_BOMB), id="unpacks to 100 MB"),
        pytest.param(Misbehaviour(fault=Fault.GARBAGE), id="is no HTTP"),
        pytest.param(Misbehaviour(fault=Fault.REDIRECT_LOOP), id="leads in circles"),
        pytest.param(other_body(BOMB.encode(), HTML), id="takes an extractor minutes"),
        pytest.param(other_body(b"\x00\xff\xfe\x80" * 999, HTML), id="is no text"),
        pytest.param(other_body(b"", HTML), id="is empty"),
        pytest.param(other_body(PAGE.encode(), "application/pdf"), id="is no page"),
        pytest.param(status(500), id="fails"),
        pytest.param(other_body(WALL.encode(), HTML), id="is a wall"),
    ],
)
async def test_a_page_that_is_of_no_use_leaves_the_teaser(
    stage: Stage, pool: ParsePool, how: Misbehaviour
) -> None:
    """(T7)."""
    stage.world.misbehave(BAD, how)
    stage.put(BRIDGE, PAGE.encode(), HTML)
    bad = story(f"{stage.url}{BAD}")

    found = await enriched(stage, pool, bad, IMPATIENT)

    assert found == bad
    # And whoever comes next is served.
    good = await enriched(stage, pool, story(f"{stage.url}{BRIDGE}"))
    assert LEAD in good.texts[0].text


async def test_an_address_of_this_machine_is_not_asked_unless_it_is_allowed(
    stage: Stage, pool: ParsePool
) -> None:
    """(T1)."""
    stage.put(BRIDGE, PAGE.encode(), HTML)
    near = story(f"{stage.url}{BRIDGE}")

    async with Egress(EgressConfig(), clock=FakeClock(), dice=lambda: 0.5) as egress:
        assert await FullText(egress, pool).enrich(near) == near
    assert stage.asked() == []

    assert await enriched(stage, pool, near) != near


async def test_without_an_address_or_an_extractor_the_teaser_stays(stage: Stage) -> None:
    stage.put(BRIDGE, PAGE.encode(), HTML)
    nowhere, near = story(None), story(f"{stage.url}{BRIDGE}")

    async with ParsePool(ParseConfig(workers=1)) as without:
        assert await enriched(stage, without, nowhere) == nowhere
        assert await enriched(stage, without, near) == near


@pytest.mark.parametrize(
    ("text", "is_it"),
    [
        ("", True),
        ("Short.", True),
        ("Long. " * 40, False),
        ("Long. " * 40 + "But cut…", True),
        ("Long. " * 40 + "But cut [...]", True),
    ],
)
async def test_a_teaser_is_short_or_breaks_off(text: str, is_it: bool) -> None:
    assert is_teaser(text) is is_it

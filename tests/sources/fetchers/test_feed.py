"""Reading feeds: conditional requests, what is remembered, and what moves (S001-5, S001-6)."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import pytest_asyncio

from clawfeed.domain.errors import Reason, SourceError
from clawfeed.domain.ids import JsonValue
from clawfeed.domain.sources.source import NotModified
from clawfeed.egress.response_limits import Limits
from clawfeed.simulator import (
    Every,
    Fault,
    Misbehaviour,
    Shape,
    World,
    busy,
    demo_sources,
    moved,
    status,
)
from clawfeed.simulator import Feed as Origin
from clawfeed.sources.fetchers.feed import Feed
from clawfeed.sources.parsing.pool import ParsePool
from tests.sources.simulated_world import (
    DAY,
    HOUR,
    Stage,
    fetched,
    keys,
    poll,
    rss,
    source_of,
    staged,
)
from tests.support.clocks import NOON, FakeClock
from tests.support.fetcher_contract import FetcherContract, Post, Subject

pytestmark = pytest.mark.asyncio(loop_scope="module")

PATH = "/feeds/harbour-times.xml"
RSS = "application/rss+xml"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def parse() -> AsyncIterator[ParsePool]:
    async with ParsePool() as pool:
        yield pool


@pytest_asyncio.fixture(loop_scope="module")
async def stage(tmp_path: Path) -> AsyncIterator[Stage]:
    async with staged(tmp_path) as found:
        yield found


@pytest.fixture
def feed(stage: Stage, parse: ParsePool) -> Feed:
    return Feed(egress=stage.egress, parse=parse, clock=stage.clock)


def roles() -> list[tuple[str, str]]:
    return [
        (role.type, str(role.config["url"]))
        for role in demo_sources("")
        if role.type in {"rss", "digest_feed"}
    ]


@pytest.mark.parametrize(("source_type", "path"), roles())
async def test_every_format_gives_title_url_content_and_time(
    stage: Stage, feed: Feed, source_type: str, path: str
) -> None:
    """RSS 0.91, 1.0, 2.0, Atom 0.3, 1.0 and JSON Feed, English and Chinese (S001-5, S001-6)."""
    origin = next(f for f in stage.world.feeds.values() if f.path == path)

    result = fetched(await feed.fetch(source_of(source_type, url=stage.url + path)))

    assert {draft.url for draft in result.drafts} == set(stage.world.keys(origin))
    assert all(draft.title and draft.content for draft in result.drafts)
    if origin.shape is not Shape.RSS091:  # it knows no dates
        assert all(draft.published_at for draft in result.drafts)
    assert result.warnings == ()


async def test_the_second_poll_asks_conditionally_and_brings_nothing(
    stage: Stage, feed: Feed
) -> None:
    """(S001-2: the second run inserts 0)."""
    first, source = await poll(feed, source_of("rss", url=stage.url + PATH))

    second = await feed.fetch(source)

    assert fetched(first).drafts
    assert isinstance(second, NotModified)
    assert [entry.status for entry in stage.journal()] == [200, 304]


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("<![CDATA[ The <b>A</b> &amp; B\n Times ]]>", "The A & B Times"),
        ("https://a.example/?token=s3cret", ""),
        ("x" * 300, "x" * 199 + "…"),
    ],
)
async def test_a_feed_says_what_it_is_called(
    stage: Stage, feed: Feed, title: str, name: str
) -> None:
    """Cleaned; an address is no name."""
    stage.answer_with(PATH, rss("<title>1</title>").replace(">T<", f">{title}<"), RSS)

    result = await feed.fetch(source_of("rss", url=stage.url + PATH))

    assert fetched(result).title == name


async def test_a_podcast_whose_episodes_all_link_to_the_show_goes_on(
    stage: Stage, feed: Feed
) -> None:
    """(S001-2)."""
    head = "<link>https://pod.example</link>"
    episodes = [
        f"<title>{n}</title><link>https://pod.example/</link><guid isPermaLink='false'>e{n}</guid>"
        for n in range(6)
    ]
    stage.answer_with(PATH, rss(*episodes[:5], head=head), RSS)
    first, source = await poll(feed, source_of("rss", url=stage.url + PATH))
    stage.answer_with(PATH, rss(*episodes, head=head), RSS)

    second = await feed.fetch(source)

    assert len(keys(first)) == 5
    assert len(keys(second) - keys(first)) == 1
    assert (len(keys(second)), fetched(second).known) == (1, 5)


async def test_new_items_come_with_new_validators(stage: Stage, feed: Feed) -> None:
    first, source = await poll(feed, source_of("rss", url=stage.url + PATH))
    stage.clock.advance(2 * HOUR)

    second = await feed.fetch(source)

    assert keys(second) - keys(first)
    assert fetched(second).cursor["etag"] != fetched(first).cursor["etag"]


async def test_validators_come_back_only_with_the_items_of_their_answer(
    stage: Stage, feed: Feed
) -> None:
    """An answer that cannot be read leaves the cursor as it was: nothing is lost (I5)."""
    first, source = await poll(feed, source_of("rss", url=stage.url + PATH))
    stage.clock.advance(2 * HOUR)
    stage.world.misbehave(PATH, Misbehaviour(fault=Fault.MALFORMED_XML), times=1)
    stage.world.misbehave(PATH, Misbehaviour(fault=Fault.HTML_INSTEAD), times=1)

    with pytest.raises(SourceError, match="web page"):
        await feed.fetch(source)
    after = await feed.fetch(source)

    shown = {f"1:{url}" for url in stage.world.keys(stage.world.feeds["harbour-times"])}
    assert keys(after) == shown - keys(first) != set()


async def test_a_server_without_validators_is_known_by_its_bytes(stage: Stage, feed: Feed) -> None:
    stage.answer_with(PATH, rss("<title>One</title><link>https://a.example/1</link>"), RSS)
    first, source = await poll(feed, source_of("rss", url=stage.url + PATH))

    second = await feed.fetch(source)

    assert len(fetched(first).drafts) == 1
    assert isinstance(second, NotModified)
    assert [entry.status for entry in stage.journal()] == [200, 200]


async def test_a_cursor_of_another_address_is_worth_nothing(stage: Stage, feed: Feed) -> None:
    """Somebody edits the URL: the old ETag must not hide the new feed's items."""
    _, source = await poll(feed, source_of("rss", url=stage.url + PATH))
    other = replace(source, config={"url": f"{stage.url}/feeds/night-sky.atom"})

    result = await feed.fetch(other)

    assert fetched(result).drafts
    assert stage.journal()[-1].if_none_match is None


@pytest.mark.parametrize(
    "damage",
    [
        {"ttl_seconds": 2**70},
        {"move": {"to": "https://new.example/", "first_seen": 1e300, "times": 2}},
        {"move": {"to": "https://new.example/", "first_seen": 1e12, "times": 2}},
        {"keys": "?", "skip_hours": "all", "etag": 7},
    ],
    ids=["ttl", "no date", "no such year", "kinds"],
)
async def test_a_damaged_cursor_costs_no_poll(
    stage: Stage, feed: Feed, damage: dict[str, JsonValue]
) -> None:
    """(F27): what is no cursor of ours is read as if it were not there."""
    source = source_of("rss", url=stage.url + PATH)
    whole = fetched(await feed.fetch(source))

    damaged = {"for": whole.cursor["for"], **damage}
    again = fetched(await feed.fetch(replace(source, cursor=damaged)))

    assert again.drafts == whole.drafts


async def test_the_feeds_own_wishes_are_heard_and_remembered(stage: Stage, feed: Feed) -> None:
    """`<ttl>` 60 min and six skipHours, also when the next answer is 304."""
    path = "/feeds/circuit-weekly.rss"
    first, source = await poll(feed, source_of("rss", url=stage.url + path))

    second = await feed.fetch(source)

    assert isinstance(second, NotModified)
    for result in (first, second):
        assert result.hints.feed_wait == HOUR
        assert result.hints.skip_hours == frozenset(range(6))


@pytest.mark.parametrize(
    ("headers", "head", "wait", "feed_wait"),
    [
        ((("Cache-Control", "max-age=7200"),), "<ttl>60</ttl>", 2 * HOUR, HOUR),
        ((("Expires", "Sun, 15 Nov 2026 15:00:00 GMT"),), "", 3 * HOUR, None),
        ((), "<ttl>999999</ttl>", None, DAY),
        ((), "<x:updatePeriod>daily</x:updatePeriod>", None, DAY),
        ((), "", None, None),
    ],
)
async def test_what_the_server_and_what_the_feed_asks_for_are_told_apart(
    *,
    tmp_path: Path,
    parse: ParsePool,
    headers: tuple[tuple[str, str], ...],
    head: str,
    wait: timedelta | None,
    feed_wait: timedelta | None,
) -> None:
    """The feed's own wish may be held against what it does, the server's may not; a day each."""
    origin = Origin(
        id="a", path="/a", shape=Shape.RSS20, title="A", plan=Every(gap=HOUR), headers=headers
    )
    world = World([origin], seed=1, clock=FakeClock())
    async with staged(tmp_path, world) as stage:
        stage.answer_with("/a", rss("<title>One</title>", head=head), RSS)
        feed = Feed(egress=stage.egress, parse=parse, clock=stage.clock)

        result = await feed.fetch(source_of("rss", url=f"{stage.url}/a"))

    assert (result.hints.wait, result.hints.feed_wait) == (wait, feed_wait)


async def test_metadata_carries_the_entrys_own_signals(stage: Stage, feed: Feed) -> None:
    """(S001-3)."""
    item = (
        "<title>One</title><link>https://a.example/1</link><guid isPermaLink='false'>g-1</guid>"
        "<category>news</category><comments>https://a.example/1#c</comments>"
        "<enclosure url='https://a.example/1.mp3' type='audio/mpeg' length='9'/>"
    )
    stage.answer_with(PATH, rss(item), RSS)

    [draft] = fetched(await feed.fetch(source_of("rss", url=stage.url + PATH))).drafts

    assert draft.metadata == {
        "guid": "g-1",
        "categories": ["news"],
        "comments": "https://a.example/1#c",
        "enclosure": {"url": "https://a.example/1.mp3", "type": "audio/mpeg", "length": 9},
    }


async def test_an_entry_without_link_and_text_is_left_out_with_a_warning(
    stage: Stage, feed: Feed
) -> None:
    stage.answer_with(PATH, rss("<title>One</title>", "<title> </title>"), RSS)

    result = fetched(await feed.fetch(source_of("rss", url=stage.url + PATH)))

    assert [draft.title for draft in result.drafts] == ["One"]
    assert len(result.warnings) == 1


async def test_hostile_text_arrives_clean(stage: Stage, feed: Feed) -> None:
    """(T9, T30)."""
    item = (
        "<title>A&#0;B</title><link>javascript:alert(1)</link>"
        "<pubDate>Fri, 31 Dec 9999 23:59:59 GMT</pubDate>"
        "<description>&lt;script&gt;x&lt;/script&gt;&lt;p onclick=x&gt;hi&lt;/p&gt;</description>"
    )
    stage.answer_with(PATH, rss(item), RSS)

    [draft] = fetched(await feed.fetch(source_of("rss", url=stage.url + PATH))).drafts

    assert "\0" not in draft.title
    assert (draft.url, draft.content) == (None, "<p>hi</p>")
    assert draft.published_at == NOON


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        (401, Reason.AUTH_REQUIRED),
        (403, Reason.REFUSED),
        (404, Reason.GONE),
        (410, Reason.GONE),
        (500, Reason.BROKEN),
    ],
)
async def test_refusals_are_told_apart(stage: Stage, feed: Feed, code: int, reason: Reason) -> None:
    stage.world.misbehave(PATH, status(code))

    with pytest.raises(SourceError) as caught:
        await feed.fetch(source_of("rss", url=stage.url + PATH))

    assert (caught.value.reason, caught.value.status) == (reason, code)


async def test_a_busy_server_says_for_how_long(stage: Stage, feed: Feed) -> None:
    """(T20)."""
    stage.world.misbehave(PATH, busy(600))

    with pytest.raises(SourceError) as caught:
        await feed.fetch(source_of("rss", url=stage.url + PATH))

    assert (caught.value.reason, caught.value.wait) == (Reason.BUSY, timedelta(minutes=10))


async def test_a_feed_may_be_larger_than_a_page_but_not_endless(
    stage: Stage, parse: ParsePool
) -> None:
    """(S001-12: a fetcher may have its own cap)."""
    text = "<title>%d</title><description>" + "words " * 1000 + "</description>"
    stage.answer_with(PATH, rss(*(text % n for n in range(100))), RSS)
    usual = Feed(egress=stage.egress, parse=parse, clock=stage.clock)
    strict = Feed(egress=stage.egress, parse=parse, clock=stage.clock, limits=Limits(body=500_000))

    result = fetched(await usual.fetch(source_of("rss", url=stage.url + PATH)))
    with pytest.raises(SourceError) as caught:
        await strict.fetch(source_of("rss", url=stage.url + PATH))

    assert len(result.drafts) == 100
    assert caught.value.reason is Reason.TOO_LARGE


# --- moving (T20) -------------------------------------------------------------------------------

NEW = "/feeds/night-sky.atom"


async def test_a_move_is_believed_after_three_sightings_over_a_day(
    stage: Stage, feed: Feed
) -> None:
    stage.world.misbehave(PATH, moved(stage.url + NEW))
    source = source_of("rss", url=stage.url + PATH)
    told = []

    for _ in range(4):
        result, source = await poll(feed, source)
        told.append(result.hints.moved_to)
        stage.clock.advance(12 * HOUR)

    assert told == [None, None, stage.url + NEW, stage.url + NEW]
    assert source.cursor["url"] == stage.url + NEW
    paths = [entry.path for entry in stage.journal()]
    assert paths == [PATH, NEW] * 3 + [NEW]


async def test_three_sightings_within_an_hour_are_not_enough(stage: Stage, feed: Feed) -> None:
    stage.world.misbehave(PATH, moved(stage.url + NEW))
    source = source_of("rss", url=stage.url + PATH)

    for _ in range(5):
        result, source = await poll(feed, source)

    assert result.hints.moved_to is None
    assert "url" not in source.cursor


async def test_a_redirect_that_ends_is_forgotten(stage: Stage, feed: Feed) -> None:
    """A break-in of an hour does not count towards another a year later."""
    stage.world.misbehave(PATH, moved(stage.url + NEW), times=2)
    source = source_of("rss", url=stage.url + PATH)
    for _ in range(2):
        _, source = await poll(feed, source)
    assert "move" in source.cursor

    _, source = await poll(feed, source)

    assert "move" not in source.cursor


async def test_a_move_is_proven_by_a_whole_answer_even_if_the_feed_is_quiet(
    tmp_path: Path, parse: ParsePool
) -> None:
    """The new place answers 304 while we count; the last question is asked without conditions."""
    quiet = Origin(id="q", path="/q", shape=Shape.RSS20, title="Q", plan=Every(gap=3000 * DAY))
    world = World([quiet], seed=1, clock=FakeClock())
    async with staged(tmp_path, world) as stage:
        feed = Feed(egress=stage.egress, parse=parse, clock=stage.clock)
        stage.world.misbehave("/old", moved(f"{stage.url}/q"))
        source = source_of("rss", url=f"{stage.url}/old")

        for _ in range(5):
            _, source = await poll(feed, source)
            stage.clock.advance(12 * HOUR)

        answers = [entry.status for entry in stage.journal() if entry.path == "/q"]

    assert source.cursor["url"] == f"{stage.url}/q"
    assert answers == [200, 304, 304, 200, 304]


async def test_a_new_place_that_breaks_sends_us_home(stage: Stage, feed: Feed) -> None:
    stage.world.misbehave(PATH, moved(stage.url + NEW))
    source = source_of("rss", url=stage.url + PATH)
    for _ in range(3):
        _, source = await poll(feed, source)
        stage.clock.advance(12 * HOUR)
    stage.world.behave(PATH)
    stage.world.misbehave(NEW, status(410))

    result, source = await poll(feed, source)

    assert keys(result) == {
        f"1:{url}" for url in stage.world.keys(stage.world.feeds["harbour-times"])
    }
    assert "url" not in source.cursor


def documents(post: Post) -> dict[str, bytes]:
    """The post as a JSON Feed, which can hold any text."""
    date = post.published
    if isinstance(date, int) and 0 < date < 10**12:
        date = datetime.fromtimestamp(date, UTC).isoformat()
    item = {
        "id": "1",
        "title": post.title,
        "url": post.url,
        "content_html": post.content,
        "authors": [{"name": post.author}],
        "date_published": date,
    }
    feed = {"version": "https://jsonfeed.org/version/1.1", "title": "F", "items": [item]}
    return {PATH: json.dumps(feed).encode()}


class TestKeepsTheContract(FetcherContract):
    subject = Subject(
        build=lambda tools: Feed(
            egress=tools.egress, parse=tools.parse, clock=tools.clock, limits=tools.limits
        ),
        config=lambda url: {"url": url + PATH},
        documents=documents,
        key="url",
        reads_any_page=True,  # a feed cut off in the middle is read as far as it goes
    )


async def test_a_source_on_our_own_network_is_refused(parse: ParsePool, tmp_path: Path) -> None:
    """(S001-11)."""
    async with staged(tmp_path) as stage:
        feed = Feed(egress=stage.egress, parse=parse, clock=stage.clock)

        with pytest.raises(SourceError) as caught:
            await feed.fetch(source_of("rss", url="http://127.0.0.1:1/feed"))

    assert caught.value.reason is Reason.BLOCKED


@pytest.mark.slow
async def test_what_was_cut_is_told(stage: Stage, feed: Feed) -> None:
    """16 MB of links in all (T7); the rest of the feed comes without."""
    base = f"{stage.url}/{'a' * 2000}/"
    images = "words " + "&lt;img src=x&gt;" * 250
    item = f"<description>{images}</description>"
    body = rss(*(f"<guid>{n}</guid>{item}" for n in range(36)))
    stage.answer_with(PATH, body.replace("<rss ", f'<rss xml:base="{base}" ', 1), RSS)

    result = fetched(await feed.fetch(source_of("rss", url=stage.url + PATH)))

    assert len(result.drafts) == 36
    assert "items were cut to a few words" in result.warnings[0]

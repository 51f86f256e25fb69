"""Every format is read by an independent parser and gives the oracle's keys."""

from __future__ import annotations

import json

import feedparser
import pytest
from lxml import etree, html  # type: ignore[import-untyped] # it ships no types

from clawfeed.simulator import Origin, Shape, World
from clawfeed.simulator.demo_setup import FEEDS
from tests.simulator.raw_client import get

XML_SHAPES = {
    Shape.RSS20: "rss20",
    Shape.RSS091: "rss091u",
    Shape.RSS10: "rss10",
    Shape.ATOM10: "atom10",
    Shape.ATOM03: "atom03",
}
XML_FEEDS = [feed.id for feed in FEEDS if feed.shape in XML_SHAPES]


@pytest.mark.parametrize("name", XML_FEEDS)
async def test_xml_feeds_parse_and_hold_the_oracles_keys(
    origin: Origin, world: World, name: str
) -> None:
    feed = world.feeds[name]

    reply = await get(origin, feed.path)

    parsed = feedparser.parse(reply.body, response_headers=dict(reply.headers))
    stories = world.stories(feed)
    assert not parsed.bozo
    assert parsed.version == XML_SHAPES[feed.shape]
    assert tuple(entry.link for entry in parsed.entries) == world.keys(feed)
    assert [entry.title for entry in parsed.entries] == [story.title for story in stories]
    etree.fromstring(reply.body)
    if feed.shape is not Shape.RSS091:
        moments = [
            tuple(entry.get("published_parsed") or entry.updated_parsed) for entry in parsed.entries
        ]
        assert moments == [tuple(story.published_at.utctimetuple()) for story in stories]
        assert [entry.author for entry in parsed.entries] == [story.author for story in stories]
        bodies = [
            (entry.get("content") or [entry.summary_detail])[0].value for entry in parsed.entries
        ]
        assert bodies == [story.html for story in stories]


async def test_rss_tells_when_to_come_back(origin: Origin, world: World) -> None:
    reply = await get(origin, world.feeds["circuit-weekly"].path)

    channel = etree.fromstring(reply.body).find("channel")
    assert channel is not None
    assert channel.findtext("ttl") == "60"
    assert [hour.text for hour in channel.iterfind("skipHours/hour")] == list("012345")


async def test_json_feed_holds_the_oracles_keys(origin: Origin, world: World) -> None:
    feed = world.feeds["model-watch"]

    reply = await get(origin, feed.path)

    value = json.loads(reply.body)
    assert value["version"] == "https://jsonfeed.org/version/1.1"
    assert tuple(item["url"] for item in value["items"]) == world.keys(feed)


async def test_a_website_leads_to_its_feed(origin: Origin, world: World) -> None:
    """Proves (S001-7)."""
    feed = world.feeds["morning-wire"]

    page = html.fromstring((await get(origin, feed.path)).body)
    found = page.xpath("//link[@rel='alternate'][@type='application/rss+xml']/@href")
    parsed = feedparser.parse((await get(origin, found[0])).body)

    assert tuple(entry.link for entry in parsed.entries) == world.keys(feed)


async def test_a_page_without_a_feed_says_one_thing_at_a_time(origin: Origin, world: World) -> None:
    """Proves (S001-7)."""
    feed = world.feeds["status-page"]
    story = world.stories(feed)[0]

    page = html.fromstring((await get(origin, feed.path)).body.decode())

    assert page.xpath("//link[@rel='alternate']") == []
    assert page.findtext(".//title") == "Bluewater Cloud Status"
    assert page.xpath("//meta[@property='og:title']/@content") == [story.title]
    assert page.xpath("//meta[@property='og:description']/@content")[0]
    assert world.keys(feed) == (f"/site/status-page#{story.index}",)


async def test_an_api_hides_its_items_two_levels_deep(origin: Origin, world: World) -> None:
    feed = world.feeds["news-desk"]

    value = json.loads((await get(origin, feed.path)).body)

    assert tuple(item["link"] for item in value["data"]["items"]) == world.keys(feed)
    assert all(item["headline"] and item["byline"]["name"] for item in value["data"]["items"])


async def test_an_api_may_ask_for_a_header(origin: Origin, world: World) -> None:
    feed = world.feeds["member-desk"]

    refused = await get(origin, feed.path)
    allowed = await get(origin, feed.path, x_api_key="simulated-api-key")

    assert refused.status == 401
    assert len(json.loads(allowed.body)["data"]["items"]) == feed.window


async def test_opml_lists_every_feed(origin: Origin, world: World) -> None:
    reply = await get(origin, "/opml")

    listed = etree.fromstring(reply.body).xpath("//outline/@xmlUrl")
    assert listed == [
        f"http://sim{feed.path}" for feed in world.feeds.values() if feed.path.startswith("/feeds/")
    ]


async def test_an_items_link_leads_to_its_article(origin: Origin, world: World) -> None:
    story = world.stories(world.feeds["harbour-times"])[0]

    page = html.fromstring((await get(origin, f"/read/{story.feed}/{story.index}")).body.decode())

    assert page.findtext(".//h1") == story.title
    assert (await get(origin, f"/read/{story.feed}/{story.index + 1}")).status == 404

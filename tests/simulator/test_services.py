"""Hacker News, Reddit, GitHub Trending, X and a bridge, in the shapes their clients know."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import feedparser
from lxml import html  # type: ignore[import-untyped] # it ships no types

from clawfeed.simulator import Origin, World, serve
from clawfeed.simulator.services.x import APP_TOKEN, LIST_ID, READER_ID, USER_TOKEN
from tests.simulator.conftest import HandClock
from tests.simulator.raw_client import Reply, get

APP, USER = f"Bearer {APP_TOKEN}", f"Bearer {USER_TOKEN}"


def loads(reply: Reply) -> Any:
    assert reply.status == 200
    return json.loads(reply.unpacked())


async def test_hackernews_lists_ids_and_serves_items(origin: Origin, world: World) -> None:
    feed = world.feeds["hackernews"]

    top = loads(await get(origin, "/hn/v0/topstories.json"))
    new = loads(await get(origin, "/hn/v0/newstories.json"))
    items = [loads(await get(origin, f"/hn/v0/item/{number}.json")) for number in new]

    assert sorted(top) == sorted(new)
    assert top != new
    assert new == sorted(new, reverse=True)
    assert {item.get("url") for item in items} - {None} <= set(world.keys(feed))
    assert {item["type"] for item in items} == {"story", "job"}
    assert any("url" not in item for item in items)
    for item in items:
        assert {"by", "id", "score", "time", "title", "type"} <= item.keys()


async def test_an_unknown_hackernews_item_is_null(origin: Origin) -> None:
    assert loads(await get(origin, "/hn/v0/item/49999999.json")) is None
    assert loads(await get(origin, "/hn/v0/item/1.json")) is None


async def test_a_story_gains_points_with_time(origin: Origin, clock: HandClock) -> None:
    numbers = loads(await get(origin, "/hn/v0/newstories.json"))[:20]

    async def total() -> int:
        items = [loads(await get(origin, f"/hn/v0/item/{number}.json")) for number in numbers]
        return sum(item["score"] for item in items)

    before = await total()
    clock.pass_time(timedelta(hours=3))

    assert await total() > before


async def test_a_subreddit_has_pinned_posts_on_top_of_hot(origin: Origin, world: World) -> None:
    """Proves (S001-6)."""
    hot = loads(await get(origin, "/reddit/r/programming/hot.json?limit=10"))
    new = loads(await get(origin, "/reddit/r/programming/new.json?limit=10"))

    posts = [child["data"] for child in hot["data"]["children"]]
    assert hot["kind"] == "Listing"
    assert [post["stickied"] for post in posts] == [True] + [False] * 10
    assert not any(child["data"]["stickied"] for child in new["data"]["children"])
    links = {post["url"] for post in posts if not post["is_self"]}
    assert links <= {story.url for story in world.stories(world.feeds["programming"])}
    fields = {"ups", "num_comments", "permalink", "created_utc", "author", "title", "selftext"}
    assert all(fields <= post.keys() for post in posts)


async def test_an_unknown_subreddit_is_not_found(origin: Origin) -> None:
    assert (await get(origin, "/reddit/r/nobody/hot.json")).status == 404


async def test_reddit_gives_a_token_for_credentials(origin: Origin) -> None:
    door, form = "/reddit/api/v1/access_token", b"grant_type=client_credentials"

    refused = await get(origin, door, method="POST", body=form)
    given = await get(origin, door, method="POST", body=form, authorization="Basic eDp5")

    assert refused.status == 401
    assert loads(given)["access_token"]


async def test_trending_can_be_scraped(origin: Origin, clock: HandClock) -> None:
    """Proves (S001-6)."""
    page = html.fromstring((await get(origin, "/trending/python?since=daily")).body.decode())
    clock.pass_time(timedelta(days=1))
    tomorrow = html.fromstring((await get(origin, "/trending/python?since=daily")).body.decode())

    rows = page.xpath("//article[@class='Box-row']")
    names = [row.xpath("h2/a/@href")[0] for row in rows]
    assert len(set(names)) == 25
    assert all(row.findtext("p").strip() for row in rows)
    assert all(row.text_content().strip().endswith("stars today") for row in rows)
    languages = {row.xpath(".//*[@itemprop='programmingLanguage']")[0].text for row in rows}
    assert languages == {"Python"}
    later = tomorrow.xpath("//article/h2/a/@href")
    assert set(names) & set(later)
    assert set(names) != set(later)


async def test_x_wants_a_bearer_token(origin: Origin) -> None:
    path = "/x/2/users/by/username/chip_gossip"

    for reply in (await get(origin, path), await get(origin, path, authorization="Bearer no")):
        assert reply.status == 401
        assert reply.headers["content-type"].startswith("application/problem+json")
        assert json.loads(reply.body)["status"] == 401


async def test_x_serves_an_account_in_pages_and_since_an_id(
    origin: Origin, world: World, clock: HandClock
) -> None:
    """Proves (S001-8)."""
    number = loads(await get(origin, "/x/2/users/by/username/Chip_Gossip", authorization=APP))
    path = f"/x/2/users/{number['data']['id']}/tweets?max_results=25"

    first = loads(await get(origin, path, authorization=APP))
    more = f"{path}&pagination_token={first['meta']['next_token']}"
    second = loads(await get(origin, more, authorization=APP))
    clock.pass_time(timedelta(hours=4))
    since = f"{path}&since_id={first['meta']['newest_id']}"
    newer = loads(await get(origin, since, authorization=APP))

    assert (first["meta"]["result_count"], second["meta"]["result_count"]) == (25, 15)
    assert first["data"][0].keys() == {"id", "text", "edit_history_tweet_ids"}
    known = {tweet["id"] for tweet in first["data"]}
    served = {key.rpartition("/")[2] for key in world.keys(world.feeds["chip_gossip"])}
    assert {tweet["id"] for tweet in newer["data"]} == {
        number for number in served if int(number) > int(first["meta"]["newest_id"])
    }
    assert not known & {tweet["id"] for tweet in newer["data"]}


async def test_x_gives_only_the_fields_that_were_asked_for(origin: Origin) -> None:
    path = (
        f"/x/2/lists/{LIST_ID}/tweets?max_results=50&expansions=author_id"
        "&tweet.fields=created_at,public_metrics,author_id"
    )

    value = loads(await get(origin, path, authorization=APP))

    tweet = value["data"][0]
    assert {"created_at", "public_metrics", "author_id"} <= tweet.keys()
    assert "lang" not in tweet
    authors = {user["id"] for user in value["includes"]["users"]}
    assert authors == {tweet["author_id"] for tweet in value["data"]}
    assert len(authors) > 1


async def test_x_keeps_personal_endpoints_for_the_users_own_token(origin: Origin) -> None:
    """Proves (S001-8)."""
    endpoints = ("bookmarks", "liked_tweets", "timelines/reverse_chronological")

    assert loads(await get(origin, "/x/2/users/me", authorization=USER))["data"]["id"] == READER_ID
    for endpoint in endpoints:
        path = f"/x/2/users/{READER_ID}/{endpoint}"
        assert (await get(origin, path, authorization=APP)).status == 403
        assert loads(await get(origin, path, authorization=USER))["data"]


async def test_x_knows_who_does_not_exist(origin: Origin) -> None:
    value = loads(await get(origin, "/x/2/users/by/username/nobody", authorization=APP))

    assert "data" not in value
    assert value["errors"][0]["title"] == "Not Found Error"


async def test_x_counts_requests_and_says_when_it_starts_anew(
    world: World, clock: HandClock
) -> None:
    path = f"/x/2/lists/{LIST_ID}/tweets"

    async with serve(world, x_limit=2) as origin:
        replies = [await get(origin, path, authorization=APP) for _ in range(3)]
        clock.pass_time(timedelta(minutes=15))
        later = await get(origin, path, authorization=APP)

    assert [reply.status for reply in replies] == [200, 200, 429]
    assert [reply.headers["x-rate-limit-remaining"] for reply in replies] == ["1", "0", "0"]
    reset = int(replies[2].headers["x-rate-limit-reset"])
    assert 0 <= reset - (clock.now - timedelta(minutes=15)).timestamp() <= 900
    assert later.status == 200


async def test_a_bridge_serves_the_urls_that_x_itself_uses(origin: Origin, world: World) -> None:
    """(S001-8) The same post has the same key, whichever way it came."""
    account = world.feeds["orbit_daily"]

    parsed = feedparser.parse((await get(origin, "/bridge/twitter/user/orbit_daily")).body)

    assert not parsed.bozo
    assert tuple(entry.link for entry in parsed.entries) == world.keys(account)
    assert all(link.startswith("https://x.com/orbit_daily/status/") for link in world.keys(account))

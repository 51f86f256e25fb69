"""The demo's world, with one of everything, and the sources that are followed in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta

from clawfeed.domain.ids import JsonValue
from clawfeed.simulator.news.feed_model import Feed, Language, Shape
from clawfeed.simulator.news.publish_times import Bursts, Every, WorkingHours
from clawfeed.simulator.services.x import LIST_ID
from clawfeed.simulator.world import Clock, World

API_KEY = ("X-Api-Key", "simulated-api-key")


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoSource:
    """A source as somebody would add it: name, type and config (S001-5, S001-8)."""

    name: str
    type: str
    config: Mapping[str, JsonValue]


FEEDS: tuple[Feed, ...] = (
    Feed(
        id="harbour-times",
        path="/feeds/harbour-times.xml",
        shape=Shape.RSS20,
        title="The Harbour Times",
        plan=Every(gap=timedelta(minutes=40)),
        beats=("world", "business", "climate"),
        ttl_minutes=15,
    ),
    Feed(
        id="circuit-weekly",
        path="/feeds/circuit-weekly.rss",
        shape=Shape.RSS20,
        title="Circuit Weekly",
        plan=WorkingHours(per_day=5),
        beats=("chips", "ai", "software"),
        ttl_minutes=60,
        skip_hours=(0, 1, 2, 3, 4, 5),
    ),
    Feed(
        id="old-school-notes",
        path="/feeds/old-school-notes.rss",
        shape=Shape.RSS091,
        title="Old School Notes",
        plan=Every(gap=timedelta(hours=9)),
        beats=("software",),
        window=10,
    ),
    Feed(
        id="polar-journal",
        path="/feeds/polar-journal.rdf",
        shape=Shape.RSS10,
        title="Polar Journal",
        plan=Every(gap=timedelta(hours=5)),
        beats=("climate", "science"),
    ),
    Feed(
        id="night-sky",
        path="/feeds/night-sky.atom",
        shape=Shape.ATOM10,
        title="Night Sky Observer",
        plan=Every(gap=timedelta(hours=2)),
        beats=("space", "science"),
    ),
    Feed(
        id="lab-bench",
        path="/feeds/lab-bench.atom",
        shape=Shape.ATOM03,
        title="Notes from the Lab Bench",
        plan=Every(gap=timedelta(hours=7)),
        beats=("science",),
    ),
    Feed(
        id="model-watch",
        path="/feeds/model-watch.json",
        shape=Shape.JSON_FEED,
        title="Model Watch",
        plan=Every(gap=timedelta(minutes=90)),
        beats=("ai", "chips"),
    ),
    Feed(
        id="keji-ribao",
        path="/feeds/keji-ribao.xml",
        shape=Shape.RSS20,
        title="远山科技日报",
        plan=Every(gap=timedelta(minutes=50)),
        language=Language.CHINESE,
        beats=("ai", "chips", "software", "business"),
    ),
    Feed(
        id="kexue-zhoukan",
        path="/feeds/kexue-zhoukan.atom",
        shape=Shape.ATOM10,
        title="萤火科学周刊",
        plan=Every(gap=timedelta(hours=3)),
        language=Language.CHINESE,
        beats=("science", "space", "climate"),
    ),
    Feed(
        id="morning-wire",
        path="/site/morning-wire",
        alternate="/site/morning-wire/feed.xml",
        shape=Shape.WEBSITE,
        title="Morning Wire",
        plan=Bursts(gap=timedelta(hours=6), size=4, spacing=timedelta(minutes=2)),
        beats=("world", "business"),
    ),
    Feed(
        id="status-page",
        path="/site/status-page",
        shape=Shape.PAGE,
        title="Bluewater Cloud Status",
        plan=Every(gap=timedelta(hours=4)),
        beats=("software",),
        window=1,
    ),
    Feed(
        id="news-desk",
        path="/api/news.json",
        shape=Shape.API,
        title="News Desk API",
        plan=Every(gap=timedelta(hours=1)),
        beats=("world", "business", "ai"),
    ),
    Feed(
        id="member-desk",
        path="/api/members.json",
        shape=Shape.API,
        title="Members' Desk API",
        plan=Every(gap=timedelta(hours=3)),
        beats=("chips", "space"),
        required_header=API_KEY,
    ),
    Feed(
        id="hackernews",
        path="/hn/v0/topstories.json",
        shape=Shape.HACKERNEWS,
        title="Hacker News",
        plan=Every(gap=timedelta(minutes=12)),
        window=60,
        beats=("software", "ai", "chips", "science"),
    ),
    Feed(
        id="programming",
        path="/reddit/r/programming/hot.json",
        shape=Shape.REDDIT,
        title="r/programming",
        plan=Every(gap=timedelta(minutes=25)),
        window=50,
        beats=("software", "ai"),
    ),
    Feed(
        id="science",
        path="/reddit/r/science/hot.json",
        shape=Shape.REDDIT,
        title="r/science",
        plan=Every(gap=timedelta(minutes=45)),
        window=50,
        beats=("science", "space", "climate"),
    ),
    Feed(
        id="github-trending",
        path="/trending",
        shape=Shape.TRENDING,
        title="GitHub Trending",
        plan=Every(gap=timedelta(days=1)),
    ),
    *(
        Feed(
            id=handle,
            path=f"/bridge/twitter/user/{handle}",
            shape=Shape.X,
            title=title,
            plan=Every(gap=gap),
            beats=beats,
            language=language,
            window=40,
            paragraphs=(1, 1),
        )
        for handle, title, gap, beats, language in (
            (
                "ingridsolheim",
                "Ingrid Solheim",
                timedelta(hours=2),
                ("ai", "software"),
                Language.ENGLISH,
            ),
            (
                "chip_gossip",
                "Chip Gossip",
                timedelta(hours=1),
                ("chips", "business"),
                Language.ENGLISH,
            ),
            ("orbit_daily", "Orbit Daily", timedelta(hours=3), ("space",), Language.ENGLISH),
            ("linyuqing", "林语晴", timedelta(hours=2), ("ai", "science"), Language.CHINESE),
        )
    ),
)


def demo_world(*, seed: int, clock: Clock) -> World:
    """The world that the demo's sources poll."""
    return World(FEEDS, seed=seed, clock=clock)


def demo_sources(url: str) -> tuple[DemoSource, ...]:
    """The demo's sources, one or more of every type, all in a `demo_world` served at *url*."""
    api_fields: dict[str, JsonValue] = {
        "title": "headline",
        "url": "link",
        "content": "summary",
        "author": "byline.name",
        "published_at": "published",
    }
    api: dict[str, JsonValue] = {"items_path": "data.items", "fields": api_fields}
    key_name, key_value = API_KEY
    return (
        *(
            DemoSource(name=feed.title, type="rss", config={"url": url + feed.path})
            for feed in FEEDS
            if feed.path.startswith("/feeds/") and feed.id != "model-watch"
        ),
        DemoSource(
            name="Model Watch", type="digest_feed", config={"url": f"{url}/feeds/model-watch.json"}
        ),
        DemoSource(name="Morning Wire", type="website", config={"url": f"{url}/site/morning-wire"}),
        DemoSource(
            name="Bluewater Status", type="website", config={"url": f"{url}/site/status-page"}
        ),
        DemoSource(
            name="Hacker News", type="hackernews", config={"filter": "top", "min_score": 50}
        ),
        _subreddit("programming", "hot"),
        _subreddit("science", "top"),
        DemoSource(
            name="Trending in Python",
            type="github_trending",
            config={"language": "python", "since": "daily"},
        ),
        DemoSource(
            name="News Desk",
            type="custom_api",
            config={"endpoint": f"{url}/api/news.json", "headers": {}, **api},
        ),
        DemoSource(
            name="Members' Desk",
            type="custom_api",
            config={"endpoint": f"{url}/api/members.json", "headers": {key_name: key_value}, **api},
        ),
        *(
            DemoSource(name=f"@{feed.id}", type="twitter_feed", config={"handle": f"@{feed.id}"})
            for feed in FEEDS
            if feed.shape is Shape.X
        ),
        DemoSource(name="Makers on X", type="twitter_list", config={"list_id": LIST_ID}),
        DemoSource(name="Percentages on X", type="twitter_search", config={"query": "percent"}),
        DemoSource(name="My bookmarks", type="twitter_bookmarks", config={}),
        DemoSource(name="My likes", type="twitter_favorites", config={}),
        DemoSource(name="My timeline", type="twitter_foryou", config={}),
    )


def troubled_demo_sources(url: str) -> tuple[DemoSource, ...]:
    """A feed that is gone and a page that is no feed: a guest sees how failures are told."""
    return (
        DemoSource(
            name="The Vanished Gazette",
            type="rss",
            config={"url": f"{url}/feeds/vanished-gazette.xml"},
        ),
        DemoSource(
            name="Redesigned Review", type="rss", config={"url": f"{url}/site/status-page?feed"}
        ),
    )


def _subreddit(name: str, sort: str) -> DemoSource:
    config: dict[str, JsonValue] = {"subreddit": name, "sort": sort, "limit": 25}
    return DemoSource(name=f"r/{name}", type="reddit", config=config)

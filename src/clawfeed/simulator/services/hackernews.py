"""Hacker News as its public API serves it: lists of ids, then one request per item."""

from __future__ import annotations

import math
from datetime import datetime

from clawfeed.simulator.news.feed_model import Feed, Shape, Story
from clawfeed.simulator.serving.http import Request
from clawfeed.simulator.serving.responses import Answer, as_json, not_found
from clawfeed.simulator.world import World

FIRST_ID = 40_000_000
ITEM_PAGE = "https://news.ycombinator.com/item?id="
# One in so many stories is a question without a URL, one in so many a job advertisement.
ASKS, JOBS = 10, 25
# Points stop coming after a morning.
INTEREST_LASTS = 4 * 3600.0


class HackerNews:
    """Answers below `/hn/`: `v0/topstories.json`, `v0/newstories.json`, `v0/item/{id}.json`."""

    def __init__(self, world: World) -> None:
        self._world = world

    def answer(self, request: Request) -> Answer:
        feeds = self._world.of_shape(Shape.HACKERNEWS)
        if not feeds:
            return not_found()
        feed = feeds[0]
        match request.path.removeprefix("/hn/").split("/"):
            case ["v0", "topstories.json"]:
                return self._list(feed, by_rank=True)
            case ["v0", "newstories.json"]:
                return self._list(feed, by_rank=False)
            case ["v0", "item", name]:
                return self._item(feed, name.removesuffix(".json"))
        return not_found()

    def _list(self, feed: Feed, *, by_rank: bool) -> Answer:
        stories = self._world.stories(feed)
        if by_rank:
            now = self._world.clock()
            stories.sort(key=lambda story: _rank(story, now), reverse=True)
        ids = [FIRST_ID + story.index for story in stories]
        return as_json(ids, feed=feed.id, hold=feed.hold.total_seconds())

    def _item(self, feed: Feed, name: str) -> Answer:
        """An item, or `null` for an id that was never given out, as the real one says."""
        index = int(name) - FIRST_ID if name.isdecimal() else -1
        if not 0 <= index < self._world.count(feed):
            return as_json(None, feed=feed.id)
        story = self._world.story(feed, index)
        item = _item(story, self._world.clock())
        keys = (str(item.get("url", f"{ITEM_PAGE}{name}")),)
        return as_json(item, keys=keys, feed=feed.id, hold=feed.hold.total_seconds())


def _item(story: Story, now: datetime) -> dict[str, object]:
    number = FIRST_ID + story.index
    item: dict[str, object] = {
        "by": story.author.lower().replace(" ", ""),
        "id": number,
        "score": points(story, now),
        "time": int(story.published_at.timestamp()),
        "title": story.title,
        "type": "story",
    }
    if story.dice % JOBS == 0:
        return item | {"type": "job", "title": "(YC S26) is hiring engineers", "url": story.url}
    item |= {"descendants": points(story, now) // 2, "kids": [number * 10, number * 10 + 1]}
    if story.dice % ASKS == 0:
        return item | {"title": f"Ask HN: {story.title}?", "text": story.html}
    return item | {"url": story.url}


def points(story: Story, now: datetime) -> int:
    """A story's score: from one up to its own ceiling, most of it in the first hours."""
    age = max(0.0, (now - story.published_at).total_seconds())
    luck = (story.dice >> 8) % 1000 / 1000
    ceiling = 3 + 800 * luck**3  # most stay small, a few fly
    return 1 + int(ceiling * (1 - math.exp(-age / INTEREST_LASTS)))


def _rank(story: Story, now: datetime) -> float:
    hours = max(0.0, (now - story.published_at).total_seconds()) / 3600
    return float(points(story, now) / (hours + 2) ** 1.8)

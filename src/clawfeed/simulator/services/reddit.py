"""Reddit: listings of a subreddit, and the token door of its OAuth API."""

from __future__ import annotations

import html
from datetime import datetime

from clawfeed.simulator.news.feed_model import Feed, Shape, Story
from clawfeed.simulator.services.hackernews import points
from clawfeed.simulator.serving.http import Headers, Request
from clawfeed.simulator.serving.responses import Answer, as_json, not_found
from clawfeed.simulator.world import World

SORTS = frozenset({"hot", "new", "top", "rising"})
MOST = 100
TEN_MINUTES = 600
# One in so many posts is text without a link.
SELF_POSTS = 4


class Reddit:
    """Answers below `/reddit/`: `r/{sub}/{sort}.json` and `api/v1/access_token`.

    A subreddit is a feed whose id is its name. Its first item is pinned to the top of `hot`.
    """

    def __init__(self, world: World) -> None:
        self._world = world

    def answer(self, request: Request) -> Answer:
        match request.path.removeprefix("/reddit/").split("/"):
            case ["r", sub, name] if name.removesuffix(".json") in SORTS:
                return self._listing(request, sub, name.removesuffix(".json"))
            case ["api", "v1", "access_token"] if request.method == "POST":
                return _token(request)
        return not_found()

    def _listing(self, request: Request, sub: str, sort: str) -> Answer:
        feed = self._world.feeds.get(sub.lower())
        if feed is None or feed.shape is not Shape.REDDIT:
            return as_json({"message": "Not Found", "error": 404}, status=404)
        limit = request.parameter("limit", "25")
        if not limit.isdecimal():
            return as_json({"message": "Bad Request", "error": 400}, status=400)
        stories = self._sorted(feed, sort)[: max(1, min(int(limit), MOST))]
        now = self._world.clock()
        posts = [_post(story, feed, now) for story in stories]
        if sort == "hot" and self._world.count(feed):
            posts.insert(0, _pinned(self._world.story(feed, 0), feed, now))
        data = {"after": None, "before": None, "dist": len(posts), "modhash": ""}
        children = [{"kind": "t3", "data": post} for post in posts]
        return as_json(
            {"kind": "Listing", "data": data | {"children": children}},
            headers=_allowance(now),
            keys=tuple(str(post["url"]) for post in posts if not post["stickied"]),
            feed=feed.id,
            hold=feed.hold.total_seconds(),
        )

    def _sorted(self, feed: Feed, sort: str) -> list[Story]:
        stories = self._world.stories(feed)
        if sort in {"hot", "top"}:
            now = self._world.clock()
            stories.sort(key=lambda story: points(story, now), reverse=True)
        return stories


def _pinned(story: Story, feed: Feed, now: datetime) -> dict[str, object]:
    permalink = f"/r/{feed.id}/comments/rules1/welcome/"
    return _post(story, feed, now) | {
        "id": "rules1",
        "name": "t3_rules1",
        "title": f"Welcome to r/{feed.id}: rules and weekly thread",
        "is_self": True,
        "url": f"https://www.reddit.com{permalink}",
        "permalink": permalink,
        "stickied": True,
    }


def _post(story: Story, feed: Feed, now: datetime) -> dict[str, object]:
    number = f"{10_000_000 + story.index:x}"
    slug = "".join(c if c.isascii() and c.isalnum() else "_" for c in story.title.lower())[:50]
    permalink = f"/r/{feed.id}/comments/{number}/{slug}/"
    is_self = story.dice % SELF_POSTS == 0
    ups = points(story, now)
    return {
        "id": number,
        "name": f"t3_{number}",
        "subreddit": feed.id,
        "title": story.title,
        "author": story.author.lower().replace(" ", "_"),
        "is_self": is_self,
        "selftext": html.unescape(story.text) if is_self else "",
        "selftext_html": story.html if is_self else None,
        "url": f"https://www.reddit.com{permalink}" if is_self else story.url,
        "domain": f"self.{feed.id}" if is_self else f"{feed.id}.example",
        "permalink": permalink,
        "ups": ups,
        "score": ups,
        "upvote_ratio": 0.93,
        "num_comments": ups // 3,
        "created_utc": float(story.published_at.timestamp()),
        "stickied": False,
        "over_18": False,
        "link_flair_text": story.beat.title(),
    }


def _allowance(now: datetime) -> Headers:
    left = TEN_MINUTES - int(now.timestamp()) % TEN_MINUTES
    return (
        ("x-ratelimit-remaining", "95.0"),
        ("x-ratelimit-used", "5"),
        ("x-ratelimit-reset", str(left)),
    )


def _token(request: Request) -> Answer:
    """A token for anybody who shows client credentials; the simulator knows no secrets."""
    if not request.headers.get("authorization", "").startswith("Basic "):
        return as_json({"message": "Unauthorized", "error": 401}, status=401)
    token = {"access_token": "simulated-reddit-token", "token_type": "bearer"}
    return as_json(token | {"expires_in": 86400, "scope": "*"})

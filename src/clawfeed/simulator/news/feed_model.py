"""The values of the simulated world: a feed, and a story in it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from clawfeed.simulator.news.publish_times import Plan

BEATS = ("ai", "chips", "space", "science", "climate", "world", "business", "software")


class Shape(StrEnum):
    """How a feed speaks. The last four are whole services, asked at paths of their own."""

    RSS20 = "rss 2.0"
    RSS091 = "rss 0.91"
    RSS10 = "rss 1.0"
    ATOM10 = "atom 1.0"
    ATOM03 = "atom 0.3"
    JSON_FEED = "json feed"
    WEBSITE = "website with a feed"
    PAGE = "website without a feed"
    API = "json api"
    HACKERNEWS = "hackernews"
    REDDIT = "reddit"
    TRENDING = "trending"
    X = "x account"


class Language(StrEnum):
    ENGLISH = "en"
    CHINESE = "zh"


@dataclass(frozen=True, slots=True, kw_only=True)
class Feed:
    """Somebody who publishes.

    *id* names it in the journal and in its URLs (`[a-z0-9-]+`; for Reddit the subreddit, for X
    the handle). *window* is how many of the latest items its document holds. *hold* is how long
    it thinks before it answers, in real time. *alternate* is where a website keeps its feed.
    *required_header* must come with a request, else the answer is 401.
    """

    id: str
    path: str
    shape: Shape
    title: str
    plan: Plan
    window: int = 20
    language: Language = Language.ENGLISH
    beats: tuple[str, ...] = BEATS
    paragraphs: tuple[int, int] = (1, 3)
    is_dressed: bool = False  # links, pictures and classes, as content systems write them
    hold: timedelta = timedelta(0)
    headers: tuple[tuple[str, str], ...] = ()
    required_header: tuple[str, str] | None = None
    alternate: str | None = None
    ttl_minutes: int | None = None
    skip_hours: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """One published item; a pure function of (seed, feed, index)."""

    feed: str
    index: int
    url: str
    guid: str
    title: str
    author: str
    html: str
    beat: str
    published_at: datetime
    event: str  # what it tells: items with the same one tell the same story
    dice: int  # its own luck: how popular it becomes, what kind of post it is

    @property
    def text(self) -> str:
        """The first paragraph, escaped as in HTML but without tags."""
        return self.html.partition("</p>")[0].removeprefix("<p>")

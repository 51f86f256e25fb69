"""GitHub's trending page, in the markup its readers have to scrape."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from clawfeed.simulator.formats import HTML_TYPE, page_of
from clawfeed.simulator.news.deterministic_random import between, pick, roll, share
from clawfeed.simulator.news.feed_model import Shape
from clawfeed.simulator.serving.http import Request
from clawfeed.simulator.serving.responses import Answer, Content, not_found
from clawfeed.simulator.world import World

# How long one list stands, how its stars are named, and how many more they are.
SPANS = {
    "daily": (timedelta(days=1), "stars today", 1),
    "weekly": (timedelta(days=7), "stars this week", 5),
    "monthly": (timedelta(days=30), "stars this month", 20),
}
SHOWN, KNOWN = 25, 70
LANGUAGES = ("Python", "Rust", "Go", "TypeScript", "C++", "Zig")
OWNERS = (
    "lumenforge",
    "kestrel-io",
    "quietbits",
    "northgate",
    "tessera-ai",
    "hanlin-lab",
    "oddpixel",
)
FIRST = ("tiny", "open", "fast", "quiet", "hyper", "micro", "paper", "solid")
SECOND = ("queue", "parser", "agent", "vector", "notes", "proxy", "canvas", "shell", "ledger")
ABOUT = (
    "A small, fast {second} with no dependencies",
    "The {second} that stays out of your way",
    "Self-hosted {second} for teams & hobbyists, <100 ms everywhere",
    "Experiments with a {second} on cheap hardware",
    "一个轻量、易用的{second}工具",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Repository:
    owner: str
    name: str
    about: str
    language: str
    stars: int
    new_stars: int


class Trending:
    """Answers `/trending` and `/trending/{language}`, with `?since=daily|weekly|monthly`."""

    def __init__(self, world: World) -> None:
        self._world = world

    def answer(self, request: Request) -> Answer:
        feeds = self._world.of_shape(Shape.TRENDING)
        if not feeds:
            return not_found()
        language = request.path.removeprefix("/trending").strip("/").lower()
        since = request.parameter("since", "daily")
        since = since if since in SPANS else "daily"
        found = repositories(self._world.seed, language, since, self._world.clock())
        keys = tuple(f"https://github.com/{one.owner}/{one.name}" for one in found)
        page = _page(found, SPANS[since][1])
        content = Content(page.encode(), keys)
        return Answer(
            content=lambda: content,
            content_type=HTML_TYPE,
            tag=f"{roll(page):016x}",
            feed=feeds[0].id,
            hold=feeds[0].hold.total_seconds(),
        )


def repositories(seed: int, language: str, since: str, at: datetime) -> list[Repository]:
    """The list that stands at *at*; some names stay for the next day, others make room."""
    span, _, weight = SPANS[since]
    period = int(at.timestamp() // span.total_seconds())
    key = (seed, language, since)
    order = sorted(range(KNOWN), key=lambda n: share(*key, period, n) + share(*key, n))
    found = [_repository(key, language, number, period, weight) for number in order[:SHOWN]]
    return sorted(found, key=lambda one: one.new_stars, reverse=True)


def _repository(
    key: tuple[object, ...], language: str, number: int, period: int, weight: int
) -> Repository:
    second = pick(SECOND, *key, number, "second")
    spoken = [name for name in LANGUAGES if name.lower() == language]
    return Repository(
        owner=pick(OWNERS, *key, number, "owner"),
        name=f"{pick(FIRST, *key, number, 'first')}-{second}-{number}",
        about=pick(ABOUT, *key, number, "about").format(second=second),
        language=spoken[0] if spoken else pick(LANGUAGES, *key, number, "language"),
        stars=between(1000, 90_000, *key, number, "stars") + period % 1000,
        new_stars=between(20, 2000, *key, number, period) * weight,
    )


def _page(found: Sequence[Repository], stars_named: str) -> str:
    rows = "\n".join(_row(one, stars_named) for one in found)
    return page_of("Trending repositories on GitHub", "", f"<main>\n{rows}\n</main>")


def _row(one: Repository, stars_named: str) -> str:
    home = f"/{one.owner}/{one.name}"
    star = '<svg aria-label="star" role="img" class="octicon octicon-star"></svg>'
    return f"""<article class="Box-row">
  <h2 class="h3 lh-condensed">
    <a href="{home}" data-view-component="true" class="Link">
      <span data-view-component="true" class="text-normal">
        {one.owner} /</span>
      {one.name}</a>
  </h2>
  <p class="col-9 color-fg-muted my-1 tmp-pr-4">
    {html.escape(one.about)}
  </p>
  <div class="f6 color-fg-muted mt-2">
    <span class="d-inline-block ml-0 mr-3"><span class="repo-language-color"></span>
      <span itemprop="programmingLanguage">{html.escape(one.language)}</span></span>
    <a href="{home}/stargazers" class="Link Link--muted d-inline-block mr-3">{star}
      {one.stars:,}</a>
    <a href="{home}/forks" class="Link Link--muted d-inline-block mr-3">
      {one.stars // 9:,}</a>
    <span class="d-inline-block float-sm-right">{star}
      {one.new_stars:,} {stars_named}</span>
  </div>
</article>"""

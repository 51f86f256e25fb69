"""What a fresh database holds (S001-18), so that the first edition has something to choose from."""

from __future__ import annotations

import logging
from datetime import datetime
from typing import Final

from clawfeed.app.settings.config import Config
from clawfeed.sources.discovery.new_source import politeness_key
from clawfeed.sources.source_types import github_trending, hackernews
from clawfeed.storage.database import Database
from clawfeed.storage.sources.sources import NewSource
from clawfeed.storage.sources.starter_pack import StarterPack, fill_once

log = logging.getLogger(__name__)

SLUG: Final = "starter"
FEEDS: Final = {
    "BBC News: World": "https://feeds.bbci.co.uk/news/world/rss.xml",
    "The Guardian: World": "https://www.theguardian.com/world/rss",
    "Ars Technica": "https://feeds.arstechnica.com/arstechnica/index",
    "The Verge": "https://www.theverge.com/rss/index.xml",
    "MIT Technology Review": "https://www.technologyreview.com/feed/",
    "Quanta Magazine": "https://www.quantamagazine.org/feed/",
    "NASA": "https://www.nasa.gov/feed/",
    "LWN.net": "https://lwn.net/headlines/rss",
    "少数派": "https://sspai.com/feed",
    "阮一峰的网络日志": "https://www.ruanyifeng.com/blog/atom.xml",
    "Solidot": "https://www.solidot.org/index.rss",
    "IT之家": "https://www.ithome.com/rss/",
    "36氪": "https://36kr.com/feed",
    "V2EX": "https://www.v2ex.com/index.xml",
}


def starter_sources(config: Config) -> list[NewSource]:
    """Two hot lists and a dozen well-known feeds, in English and Chinese."""
    settings = config.type_settings
    hot = [
        NewSource(
            type="hackernews",
            name="Hacker News",
            config={"filter": "top", "min_score": 100},
            host=politeness_key(settings[hackernews.BASE_URL]),
        ),
        NewSource(
            type="github_trending",
            name="GitHub Trending",
            config={"since": "daily"},
            host=politeness_key(settings[github_trending.BASE_URL]),
        ),
    ]
    feeds = [
        NewSource(type="rss", name=name, config={"url": url}, host=politeness_key(url))
        for name, url in FEEDS.items()
    ]
    return [*hot, *feeds]


async def add_starter_pack(config: Config, database: Database, *, now: datetime) -> None:
    """Fill a database nobody has used yet, once; any other is left as it is."""
    pack = StarterPack(
        slug=SLUG,
        name="Starter pack",
        description="News, science and technology in English and Chinese",
        sources=starter_sources(config) if config.people.starter_pack else [],
    )
    added = await fill_once(database, pack, now=now)
    if added:
        log.info("starter pack added", extra={"sources": added, "pack": SLUG})

"""Which host a source waits for, where the settings decide it and not the source."""

from __future__ import annotations

from typing import Final

from clawfeed.sources.discovery.new_source import politeness_key
from clawfeed.sources.registry import Fetchers
from clawfeed.storage.database import Database
from clawfeed.storage.sources import SourceStore

# Their places are the same for every source of the type: an API's or a bridge's.
SETTLED: Final = {
    "twitter_feed": {"handle": "anyone"},
    "twitter_account": {"handle": "anyone"},
    "twitter_list": {"list_id": "1"},
    "twitter_foryou": {},
    "twitter_bookmarks": {},
    "twitter_favorites": {},
    "hackernews": {},
    "reddit": {"subreddit": "anything"},
    "github_trending": {},
}


async def refresh_hosts(database: Database, fetchers: Fetchers) -> None:
    """Write the hosts that today's settings mean: a bridge may have been added, or an API key.

    A source that goes on waiting for the turn of a host it no longer asks would wait in vain.
    """
    found = {name: fetchers.get(name) for name in SETTLED}
    hosts = {
        name: politeness_key(fetcher.place(dict(SETTLED[name])))
        for name, fetcher in found.items()
        if fetcher is not None
    }
    await SourceStore(database).set_hosts(hosts)

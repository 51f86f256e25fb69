"""Which host a source waits for, where the settings decide it and not the source."""

from __future__ import annotations

from clawfeed.sources.discovery.new_source import politeness_key
from clawfeed.sources.registry import Fetchers
from clawfeed.storage.database import Database
from clawfeed.storage.sources.sources import SourceStore


async def refresh_hosts(database: Database, fetchers: Fetchers) -> None:
    """Write the hosts that today's settings mean: a bridge may have been added, or an API key.

    A source that goes on waiting for the turn of a host it no longer asks would wait in vain.
    """
    hosts: dict[str, str] = {}
    for described in fetchers.types:
        fetcher = fetchers.get(described.name)
        if fetcher is None or described.probe is None:
            continue
        host = politeness_key(fetcher.place(described.probe))
        hosts |= dict.fromkeys((described.name, *described.aliases), host)
    await SourceStore(database).set_hosts(hosts)

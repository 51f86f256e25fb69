"""The sources endpoints behind a socket, with people and sources to try them on."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from urllib.parse import urlsplit

from clawfeed.api.http.application import build_application
from clawfeed.api.sources.source_context import SourcesApi
from clawfeed.api.sources.sources import source_routes
from clawfeed.domain.ids import JsonValue, UserId
from clawfeed.domain.schedule.interval import Intervals
from clawfeed.egress.client import Egress, EgressConfig
from clawfeed.sources.discovery.discoverer import Discoverer
from clawfeed.sources.parsing.pool import ParseConfig, ParsePool
from clawfeed.sources.registry import Fetchers
from clawfeed.sources.source_types.built_in import BUILT_IN
from clawfeed.storage.database import Database, execute
from clawfeed.storage.sources.sources import NewSource, SourceStore
from tests.support.api_callers import ANNA, BEN, NAME_TAGS, add_people
from tests.support.clocks import NOON, FakeClock
from tests.support.fakes import FakeFetcher
from tests.support.socket_server import Client, served

PUBLIC, ANNAS, ANNAS_PUBLIC, BENS = 1, 2, 3, 4
TOKEN = "s3cr3t-of-anna"  # noqa: S105 -- what must not be seen
ANNAS_CONFIG: dict[str, JsonValue] = {
    "url": f"https://annas.example/feed?token={TOKEN}",
    "headers": {"X-Key": TOKEN},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceServer:
    client: Client
    clock: FakeClock


@asynccontextmanager
async def opened(database: Database, *, most_sources: int = 1_000) -> AsyncIterator[SourceServer]:
    """A public source (1), Anna's (2) with secrets, Anna's public one (3) and Ben's own (4)."""
    await add_people(database)
    await put(database, "Harbour Times", None, {"url": "https://harbour.example/feed"})
    await put(database, "Anna's", ANNA, ANNAS_CONFIG)
    await put(database, "Anna's gift", ANNA, {"url": "https://gift.example/"}, is_public=True)
    await put(database, "Ben's", BEN, {"url": "https://bens.example/"})
    clock = FakeClock()
    egress = Egress(EgressConfig(), clock=clock, dice=lambda: 0.0)
    fetchers = Fetchers(BUILT_IN)
    fetchers.add("rss", FakeFetcher())
    fetchers.add("website", FakeFetcher())
    api = SourcesApi(
        database=database,
        clock=clock,
        fetchers=fetchers,
        discoverer=Discoverer(
            egress=egress, parse=ParsePool(ParseConfig()), clock=clock, types=BUILT_IN
        ),
        intervals=sixty_minutes,
        most_sources=most_sources,
    )
    app = build_application("9.9", [source_routes(api)], NAME_TAGS)
    async with served(app) as client:
        yield SourceServer(client=client, clock=clock)


def sixty_minutes(_rows: Mapping[str, str]) -> Intervals:
    return Intervals(types=BUILT_IN, overrides={"rss": 60})


async def put(
    database: Database,
    name: str,
    owner: UserId | None,
    config: dict[str, JsonValue],
    *,
    is_public: bool = False,
) -> None:
    new = NewSource(
        type="rss",
        name=name,
        config=config,
        host=urlsplit(str(config["url"])).hostname or "",
        is_public=is_public or owner is None,
        created_by=owner,
    )
    await SourceStore(database).add(new, now=NOON)


async def subscribe(database: Database, user: UserId, source: int) -> None:
    await execute(
        database,
        "INSERT INTO user_subscriptions (user_id, source_id, created_at) VALUES (:u, :s, 0)",
        {"u": user, "s": source},
    )

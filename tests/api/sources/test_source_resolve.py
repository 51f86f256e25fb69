"""What would this address be? Asked over HTTP, polled in the simulated world."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pytest
from aiohttp.abc import AbstractResolver

from clawfeed.api.http.application import build_application
from clawfeed.api.sources.source_context import SourcesApi
from clawfeed.api.sources.source_schemas import ResolvedSchema
from clawfeed.api.sources.sources import source_routes
from clawfeed.domain.errors import Reason, SourceError
from clawfeed.domain.sources.item import Draft
from clawfeed.domain.sources.source import Fetched, Source
from clawfeed.sources.discovery.discoverer import Discoverer
from clawfeed.sources.fetchers.feed import Feed
from clawfeed.sources.fetchers.website import Website
from clawfeed.sources.parsing.pool import ParsePool
from clawfeed.sources.registry import Fetchers
from clawfeed.sources.source_types.built_in import BUILT_IN
from clawfeed.storage.database import Database
from clawfeed.storage.sources.sources import SourceStore
from tests.api.source_server import sixty_minutes
from tests.egress.loopback_servers import StubResolver
from tests.sources.simulated_world import Stage, rss, staged
from tests.support.api_callers import ANNA, BEN, NAME_TAGS, add_people, as_user
from tests.support.clocks import NOON
from tests.support.fakes import FakeFetcher
from tests.support.socket_server import Answer, Client, served

pytestmark = pytest.mark.one_database

RESOLVE = "/api/sources/resolve"


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceServer:
    client: Client
    stage: Stage
    reddit: FakeFetcher

    async def resolve(self, url: str, user: int = ANNA) -> Answer:
        return await self.client.post(RESOLVE, as_user(user), {"url": url})


def subreddit(source: Source) -> Fetched:
    """Nine posts; there is no r/nobody."""
    if source.config["subreddit"] == "nobody":
        raise SourceError(Reason.GONE, "the server says 404 Not Found")
    drafts = [Draft(title=f"Post {n}", published_at=NOON) for n in range(9)]
    return Fetched(drafts=tuple(drafts))


class Subreddits(FakeFetcher):
    def check(self, _config: object) -> list[str]:
        return []


@asynccontextmanager
async def opened(
    database: Database, folder: Path, names: AbstractResolver | None = None
) -> AsyncIterator[SourceServer]:
    await add_people(database)
    async with staged(folder, resolver=names) as stage, ParsePool() as parse:
        feeds = Feed(egress=stage.egress, parse=parse, clock=stage.clock)
        reddit = Subreddits(subreddit)
        fetchers = Fetchers(BUILT_IN)
        fetchers.add("rss", feeds)
        fetchers.add(
            "website", Website(egress=stage.egress, parse=parse, clock=stage.clock, feed=feeds)
        )
        fetchers.add("reddit", reddit)
        fetchers.explain_absence("twitter_feed", "set X_BEARER_TOKEN to read X")
        api = SourcesApi(
            database=database,
            clock=stage.clock,
            fetchers=fetchers,
            discoverer=Discoverer(
                egress=stage.egress, parse=parse, clock=stage.clock, types=BUILT_IN
            ),
            intervals=sixty_minutes,
        )
        app = build_application("9.9", [source_routes(api)], NAME_TAGS)
        async with served(app) as client:
            yield SourceServer(client=client, stage=stage, reddit=reddit)


async def test_a_feed_is_recognised_previewed_and_not_stored(
    database: Database, tmp_path: Path
) -> None:
    items = [f"<title>Item {n}</title><link>https://a.example/{n}</link>" for n in range(7)]
    async with opened(database, tmp_path) as house:
        house.stage.answer_with("/feeds/harbour-times.xml", rss(*items), "application/rss+xml")
        url = f"{house.stage.url}/feeds/harbour-times.xml?token=abc"
        answer = await house.resolve(url)

        found = answer.json()
        ResolvedSchema.model_validate(found)
        assert (answer.status, found["type"], found["name"]) == (200, "rss", "T")
        assert found["config"] == {"url": url}
        # With the token as it was written, so nobody may keep the answer (T17).
        assert answer.headers["cache-control"] == "no-store"
        assert [item["title"] for item in found["preview"]] == [f"Item {n}" for n in range(5)]
        assert found["preview"][0]["url"] == "https://a.example/0"
        assert found["existing"] is None
        assert await SourceStore(database).list() == []


async def test_what_we_have_already_is_named(database: Database, tmp_path: Path) -> None:
    async with opened(database, tmp_path) as house:
        house.stage.answer_with(
            "/feeds/harbour-times.xml", rss("<title>1</title>"), "application/rss+xml"
        )
        first = (await house.resolve(f"{house.stage.url}/feeds/harbour-times.xml")).json()
        wish = {"type": first["type"], "config": first["config"], "name": first["name"]}
        made = await house.client.post("/api/sources", as_user(ANNA), wish)
        again = (await house.resolve(f"{house.stage.url}/feeds/harbour-times.xml")).json()
        of_ben = (await house.resolve(f"{house.stage.url}/feeds/harbour-times.xml", BEN)).json()

    assert made.status == 201
    assert again["existing"]["id"] == made.json()["id"]
    assert of_ben["existing"] is None


async def test_a_page_tells_its_feeds_and_shows_what_is_in_them(
    database: Database, tmp_path: Path
) -> None:
    link = '<link rel="alternate" type="application/rss+xml" href="/feeds/harbour-times.xml">'
    page = f"<title>Site</title>{link}"
    async with opened(database, tmp_path) as house:
        house.stage.answer_with("/site/morning-wire", f"<html><head>{page}</head></html>")
        house.stage.answer_with(
            "/feeds/harbour-times.xml", rss("<title>In it</title>"), "application/rss+xml"
        )
        found = (await house.resolve(f"{house.stage.url}/site/morning-wire")).json()

    assert (found["type"], found["name"]) == ("website", "Site")
    assert [feed["url"] for feed in found["feeds"]] == [
        f"{house.stage.url}/feeds/harbour-times.xml"
    ]
    assert [item["title"] for item in found["preview"]] == ["In it"]


async def test_places_known_by_heart_are_polled_once_by_their_own_fetcher(
    database: Database, tmp_path: Path
) -> None:
    async with opened(database, tmp_path) as house:
        found = (await house.resolve("reddit.com/r/python")).json()
        missing = await house.resolve("https://reddit.com/r/nobody")
        handle = (await house.resolve("@ana")).json()

    assert (found["type"], found["name"]) == ("reddit", "r/python")
    assert [item["title"] for item in found["preview"]] == [f"Post {n}" for n in range(5)]
    assert found["preview"][0]["published_at"] == "2026-11-15T12:00:00Z"
    assert len(house.reddit.seen) == 2
    assert missing.status == 422
    assert "cannot be read: the server says 404 Not Found" in missing.json()["detail"]
    assert (handle["type"], handle["config"]) == ("twitter_feed", {"handle": "ana"})
    assert (handle["preview"], handle["note"]) == ([], "set X_BEARER_TOKEN to read X")


async def test_what_may_not_be_read_is_refused_without_its_secrets(
    database: Database, tmp_path: Path
) -> None:
    """(S001-11, T17)."""
    async with opened(database, tmp_path) as house:
        inside = await house.resolve("http://127.0.0.1/")
        secret = await house.resolve("http://user:hunter2@127.0.0.1/?token=hunter2")
        gone = await house.resolve(f"{house.stage.url}/nothing-here?api_key=hunter2")
        odd = [await house.resolve(url) for url in ("ftp://a.example", "http://[", "a b", "::")]

    for answer in (inside, secret, gone, *odd):
        assert (answer.status, answer.content_type) == (422, "application/problem+json")
        assert "hunter2" not in answer.text
    assert inside.json()["detail"].startswith("http://127.0.0.1/ cannot be read: ")
    assert "127.0.0.1" in inside.json()["detail"]


async def test_ten_addresses_a_minute_are_enough(database: Database, tmp_path: Path) -> None:
    async with opened(database, tmp_path) as house:
        statuses = [(await house.resolve("@ana")).status for _ in range(11)]
        of_ben = await house.resolve("@ana", BEN)
        house.stage.clock.advance(timedelta(minutes=1))
        later = await house.resolve("@ana")

    assert statuses == [200] * 10 + [429]
    assert (of_ben.status, later.status) == (200, 200)


async def test_a_private_network_is_no_other_sentence_than_a_name_that_leads_nowhere(
    database: Database, tmp_path: Path
) -> None:
    """(S001-11): whoever may add sources cannot map what lies behind us, name by name."""
    names = ["intranet.corp.example", "nowhere.example", "localhost"]
    known = StubResolver(
        {
            "intranet.corp.example": [["10.0.0.7"]],
            "nowhere.example": socket.gaierror(socket.EAI_NONAME, "no such name"),
        }
    )
    async with opened(database, tmp_path, known) as house:
        answers = [await house.resolve(f"http://{name}/") for name in names]

    for name, answer in zip(names, answers, strict=True):
        assert answer.status == 422
        assert answer.json()["detail"] == (
            f"http://{name}/ cannot be read: it cannot be reached from here."
        )


async def test_one_person_resolves_two_at_a_time(database: Database, tmp_path: Path) -> None:
    """(T26): and others meanwhile, for whom it leaves a parse worker."""
    async with opened(database, tmp_path) as house:
        house.reddit.gate.clear()
        under_way = [
            asyncio.create_task(house.resolve(f"reddit.com/r/python{n}")) for n in range(2)
        ]
        while len(house.reddit.seen) < 2:  # noqa: ASYNC110 -- what is awaited has no event
            await asyncio.sleep(0.005)

        refused = await house.resolve("reddit.com/r/third")
        of_ben = asyncio.create_task(house.resolve("reddit.com/r/python", BEN))
        while len(house.reddit.seen) < 3:  # noqa: ASYNC110
            await asyncio.sleep(0.005)
        house.reddit.gate.set()
        statuses = [(await each).status for each in (*under_way, of_ben)]
        later = await house.resolve("reddit.com/r/third")

    assert (refused.status, refused.headers["retry-after"]) == (429, "1")
    assert "2 addresses at a time" in refused.json()["detail"]
    assert (statuses, later.status) == ([200, 200, 200], 200)

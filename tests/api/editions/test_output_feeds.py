"""Feeds over HTTP: everybody's for anybody, one's own for whoever knows the token."""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta

import pytest

from clawfeed.api.editions.feed_tokens import feed_token_routes
from clawfeed.api.editions.output_feeds import FeedsApi, feed_routes
from clawfeed.api.http.application import build_application
from clawfeed.api.people.accounts import Accounts
from clawfeed.auth.cookies import BrowserCookies
from clawfeed.domain.editions.edition_period import EditionType
from clawfeed.domain.people.users import Scope
from clawfeed.storage.database import Database, execute
from clawfeed.storage.people.feed_tokens import MOST_TOKENS, FeedTokens
from tests.auth.auth_server import SITE, AuthServer
from tests.support.api_callers import ANNA, BEN, NAME_TAGS, add_people, as_user
from tests.support.clocks import NOON
from tests.support.digests import an_edition
from tests.support.hands import a_hand
from tests.support.published_digests import publish
from tests.support.socket_server import Answer, Client, served

TOKENS = "/api/feed-tokens"
DAY = timedelta(days=1)


@asynccontextmanager
async def reading_room(database: Database) -> AsyncIterator[tuple[Client, AuthServer]]:
    await add_people(database)
    house = AuthServer(database=database)
    accounts = Accounts(
        database=database,
        clock=house.clock,
        signing_in=house.signing_in(),
        cookies=BrowserCookies.of(SITE),
    )
    feeds = FeedsApi(database=database, clock=house.clock, base_url=SITE, version="9.9")
    routes = [feed_routes(feeds), feed_token_routes(accounts, SITE)]
    async with served(build_application("9.9", routes, NAME_TAGS)) as client:
        yield client, house


async def annas_feed(client: Client, form: str = "rss") -> str:
    """The path of her own daily feed."""
    made = (await client.post(TOKENS, as_user(ANNA))).json()
    assert made["url"] == f"{SITE}/feed/daily.rss?token={made['token']}"
    return f"/feed/daily.{form}?token={made['token']}"


def links(answer: Answer) -> list[str]:
    assert answer.status == 200, answer.text
    return [
        item["url"].removeprefix(f"{SITE}/digests/") for item in json.loads(answer.text)["items"]
    ]


async def test_each_type_has_its_feed_of_the_newest_twenty(database: Database) -> None:
    async with reading_room(database) as (client, _):
        for number in range(22):
            period = f"2026-10-{number + 1:02}"
            await publish(database, an_edition(period=period), at=NOON + number * DAY)
        weekly = an_edition(type=EditionType.WEEKLY, period="2026-W46")
        week = await publish(database, weekly)
        await publish(database, an_edition(), scope="reader-2", readers=[ANNA])
        daily = await client.get("/feed/daily.json", as_user(ANNA))
        weeks = await client.get("/feed/weekly.json")
        months = await client.get("/feed/monthly.json")
        rss = await client.get("/feed/daily.rss")

    assert links(daily) == [str(number) for number in range(22, 2, -1)]
    assert (links(weeks), links(months)) == ([str(week)], [])
    assert daily.content_type == "application/feed+json"
    assert rss.content_type == "application/rss+xml"
    assert rss.headers["cache-control"] == "public, max-age=300"
    assert f'href="{SITE}/feed/daily.rss"' in rss.text


async def test_who_has_it_already_is_not_sent_it_again(database: Database) -> None:
    """By ETag or by date; a new edition changes both."""
    async with reading_room(database) as (client, _):
        await publish(database, an_edition())
        first = await client.get("/feed/daily.rss")
        tag, date = first.headers["etag"], first.headers["last-modified"]
        by_tag = await client.get("/feed/daily.rss", {"If-None-Match": f'"x", W/{tag}'})
        by_date = await client.get("/feed/daily.rss", {"If-Modified-Since": date})
        by_nonsense = await client.get("/feed/daily.rss", {"If-Modified-Since": "soon"})
        json_tag = (await client.get("/feed/daily.json")).headers["etag"]
        await publish(database, an_edition(period="2026-11-16"), at=NOON + DAY)
        known = {"If-None-Match": tag, "If-Modified-Since": date}
        newer = await client.get("/feed/daily.rss", known)

    assert date == "Sun, 15 Nov 2026 12:00:00 GMT"
    assert [(each.status, each.text) for each in (by_tag, by_date)] == [(304, "")] * 2
    assert by_nonsense.status == 200
    assert json_tag != tag
    assert (newer.status, newer.headers["etag"] != tag) == (200, True)
    assert (first.text.count("<item>"), newer.text.count("<item>")) == (1, 2)


async def test_a_token_opens_its_owners_editions_and_nobody_elses(database: Database) -> None:
    """(S001-19, T13): everybody's while there are none of one's own, as on the front page."""
    async with reading_room(database) as (client, _):
        everybodys = await publish(database, an_edition())
        await publish(database, an_edition(), scope="reader-3", readers=[BEN])
        path = await annas_feed(client, "json")
        before = await client.get(path)
        annas = await publish(database, an_edition(), scope="reader-2", readers=[ANNA])
        after = await client.get(path)

    assert links(before) == [str(everybodys)]
    assert links(after) == [str(annas)]
    assert after.json()["title"] == "ClawFeed · Daily edition · anna"


async def test_the_secret_stays_between_us_and_the_reader(
    database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    """(T17): kept as a hash, shown once, in no log, list, body or referrer."""
    caplog.set_level(logging.DEBUG)
    async with reading_room(database) as (client, _):
        path = await annas_feed(client)
        token = path.partition("token=")[2]
        rss = await client.get(path)
        json_feed = await client.get(path.replace(".rss", ".json"))
        listed = await client.get(TOKENS, as_user(ANNA))
        audited = await database.read("SELECT action, detail FROM audit_log")
        [stored] = await database.read("SELECT token_hash, user_id, last_used_at FROM feed_tokens")

    told = [
        rss.text,
        json_feed.text,
        listed.text,
        caplog.text,
        *(each["detail"] for each in audited),
    ]
    assert [token in text for text in told] == [False] * len(told)
    assert len(token) == 43
    assert bytes(stored["token_hash"]) != token.encode()
    assert stored["last_used_at"] == NOON.timestamp()
    assert listed.json()["feed_tokens"] == [
        {"id": 1, "created_at": "2026-11-15T12:00:00Z", "last_used_at": "2026-11-15T12:00:00Z"}
    ]
    assert rss.headers["cache-control"] == "private, max-age=300"
    assert rss.headers["referrer-policy"] == "no-referrer"


async def test_a_wrong_token_is_like_a_feed_that_is_not_there(database: Database) -> None:
    """(T13): also a revoked one, and that of somebody who may not come in any more."""
    async with reading_room(database) as (client, _):
        await publish(database, an_edition())
        revoked, lost = await annas_feed(client), await annas_feed(client)
        not_bens = await client.delete(f"{TOKENS}/1", as_user(BEN))
        still = await client.get(revoked)
        gone = await client.delete(f"{TOKENS}/1", as_user(ANNA))
        again = await client.delete(f"{TOKENS}/1", as_user(ANNA))
        await execute(database, "UPDATE users SET disabled_at = 1 WHERE id = 2")
        paths = (
            "/feed/hourly.rss", "/feed/anna.json", "/feed/daily.rss?token=", revoked, lost,
            "/feed/daily.json?token=%00%ff",
        )  # fmt: skip
        answers = [await client.get(path) for path in paths]

    assert (not_bens.status, still.status, gone.status, again.status) == (404, 200, 204, 404)
    assert {(each.status, each.json()["detail"]) for each in answers} == {
        (404, "there is no such feed")
    }


async def test_only_whoever_just_signed_in_makes_tokens_and_not_without_end(
    database: Database,
) -> None:
    """(T26)."""
    async with reading_room(database) as (client, house):
        by_a_key = await client.post(TOKENS, as_user(ANNA, Scope.WRITE))
        tokens = FeedTokens(database)
        for number in range(MOST_TOKENS):
            await tokens.add(ANNA, bytes([number]), a_hand(house.clock()))
        full = await client.post(TOKENS, as_user(ANNA))
        bens = await client.post(TOKENS, as_user(BEN))
        page = (await client.get(f"{TOKENS}?limit=15", as_user(ANNA))).json()
        rest = await client.get(f"{TOKENS}?cursor={page['next_cursor']}", as_user(ANNA))

    assert (by_a_key.status, full.status, bens.status) == (403, 403, 201)
    assert "revoke one first" in full.json()["detail"]
    assert len(page["feed_tokens"]) == 15
    assert [each["id"] for each in rest.json()["feed_tokens"]] == [16, 17, 18, 19, 20]

"""Raw items over HTTP: for those who signed in, and of what they may see."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from urllib.parse import quote

import pytest

from clawfeed.api.http.application import build_application
from clawfeed.api.items.items import ItemsApi, item_routes
from clawfeed.domain.people.users import Scope
from clawfeed.storage.database import Database
from clawfeed.storage.items.search import SearchIndex
from tests.support.api_callers import ANNA, BEN, NAME_TAGS, add_people, as_user
from tests.support.clocks import NOON, FakeClock
from tests.support.items import add_item, add_source, subscribe
from tests.support.socket_server import Answer, Client, served

KEY = as_user(ANNA, Scope.READ)
LIST = "/api/raw-items"
STATS, DIGEST = f"{LIST}/stats", f"{LIST}/for-digest"
HOUR = timedelta(hours=1)


@asynccontextmanager
async def client(database: Database) -> AsyncIterator[Client]:
    routes = item_routes(ItemsApi(database=database, clock=FakeClock()))
    async with served(build_application("9.9", [routes], NAME_TAGS)) as session:
        yield session


def titles(answer: Answer) -> list[str]:
    assert answer.status == 200, answer.text
    return [item["title"] for item in answer.json()["items"]]


@pytest.mark.parametrize("path", [LIST, STATS, DIGEST])
async def test_a_stranger_is_refused_and_a_reading_key_suffices(
    database: Database, path: str
) -> None:
    """(S001-13): login required."""
    async with client(database) as session:
        answers = [await session.get(path, headers) for headers in ({}, KEY)]

    assert [answer.status for answer in answers] == [401, 200]
    assert answers[0].content_type == "application/problem+json"


async def test_an_item_has_the_contracts_fields(database: Database) -> None:
    """(S001-13)."""
    await add_people(database)
    source = await add_source(database, "a")
    await add_item(database, source, "Title", content="Text", metadata='{"tags":["x"]}')

    async with client(database) as session:
        answer = await session.get(LIST, KEY)

    assert answer.json() == {
        "items": [
            {
                "id": 1,
                "source_id": source,
                "source_name": "a",
                "source_type": "rss",
                "title": "Title",
                "url": None,
                "author": None,
                "content": "Text",
                "fetched_at": "2026-11-15T12:00:00Z",
                "published_at": "2026-11-15T12:00:00Z",
                "metadata": {"tags": ["x"]},
            }
        ],
        "next_cursor": None,
    }


async def test_source_since_limit_offset_and_cursor_narrow_the_list(database: Database) -> None:
    """(S001-13); since is a moment, not a text (settled question 10)."""
    await add_people(database)
    first, second = [await add_source(database, name) for name in "ab"]
    for n in range(4):
        await add_item(database, first, f"a{n}", at=NOON + n * HOUR)
    await add_item(database, second, "b", at=NOON - HOUR)
    since = (
        "2026-11-15T16:00:00+02:00"  # 14:00 in UTC, though the text is larger than any date here
    )

    async with client(database) as session:
        page = await session.get(f"{LIST}?limit=3", KEY)
        rest = await session.get(f"{LIST}?limit=3&cursor={page.json()['next_cursor']}", KEY)
        skipped = await session.get(f"{LIST}?offset=3", KEY)
        of_one = await session.get(f"{LIST}?source_id={second}", KEY)
        recent = await session.get(f"{LIST}?since={quote(since)}", KEY)
        unescaped = await session.get(f"{LIST}?since={since.replace(':', '%3A')}", KEY)

    assert titles(page) == ["a3", "a2", "a1"]
    assert titles(rest) == titles(skipped) == ["a0", "b"]
    assert rest.json()["next_cursor"] is None
    assert titles(of_one) == ["b"]
    assert titles(recent) == titles(unescaped) == ["a3", "a2"]


async def test_words_are_searched_in_english_and_chinese(database: Database) -> None:
    await add_people(database)
    source = await add_source(database, "a")
    await add_item(database, source, "Open Source Café", content="<p>nothing</p>")
    await add_item(database, source, "人工智能模型发布")
    await SearchIndex(database).index_new(10)

    async with client(database) as session:
        found = {
            q: titles(await session.get(f"{LIST}?q={quote(q)}", KEY))
            for q in ("cafe open", "SOUR", "智能", "型", '"open" source', "closed source")
        }

    english, chinese = ["Open Source Café"], ["人工智能模型发布"]
    assert found == {
        "cafe open": english,
        "SOUR": english,
        "智能": chinese,
        "型": chinese,
        '"open" source': english,
        "closed source": [],
    }


async def test_nobody_sees_another_persons_private_source(database: Database) -> None:
    """(S001-13, T18): not by list, search, source, stats or digest, even if they subscribed."""
    await add_people(database)
    public = await add_source(database, "public")
    secret = await add_source(database, "secret", owner=BEN, is_public=False)
    for source, title in ((public, "news for all"), (secret, "news for ben")):
        await add_item(database, source, title)
        for person in (ANNA, BEN):
            await subscribe(database, person, source)
    await SearchIndex(database).index_new(10)
    lists = (LIST, f"{LIST}?q=news", f"{LIST}?since=0", DIGEST)

    async with client(database) as session:
        annas = [titles(await session.get(path, KEY)) for path in lists]
        bens = [titles(await session.get(path, as_user(BEN))) for path in lists]
        stats = [(await session.get(STATS, as_user(who))).json() for who in (ANNA, BEN)]
        of_secret = [
            await session.get(f"{LIST}?source_id={secret}{more}", as_user(who))
            for who in (ANNA, BEN)
            for more in ("", "&q=news")
        ]

    assert annas == [["news for all"]] * 4
    assert bens == [["news for ben", "news for all"]] * 4
    seen = [[line["name"] for line in one["sources"]] for one in stats]
    assert seen == [["public"], ["public", "secret"]]
    assert [answer.status for answer in of_secret] == [404, 404, 200, 200]
    assert of_secret[0].json()["detail"] == f"there is no source {secret}"


async def test_stats_tell_the_total_the_last_and_the_days_items(database: Database) -> None:
    """(S001-13)."""
    await add_people(database)
    source = await add_source(database, "a")
    for n, hours in enumerate((0, 20, 30)):
        await add_item(database, source, f"{n}", at=NOON - hours * HOUR)

    async with client(database) as session:
        [line] = (await session.get(STATS, KEY)).json()["sources"]

    assert line == {
        "source_id": source,
        "name": "a",
        "type": "rss",
        "total_items": 3,
        "last_item_at": "2026-11-15T12:00:00Z",
        "items_24h": 2,
    }


async def test_a_digest_is_made_of_what_one_follows(database: Database) -> None:
    """(S001-13)."""
    await add_people(database)
    followed, other = [await add_source(database, name) for name in "ab"]
    await subscribe(database, ANNA, followed)
    for n in range(3):
        await add_item(database, followed, f"{n}", at=NOON - n * HOUR)
    await add_item(database, other, "other")

    async with client(database) as session:
        answers = [
            await session.get(f"{DIGEST}{more}", KEY)
            for more in ("", "?limit=1", "?since=2026-11-15T11:00:00Z")
        ]

    assert [titles(answer) for answer in answers] == [["0", "1", "2"], ["0"], ["0", "1"]]


WRONG = {
    "?limit=0": "limit",
    "?offset=-1": "offset",
    "?offset=100001": "offset",
    "?source_id=99999999999999999999": "source_id",
    f"?source_id={'9' * 5000}": "source_id",
    "?source_id=%00": "source_id",
    "?since=yesterday": "since",
    "?since=%00": "since",
    "?since=9999999999999999999": "since",
    "?q=": "q has no word",
    "?q=%00%22%27*": "q has no word",
    f"?q={'x' * 201}": "q",
    "?cursor=nonsense": "cursor",
    "?cursor=%ED%A0%80": "cursor",
    "?cursor=WzE3LjAsLTFd": "cursor",  # [17.0,-1]
    "?cursor=W05hTiwxXQ": "cursor",  # [NaN,1]
    "/for-digest?limit=0": "limit",
    "?ofset=1": "ofset",
    "/for-digest?since=x": "since",
}


async def test_a_wrong_value_is_named_in_one_sentence(database: Database) -> None:
    async with client(database) as session:
        answers = {query: await session.get(f"{LIST}{query}", KEY) for query in WRONG}

    for query, answer in answers.items():
        assert (answer.status, answer.content_type) == (422, "application/problem+json"), query
        assert WRONG[query] in answer.json()["detail"], query


async def test_no_question_breaks_the_search(database: Database) -> None:
    signs = ("%00a", "%ED%A0%80a", "a%F0%9F%98%80", "%27%3Aa%26%21", "a*%20AND%20b", "%5Ca%22")

    async with client(database) as session:
        answers = [await session.get(f"{LIST}?q={q}", KEY) for q in signs]

    assert [titles(answer) for answer in answers] == [[]] * len(signs)


async def test_an_answer_one_has_already_is_not_sent_again(database: Database) -> None:
    async with client(database) as session:
        first = await session.get(LIST, KEY)
        again = await session.get(LIST, {**KEY, "If-None-Match": first.headers["etag"]})

    assert (again.status, again.text) == (304, "")


async def test_the_document_describes_every_parameter_and_shows_an_item(
    database: Database,
) -> None:
    async with client(database) as session:
        document = (await session.get("/openapi.json")).json()

    operation = document["paths"][LIST]["get"]
    names = [parameter["name"] for parameter in operation["parameters"]]
    assert names == ["source_id", "since", "q", "limit", "offset", "cursor", "If-None-Match"]
    assert "example" in document["components"]["schemas"]["ItemPage"]
    assert set(document["paths"]) == {LIST, STATS, DIGEST}

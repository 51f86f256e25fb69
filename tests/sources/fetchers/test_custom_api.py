"""Anybody's JSON: paths, defaults, conditions, and whose secrets go where."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import pytest_asyncio

from clawfeed.domain.errors import Reason, SourceError
from clawfeed.domain.ids import JsonValue, SourceId
from clawfeed.domain.sources.source import Fetched, NotModified, Source
from clawfeed.simulator import demo_sources, demo_world, moved
from clawfeed.sources.config.secret_headers import HeaderSecrets
from clawfeed.sources.fetchers.custom_api import CustomApi
from clawfeed.sources.parsing.pool import ParsePool
from tests.egress.loopback_servers import answering, reply, serving
from tests.support.clocks import NOON, FakeClock
from tests.support.fetcher_contract import FetcherContract, Post, Subject
from tests.support.origin import Stage, door, on_stage
from tests.support.parse_settings import BUILT_IN_DOCUMENTS

# One set of parse processes for the file; starting them costs more than most tests.
pytestmark = pytest.mark.asyncio(loop_scope="module")

PATH = "/api/news.json"
DATE = datetime(2026, 11, 14, 8, 30, tzinfo=UTC)


def api_config(url: str) -> dict[str, JsonValue]:
    found = next(role for role in demo_sources(url) if role.name == "News Desk")
    return dict(found.config)


def documents(post: Post) -> Mapping[str, bytes]:
    item = {
        "headline": post.title,
        "link": post.url,
        "summary": post.content,
        "byline": {"name": post.author},
        "published": post.published,
    }
    return {PATH: json.dumps({"data": {"items": [item]}}).encode()}


class TestKeepsTheContract(FetcherContract):
    subject = Subject(
        build=lambda tools: CustomApi(
            egress=tools.egress,
            parse=tools.parse,
            clock=tools.clock,
            environ={},
            limits=tools.limits,
        ),
        config=api_config,
        documents=documents,
        key="endpoint",
    )


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def parse() -> AsyncIterator[ParsePool]:
    async with ParsePool(BUILT_IN_DOCUMENTS) as pool:
        yield pool


@pytest_asyncio.fixture(loop_scope="module")
async def stage(tmp_path: Path) -> AsyncIterator[Stage]:
    async with on_stage(demo_world(seed=1, clock=lambda: NOON), tmp_path / "journal") as stage:
        yield stage


ENVIRON = {
    "API_KEY": "canary-1",
    "TELEGRAM_BOT_TOKEN": "canary-2",
    "CUSTOM_API_DESK": "simulated-api-key",
    "CUSTOM_API_DESK_HOST": "desk.example, 127.0.0.1",
    "CUSTOM_API_STRAY": "canary-3",
}


@pytest_asyncio.fixture(loop_scope="module")
async def reader(stage: Stage, parse: ParsePool) -> AsyncIterator[CustomApi]:
    clock = FakeClock()
    async with door(stage.url, clock=clock) as egress:
        yield CustomApi(egress=egress, parse=parse, clock=clock, environ=ENVIRON)


Poll = Callable[..., Source]


@pytest.fixture
def poll(stage: Stage) -> Poll:
    """A source at the stage's API; what is passed replaces or adds to its config."""

    def build(cursor: Mapping[str, JsonValue] | None = None, **config: JsonValue) -> Source:
        plain: dict[str, JsonValue] = {"endpoint": f"{stage.url}{PATH}"}
        return Source(
            id=SourceId(1),
            type="custom_api",
            name="API",
            config=plain | config,
            cursor=cursor or {},
        )

    return build


async def fetched(reader: CustomApi, source: Source) -> Fetched:
    outcome = await reader.fetch(source)
    assert isinstance(outcome, Fetched)
    return outcome


async def test_fields_are_found_by_their_paths(stage: Stage, reader: CustomApi, poll: Poll) -> None:
    """S001-5; other names become metadata (S001-3)."""
    item = {
        "head": {"line": "News"},
        "links": [{"href": "/a/1"}],
        "who": "Ann",
        "text": "<p>Hi</p>",
        "when": "2026-11-14T08:30:00Z",
        "stats": {"likes": 5, "tags": ["a", None, {"b": 1}, 2.5, True], "odd": {}, "inf": 10**30},
    }
    stage.put(PATH, {"pages": [{"skip": []}, {"items": [item]}]})
    fields: dict[str, JsonValue] = {
        "title": "head.line",
        "url": "links.0.href",
        "author": "who",
        "content": "text",
        "published_at": "when",
        "likes": "stats.likes",
        "tags": "stats.tags",
        "odd": "stats.odd",
        "inf": "stats.inf",
        "none": "no.where",
    }

    outcome = await fetched(reader, poll(items_path="pages.1.items", fields=fields))

    (draft,) = outcome.drafts
    assert (draft.title, draft.url) == ("News", f"{stage.url}/a/1")
    assert (draft.author, draft.content, draft.published_at) == ("Ann", "<p>Hi</p>", DATE)
    assert draft.metadata == {"likes": 5, "tags": ["a", 2.5, True]}


@pytest.mark.parametrize(
    "item",
    [
        {"title": "T", "url": "https://a.example/1", "author": "A", "content": "C", "date": DATE},
        {"name": "T", "link": "https://a.example/1", "by": "A", "summary": "C", "time": DATE},
        {
            "headline": "T",
            "url": "https://api.a.example/1",
            "html_url": "https://a.example/1",
            "user": {"name": "A"},
            "body": "C",
            "created_at": DATE,
        },
        {
            "title": {"rendered": "T"},
            "permalink": "https://a.example/1",
            "author": {"name": "A"},
            "description": "C",
            "pubDate": DATE,
        },
        {  # GitHub's releases
            "name": "T",
            "url": "https://api.a.example/1",
            "html_url": "https://a.example/1",
            "author": {"login": "A"},
            "body": "C",
            "published_at": DATE,
            "created_at": "2026-11-13T08:30:00Z",
        },
        {  # WordPress: its `date` is of the site's own zone, which it does not say
            "title": {"rendered": "T"},
            "link": "https://a.example/1",
            "by": "A",
            "content": {"rendered": "C"},
            "date": "2026-11-14T16:30:00",
            "date_gmt": "2026-11-14T08:30:00",
        },
    ],
)
async def test_usual_names_need_no_fields(
    stage: Stage, reader: CustomApi, poll: Poll, item: dict[str, object]
) -> None:
    stage.put(PATH, json.dumps([item], default=lambda date: date.isoformat()).encode())

    (draft,) = (await fetched(reader, poll())).drafts

    assert (draft.title, draft.url) == ("T", "https://a.example/1")
    assert (draft.author, draft.content, draft.published_at) == ("A", "C", DATE)


@pytest.mark.parametrize(
    "date",
    [
        "2026-11-14T08:30:00Z",
        "2026-11-14T16:30:00+08:00",
        "2026-11-14 08:30",
        "Sat, 14 Nov 2026 08:30:00 GMT",
        DATE.timestamp(),
        int(DATE.timestamp() * 1000),
        str(int(DATE.timestamp())),
    ],
)
async def test_dates_are_read_in_the_usual_spellings(
    stage: Stage, reader: CustomApi, poll: Poll, date: object
) -> None:
    stage.put(PATH, [{"title": "T", "date": date}])

    (draft,) = (await fetched(reader, poll())).drafts

    assert draft.published_at == DATE


async def test_items_without_title_and_url_are_counted(
    stage: Stage, reader: CustomApi, poll: Poll
) -> None:
    items = [{"title": "T"}, {"url": "/1", "body": "Some words"}, {"body": "x"}, None, 5]
    stage.put(PATH, items)

    outcome = await fetched(reader, poll())

    assert [draft.title for draft in outcome.drafts] == ["T", "Some words"]
    assert outcome.warnings[0].startswith("3 items")


async def test_at_most_a_thousand_items_are_kept_and_the_rest_counted(
    stage: Stage, reader: CustomApi, poll: Poll
) -> None:
    """T7."""
    stage.put(PATH, [{"title": f"T{n}"} for n in range(1100)])

    outcome = await fetched(reader, poll())

    assert [draft.title for draft in outcome.drafts] == [f"T{n}" for n in range(1000)]
    assert outcome.warnings[0].startswith("100 items")


@pytest.mark.parametrize("name", ["Accept", "accept", "ACCEPT"])
async def test_whoever_names_what_is_accepted_is_not_contradicted(
    parse: ParsePool, name: str
) -> None:
    """Header names have no case; two of one name are a quarrel."""
    heads: list[str] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heads.append((await reader.readuntil(b"\r\n\r\n")).decode().lower())
        writer.write(reply(200, b"[]", connection="close"))
        await writer.drain()
        writer.close()

    clock = FakeClock()
    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        async with door(url, clock=clock) as egress:
            api = CustomApi(egress=egress, parse=parse, clock=clock, environ={})
            config: dict[str, JsonValue] = {"endpoint": url, "headers": {name: "text/x-news"}}
            await api.fetch(Source(id=SourceId(1), type="custom_api", name="A", config=config))

    accepted = [line for line in heads[0].split("\r\n") if line.startswith("accept:")]
    assert accepted == ["accept: text/x-news"]


async def test_a_list_written_as_null_is_empty(stage: Stage, reader: CustomApi, poll: Poll) -> None:
    stage.put(PATH, {"items": None})

    assert (await fetched(reader, poll(items_path="items"))).drafts == ()


@pytest.mark.parametrize(
    ("answer", "path"), [({"a": 1}, "b"), ({"a": 1}, "a"), ({"a": []}, ""), ([], "0"), (None, "")]
)
async def test_a_path_that_leads_nowhere_is_named(
    stage: Stage, reader: CustomApi, poll: Poll, answer: object, path: str
) -> None:
    stage.put(PATH, answer)

    with pytest.raises(SourceError, match="items_path") as caught:
        await reader.fetch(poll(items_path=path))

    assert caught.value.reason is Reason.UNREADABLE


async def test_what_did_not_change_is_not_sent_again(
    stage: Stage, reader: CustomApi, poll: Poll
) -> None:
    """A changed config asks for everything: the same bytes may read differently."""
    first = await fetched(reader, poll(items_path="data.items"))

    same = await reader.fetch(poll(first.cursor, items_path="data.items"))
    other = await reader.fetch(poll(first.cursor, items_path="data.items", fields={"id": "id"}))

    assert isinstance(same, NotModified)
    assert isinstance(other, Fetched)
    assert [entry.status for entry in stage.asked()] == [200, 304, 200]


async def test_validators_that_could_not_be_sent_back_are_forgotten(parse: ParsePool) -> None:
    """A hostile ETag must not spoil all later polls."""
    clock = FakeClock()
    handler = answering(200, b'[{"title": "T"}]', ETag='"' + "x" * 9000 + '"')
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(serving(handler))
        url = f"http://127.0.0.1:{server.port}"
        egress = await stack.enter_async_context(door(url, clock=clock))
        reader = CustomApi(egress=egress, parse=parse, clock=clock, environ={})
        source = Source(id=SourceId(1), type="custom_api", name="A", config={"endpoint": url})

        outcome = await fetched(reader, source)

    assert "etag" not in outcome.cursor


async def test_half_an_emoji_does_not_spoil_the_rest(
    stage: Stage, reader: CustomApi, poll: Poll
) -> None:
    """T30: cut titles end in lone surrogates, and some servers write NaN."""
    stage.put(PATH, b'[{"title": "cut \\ud83d", "rate": NaN}, {"title": "whole"}]')

    outcome = await fetched(reader, poll(fields={"rate": "rate"}))

    assert [draft.title for draft in outcome.drafts] == ["cut", "whole"]
    assert outcome.drafts[0].metadata == {}


async def test_two_megabytes_are_read_and_more_is_refused(
    stage: Stage, reader: CustomApi, poll: Poll
) -> None:
    """S001-12: its own cap."""
    stage.put(PATH, [{"title": "x" * 1_900_000}])
    assert (await fetched(reader, poll())).drafts

    stage.put(PATH, [{"title": "x" * 2_000_000}])
    with pytest.raises(SourceError) as caught:
        await reader.fetch(poll())

    assert caught.value.reason is Reason.TOO_LARGE


async def test_a_secret_of_the_operator_reaches_the_host_it_is_for(
    stage: Stage, reader: CustomApi, poll: Poll
) -> None:
    headers: dict[str, JsonValue] = {"X-Api-Key": "${CUSTOM_API_DESK}"}

    outcome = await fetched(
        reader,
        poll(endpoint=f"{stage.url}/api/members.json", headers=headers, items_path="data.items"),
    )

    assert outcome.drafts


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("${API_KEY}", "API_KEY"),
        ("Bearer ${TELEGRAM_BOT_TOKEN}", "TELEGRAM_BOT_TOKEN"),
        ("${CUSTOM_API_NONE}", "CUSTOM_API_NONE"),
        ("${CUSTOM_API_STRAY}", "CUSTOM_API_STRAY_HOST"),
        ("${CUSTOM_API_DESK_HOST}", "CUSTOM_API_DESK_HOST"),
        ("${}", "CUSTOM_API_"),
        ("${" + "x" * 5000 + "}", "CUSTOM_API_"),
    ],
)
async def test_other_secrets_are_refused_by_name_and_never_sent(
    stage: Stage, reader: CustomApi, poll: Poll, text: str, named: str
) -> None:
    """T17: whoever may add a source must not read the operator's environment through it."""
    with pytest.raises(SourceError) as caught:
        await reader.fetch(poll(headers={"X-Key": text}))

    assert caught.value.reason is Reason.MISCONFIGURED
    assert named in caught.value.detail
    assert "canary" not in caught.value.detail
    assert stage.asked() == []


async def test_other_secrets_are_not_even_held() -> None:
    """T17: what it does not know no mistake can send."""
    held = vars(HeaderSecrets(ENVIRON)).values()

    values = {secret.reveal() for part in held for secret in part.values()}

    assert values == {value for name, value in ENVIRON.items() if name.startswith("CUSTOM_API_")}


async def test_a_secret_bound_to_another_host_stays_at_home(
    stage: Stage, reader: CustomApi, poll: Poll
) -> None:
    """T5."""
    there = f"http://localhost:{urlsplit(stage.url).port}/api"

    problems = reader.check(poll(endpoint=there, headers={"X": "${CUSTOM_API_DESK}"}).config)

    assert len(problems) == 1
    assert "CUSTOM_API_DESK" in problems[0]


async def test_a_redirect_to_another_origin_gets_no_headers(
    stage: Stage, parse: ParsePool, poll: Poll, tmp_path: Path
) -> None:
    """T5."""
    world = demo_world(seed=1, clock=lambda: NOON)
    async with AsyncExitStack() as stack:
        thief = await stack.enter_async_context(on_stage(world, tmp_path / "thief"))
        egress = await stack.enter_async_context(door(stage.url, thief.url, clock=FakeClock()))
        reader = CustomApi(egress=egress, parse=parse, clock=FakeClock(), environ=ENVIRON)
        stage.world.misbehave(PATH, moved(f"{thief.url}{PATH}"))
        headers: dict[str, JsonValue] = {
            "Authorization": "Bearer ${CUSTOM_API_DESK}",
            "X-Api-Key": "${CUSTOM_API_DESK}",
        }

        await reader.fetch(poll(items_path="data.items", headers=headers))

        (here,), (there,) = stage.asked(), thief.asked()
    assert here.has_authorization
    assert "x-api-key" in here.other_headers
    assert not there.has_authorization
    assert there.other_headers == ()


@pytest.mark.parametrize(
    ("config", "key"),
    [
        ({"endpoint": None}, "endpoint"),
        ({"endpoint": "ftp://a.example/"}, "endpoint"),
        ({"endpoint": "https://user:pw@a.example/"}, "endpoint"),
        ({"method": "POST"}, "method"),
        ({"items_path": 5}, "items_path"),
        ({"fields": ["title"]}, "fields"),
        ({"fields": {"title": 5}}, "fields"),
        ({"fields": {"a b": "x"}}, "fields"),
        ({"fields": {f"f{n}": "x" for n in range(300)}}, "fields"),
        ({"headers": "X: y"}, "headers"),
        ({"headers": {"X": 5}}, "headers"),
        ({"headers": {"Host": "evil.example"}}, "headers"),
        ({"headers": {"X": "a\r\nY: b"}}, "headers"),
        ({"headers": {"If-None-Match": "*"}}, "headers"),
        ({"headers": {f"X-{n}": "y" for n in range(300)}}, "headers"),
    ],
)
async def test_a_bad_config_is_named(
    reader: CustomApi, poll: Poll, config: dict[str, JsonValue], key: str
) -> None:
    """S001-17."""
    problems = reader.check(poll(**config).config)

    assert len(problems) == 1
    assert key in problems[0]
    assert "pw" not in problems[0] or "password" in problems[0]


async def test_a_private_address_is_refused_when_it_is_asked(reader: CustomApi, poll: Poll) -> None:
    """S001-11: it may be written down; the poll of it fails, and says why."""
    source = poll(endpoint="http://10.0.0.1/x.json")

    with pytest.raises(SourceError) as caught:
        await reader.fetch(source)

    assert reader.check(source.config) == []
    assert caught.value.reason is Reason.BLOCKED

"""Sources over HTTP: two people, an admin and a stranger at every door."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from clawfeed.api.sources.source_schemas import (
    ExistsSchema,
    LogSchema,
    OneSourceSchema,
    SourceListSchema,
)
from clawfeed.domain.people.users import Scope
from clawfeed.storage.database import Database, execute
from clawfeed.storage.sources.sources import NewSource, SourceStore
from tests.api.source_server import (
    ANNAS,
    ANNAS_CONFIG,
    ANNAS_PUBLIC,
    BENS,
    PUBLIC,
    TOKEN,
    SourceServer,
    opened,
    put,
    subscribe,
)
from tests.support.api_callers import ADMIN, ANNA, BEN, as_user
from tests.support.clocks import NOON
from tests.support.socket_server import Answer

NEW = {"type": "rss", "config": {"url": "https://new.example/feed"}}


def ids(answer: Answer) -> list[int]:
    return [source["id"] for source in answer.json()["sources"]]


async def ask(
    house: SourceServer, method: str, path: str, user: int | None, body: Any = None
) -> Answer:
    return await house.client.ask(method, path, as_user(user) if user else {}, body)


async def test_everybody_sees_what_is_public_and_what_is_theirs(database: Database) -> None:
    """(S001-15, T18): an admin's list does not hold what is somebody's alone."""
    async with opened(database) as house:
        seen = {
            user: ids(await ask(house, "GET", "/api/sources", user))
            for user in (None, ANNA, BEN, ADMIN)
        }

    assert seen == {None: [1, 3], ANNA: [1, 2, 3], BEN: [1, 3, 4], ADMIN: [1, 3]}


async def test_only_those_who_signed_in_are_told_when_we_poll(database: Database) -> None:
    """(S000-20, S000-21)."""
    async with opened(database) as house:
        await execute(
            database,
            "UPDATE sources SET last_fetched_at = :at WHERE id = 1",
            {"at": NOON.timestamp()},
        )
        [of_stranger, _] = (await ask(house, "GET", "/api/sources", None)).json()["sources"]
        [of_ben, never, _] = (await ask(house, "GET", "/api/sources", BEN)).json()["sources"]

    assert not {"fetch_interval_minutes", "next_fetch_at", "last_error"} & set(of_stranger)
    assert of_ben["last_fetched_at"] == "2026-11-15T12:00:00Z"
    assert of_ben["fetch_interval_minutes"] == 60
    assert of_ben["next_fetch_at"] == "2026-11-15T13:00:00Z"
    assert (never["next_fetch_at"], never["status"]) == (None, "never_fetched")


async def test_what_is_one_persons_own_at_x_is_never_public(database: Database) -> None:
    """(S001-20): nobody else can see it, follow it, or be kept from having the same."""
    own: dict[str, Any] = {"type": "twitter_bookmarks", "config": {}}
    async with opened(database) as house:
        public = await ask(house, "POST", "/api/sources", ANNA, {**own, "is_public": True})
        annas = await ask(house, "POST", "/api/sources", ANNA, own)
        path = f"/api/sources/{annas.json()['id']}"
        opened_up = await ask(house, "PUT", path, ANNA, {"is_public": True})
        seen = [(await ask(house, "GET", path, user)).status for user in (BEN, ADMIN, None)]
        bens = await ask(house, "POST", "/api/sources", BEN, own)

    assert (public.status, opened_up.status) == (422, 422)
    assert "one person's own" in public.json()["detail"]
    assert (annas.status, annas.json()["is_public"], bens.status) == (201, False, 201)
    assert seen == [404, 404, 404]


async def test_a_list_is_searched_filtered_and_read_in_parts(database: Database) -> None:
    async with opened(database) as house:
        found = ids(await ask(house, "GET", "/api/sources?q=HARBOUR&type=RSS", ANNA))
        own = ids(await ask(house, "GET", "/api/sources?scope=own", ANNA))
        secret = ids(await ask(house, "GET", f"/api/sources?q={TOKEN}", ANNA))
        first = (await ask(house, "GET", "/api/sources?limit=2", ANNA)).json()
        path = f"/api/sources?limit=2&cursor={first['next_cursor']}"
        rest = (await ask(house, "GET", path, ANNA)).json()
        whose = await ask(house, "GET", "/api/sources?scope=own", None)

    assert (found, own, secret) == ([1], [2, 3], [])
    assert [source["id"] for source in first["sources"] + rest["sources"]] == [1, 2, 3]
    assert rest["next_cursor"] is None
    assert whose.status == 401


async def test_an_unchanged_list_is_not_sent_again(database: Database) -> None:
    async with opened(database) as house:
        first = await ask(house, "GET", "/api/sources", ANNA)
        known = as_user(ANNA) | {"If-None-Match": first.headers["ETag"]}
        again = await house.client.get("/api/sources", known)

    assert (again.status, again.text) == (304, "")


@pytest.mark.parametrize("user", [None, BEN, ADMIN])
async def test_a_foreign_private_source_is_404_whatever_one_tries(
    database: Database, user: int | None
) -> None:
    """(T13): a stranger is asked to sign in where only people may act.

    For an admin too, but for what an admin must be able to do unseen (S001-9).
    """
    async with opened(database) as house:
        tries = [
            ("GET", "", None),
            ("PUT", "", {"name": "mine"}),
            ("DELETE", "", None),
            ("POST", "/pause", None),
            ("POST", "/fetch", None),
            ("GET", "/log", None),
            *([] if user == ADMIN else [("POST", "/resume", None)]),
        ]
        answers = {
            f"{method} {path}": await ask(house, method, f"/api/sources/{ANNAS}{path}", user, body)
            for method, path, body in tries
        }
        still = (await ask(house, "GET", f"/api/sources/{ANNAS}", ANNA)).json()

    guarded = 401 if user is None else 404
    assert {answer.status for name, answer in answers.items() if name != "GET "} == {guarded}
    assert answers["GET "].status == 404
    assert not any(word in answer.text for answer in answers.values() for word in (TOKEN, "Anna"))
    assert (still["name"], still["is_active"]) == ("Anna's", True)


async def test_a_key_that_may_read_does_not_write(database: Database) -> None:
    async with opened(database) as house:
        key = as_user(ANNA, Scope.READ)
        answers = [
            await house.client.post("/api/sources", key, NEW),
            await house.client.put(f"/api/sources/{ANNAS}", key, {"name": "x"}),
            await house.client.delete(f"/api/sources/{ANNAS}", key),
            await house.client.post(f"/api/sources/{ANNAS}/fetch", key),
            await house.client.post("/api/sources/resolve", key, {"url": "@x"}),
        ]

    assert [answer.status for answer in answers] == [403] * 5


async def test_what_a_person_adds_is_theirs_alone_unless_they_say_public(
    database: Database,
) -> None:
    async with opened(database) as house:
        made = await ask(house, "POST", "/api/sources", ANNA, NEW)
        location = made.headers["Location"]
        seen = [(await ask(house, "GET", location, user)).status for user in (ANNA, BEN, ADMIN)]
        other = {**NEW, "config": {"url": "https://b.example/"}, "name": "B", "is_public": True}
        public = await ask(house, "POST", "/api/sources", ANNA, other)

    source = made.json()
    assert (made.status, location) == (201, f"/api/sources/{source['id']}")
    assert (source["name"], source["is_public"], source["is_own"]) == ("new.example", False, True)
    assert source["faults"] == []
    assert seen == [200, 404, 404]
    assert (public.json()["name"], public.json()["is_public"]) == ("B", True)


@pytest.mark.parametrize(
    "config",
    [
        {"url": "https://a.example/?api_key=abc"},
        {"url": "https://user:pass@a.example/"},
        {"url": "https://user:my pass@a.example/"},
        {"url": "https://a.example/", "username": "token-as-a-name"},
        {"url": "https://a.example/", "headers": {"Accept": "text/xml"}},
    ],
)
async def test_a_source_with_a_secret_cannot_be_public(
    database: Database, config: dict[str, Any]
) -> None:
    """(T18): neither from the start nor later."""
    async with opened(database) as house:
        wish = {"type": "rss", "config": config, "is_public": True}
        at_once = await ask(house, "POST", "/api/sources", ANNA, wish)
        path = f"/api/sources/{ANNAS_PUBLIC}"
        by_config = await ask(house, "PUT", path, ANNA, {"config": config})
        later = await ask(house, "PUT", f"/api/sources/{ANNAS}", ANNA, {"is_public": True})

    for answer in (at_once, by_config, later):
        assert answer.status == 422
        assert '"is_public": false' in answer.json()["detail"]


async def test_the_same_thing_again_is_409_with_the_one_that_is_there(database: Database) -> None:
    """(S001-17)."""
    async with opened(database) as house:
        wish = {"type": "rss", "config": {"url": "https://harbour.example/feed"}}
        public = await ask(house, "POST", "/api/sources", ANNA, wish)
        own = await ask(
            house, "POST", "/api/sources", ANNA, {"type": "rss", "config": ANNAS_CONFIG}
        )
        moved = await ask(house, "PUT", f"/api/sources/{ANNAS}", ANNA, {"config": wish["config"]})
        of_ben = await ask(
            house, "POST", "/api/sources", BEN, {"type": "rss", "config": ANNAS_CONFIG}
        )

    assert (public.status, public.content_type) == (409, "application/problem+json")
    assert public.json()["existing"]["id"] == PUBLIC
    assert public.json()["detail"] == "rss source 1 (Harbour Times) is the same thing already"
    assert (own.status, own.json()["existing"]["id"]) == (409, ANNAS)
    assert TOKEN not in own.text
    assert (moved.status, moved.json()["existing"]["id"]) == (409, PUBLIC)
    assert of_ben.status == 201


async def test_secrets_are_masked_for_their_owner_too(database: Database) -> None:
    """(T17)."""
    async with opened(database) as house:
        answers = [
            await ask(house, "GET", f"/api/sources/{ANNAS}", ANNA),
            await ask(house, "GET", "/api/sources", ANNA),
            await ask(house, "POST", f"/api/sources/{ANNAS}/pause", ANNA),
            await ask(house, "POST", f"/api/sources/{ANNAS}/resume", ANNA),
            await ask(house, "PUT", f"/api/sources/{ANNAS}", ANNA, {"name": "x"}),
        ]

    assert [answer.status for answer in answers] == [200] * 5
    assert not any(TOKEN in answer.text for answer in answers)
    assert answers[0].json()["config"] == {
        "headers": {"X-Key": "***"},
        "url": "https://annas.example/feed?token=***",
    }


async def test_a_masked_value_keeps_what_is_stored(database: Database) -> None:
    async with opened(database) as house:
        shown = (await ask(house, "GET", f"/api/sources/{ANNAS}", ANNA)).json()["config"]
        config = {**shown, "fetch_interval_minutes": 15}
        changed = await ask(house, "PUT", f"/api/sources/{ANNAS}", ANNA, {"config": config})
        unknown = {"config": {"url": "https://x.example/?token=***"}}
        refused = await ask(house, "PUT", f"/api/sources/{ANNAS}", ANNA, unknown)
        anew = await ask(house, "POST", "/api/sources", ANNA, {"type": "rss", "config": shown})
        [*_, stored] = [each for each in await SourceStore(database).list() if each.id == ANNAS]

    assert changed.json()["fetch_interval_minutes"] == 15
    assert stored.config == {**ANNAS_CONFIG, "fetch_interval_minutes": 15}
    for answer in (refused, anew):
        assert answer.status == 422
        assert "holds ***: give the whole value" in answer.json()["detail"]


async def test_a_public_source_is_changed_by_admins_and_by_its_creator_while_alone(
    database: Database,
) -> None:
    """(T19): what one person sets may not show to another."""
    async with opened(database) as house:
        path = f"/api/sources/{ANNAS_PUBLIC}"
        await subscribe(database, ANNA, ANNAS_PUBLIC)
        alone = await ask(house, "PUT", path, ANNA, {"name": "Anna's present"})
        foreign = await ask(house, "PUT", path, BEN, {"name": "Ben's"})
        nobodys = await ask(house, "DELETE", f"/api/sources/{PUBLIC}", ANNA)
        await subscribe(database, BEN, ANNAS_PUBLIC)
        tries = [("PUT", "", {"name": "x"}), ("DELETE", "", None), ("POST", "/pause", None)]
        followed = [await ask(house, how, path + rest, ANNA, body) for how, rest, body in tries]
        hidden = await ask(house, "PUT", path, ADMIN, {"is_public": False})
        by_admin = await ask(house, "PUT", path, ADMIN, {"name": "Everybody's"})
        gone = await ask(house, "DELETE", path, ADMIN)
        after = await ask(house, "GET", path, ANNA)

    assert (alone.status, foreign.status, nobodys.status) == (200, 403, 403)
    assert [answer.status for answer in followed] == [403] * 3
    assert "others follow source 3" in followed[0].json()["detail"]
    assert (hidden.status, by_admin.status, gone.status, after.status) == (403, 200, 204, 404)


async def test_a_person_makes_their_source_public_and_private_again(database: Database) -> None:
    async with opened(database) as house:
        path = f"/api/sources/{BENS}"
        seen = []
        for is_public in (True, False):
            changed = await ask(house, "PUT", path, BEN, {"is_public": is_public})
            assert changed.json()["is_public"] is is_public
            seen.append((await ask(house, "GET", path, None)).status)

    assert seen == [200, 404]


async def test_a_deleted_source_is_gone_and_can_be_added_again(database: Database) -> None:
    async with opened(database) as house:
        await subscribe(database, BEN, BENS)
        gone = await ask(house, "DELETE", f"/api/sources/{BENS}", BEN)
        followed = ids(await ask(house, "GET", "/api/sources?scope=subscribed", BEN))
        again = await ask(house, "DELETE", f"/api/sources/{BENS}", BEN)
        wish = {"type": "rss", "config": {"url": "https://bens.example/"}}
        anew = await ask(house, "POST", "/api/sources", BEN, wish)

    assert (gone.status, again.status, anew.status, followed) == (204, 404, 201, [])


async def test_nobody_has_more_sources_than_their_share(database: Database) -> None:
    """(T26): Anna has two already."""
    async with opened(database, most_sources=3) as house:
        third = await ask(house, "POST", "/api/sources", ANNA, NEW)
        other = {"type": "rss", "config": {"url": "https://fourth.example"}}
        fourth = await ask(house, "POST", "/api/sources", ANNA, other)

    assert (third.status, fourth.status) == (201, 403)
    assert "3 is the most; delete some first" in fourth.json()["detail"]


async def test_a_paused_source_is_resumed_by_an_admin_or_its_owner(database: Database) -> None:
    """(S001-9)."""
    async with opened(database) as house:
        await execute(
            database,
            "UPDATE sources SET is_active = 0, paused_because = 'errors', fetch_error_count = 5, "
            'last_error = \'{"message": "HTTP 500", "at": "2026-11-15T11:00:00Z"}\'',
        )
        broken = (await ask(house, "GET", f"/api/sources/{PUBLIC}", ANNA)).json()
        by_ben = await ask(house, "POST", f"/api/sources/{PUBLIC}/resume", BEN)
        by_admin = await ask(house, "POST", f"/api/sources/{PUBLIC}/resume", ADMIN)
        by_owner = await ask(house, "POST", f"/api/sources/{ANNAS}/resume", ANNA)

    assert (broken["status"], broken["fetch_error_count"]) == ("paused_by_error", 5)
    assert broken["last_error"] == {"message": "HTTP 500", "at": "2026-11-15T11:00:00Z"}
    assert by_ben.status == 403
    for answer in (by_admin, by_owner):
        source = answer.json()
        assert (answer.status, source["is_active"], source["last_error"]) == (200, True, None)


async def test_a_poll_is_asked_for_by_those_who_follow_and_not_too_often(
    database: Database,
) -> None:
    async with opened(database) as house:
        path = f"/api/sources/{PUBLIC}/fetch"
        stranger_to_it = await ask(house, "POST", path, BEN)
        await subscribe(database, ANNA, PUBLIC)
        answers = [await ask(house, "POST", path, ANNA) for _ in range(11)]
        of_admin = await ask(house, "POST", path, ADMIN)
        house.clock.advance(timedelta(minutes=1))
        later = await ask(house, "POST", path, ANNA)

    assert stranger_to_it.status == 403
    assert [answer.status for answer in answers] == [202] * 10 + [429]
    assert answers[-1].headers["Retry-After"] == "60"
    assert answers[0].json()["next_fetch_at"] == "2026-11-15T11:59:59Z"  # due since then
    assert (of_admin.status, later.status) == (202, 202)


async def test_a_log_tells_those_who_see_the_source_how_its_polls_went(database: Database) -> None:
    async with opened(database) as house:
        for minute in range(3):
            at = (NOON + timedelta(minutes=minute)).timestamp()
            await execute(
                database,
                "INSERT INTO fetch_log (source_id, planned_at, started_at, finished_at, outcome, "
                "inserted, reason, detail, worker) "
                "VALUES (1, 0, :at, :at, 'failed', 0, 'busy', 'HTTP 429', 'machine-7:1')",
                {"at": at},
            )
        answer = await ask(house, "GET", f"/api/sources/{PUBLIC}/log?limit=2", BEN)
        first = answer.json()
        path = f"/api/sources/{PUBLIC}/log?cursor={first['next_cursor']}"
        rest = (await ask(house, "GET", path, BEN)).json()

    LogSchema.model_validate(first)
    assert [poll["id"] for poll in first["polls"] + rest["polls"]] == [3, 2, 1]
    assert first["polls"][0]["started_at"] == "2026-11-15T12:02:00Z"
    assert rest["next_cursor"] is None
    assert "machine-7" not in answer.text


async def test_what_is_odd_about_a_source_is_shown_to_its_owner_and_to_admins(
    database: Database,
) -> None:
    """(S001-17)."""
    async with opened(database) as house:
        wish = {"type": "rss", "config": {"url": "http://www.harbour.example/feed/"}}
        odd = (await ask(house, "POST", "/api/sources", ANNA, wish)).json()
        handle = {"type": "twitter_feed", "config": {"handle": "ana"}, "name": "@bob"}
        named = (await ask(house, "POST", "/api/sources", ANNA, handle)).json()
        crowd = {"handle": ", ".join(f"h{n}" for n in range(300))}
        absurd = {"type": "twitter_feed", "config": crowd, "is_public": True}
        refused = await ask(house, "POST", "/api/sources", ANNA, absurd)
        old = NewSource(type="twitter_feed", name="a crowd", config=crowd)  # of an older system
        path = f"/api/sources/{(await SourceStore(database).add(old, now=NOON)).id}"
        of_admin, of_ben = [(await ask(house, "GET", path, user)).json() for user in (ADMIN, BEN)]

    [fault] = odd["faults"]
    assert (fault["kind"], fault["twin"]) == ("looks_like", PUBLIC)
    assert named["faults"][0]["text"] == 'is named "@bob" but follows @ana'
    assert refused.status == 422
    assert "handle holds 300 names: add a source for each." in refused.json()["detail"]
    assert of_admin["faults"][0]["kind"] == "absurd_config"
    assert "faults" not in of_ben


async def test_an_odd_id_is_refused_not_a_crash(database: Database) -> None:
    """What is no number is no source's path at all."""
    paths = {"": "GET", "/log": "GET", "/fetch": "POST", "/pause": "POST", "/resume": "POST"}
    async with opened(database) as house:
        answers = [
            await ask(house, method, f"/api/sources/{id_}{path}", ANNA)
            for id_ in ("99999999999999999999", "0", "-1", "x")
            for path, method in paths.items()
        ]

    assert [answer.status for answer in answers] == [422] * 10 + [404] * 10


UNFIT: list[Any] = [
    {**NEW, "created_by": 1},
    {**NEW, "is_deleted": True},
    {**NEW, "role": "admin"},
    {**NEW, "name": "a\x00b"},
    {**NEW, "name": "x" * 201},
    {**NEW, "name": 7},
    {**NEW, "is_public": "perhaps"},
    {"type": "rss\x00"},
    {"type": "nothing like it"},
    {"type": "rss", "config": {"url": "https://a.example/\x00"}},
    {"type": "rss", "config": {"url": "https://a.example/", "\x00": 1}},
    {"type": "rss", "config": {"url": "https://a.example/", "n": 10**30}},
    {"type": "rss", "config": {"url": "x" * 70_000}},
    {"type": "rss", "config": []},
    {"type": "rss", "config": {}},
    [],
]


async def test_what_cannot_be_stored_is_422(database: Database) -> None:
    """(T13): no field beyond those there are, and no text a database refuses."""
    async with opened(database) as house:
        answers = [await ask(house, "POST", "/api/sources", ANNA, body) for body in UNFIT]

    assert [answer.status for answer in answers] == [422] * len(UNFIT)
    assert all(answer.json()["detail"] for answer in answers)


HALVES = [
    rb'{"type": "rss", "config": {"url": "https://a.example/", "x": "\ud800"}}',
    rb'{"type": "rss", "config": {"url": "https://a.example/", "\udfff": 1}}',
    rb'{"type": "rss", "config": {"url": "https://a.example/"}, "name": "\ud800"}',
    rb'{"type": "\ud800"}',
    rb'{"type": "rss", "\ud800": 1}',
    rb'{"type": "rss", "config": {"url": "https://a.example/", "n": NaN}}',
    b'{"type": "rss", "config": {"url": "https://a.example/", "n": '
    + b"[" * 50
    + b"]" * 50
    + b"}}",
]


async def test_halves_of_characters_and_their_like_are_422(database: Database) -> None:
    async with opened(database) as house:
        headers = as_user(ANNA) | {"Content-Type": "application/json"}
        answers = [await house.client.post("/api/sources", headers, raw) for raw in HALVES]

    assert [answer.status for answer in answers] == [422] * len(HALVES)


SENSELESS = [
    "q=a%00b",
    "type=%00",
    "scope=theirs",
    "limit=many",
    "limit=0",
    "offset=1",
    "cursor=nonsense",
    "cursor=%C3%A9",
    "cursor=WzFlNDAwXQ",
    "cursor=WyJhIl0",
]


async def test_a_question_that_makes_no_sense_is_422(database: Database) -> None:
    async with opened(database) as house:
        answers = [await ask(house, "GET", f"/api/sources?{query}", ANNA) for query in SENSELESS]

    assert [answer.status for answer in answers] == [422] * len(SENSELESS)


async def test_a_damaged_row_does_not_spoil_the_list(database: Database) -> None:
    async with opened(database) as house:
        await execute(
            database,
            "UPDATE sources SET config = 'no JSON', last_error = '[1]', last_fetched_at = 1e300 "
            "WHERE id = 1",
        )
        deep = {"deep": "[" * 100_000}
        await execute(
            database, "UPDATE sources SET config = :deep, last_error = :deep WHERE id = 2", deep
        )
        answer = await ask(house, "GET", "/api/sources", ANNA)
        [damaged, deeply, *others] = answer.json()["sources"]
        one = await ask(house, "GET", "/api/sources/1", ADMIN)

    assert (damaged["config"], damaged["last_fetched_at"]) == ({}, None)
    assert deeply["config"] == {}
    assert len(others) == 1
    assert one.status == 200


async def test_the_answers_are_as_the_openapi_document_says(database: Database) -> None:
    async with opened(database) as house:
        for user in (None, ANNA):
            answer = await ask(house, "GET", "/api/sources", user)
            SourceListSchema.model_validate(answer.json())
        one = await ask(house, "GET", f"/api/sources/{ANNAS}", ANNA)
        repeated = await ask(
            house, "POST", "/api/sources", ANNA, {"type": "rss", "config": ANNAS_CONFIG}
        )
        document = (await house.client.get("/openapi.json")).json()

    OneSourceSchema.model_validate(one.json())
    ExistsSchema.model_validate(repeated.json())
    answers = document["paths"]["/api/sources/{source_id}"]["get"]["responses"]
    assert set(answers) >= {"200", "404", "422", "503"}


async def test_names_of_other_scripts_and_hosts_are_found(database: Database) -> None:
    async with opened(database) as house:
        await put(database, "新闻 Ünï", None, {"url": "https://news.example/"})
        found = [
            ids(await ask(house, "GET", f"/api/sources?q={text}", None))
            for text in ("新闻", "Ünï", "NEWS.EXAMPLE")
        ]

    assert found == [[5], [5], [5]]

"""Editions over HTTP: whose they are, in which forms they come, and why a story is in or out."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta

import pytest

from clawfeed.api.editions.digests import FORMS, DigestsApi, digest_routes
from clawfeed.api.http.accept_header import choose_form
from clawfeed.api.http.application import build_application
from clawfeed.domain.editions.edition_period import EditionType
from clawfeed.rendering.safe_text import one_line
from clawfeed.storage.database import Database, execute
from tests.support.api_callers import ANNA, BEN, NAME_TAGS, add_people, as_user
from tests.support.clocks import NOON, FakeClock
from tests.support.digests import a_story, an_edition
from tests.support.hostile_text import markup_texts
from tests.support.html_pages import HtmlPage
from tests.support.published_digests import publish
from tests.support.socket_server import Client, served

pytestmark = pytest.mark.one_database

ANNAS = "reader-2"


@asynccontextmanager
async def reading_room(database: Database) -> AsyncIterator[Client]:
    await add_people(database)
    api = DigestsApi(database=database, clock=FakeClock())
    async with served(build_application("9.9", [digest_routes(api)], NAME_TAGS)) as client:
        yield client


def ids(answer: object) -> list[int]:
    assert isinstance(answer, dict)
    return [each["id"] for each in answer["digests"]]


async def test_strangers_read_everybodys_edition_and_no_other(database: Database) -> None:
    """(S001-15): anonymous visitors see the digest of the default content."""
    async with reading_room(database) as client:
        everybodys = await publish(database, an_edition())
        annas = await publish(database, an_edition(), scope=ANNAS, readers=[ANNA])
        listed = await client.get("/api/digests")
        latest = await client.get("/api/digests/latest")
        hers = await client.get(f"/api/digests/{annas}")

    assert ids(listed.json()) == [everybodys]
    assert (latest.status, latest.json()["id"]) == (200, everybodys)
    assert latest.json()["is_own"] is False
    assert (hers.status, hers.json()["detail"]) == (404, f"there is no edition {annas}")


async def test_readers_see_their_own_and_never_anothers(database: Database) -> None:
    """(S001-19, T13)."""
    async with reading_room(database) as client:
        everybodys = await publish(database, an_edition())
        annas = await publish(database, an_edition(), scope=ANNAS, readers=[ANNA])
        lists = [ids((await client.get("/api/digests", as_user(n))).json()) for n in (ANNA, BEN)]
        paths = [f"/api/digests/{annas}", f"/api/digests/{annas}/stories/4"]
        anna = [(await client.get(path, as_user(ANNA))).status for path in paths]
        ben = [(await client.get(path, as_user(BEN))).status for path in paths]
        newest = [await client.get("/api/digests/latest", as_user(n)) for n in (ANNA, BEN)]

    assert lists == [[annas, everybodys], [everybodys]]
    assert (anna, ben) == ([200, 200], [404, 404])
    assert [each.json()["id"] for each in newest] == [annas, everybodys]


async def test_who_has_long_had_no_edition_of_their_own_reads_everybodys(
    database: Database,
) -> None:
    async with reading_room(database) as client:
        old = NOON - timedelta(days=3)
        await publish(database, an_edition(), scope=ANNAS, readers=[ANNA], at=old)
        everybodys = await publish(database, an_edition())
        latest = await client.get("/api/digests/latest", as_user(ANNA))

    assert latest.json()["id"] == everybodys


async def test_editions_are_listed_by_type_page_by_page(database: Database) -> None:
    async with reading_room(database) as client:
        days = [f"2026-11-{day}" for day in (13, 14, 15)]
        daily = [await publish(database, an_edition(period=day)) for day in days]
        weekly = an_edition(type=EditionType.WEEKLY, period="2026-W46")
        week = await publish(database, weekly)
        first = (await client.get("/api/digests?type=daily&limit=2")).json()
        rest = (await client.get(f"/api/digests?type=daily&cursor={first['next_cursor']}")).json()
        weeks = (await client.get("/api/digests?type=weekly")).json()
        wrong = await client.get("/api/digests?type=hourly")

    assert (ids(first), ids(rest), rest["next_cursor"]) == (daily[:0:-1], daily[:1], None)
    assert ids(weeks) == [week]
    assert wrong.status == 422


async def test_an_edition_comes_in_the_form_that_is_asked_for(database: Database) -> None:
    async with reading_room(database) as client:
        digest = await publish(database, an_edition())
        answers = {
            form: await client.get(f"/api/digests/{digest}", {"Accept": form}) for form in FORMS
        }
        browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
        page = await client.get(f"/api/digests/{digest}", {"Accept": browser})
        none = await client.get(f"/api/digests/{digest}", {"Accept": "application/pdf"})

    assert [answer.content_type for answer in answers.values()] == list(FORMS)
    assert {answer.headers["vary"] for answer in answers.values()} == {
        "Accept, Authorization, Cookie"
    }
    assert answers["application/json"].json()["numbers"]["items"] == 312
    assert answers["text/markdown"].text.startswith("# Rust, chips and the weather\n")
    assert answers["text/plain"].text.startswith("Rust, chips and the weather\n====")
    assert HtmlPage(answers["text/html"].text).texts("h1") == ["Rust, chips and the weather"]
    assert page.content_type == "text/html"
    assert (none.status, none.json()["type"]) == (406, "urn:clawfeed:problem:not-acceptable")
    assert "text/markdown" in none.json()["detail"]


async def test_an_edition_that_the_caller_has_is_not_sent_again(database: Database) -> None:
    async with reading_room(database) as client:
        digest = await publish(database, an_edition())
        first = await client.get(f"/api/digests/{digest}", {"Accept": "text/markdown"})
        tag = {"If-None-Match": first.headers["etag"]}
        same = await client.get(f"/api/digests/{digest}", {"Accept": "text/markdown", **tag})
        other = await client.get(f"/api/digests/{digest}", {"Accept": "text/plain", **tag})

    assert (same.status, same.text) == (304, "")
    assert same.headers["vary"] == first.headers["vary"]
    assert other.status == 200


async def test_a_told_story_says_why_it_is_in(database: Database) -> None:
    async with reading_room(database) as client:
        digest = await publish(database, an_edition())
        [story] = (await client.get(f"/api/digests/{digest}")).json()["stories"]
        path = f"/api/digests/{digest}/stories"
        report = (await client.get(f"{path}/{story['story_id']}")).json()
        unknown = await client.get(f"{path}/999")

    assert (story["number"], story["headline"]) == (1, "Rust 1.90 is out")
    assert story["reason"]["because"].startswith("Why it is here: told by 5 publishers;")
    assert (report["is_in"], report["section"], report["dropped"]) == (True, "top", None)
    assert report["score"]["total"] == pytest.approx(5.17)
    assert [each["digest_id"] for each in report["timeline"]] == [digest]
    assert unknown.status == 404


async def test_a_dropped_story_says_why_not(database: Database) -> None:
    """Every dropped one can say why not, and when it was told before: never."""
    async with reading_room(database) as client:
        digest = await publish(database, an_edition())
        left = (await client.get(f"/api/digests/{digest}")).json()["left_out"][1]
        path = f"/api/digests/{digest}/stories/{left['story_id']}"
        report = (await client.get(path)).json()

    assert (left["dropped"], left["because"]) == (
        "source_full",
        "from a source that had told its share",
    )
    assert (report["is_in"], report["dropped"]) == (False, "source_full")
    assert report["because"] == "from a source that had told its share"
    assert report["score"]["recency"] == 0.3
    assert report["timeline"] == []


async def test_hostile_titles_arrive_as_the_text_they_are(database: Database) -> None:
    async with reading_room(database) as client:
        title = " ".join(markup_texts()).replace("\ud83d", "")
        story = a_story(title)
        digest = await publish(database, replace(an_edition(story), title="x" + title))
        page = await client.get(f"/api/digests/{digest}", {"Accept": "text/html"})
        data = await client.get(f"/api/digests/{digest}")

    assert HtmlPage(page.text).texts("h3") == [one_line(title)]
    assert HtmlPage(page.text).count("script, img, iframe") == 0
    assert data.json()["stories"][0]["headline"] == title


async def test_before_the_first_edition_there_is_none(database: Database) -> None:
    async with reading_room(database) as client:
        latest = await client.get("/api/digests/latest")
        listed = await client.get("/api/digests")

    assert (latest.status, latest.json()["detail"]) == (404, "there is no daily edition yet")
    assert listed.json() == {"digests": [], "next_cursor": None}


@pytest.mark.parametrize(
    ("accept", "chosen"),
    [
        ("", "application/json"),
        ("*/*", "application/json"),
        ("text/*", "text/markdown"),
        ("text/html", "text/html"),
        ("TEXT/HTML", "text/html"),
        ("text/plain;q=0.5, text/html;q=0.4", "text/plain"),
        ("text/html;q=0, */*", "application/json"),
        ("*/*;q=0.1, text/plain", "text/plain"),
        ("application/json;q=0, text/*;q=0.2", "text/markdown"),
        ("image/png", None),
        ("text/html;q=0", None),
        ("text/html;q=much", None),
        ("application/json;q=nan", None),
        (";;;,,,", None),
    ],
)
def test_the_most_wanted_form_is_chosen(accept: str, chosen: str | None) -> None:
    assert choose_form(accept, FORMS) == chosen


@pytest.mark.parametrize("content", ["{broken", "{}", '{"type": "daily", "stories": 7}'])
async def test_a_damaged_edition_is_passed_over(database: Database, content: str) -> None:
    """(F27): the one before is shown instead, and everything else goes on."""
    async with reading_room(database) as client:
        first = await publish(database, an_edition(period="2026-11-14"), at=NOON - timedelta(1))
        second = await publish(database, an_edition())
        annas = await publish(database, an_edition(), scope=ANNAS, readers=[ANNA])
        await execute(
            database,
            "UPDATE digests SET content = :content WHERE id IN (:second, :annas)",
            {"content": content, "second": second, "annas": annas},
        )
        await execute(database, "UPDATE edition_candidates SET score_parts = :c", {"c": content})
        latest = [await client.get("/api/digests/latest", who) for who in (None, as_user(ANNA))]
        listed = await client.get("/api/digests", as_user(ANNA))
        damaged = await client.get(f"/api/digests/{second}")
        told = latest[0].json()["stories"][0]["story_id"]
        why = await client.get(f"/api/digests/{first}/stories/{told}")

    assert [(each.status, each.json()["id"]) for each in latest] == [(200, first), (200, first)]
    assert ids(listed.json()) == [annas, second, first]
    assert (damaged.status, why.status) == (404, 200)

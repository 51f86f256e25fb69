"""What readers do with editions: saving, voting, looking back; theirs alone, and quick."""

from __future__ import annotations

import gzip
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from urllib.parse import urlencode

from clawfeed.api.http.application import build_application
from clawfeed.domain.editions.digest import Section, Sentence
from clawfeed.domain.editions.edition_period import EditionType
from clawfeed.domain.ids import DigestId
from clawfeed.storage.database import Database, execute
from clawfeed.storage.readers.front_page import MARKS_AT_ONCE
from clawfeed.storage.sources.sources import NewSource, SourceStore
from clawfeed.web.frame.error_pages import ErrorPages
from tests.support.api_callers import ANNA, BEN, NAME_TAGS, add_people, as_user
from tests.support.clocks import NOON
from tests.support.counting_database import CountingDatabase
from tests.support.digests import CHANGED, a_story, an_edition, told_by
from tests.support.html_pages import HtmlPage
from tests.support.pages import a_site, reading_room
from tests.support.published_digests import publish
from tests.support.socket_server import Answer, Client, served

FORM = {"Content-Type": "application/x-www-form-urlencoded"}
DAY = timedelta(days=1)
VIEWERS: tuple[Mapping[str, str], ...] = ({}, as_user(ANNA))
LONG_TITLE = "A headline as long as those of newspapers that say the whole story"
LONG_SENTENCE = (
    "What happened is told in a sentence of a usual length, with a number like 41,300 in it, and "
    "whoever reads it knows by then what it was about and where."
)


@asynccontextmanager
async def house(database: Database) -> AsyncIterator[Client]:
    site = a_site(database)
    rooms = reading_room(site, database)
    app = build_application("9.9", rooms, NAME_TAGS, error_page=ErrorPages(site))
    async with served(app) as client:
        yield client


async def send(client: Client, user: int, path: str, **fields: str) -> Answer:
    """A form with the script, so that the answer is the part of the page that changed."""
    headers = {**as_user(user), **FORM, "X-Fragment": "1"}
    return await client.post(path, headers, urlencode(fields).encode())


async def story_ids(database: Database) -> dict[str, int]:
    rows = await database.read("SELECT id, title FROM stories ORDER BY id DESC")
    return {str(row["title"]): int(row["id"]) for row in rows}


async def add_source(database: Database, name: str, *, is_public: bool = True) -> None:
    config = {"url": f"https://h.example/{name}"}
    new = NewSource(
        type="rss", name=name, config=config, host="h.example", is_public=is_public, created_by=ANNA
    )
    await SourceStore(database).add(new, now=NOON)


async def test_marks_and_votes_show_where_they_were_made(database: Database) -> None:
    await add_people(database)
    digest = await publish(database, an_edition())
    story = (await story_ids(database))["Rust 1.90 is out"]
    place = f"/digests/{digest}/stories/{story}"

    async with house(database) as client:
        saved = HtmlPage((await send(client, ANNA, f"{place}/mark", marked="1")).text)
        more = HtmlPage((await send(client, ANNA, f"{place}/vote", vote="1")).text)
        less = HtmlPage((await send(client, ANNA, f"{place}/vote", vote="-1")).text)
        anna = HtmlPage((await client.get("/", as_user(ANNA))).text)
        ben = HtmlPage((await client.get("/", as_user(BEN))).text)
        neither = HtmlPage((await send(client, ANNA, f"{place}/vote", vote="0")).text)
        unsaved = HtmlPage((await send(client, ANNA, f"{place}/mark", marked="0")).text)
        odd = await send(client, ANNA, f"{place}/vote", vote="7")

    def pressed(page: HtmlPage) -> list[str]:
        return page.texts(".tools [aria-pressed=true]")

    assert saved.values(".tools", "id") == [f"tools-{story}"]
    assert saved.values(".tools", "data-said") == ["Saved."]
    assert pressed(more) == ["Save", "More like this"]
    assert pressed(less) == pressed(anna) == ["Save", "Less"]
    assert (pressed(ben), pressed(neither), pressed(unsaved)) == ([], ["Save"], [])
    assert odd.status == 422


async def test_what_is_not_theirs_is_not_there(database: Database) -> None:
    """(T13): neither to look at nor to act on, for others and for strangers."""
    await add_people(database)
    digest = await publish(database, an_edition(), scope="reader-2", readers=[ANNA])
    ids = await story_ids(database)
    told, left_out = ids["Rust 1.90 is out"], ids["A quiet day"]
    place = f"/digests/{digest}/stories/{told}"

    async with house(database) as client:
        await send(client, ANNA, f"{place}/mark", marked="1")
        marks = await database.read("SELECT id FROM marks")
        acted = [
            (await send(client, BEN, f"{place}/mark", marked="1")).status,
            (await send(client, BEN, f"{place}/vote", vote="1")).status,
            (await send(client, BEN, f"/marks/{marks[0]['id']}/remove")).status,
            (await send(client, ANNA, f"/digests/{digest}/stories/{left_out}/mark")).status,
            (await send(client, ANNA, f"/digests/x/stories/{told}/mark")).status,
        ]
        paths = (f"/digests/{digest}", f"/stories/{told}", f"/stories/{left_out}")
        seen = {
            (await client.get(path, who)).status for path in paths for who in (as_user(BEN), {})
        }
        own = {(await client.get(path, as_user(ANNA))).status for path in paths}
        archive = await client.get("/digests?month=2026-11", as_user(BEN))

    assert acted == [404] * 5
    assert (seen, own) == ({404}, {200})
    assert "Rust, chips" not in archive.text
    assert len(await database.read("SELECT id FROM story_votes")) == 0
    assert len(await database.read("SELECT id FROM marks")) == 1


async def test_the_archive_goes_month_by_month_and_an_edition_to_its_neighbours(
    database: Database,
) -> None:
    await add_people(database)
    made: list[DigestId] = []
    for days in (40, 39, 1, 0):
        content = replace(an_edition(), title=f"{days} days ago", period=f"{2000 + days}-01-01")
        made.append(await publish(database, content, at=NOON - days * DAY))
    weekly = replace(an_edition(), title="A week", type=EditionType.WEEKLY, period="2026-W46")
    await publish(database, weekly)

    async with house(database) as client:
        this = HtmlPage((await client.get("/digests")).text)
        before = HtmlPage((await client.get("/digests?month=2026-10&type=daily")).text)
        weeks = HtmlPage((await client.get("/digests?type=weekly")).text)
        odd = HtmlPage((await client.get("/digests?type=x&month=9999-99")).text)
        second = HtmlPage((await client.get(f"/digests/{made[1]}")).text)

    assert this.texts("main .list a") == ["A week", "0 days ago", "1 days ago"]
    assert this.values(".pager a", "href") == ["/digests?month=2026-10"]
    assert before.texts("main .list a") == ["39 days ago", "40 days ago"]
    assert before.values(".pager a", "href") == ["/digests?type=daily&month=2026-11"]
    assert weeks.texts("main .list a") == ["A week"]
    assert odd.texts("main .list a") == this.texts("main .list a")
    assert second.values(".pager a", "href") == [f"/digests/{made[0]}", f"/digests/{made[2]}"]


async def test_a_story_says_why_it_is_in_or_was_left_out_and_how_it_went(
    database: Database,
) -> None:
    """What a private source reported is shown to its owner alone (T18)."""
    await add_people(database)
    digest = await publish(database, an_edition(a_story(what_changed=CHANGED)))
    ids = await story_ids(database)
    story = ids["Rust 1.90 is out"]
    for number, (name, is_public) in enumerate((("Open", 1), ("Annas", 0)), 1):
        await _report(database, story, number, name, is_public=is_public)

    async with house(database) as client:
        anna = HtmlPage((await client.get(f"/stories/{story}", as_user(ANNA))).text)
        ben = HtmlPage((await client.get(f"/stories/{story}", as_user(BEN))).text)
        path = f"/stories/{ids['A quiet day']}?edition={digest}"
        left_out = HtmlPage((await client.get(path)).text)
        page = HtmlPage((await client.get("/")).text)

    assert "Told by 5 publishers".lower() in anna.texts("main section p")[0].lower()
    assert anna.count(".score meter") == 4
    assert anna.values(".timeline a", "href") == [f"/digests/{digest}"]
    assert anna.texts("aside .list a") == ["Open says", "Annas says"]
    assert ben.texts("aside .list a") == ["Open says"]
    assert left_out.texts("main section p")[0] == "not strong enough."
    assert path in page.values(".edition > footer a", "href")


async def _report(
    database: Database, story: int, number: int, name: str, *, is_public: int
) -> None:
    await add_source(database, name, is_public=bool(is_public))
    await execute(
        database,
        "INSERT INTO raw_items (source_id, title, url, content, fetched_at, dedup_key) "
        "VALUES (:source, :title, 'https://h.example/', '', :now, :name)",
        {"source": number, "title": f"{name} says", "name": name, "now": NOON.timestamp() + number},
    )
    await execute(
        database,
        "INSERT INTO story_items (story_id, raw_item_id, added_at) VALUES (:story, :item, 0)",
        {"story": story, "item": number},
    )


async def test_the_front_page_is_small_and_read_in_one_round(database: Database) -> None:
    """A full edition, twenty stories of three sources each, is below 60 KB as it stands: unpacked.

    Whoever is in front of it, and however much they saved: nothing waits for a second look, unless
    somebody saved hundreds. With style and script, packed as sent, it is no more.
    """
    await add_people(database)
    told = [told_by(n, f"Newspaper {n}", f"{n}: {LONG_TITLE}") for n in range(1, 4)]
    sentences = tuple(Sentence(text=LONG_SENTENCE, cites=(1, n)) for n in (2, 3))
    words = replace(a_story().words, headline=LONG_TITLE, sentences=sentences)
    stories = [
        a_story(section=Section.NOTEWORTHY, words=words, sources=tuple(told)) for _ in range(20)
    ]
    for day in range(14, 16):
        content = an_edition(*stories, period=f"2026-11-{day}")
        await publish(database, content, scope="reader-2", readers=[ANNA])
        await publish(database, content)
    counting = CountingDatabase(database)

    async with house(counting) as client:
        page = await client.get("/", as_user(ANNA))
        own = counting.rounds, len(counting.crossings)
        counting.forget()
        await client.get("/")
        strangers = counting.rounds
        await _save_many(database, ANNA, MARKS_AT_ONCE)
        counting.forget()
        hoarded = HtmlPage((await client.get("/", as_user(ANNA))).text)
        hoarders = counting.rounds
        site = a_site(counting)
        files = [site.static.get(name) for name in ("clawfeed.css", "clawfeed.js", "icon.svg")]

    styles = sum(len(each.packed) for each in files if each)
    shown = HtmlPage(page.text)
    assert (shown.count(".story .tools"), shown.count(".sources li")) == (20, 60)
    # What the reader modes of browsers look for: one heading, one article, its text in paragraphs.
    assert (shown.count("h1"), shown.count("main article.edition"), shown.count(".story > p")) == (
        1, 1, 40,
    )  # fmt: skip
    assert shown.values(".pager [rel=prev]", "href") == ["/digests/1"]
    assert len(page.text.encode()) < 60_000
    assert len(gzip.compress(page.text.encode())) + styles < 60_000
    # Settings; the edition, votes, marks, its neighbours, what comes next; earlier ones of 3 types.
    assert (own, strangers) == ((1, 1 + 5 + 3), 1)
    assert (hoarders, hoarded.count(".tools [aria-pressed=true]")) == (2, 20)


async def _save_many(database: Database, reader: int, most: int) -> None:
    """What the edition tells, long ago, and then as many others as are read at once."""
    for number, url in enumerate(["https://news.example/1", *map(str, range(most))]):
        await execute(
            database,
            "INSERT INTO marks (user_id, url, title, status, created_at) "
            "VALUES (:user, :url, '', 'saved', :at)",
            {"user": reader, "url": url, "at": number},
        )


async def test_an_edition_that_cannot_be_read_does_not_take_the_front_page_with_it(
    database: Database,
) -> None:
    await add_people(database)
    await publish(database, an_edition(title="Yesterday's"))
    broken = await publish(database, an_edition(title="Broken", period="2026-11-16"))
    await execute(database, "UPDATE digests SET content = '{}' WHERE id = :id", {"id": broken})

    async with house(database) as client:
        seen = {HtmlPage((await client.get("/", who)).text).texts("h1")[0] for who in VIEWERS}

    assert seen == {"Yesterday's"}


async def test_who_waits_for_their_own_edition_is_told_when_it_comes(database: Database) -> None:
    await add_people(database)
    await publish(database, an_edition())

    async with house(database) as client:
        follows_nothing = HtmlPage((await client.get("/", as_user(ANNA))).text)
        await add_source(database, "Anything")
        await execute(
            database,
            "INSERT INTO user_subscriptions (user_id, source_id, created_at) VALUES (2, 1, 0)",
        )
        being_made = HtmlPage((await client.get("/", as_user(ANNA))).text)
        await execute(
            database,
            "INSERT INTO reader_editions (user_id, type, next_due_at) VALUES (2, 'daily', :at)",
            {"at": (NOON + DAY).timestamp()},
        )
        dated = HtmlPage((await client.get("/", as_user(ANNA))).text)

    assert "Follow sources" in follows_nothing.texts(".invitation")[0]
    assert "being made" in being_made.texts(".invitation")[0]
    assert "16 Nov 12:00" in dated.texts(".invitation")[0]

"""The pages about sources: whose is what, in both languages, by forms alone."""

from __future__ import annotations

import asyncio
from pathlib import Path
from urllib.parse import urlencode

import pytest

from clawfeed.domain.errors import QuotaError, Reason, RefusalCode
from clawfeed.domain.people.users import Scope
from clawfeed.domain.sources.source_status import Status
from clawfeed.storage.database import Database, execute
from clawfeed.web.sources.source_import import ImportProgress
from clawfeed.web.texts.all_texts import TEXTS
from tests.app.whole_server import WholeServer, whole_house
from tests.support.html_pages import HtmlPage
from tests.support.socket_server import Answer

FORM = {"Content-Type": "application/x-www-form-urlencoded"}
HOSTILE = "<img src=x onerror=alert(1)>"
LONG = 43  # entries beside those: more than two portions
OPML = b"""<opml version="2.0"><body><outline text="News"><outline text="Local">
<outline text="One" xmlUrl="https://one.example/feed"/></outline></outline>
<outline text="Two" xmlUrl="https://two.example/feed"/><outline text="Bad" xmlUrl="nothing"/>%s
</body></opml>""" % b"".join(
    b'<outline text="%d" xmlUrl="https://%d.example/feed"/>' % (n, n) for n in range(LONG)
)


async def send(
    house: WholeServer, who: str, path: str, language: str = "en", /, **fields: str
) -> Answer:
    headers = {**house.as_(who, Scope.ADMIN), **FORM, "Accept-Language": language}
    return await house.client.ask("POST", path, headers, urlencode(fields).encode())


async def add(house: WholeServer, who: str, url: str, **more: object) -> int:
    body = {"type": "rss", "config": {"url": url}, **more}
    found = await house.client.post("/api/sources", house.as_(who), body)
    return int(found.json()["id"])


async def look(house: WholeServer, name: str, path: str, language: str = "en") -> HtmlPage:
    headers = {**house.as_(name, Scope.ADMIN), "Accept-Language": language}
    answer = await house.client.get(path, headers)
    assert answer.status == 200, (path, answer.text)
    return HtmlPage(answer.text)


@pytest.mark.slow
async def test_following_and_looking_after_sources_by_forms(
    database: Database, tmp_path: Path
) -> None:
    """Hers is hers: others find nothing there, neither to see nor to act on (T13)."""
    async with whole_house(database, tmp_path) as house:
        mine = await add(house, "anna", "https://a.example/feed")
        public = await add(house, "admin", "https://b.example/feed", name="Public", is_public=True)
        await execute(
            database,
            "UPDATE sources SET name = :name, fetch_error_count = 3, last_error = :error "
            "WHERE id = :id",
            {
                "id": mine,
                "name": HOSTILE,
                "error": '{"message": "404", "at": "", "reason": "gone"}',
            },
        )
        fresh = await look(house, "anna", f"/sources/{public}")  # before its first poll
        followed = await send(house, "anna", "/sources/follow", thing=str(public))
        lists = [await look(house, "anna", "/sources", each) for each in ("en", "zh")]
        left = await send(house, "anna", "/sources/leave", thing=str(public))
        after = await look(house, "anna", "/sources")
        explored = await look(house, "ben", "/sources/explore?q=publ&type=rss")
        actions = ("pause", "resume", "fetch", "cadence")
        own = [
            (await send(house, "anna", f"/sources/{mine}/{each}", cadence="P3")).status
            for each in actions
        ]
        one = [await look(house, "anna", f"/sources/{mine}", each) for each in ("en", "zh")]
        await add(house, "anna", "https://d.example/feed", name="Alright")
        await execute(
            database,
            "UPDATE sources SET name = 'Failing', fetch_error_count = 1 WHERE id = :id",
            {"id": mine},
        )
        third = await add(house, "anna", "https://c.example/feed", name="Third")
        paused = await send(house, "anna", f"/sources/{third}/pause")
        shown = {
            each: await look(house, "anna", f"/sources?show={each}")
            for each in ("", "fine", "failing", "paused")
        }
        foreign = {
            (await send(house, "ben", f"/sources/{mine}/{each}", cadence="P3")).status
            for each in actions
        }
        unseen = await house.client.get(f"/sources/{mine}", house.as_("ben"))
        refused = await send(house, "ben", f"/sources/{public}/pause")
        taken = await send(house, "ben", "/sources/follow", thing=str(mine))

    assert (followed.status, left.status) == (303, 303)
    assert lists[0].texts(".sources .title") == [HOSTILE, "Public"]
    assert TEXTS["advice.gone"].en in lists[0].texts(".trouble p")[0]
    assert TEXTS["advice.gone"].zh in lists[1].texts(".trouble p")[0]
    assert after.texts(".sources .title") == [HOSTILE]
    assert explored.texts(".sources .title") == ["Public"]
    assert [len(each.texts(".week .ground")) for each in one] == [168, 168]
    assert fresh.texts("h1") == ["Public"]
    assert one[0].texts("h1") == [HOSTILE]
    assert (own, paused.status) == ([303] * 4, 303)
    assert {each: page.texts(".sources .title") for each, page in shown.items()} == {
        "": ["Failing", "Third", "Alright"],
        "fine": ["Alright"],
        "failing": ["Failing"],
        "paused": ["Third"],
    }
    assert shown[""].texts(".figures strong") == ["3", "1", "1", "1"]
    assert (foreign, unseen.status, taken.status, refused.status) == ({404}, 404, 404, 403)
    rows = await database.read("SELECT cadence FROM source_stats WHERE is_cadence_set = 1")
    assert [row["cadence"] for row in rows] == ["P3"]


@pytest.mark.slow
async def test_lists_go_in_and_out_and_an_address_is_looked_at_first(
    database: Database, tmp_path: Path
) -> None:
    """What cannot be read is said on the form; what is kept is the person's own, folders too.

    An import that was left on its way is whole after the same list again.
    """
    body = (
        b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.opml"\r\n\r\n'
        + OPML
        + b"\r\n--x--\r\n"
    )
    async with whole_house(database, tmp_path) as house:
        headers = {**house.as_("anna"), "Content-Type": "multipart/form-data; boundary=x"}
        await add(house, "anna", "https://two.example/feed")  # as far as it got before
        done = await house.client.ask("POST", "/sources/opml", headers, body)
        bens = {**headers, **house.as_("ben")}
        crowd = await asyncio.gather(
            *(
                house.client.ask("POST", "/sources/opml", *each)
                for each in [(headers, body)] * 3 + [(bens, body.replace(OPML, b"<no>"))]
            )
        )
        again = await house.client.ask("POST", "/sources/opml", headers, body)
        broken = await house.client.ask(
            "POST", "/sources/opml", headers, body.replace(OPML, b"<no>")
        )
        zh = {**headers, "Accept-Language": "zh"}
        chinese = [
            HtmlPage((await house.client.ask("POST", "/sources/opml", zh, each)).text)
            for each in (body.replace(OPML, b"<no>"), body)
        ]
        written = await house.client.get("/sources/opml", house.as_("anna"))
        packs = [await look(house, each, "/sources/packs") for each in ("anna", "ben")]
        asked = await send(house, "anna", "/sources/add", url="http://127.0.0.1:1/feed")
        config = '{"url": "https://c.example/feed"}'
        saved = await send(house, "anna", "/sources/new", type="rss", config=config, name="C")
        odd = await send(house, "anna", "/sources/new", type="rss", config="{}", name="C")

    first, second = HtmlPage(done.text), HtmlPage(again.text)
    steps = [f"{n} of {LONG + 3}" for n in (0, 20, 40, LONG + 3)]
    assert [text.strip() for text in first.texts(".steps p")] == steps
    assert first.texts(".figures dd") == [str(LONG + 1), "1", "1", "1"]
    assert second.texts(".figures dd") == ["0", str(LONG + 2), "1", "1"]
    assert first.texts(".list .title") == ["Bad"]
    assert chinese[0].texts("#mistake") == [TEXTS["refusal.list_unreadable"].zh]
    # One list of a person at a time (T26); nobody waits for another's.
    assert {answer.status for answer in crowd[:3]} == {200, 429}
    assert crowd[3].status == 422
    assert [each.texts(".list a") for each in packs] == [["News / Local"], []]
    assert '<outline text="News" title="News">' in written.text
    assert (broken.status, asked.status, odd.status, saved.status) == (422, 422, 422, 303)
    assert "https://two.example/feed" in written.text
    assert HtmlPage(asked.text).values("#url", "value") == ["http://127.0.0.1:1/feed"]
    rows = await database.read("SELECT is_public FROM sources")
    assert {row["is_public"] for row in rows} == {0}
    assert len(rows) == LONG + 3


@pytest.mark.slow
async def test_a_chinese_page_has_the_way_out_in_fine_print_where_its_text_is_a_broad_one(
    database: Database, tmp_path: Path
) -> None:
    """Which setting is wrong, only the sentence says: it stands there as what it is, English."""
    wanted = {"type": "hackernews", "name": "C"}
    configs = ('{"story_type": "best", "min_score": "<b>"}', "{")
    async with whole_house(database, tmp_path) as house:
        refused = [
            await send(house, "anna", "/sources/new", language, **wanted, config=config)
            for language in ("zh", "en")
            for config in configs
        ]

    pages = [HtmlPage(each.text) for each in refused]
    chinese, english = pages[:2], pages[2:]
    fine = [each.texts("#mistake [lang=en]")[0] for each in chinese]
    assert [each.status for each in refused] == [422] * 4
    assert [each.values("#mistake", "lang") for each in pages] == [[None]] * 2 + [["en"]] * 2
    assert [each.texts("#mistake")[0] for each in chinese] == [
        f"{TEXTS['refusal.source_settings'].zh} {text}" for text in fine
    ]
    assert fine == [each.texts("#mistake")[0] for each in english]
    assert "min_score must be a whole number from 0 to 100000, not '<b>'" in fine[0]
    assert "valid JSON" in fine[1]


@pytest.mark.slow
async def test_an_owner_edits_a_source_and_gives_it_up(database: Database, tmp_path: Path) -> None:
    """What cannot be is said on the form, with what was typed; secrets stay behind `***` (T17)."""
    secret = {"url": "https://a.example/feed?token=s3cret"}
    async with whole_house(database, tmp_path) as house:
        mine = await add(house, "anna", "https://a.example/other")
        body = {"type": "rss", "config": secret}
        hidden = await house.client.post("/api/sources", house.as_("anna"), body)
        kept = int(hidden.json()["id"])
        edit, remove = f"/sources/{kept}/edit", f"/sources/{kept}/remove"
        form = await look(house, "anna", edit)
        shown = form.values("#place", "value")[0] or ""
        fields = {"name": "New", "place": shown, "interval": "30"}
        refused = [
            await send(house, "anna", edit, **{**fields, **each})
            for each in (
                {"interval": "soon"},
                {"is_public": "1"},
                {"place": "https://evil.example/feed?token=***"},
                {"place": "nowhere"},
            )
        ]
        twin = await send(house, "anna", edit, name="X", place="https://a.example/other")
        saved = await send(house, "anna", edit, **fields)
        after = await look(house, "anna", f"/sources/{kept}")
        again = await look(house, "anna", edit)
        foreign = {
            (await house.client.get(each, house.as_("ben"))).status for each in (edit, remove)
        } | {(await send(house, "ben", each, **fields)).status for each in (edit, remove)}
        sure = await look(house, "anna", remove)
        gone = await send(house, "anna", remove)
        left = await look(house, "anna", "/sources")

    told = [HtmlPage(each.text) for each in refused]
    assert [each.status for each in refused] == [422] * 4
    assert [each.values("#name", "value") for each in told] == [["New"]] * 4
    assert "whole number of minutes" in told[0].texts("#mistake")[0]
    assert "give the whole value" in told[2].texts("#mistake")[0]
    assert told[3].values("#place", "value") == ["nowhere"]
    assert twin.status == 422
    assert HtmlPage(twin.text).values("[role=alert] a", "href") == [f"/sources/{mine}"]
    assert (saved.status, gone.status) == (303, 303)
    assert after.texts("h1") == ["New"]
    assert again.values("#interval", "value") == ["30"]
    assert not any("s3cret" in text for each in (form, again, *told) for text in each.texts("main"))
    [row] = await database.read("SELECT config FROM sources WHERE is_deleted = 1")
    assert row["config"].count("s3cret") == 1
    assert foreign == {404}
    assert TEXTS["edit.remove_alone"].en in sure.texts("main li")
    assert left.texts(".sources .title") == ["a.example"]


@pytest.mark.slow
async def test_a_pack_is_followed_as_a_whole_and_left_again(
    database: Database, tmp_path: Path
) -> None:
    async with whole_house(database, tmp_path) as house:
        ids = [
            await add(house, "admin", f"https://{each}.example/feed", name=each, is_public=True)
            for each in ("one", "two", "three")
        ]
        pack = {"name": "Three", "source_ids": ids}
        await house.client.post("/api/packs", house.as_("admin"), pack)
        await send(house, "anna", "/sources/follow", thing=str(ids[0]))
        before = await look(house, "anna", "/sources/packs/three")
        done = await send(house, "anna", "/sources/packs/three/follow", next="/sources/packs/three")
        followed = await look(house, "anna", "/sources")
        after = await look(house, "anna", "/sources/packs/three")
        undo = (done.headers.get("set-cookie") or "").partition("pack_followed.")[2]
        await send(house, "anna", "/sources/leave", thing=undo.partition(";")[0])
        left = await look(house, "anna", "/sources")

    assert before.texts("main button") == ["Follow the 2 you do not follow yet"]
    assert (done.status, done.headers["location"]) == (303, "/sources/packs/three")
    assert followed.texts(".sources .title") == ["one", "three", "two"]
    assert after.texts(".notice.good") == ["You follow all of it."]
    assert left.texts(".sources .title") == ["one"]


@pytest.mark.slow
async def test_an_admin_sees_faults_and_what_mending_would_change_before_it_does(
    database: Database, tmp_path: Path
) -> None:
    """(S001-22): looking changes nothing; only the button does."""
    async with whole_house(database, tmp_path) as house:
        body = {"type": "twitter_feed", "config": {"handle": "openai"}, "name": "@somebody"}
        new = {**body, "is_public": True}
        await house.client.post("/api/sources", house.as_("admin"), new)
        [row] = await database.read("SELECT id FROM sources")
        listed = await look(house, "admin", "/sources/faults")
        tried = await look(house, "admin", f"/sources/faults?look={row['id']}", "zh")
        [before] = await database.read("SELECT name FROM sources")
        refused = await send(house, "anna", "/sources/faults", thing=str(row["id"]))
        mended = await send(house, "admin", "/sources/faults", thing=str(row["id"]))
        after = await look(house, "admin", "/sources/faults")
        tabs = [await look(house, each, "/sources") for each in ("admin", "anna")]

    assert listed.texts("main .list > li > a") == ["@somebody"]
    assert "@openai" in tried.texts("main .notice p")[0]
    assert before["name"] == "@somebody"
    assert (refused.status, mended.status) == (403, 303)
    assert after.texts("main .empty h2") == ["No faults found"]
    [row] = await database.read("SELECT name FROM sources")
    assert row["name"] == "@openai"
    assert [each.texts(".tabs a")[3:] for each in tabs] == [["Faults"], []]


def test_a_list_tells_of_each_limit_once() -> None:
    """However its sentences are worded: a limit is its code and its figures."""
    done = ImportProgress(total=3)

    for sentence, most in (("100 packs at most", 100), ("no 101st pack", 100), ("5,000", 5_000)):
        done.note(QuotaError(sentence, RefusalCode.TOO_MANY, most=most))

    assert [each.parts["most"] for each in done.notes] == [100, 5_000]


def test_every_failure_has_plain_words_and_a_way_out() -> None:
    assert {f"{each}.{reason}" for each in ("cause", "advice", "try") for reason in Reason} <= set(
        TEXTS
    )
    assert {f"status.{status}" for status in Status} <= set(TEXTS)

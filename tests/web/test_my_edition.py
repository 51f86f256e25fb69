"""The page of one's own edition: interests and what they would change, hours, votes; by forms."""

from __future__ import annotations

import re
from base64 import urlsafe_b64encode
from datetime import timedelta
from pathlib import Path

import pytest

from clawfeed.app.clock import system_clock
from clawfeed.storage.database import Database
from clawfeed.web.texts.all_texts import TEXTS
from tests.app.whole_server import WholeServer, whole_house
from tests.support.html_pages import HtmlPage
from tests.support.items import add_item, add_source
from tests.support.socket_server import Answer, set_cookies
from tests.web.test_sources import look, send

pytestmark = pytest.mark.slow

PAGE = "/my-edition"
# Twenty stories of words that no two of them share; the edition has room for eighteen.
STORIES = [
    " ".join(f"{chr(97 + n)}{end}" for end in ("orchid", "lintel", "marden", "pesky"))
    for n in range(20)
]


async def follow_stories(house: WholeServer, name: str) -> None:
    """Each of a source of its own, the first one the newest."""
    found = []
    for number, title in enumerate(STORIES):
        source = await add_source(house.database, f"s{number}")
        at = system_clock() - timedelta(hours=1 + number / 2)
        await add_item(house.database, source, title, at=at)
        found.append(int(source))
    await house.client.post("/api/subscriptions", house.as_(name), {"source_ids": found})


async def tried(house: WholeServer, words: str, how: str) -> HtmlPage:
    headers = {**house.as_("anna"), "X-Fragment": "1"}
    headers["Content-Type"] = "application/x-www-form-urlencoded"
    body = f"words={words.replace(' ', '+')}&how={how}".encode()
    answer = await house.client.ask("POST", f"{PAGE}/preview", headers, body)
    assert answer.status == 200
    return HtmlPage(answer.text)


async def stored(house: WholeServer, name: str = "anna") -> list[tuple[str, str, float]]:
    found = (await house.client.get("/api/interests", house.as_(name))).json()["interests"]
    return [(each["kind"], each["text"], each["weight"]) for each in found]


async def traces(house: WholeServer) -> list[int]:
    """How many rows there are of what an edition, or an interest, leaves behind."""
    tables = ("interests", "stories", "edition_tasks", "edition_scopes", "edition_readers")
    rows = [await house.database.read(f"SELECT count(*) AS n FROM {each}") for each in tables]
    return [int(row[0]["n"]) for row in rows]


def undo_of(answer: Answer) -> str:
    found = re.search(r"flash=\w+\.([\w-]+)", " ".join(set_cookies(answer)))
    assert found, answer.headers
    return found[1]


async def test_what_an_interest_would_change_is_shown_before_anything_is_kept(
    database: Database, tmp_path: Path
) -> None:
    """By the selection that makes editions; also of the edition that its reader has read."""
    oldest, last_in = STORIES[19], STORIES[17]
    async with whole_house(database, tmp_path) as house:
        before = await look(house, "anna", PAGE)
        empty = await tried(house, "aorchid", "more")
        nothing = await send(house, "anna", f"{PAGE}/build")
        await follow_stories(house, "anna")
        traced = await traces(house)
        wanted = await tried(house, "TORCHID", "more")
        muted = await tried(house, "borchid, zzz", "none")
        moved = await tried(house, "rmarden", "much_more")
        unmet = await tried(house, "nowhere", "more")
        whole = await send(house, "anna", f"{PAGE}/preview", words="torchid", how="more")
        left = await traces(house)
        made = await send(house, "anna", f"{PAGE}/build")
        again = await send(house, "anna", f"{PAGE}/build")
        front = await look(house, "anna", "/")
        told = await tried(house, "borchid", "none")

    assert before.texts(".notice h2") == [TEXTS["my.follow_first"].en]
    assert empty.texts(".sum") == [TEXTS["my.nothing_there"].en]
    assert (nothing.status, TEXTS["my.nothing_to_make"].en in nothing.text) == (409, True)
    assert wanted.texts(".comes_in bdi") == [oldest, "meets TORCHID"]
    assert wanted.texts(".goes_out bdi") == [last_in, "no room left"]
    assert wanted.texts(".comes_in .meta")[0].startswith("no. 1 ")
    assert muted.texts(".goes_out bdi") == [STORIES[1], "a word you muted"]
    assert muted.texts(".comes_in bdi") == [STORIES[18], TEXTS["my.why_room"].en]
    assert moved.texts(".changes .meta") == ["no. 18 → 1 · meets rmarden"]
    assert unmet.texts(".sum") == [TEXTS["my.nobody_met"].en]
    page = HtmlPage(whole.text)
    assert page.texts("textarea") == ["torchid"]
    assert page.texts("#preview .comes_in bdi") == [oldest, "meets torchid"]
    assert traced == left == [0, 0, 0, 0, 0]
    assert {made.status, again.status} == {303}
    assert made.headers["location"] == again.headers["location"]
    assert STORIES[1].capitalize() in front.texts(".story h3")
    assert told.texts(".goes_out bdi") == [STORIES[1], "a word you muted"]


async def test_interests_are_kept_taken_back_and_ones_own(
    database: Database, tmp_path: Path
) -> None:
    """What cannot be an interest is said on the form, with what was typed (T13, T26)."""
    async with whole_house(database, tmp_path) as house:
        typed = "rust, <b>odd</b>\nEnergy: solar,wind"
        kept = await send(house, "anna", f"{PAGE}/interests", words=typed, how="more")
        first = await stored(house)
        muted = await send(house, "anna", f"{PAGE}/interests", words="rust，RUST", how="none")
        second = await stored(house)
        page = [await look(house, "anna", PAGE, each) for each in ("en", "zh")]
        await send(house, "anna", f"{PAGE}/interests/undo", thing=undo_of(muted))
        undone = await stored(house)
        bens = await look(house, "ben", PAGE)
        await send(house, "ben", f"{PAGE}/interests/remove", interest="word:rust")
        removed = await send(house, "anna", f"{PAGE}/interests/remove", interest="word:rust")
        third = await stored(house)
        await send(house, "anna", f"{PAGE}/interests/undo", thing=undo_of(removed))
        back = await stored(house)
        await send(house, "anna", f"{PAGE}/interests/undo", thing=undo_of(kept))
        last = await stored(house)
        many = ",".join(f"w{n}" for n in range(201))
        too_many = await tried(house, many, "more")
        wrong = [
            await send(house, "anna", f"{PAGE}/interests", words=words)
            for words in (" ,\n", "x" * 201, many)
        ]
        nul = urlsafe_b64encode(b'[[["word", "a\\u0000b", 1]], []]').decode().rstrip("=")
        odd = [
            (await send(house, "anna", f"{PAGE}/interests/undo", thing=thing)).status
            for thing in ("W10", nul)
        ]
        nothing = await stored(house)

    energy = ("topic", "Energy: solar, wind", 1.0)
    assert first == [("word", "rust", 1.0), ("word", "<b>odd</b>", 1.0), energy]
    assert second == [("muted", "RUST", 1.0), *first[1:]]
    assert page[0].texts(".interests bdi") == ["<b>odd</b>", "Energy: solar, wind", "RUST"]
    assert page[0].texts(".interests-of") == ["More of", "Muted"]
    assert page[1].texts(".interests-of") == ["多看", "屏蔽"]
    assert undone == back == first  # each where it stood
    assert bens.texts(".interests") == []
    assert third == [("word", "<b>odd</b>", 1.0), energy]
    assert last == nothing == []
    assert [(answer.status, HtmlPage(answer.text).texts(".wrong")) for answer in wrong] == [
        (422, [TEXTS[f"my.{why}"].en]) for why in ("no_words", "long_words", "too_many")
    ]
    assert HtmlPage(wrong[2].text).texts("textarea") == [many]
    assert odd == [422, 422]
    assert too_many.texts(".sum") == [TEXTS["my.too_many"].en]


async def test_hours_and_votes_are_set_where_they_are_shown(
    database: Database, tmp_path: Path
) -> None:
    """When the next one comes stands there at once; a wrong zone is said, and nothing changes."""
    async with whole_house(database, tmp_path) as house:
        await follow_stories(house, "anna")
        made = (await house.client.post("/api/digests", house.as_("anna"), {})).json()["digest"]
        vote = {"digest_id": made["id"], "story_id": made["stories"][0]["story_id"], "vote": -1}
        voted = (await house.client.post("/api/votes", house.as_("anna"), vote)).json()["id"]
        wrong = await send(
            house, "anna", f"{PAGE}/settings", zone="Mars/Olympus", time="24:00", language="en"
        )
        before = (await house.client.get("/api/reader-settings", house.as_("anna"))).json()
        saved = await send(
            house, "anna", f"{PAGE}/settings",
            zone=" new york", time="06:15", language="zh", type_daily="1",
        )  # fmt: skip
        after = (await house.client.get("/api/reader-settings", house.as_("anna"))).json()
        page = await look(house, "anna", PAGE)
        stolen = await send(house, "ben", f"{PAGE}/votes/{voted}/remove")
        taken = await send(house, "anna", f"{PAGE}/votes/{voted}/remove")
        then = await look(house, "anna", PAGE)
        thing = (taken.headers.get("set-cookie") or "").partition("unvoted.")[2].partition(";")[0]
        again = [
            (await send(house, who, f"{PAGE}/votes/undo", thing=thing)).status
            for who in ("ben", "anna")
        ]
        votes = (await house.client.get("/api/votes", house.as_("anna"))).json()["votes"]

    form = HtmlPage(wrong.text)
    assert (wrong.status, form.values("#zone", "value")) == (422, ["Mars/Olympus"])
    assert form.texts(".wrong") == [TEXTS["my.wrong_time"].en, TEXTS["my.wrong_zone"].en]
    assert again == [404, 303]
    assert [(each["story_id"], each["vote"]) for each in votes] == [(vote["story_id"], -1)]
    assert (before["zone"], before["types"]) == ("UTC", ["daily", "weekly"])
    assert saved.status == 303
    assert {**after, "next_edition_at": None} == {
        "language": "zh", "zone": "America/New_York", "edition_time": "06:15", "types": ["daily"],
        "next_edition_at": None,
    }  # fmt: skip
    assert page.values("html", "lang") == ["zh"]
    assert page.texts(".coming dt") == ["日刊"]
    assert re.fullmatch("[今明]天 06:15（America/New_York）", page.texts(".coming dd")[0])
    assert page.texts("main .list li > bdi") == [made["stories"][0]["headline"]]
    assert (stolen.status, taken.status) == (404, 303)
    assert TEXTS["my.no_votes"].zh in then.texts("main .soft")

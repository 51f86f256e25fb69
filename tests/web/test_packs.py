"""Packs as pages: made of what one follows, changed and removed by forms alone."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlencode

import pytest

from clawfeed.domain.people.users import Scope
from clawfeed.storage.database import Database
from clawfeed.web.texts.all_texts import TEXTS
from tests.app.whole_server import WholeServer, whole_house
from tests.support.html_pages import HtmlPage
from tests.support.socket_server import Answer
from tests.web.test_sources import FORM, add, look

NEW = "/sources/new-pack"


async def send(house: WholeServer, who: str, path: str, ids: list[int], **fields: str) -> Answer:
    body = urlencode([*fields.items(), *(("source", each) for each in ids)]).encode()
    headers = {**house.as_(who, Scope.ADMIN), **FORM, "Accept-Language": "zh"}
    return await house.client.ask("POST", path, headers, body)


@pytest.mark.slow
async def test_a_reader_makes_a_pack_changes_it_and_gives_it_up(
    database: Database, tmp_path: Path
) -> None:
    """Hers is hers, for an admin neither (T13); a public one holds public sources only (T18)."""
    async with whole_house(database, tmp_path) as house:
        mine = await add(house, "anna", "https://a.example/feed", name="A & B")
        public = await add(house, "anna", "https://b.example/f", name="Public", is_public=True)
        form = await look(house, "anna", NEW)
        found = await send(house, "anna", NEW, [mine], name="读物", q="publ", find="1")
        nameless = await send(house, "anna", NEW, [mine], name=" ")
        shared = await send(house, "anna", NEW, [mine], name="读物", is_public="1")
        foreign = await send(house, "ben", NEW, [mine], name="Theirs")
        made = await send(house, "anna", NEW, [public, mine], name="读物", is_public="0")
        twin = await send(house, "anna", NEW, [], name="读物")
        seen = await look(house, "anna", "/sources/packs/pack")
        edit, remove = "/sources/packs/pack/edit", "/sources/packs/pack/remove"
        others = {
            (await send(house, who, path, [], name="Taken")).status
            for who in ("ben", "admin")
            for path in (edit, remove)
        }
        shown = await look(house, "anna", edit)
        saved = await send(house, "anna", edit, [public], name="Open", is_public="1")
        refused = await send(house, "ben", edit, [public], name="Taken")
        page = {**house.as_("ben"), "Accept": "text/html", "Accept-Language": "zh"}
        told = HtmlPage((await house.client.get(edit, page)).text)
        by_admin = await look(house, "admin", "/sources/packs/pack")
        sure = await look(house, "anna", remove)
        gone = await send(house, "anna", remove, [])
        left = await look(house, "anna", "/sources/packs")

    assert form.values("input[name=source]", "value") == [str(mine), str(public)]
    assert HtmlPage(found.text).values("input[name=source][checked]", "value") == [str(mine)]
    assert HtmlPage(found.text).values("#offered input[name=source]", "value") == [str(public)]
    assert [each.status for each in (found, nameless, shared, foreign)] == [200, 422, 422, 422]
    assert HtmlPage(nameless.text).texts("#mistake") == ["请填写名称。"]
    assert HtmlPage(shared.text).texts("#mistake bdi") == ["A & B"]
    assert HtmlPage(shared.text).values("#name", "value") == ["读物"]
    assert (made.headers["location"], twin.headers["location"]) == (
        "/sources/packs/pack",
        "/sources/packs/pack-2",
    )
    assert seen.texts("main .list a") == ["Public", "A & B"]
    assert others == {404}
    assert shown.values("input[name=source][checked]", "value") == [str(public), str(mine)]
    assert (saved.status, refused.status, gone.status) == (303, 403, 303)
    assert TEXTS["refusal.pack_of_another"].zh in told.texts("main p")[1]
    assert by_admin.texts("h1") == ["Open"]
    assert by_admin.count("main a[href='/operations/configuration#live']") == 1
    assert sure.texts("h1") == ["Remove Open?"]
    assert left.texts(".list a") == ["读物"]

"""The page of one's own X: there and back by links and forms, and never a token (S001-20)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import pytest

from clawfeed.api.http.application import RequestGuards, build_application
from clawfeed.app.settings.config_loading import load_config
from clawfeed.app.wiring.fetching import opened_sources
from clawfeed.app.wiring.people import x_authorising
from clawfeed.auth.limits.action_rate_limits import x_beginnings
from clawfeed.auth.x_authorisation import STALE
from clawfeed.simulator import settings
from clawfeed.storage.database import Database, execute
from clawfeed.web.sign_in.x_callback import XPages, x_callback_routes
from clawfeed.web.texts.all_texts import TEXTS
from clawfeed.web.x_account.x_account import XAccountPages, x_account_routes
from tests.api.people.test_x_authorisation import SessionTags
from tests.sources.simulated_world import staged
from tests.sources.x.own_x import visit
from tests.support.api_callers import ANNA, BEN, EveryTimeAnew, add_people, as_user
from tests.support.html_pages import HtmlPage
from tests.support.pages import a_site
from tests.support.socket_server import Answer, Client, served

CALLBACK = "/auth/x/callback"
FORM = {"Content-Type": "application/x-www-form-urlencoded"}

OWN_TYPES = ("twitter_foryou", "twitter_bookmarks", "twitter_favorites")


@dataclass(frozen=True, slots=True, kw_only=True)
class House:
    """The page, and the way back from the simulated X; Anna comes with her browser's session."""

    client: Client
    database: Database

    async def ask(
        self, method: str, path: str, who: int = ANNA, language: str = "en", **fields: str
    ) -> Answer:
        headers = {**as_user(who), **FORM, "Accept-Language": language}
        if who == ANNA:
            headers["X-Session"] = "1"
        body = urlencode(fields).encode() if method == "POST" else None
        return await self.client.ask(method, path, headers, body)

    async def connect(self, language: str = "en") -> tuple[Answer, Answer]:
        """Begin, go where the link leads, and come back: the page before X and the one after."""
        leaving = await self.ask("POST", "/x/begin")
        [way] = HtmlPage(leaving.text).values("main a.main", "href")
        back = urlsplit(await visit(str(way)))
        return leaving, await self.ask("GET", f"{back.path}?{back.query}", language=language)


@asynccontextmanager
async def opened(database: Database, folder: Path) -> AsyncIterator[House]:
    await add_people(database)
    await execute(
        database,
        "INSERT INTO sessions (user_id, token_hash, created_at, last_seen_at, expires_at) "
        "VALUES (:user, :hash, 0, 0, 9e9)",
        {"user": ANNA, "hash": b"1"},
    )
    async with staged(folder) as stage:
        config = load_config(settings(stage.url), directory=folder)
        async with opened_sources(config, database) as tools:
            desk, site = x_authorising(config, database, tools), a_site(database)
            pages = XAccountPages(
                site=site,
                authorising=desk,
                database=database,
                fetchers=tools.fetchers,
                beginnings=x_beginnings(stage.clock),
            )
            callback = x_callback_routes(XPages(site=site, authorising=desk))
            guards = RequestGuards(door=SessionTags(), replays=EveryTimeAnew())
            app = build_application("9.9", [x_account_routes(pages), callback], guards)
            async with served(app) as client:
                yield House(client=client, database=database)


@pytest.mark.slow
async def test_somebody_connects_their_x_follows_what_is_theirs_and_disconnects_it(
    database: Database, tmp_path: Path
) -> None:
    """(S001-20): X is left by a link; what is read is private; each step says what comes next."""
    async with opened(database, tmp_path) as house:
        before = await house.ask("GET", "/x")
        early = await house.ask("POST", "/x/follow", type=OWN_TYPES[0])
        leaving, arrived = await house.connect()
        connected = [await house.ask("GET", "/x", ANNA, each) for each in ("en", "zh")]
        followed = [await house.ask("POST", "/x/follow", type=each) for each in OWN_TYPES]
        odd = await house.ask("POST", "/x/follow", type="rss")
        after = await house.ask("GET", "/x")
        bens = await house.ask("GET", "/x", BEN)
        [tokens] = await database.read("SELECT access_token, refresh_token FROM x_authorisations")
        await execute(database, "UPDATE x_authorisations SET ended_because = 'expired'")
        ended = await house.ask("GET", "/x")
        revoked = await house.ask("POST", "/x/revoke")
        gone = await house.ask("GET", "/x")

    shown = "".join(each.text for each in (arrived, *connected, after, ended))
    assert tokens["access_token"] not in shown
    assert tokens["refresh_token"] not in shown
    assert all(TEXTS["x.none"].en in each.text for each in (before, bens, gone))
    assert (early.status, odd.status, revoked.status) == (422, 404, 303)
    assert leaving.headers["Referrer-Policy"] == "no-referrer"
    assert HtmlPage(arrived.text).values("main a.main", "href") == ["/x"]
    page, chinese = (HtmlPage(each.text) for each in connected)
    assert page.texts(".notice h2") == ["Connected as @demo_reader"]
    assert TEXTS["x.renewed"].en in page.texts(".notice p")[0]
    assert TEXTS["x_scope.bookmarks"].zh in chinese.texts("main section li")
    assert page.count("form[action='/x/follow']") == len(OWN_TYPES)
    assert [each.status for each in followed] == [303] * len(OWN_TYPES)
    assert HtmlPage(after.text).texts(".list .badge") == ["followed"] * len(OWN_TYPES)
    assert "is no longer connected" in HtmlPage(ended.text).texts(".notice h2")[0]
    rows = await database.read("SELECT type, is_public, created_by FROM sources ORDER BY id")
    assert [(row["type"], row["is_public"], row["created_by"]) for row in rows] == [
        (each, 0, ANNA) for each in OWN_TYPES
    ]


@pytest.mark.slow
async def test_the_way_back_from_x_is_told_in_the_readers_language(
    database: Database, tmp_path: Path
) -> None:
    async with opened(database, tmp_path) as house:
        denied = await house.ask("GET", f"{CALLBACK}?state=old&error=1", language="zh")
        signed_out = await house.ask("GET", f"{CALLBACK}?state=old", BEN, "zh")
        english = await house.ask("GET", f"{CALLBACK}?state=old")
        _, arrived = await house.connect("zh")

    pages = [HtmlPage(each.text) for each in (denied, signed_out, english)]
    assert [each.texts("#mistake")[0] for each in pages] == [
        TEXTS["refusal.x_stale"].zh,
        TEXTS["refusal.x_signed_out"].zh,
        f"{STALE}.",
    ]
    assert TEXTS["x.for_commands"].zh in pages[0].texts("main p")
    assert (denied.status, signed_out.status) == (403, 401)
    allowed = TEXTS["x.allowed"].zh.format(handle="@demo_reader")
    assert HtmlPage(arrived.text).texts(".notice.good") == [allowed]

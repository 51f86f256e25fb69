"""The first minutes in a fresh house: a link, a password, a choice, an edition; no dead ends."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from clawfeed.api.http.application import RequestGuards, build_application
from clawfeed.app.settings.config_loading import load_config
from clawfeed.app.starter_pack import add_starter_pack
from clawfeed.app.wiring.fetching import opened_sources
from clawfeed.app.wiring.pages import page_routers, source_pages_of, source_routers
from clawfeed.auth.authentication import AccountAuthenticator, AuthenticatorConfig
from clawfeed.auth.cookies import BrowserCookies
from clawfeed.auth.csrf_token import FIELD
from clawfeed.auth.limits.action_rate_limits import SourceLimits
from clawfeed.auth.sign_in import SignIn, SignInConfig
from clawfeed.digest.driver.trigger_log import DaysTask
from clawfeed.digest.edition_config import EditionConfig
from clawfeed.digest.triggers.trigger_worker import EditionWorker, TriggerRound
from clawfeed.digest.triggers.triggers import EditionTriggers
from clawfeed.domain.people.users import User
from clawfeed.storage.database import Database, execute
from clawfeed.storage.editions.edition_metrics import save_trigger_heartbeat
from clawfeed.storage.people.users import NewUser, UserStore
from clawfeed.storage.sources.subscriptions import DefaultContent, SubscriptionStore
from clawfeed.web.first_run.welcome import FirstRunPages, welcome_routes
from clawfeed.web.sign_in.sign_in import SignInPages, sign_in_routes
from clawfeed.web.texts.all_texts import TEXTS
from tests.auth.auth_server import PASSWORD, QUICK, SITE, Browser
from tests.support.api_callers import EveryTimeAnew
from tests.support.clocks import FakeClock
from tests.support.edition_driving import driver_of
from tests.support.html_pages import HtmlPage
from tests.support.items import add_item
from tests.support.pages import a_site
from tests.support.sleeping_clock import live
from tests.support.socket_server import Client, served

TEN_MINUTES = timedelta(minutes=10)


@dataclass(frozen=True, slots=True, kw_only=True)
class FreshHouse:
    client: Client
    clock: FakeClock
    signing_in: SignIn
    worker: EditionWorker


@asynccontextmanager
async def fresh_house(database: Database, folder: Path) -> AsyncIterator[FreshHouse]:
    """As `clawfeed run` finds it in an empty folder, on a clock that the test turns."""
    config, clock = load_config({}, directory=folder), FakeClock()
    await add_starter_pack(config, database, now=clock())
    site = a_site(database, SITE, clock)

    async def default_content(user: User) -> None:
        store = SubscriptionStore(database)
        await store.follow_default(user.id, DefaultContent(), now=clock())

    signing_in = SignIn(SignInConfig(base_url=SITE), database, clock, QUICK, default_content)
    driver = driver_of(database, clock=clock)
    triggers = EditionTriggers(database, driver, EditionConfig(), clock, lambda _: False)
    first_run = FirstRunPages(
        site=site, database=database, ask=triggers.want_now, trigger_every=TEN_MINUTES
    )
    entrance = SignInPages(site=site, signing_in=signing_in, cookies=BrowserCookies.of(SITE))
    door = AccountAuthenticator(AuthenticatorConfig(base_url=SITE), database, clock)
    async with opened_sources(config, database) as tools:
        sources = source_pages_of(config, database, tools, site, SourceLimits(clock))
        app = build_application(
            "9.9",
            [
                *page_routers(site, database),
                *source_routers(sources),
                sign_in_routes(entrance),
                welcome_routes(first_run),
            ],
            RequestGuards(door=door, replays=EveryTimeAnew()),
        )
        async with served(app) as client:
            yield FreshHouse(
                client=client,
                clock=clock,
                signing_in=signing_in,
                worker=EditionWorker(
                    triggers, _round(database, triggers, clock), clock, TEN_MINUTES
                ),
            )


def _round(database: Database, triggers: EditionTriggers, clock: FakeClock) -> TriggerRound:
    async def today(_now: object) -> DaysTask:
        return DaysTask(date="2026-11-15", state=None)

    async def sign(now: object) -> None:
        await save_trigger_heartbeat(database, now)  # type: ignore[arg-type] # a moment

    return TriggerRound(triggers, clock, sign, today)


async def enter(house: FreshHouse, link: str, email: str) -> tuple[Browser, str]:
    """Set a password by a one-time link; where that leads."""
    browser = Browser(house.client)
    path = link.removeprefix(SITE)
    done = await browser.submit(path, email=email, name="Olivia", password=PASSWORD)
    return browser, done.headers["location"]


async def press(browser: Browser, page: HtmlPage, path: str, **fields: str) -> str:
    """Send a form of *page*; where that leads."""
    [token] = set(page.values(f"input[name={FIELD}]", "value"))
    answer = await browser.submit(path, **{FIELD: token or "", **fields})
    assert answer.status == 303, answer.text
    return answer.headers["location"]


async def see(browser: Browser, path: str) -> HtmlPage:
    answer = await browser.get(path)
    assert answer.status == 200, (path, answer.text)
    return HtmlPage(answer.text)


async def polled(database: Database, house: FreshHouse, *, brings: bool) -> None:
    """Every source was polled now, and some brought something."""
    now = house.clock()
    if brings:
        for source in (1, 2, 3):
            await add_item(database, source, f"news of {source}", at=now)
    await execute(database, "UPDATE sources SET last_fetched_at = :now", {"now": now.timestamp()})


async def test_from_an_empty_folder_to_the_first_edition_in_a_minute(
    database: Database, tmp_path: Path
) -> None:
    """(S001-18): what each pack contains, what is happening, and an edition within the minute.

    Whoever follows something else sees that one come, too; every step can be left out.
    """
    async with fresh_house(database, tmp_path) as house:
        link = await house.signing_in.first_admin_link() or ""
        browser, began = await enter(house, link, "op@example.org")
        welcome = await see(browser, began)
        front = await see(browser, "/")
        waiting = await see(browser, "/welcome/edition")
        await live(house.worker, house.clock, 31)
        silent = await see(browser, "/welcome/edition")

        await polled(database, house, brings=True)
        begun_at = house.clock()
        await live(house.worker, house.clock, 40)
        ready = await see(browser, "/welcome/edition")
        read = await see(browser, "/")

        await press(browser, welcome, "/sources/leave", thing="1", next="/welcome")
        fewer = await see(browser, "/welcome")
        asks = await see(browser, "/welcome/edition")
        went = await press(browser, asks, "/welcome/edition")
        making = await see(browser, went)
        await live(house.worker, house.clock, 15)
        second = await see(browser, "/welcome/edition")
        editions = await database.read("SELECT scope FROM digests WHERE type = 'daily'")

    assert began == "/welcome"
    assert welcome.texts(".pack h3") == ["Starter pack"]
    assert len(welcome.texts(".inside li")) == 16
    assert {"Hacker News", "少数派"} <= set(welcome.texts(".inside bdi"))
    assert {"/", "/welcome/edition"} <= set(welcome.values("main a", "href"))
    assert "/welcome/edition" in front.values("main a", "href")
    assert waiting.texts(".figures dd") == ["0 of 16", "0", "0"]
    assert waiting.texts("h2")[0] == TEXTS["progress.reading"].en
    assert silent.texts("h2")[0] == TEXTS["progress.silent"].en
    assert ready.texts("h2")[0] == TEXTS["progress.ready"].en
    assert (ready.count("[data-after]"), waiting.count("[data-after]")) == (0, 1)
    assert read.count(".edition") == 1
    assert read.count(".invitation") == 0  # it is one's own
    assert house.clock() - begun_at < timedelta(minutes=1)
    assert len(fewer.texts("[aria-label^=Follow]")) == 1
    assert asks.texts("h2")[0] == TEXTS["progress.ask"].en
    assert making.texts("h2")[0] == TEXTS["progress.making"].en
    assert second.texts("h2")[0] == TEXTS["progress.ready"].en
    assert len(editions) == 3  # everybody's, and one of each choice


async def test_who_comes_later_is_welcomed_once_and_nothing_is_a_dead_end(
    database: Database, tmp_path: Path
) -> None:
    """Whoever wanted a page gets that; who follows nothing, or hears nothing, reads what to do."""
    async with fresh_house(database, tmp_path) as house:
        people = UserStore(database)
        new = NewUser(email="ben@example.org", name="Ben")
        ben = await people.add(new, now=house.clock())
        browser, began = await enter(house, await house.signing_in.link_for(ben), new.email)
        wanted = await _later(house, "ben@example.org", "/")
        hashed = QUICK.hash_now(PASSWORD)
        cleo = NewUser(email="cleo@example.org", name="Cleo", password_hash=hashed)
        await people.add(cleo, now=house.clock())
        elsewhere = await _later(house, "cleo@example.org", "/digests")

        await polled(database, house, brings=False)
        silent = await see(browser, "/welcome/edition")
        welcome = await see(browser, began)
        [everything] = welcome.values(".pack input[name=thing][value*='-']", "value")
        await press(browser, welcome, "/sources/leave", thing=everything or "", next=began)
        emptied = [await see(browser, path) for path in ("/welcome", "/welcome/edition", "/")]
        posted = await browser.submit("/welcome/edition")  # without its token

    assert (began, wanted, elsewhere) == ("/welcome", "/", "/digests")
    assert "/sources" in silent.values("main a", "href")
    assert emptied[0].texts(".onward a") == [TEXTS["welcome.skip"].en]
    assert len(emptied[0].texts("[aria-label^=Follow]")) == 16
    assert emptied[1].values("main a.button.main", "href") == ["/welcome"]
    assert emptied[2].values("main a.button.main", "href") == ["/welcome"]
    assert posted.status == 403


async def _later(house: FreshHouse, email: str, wanted: str) -> str:
    fields = {"email": email, "password": PASSWORD, "next": wanted}
    answer = await Browser(house.client).submit("/login", **fields)
    return answer.headers["location"]

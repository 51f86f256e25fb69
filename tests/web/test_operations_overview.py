"""The overview of the house: its figures, and the stream that keeps them true."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from secrets import token_hex

import aiohttp
import pytest

from clawfeed.api.http.application import RequestGuards, build_application
from clawfeed.auth.authentication import AccountAuthenticator, AuthenticatorConfig
from clawfeed.auth.tokens import hash_of
from clawfeed.domain.errors import StorageError
from clawfeed.domain.ids import ChannelId
from clawfeed.runtime.stop import Stop
from clawfeed.storage.database import Database, execute
from clawfeed.storage.editions.edition_metrics import save_trigger_heartbeat
from clawfeed.storage.editions.editions import EditionStore
from clawfeed.storage.operations.overview import HouseOverview, house_overview
from clawfeed.storage.operations.troubles import TroubleRules
from clawfeed.storage.outbox.outbox_results import pause_channel
from clawfeed.storage.people.sessions import Sessions
from clawfeed.storage.polling.collector_heartbeats import save_heartbeat
from clawfeed.storage.polling.host_cooldowns import save_cooldowns
from clawfeed.storage.sources.sources import NewSource, SourceStore
from clawfeed.storage.spending.model_spend import SpendCap
from clawfeed.web.operations.event_stream import StreamPlaces
from clawfeed.web.operations.live_overview import RESTS_PER_READING, LiveOverview
from clawfeed.web.operations.overview import overview_routes
from clawfeed.web.operations.overview_context import Allowances, OperationsPages
from tests.support.api_callers import ADMIN, EveryTimeAnew, add_people
from tests.support.busy_fleet import add_busy_fleet
from tests.support.clocks import NOON, FakeClock
from tests.support.counting_database import CountingDatabase
from tests.support.editions import NEW, Rows
from tests.support.html_pages import HtmlPage
from tests.support.pages import SITE, a_site
from tests.support.ports import free_port
from tests.support.processes import running_clawfeed
from tests.support.socket_server import Client, served
from tests.support.virtual_time_loop import run_warped

MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)
TOKEN = "the-admins-session"  # noqa: S105 -- of a test's own session
COOKIE = {"Cookie": f"sid={TOKEN}"}
CHINESE = {**COOKIE, "Accept-Language": "zh"}
BROKEN = "Its server has an error of its own."
SHOWN = Allowances(
    polls_per_day=10_000,
    x_reads=500,
    model="wordy",
    model_cap=SpendCap(tokens=1_000),
    edition_interval=10 * MINUTE,
)


@dataclass(kw_only=True)
class Stage:
    """A house whose readings the test lets happen, one for each `gate.release()`."""

    database: Database
    counting: CountingDatabase
    gate: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(0))
    stop: Stop = field(default_factory=Stop)
    has_database: bool = True
    up_for: timedelta = 10 * HOUR

    async def read(self) -> HouseOverview:
        await self.gate.acquire()
        if not self.has_database:
            raise StorageError("the database is gone")
        return await house_overview(self.counting, TroubleRules(), now=NOON, up_for=self.up_for)

    @asynccontextmanager
    async def opened(self, *, each: int = 99) -> AsyncIterator[Client]:
        """With the real door, and the admin signed in by `COOKIE`."""
        await add_people(self.database)
        await Sessions(self.database).add(ADMIN, hash_of(TOKEN), client="", now=NOON)
        clock = FakeClock()
        site = a_site(self.database)
        pages = OperationsPages(
            site=site,
            live=LiveOverview(self.read, self.stop, every=timedelta(0)),
            allowances=SHOWN,
            outage=lambda: None,
            beat=timedelta(seconds=0.2),
            places=StreamPlaces(each=each, in_all=99),
        )
        door = AccountAuthenticator(AuthenticatorConfig(base_url=SITE), self.database, clock)
        guards = RequestGuards(door=door, replays=EveryTimeAnew())
        app = build_application("9.9", [overview_routes(pages)], guards)
        async with served(app) as client:
            yield client


def staged(database: Database) -> Stage:
    return Stage(database=database, counting=CountingDatabase(database))


async def furnish(database: Database) -> None:
    """A busy fleet, and one of everything else that an operator looks at."""
    await add_busy_fleet(database)
    await execute(database, "UPDATE sources SET is_public = CASE WHEN id = 2 THEN 1 ELSE 0 END")
    await execute(database, "UPDATE sources SET fetch_error_count = 0 WHERE id = 1")
    await execute(database, "UPDATE fetch_log SET inserted = 4 WHERE outcome = 'new'")
    await execute(
        database, "UPDATE fetch_log SET reason = 'broken', detail = '<b>503</b>' "
        "WHERE outcome = 'failed'"
    )  # fmt: skip
    await execute(
        database,
        "INSERT INTO fetch_log (source_id, started_at, finished_at, outcome, reason, detail, "
        "worker) VALUES (1, :at, :at, 'failed', 'timed_out', 'https://secret.example', 'w')",
        {"at": (NOON - 2 * HOUR).timestamp()},
    )
    await execute(
        database,
        "UPDATE source_stats SET lease_until = :until, leased_by = 'busy' WHERE source_id = 1",
        {"until": (NOON + HOUR).timestamp()},
    )
    await database.run(lambda: save_heartbeat("busy", now=NOON - MINUTE, owes=HOUR))
    await execute(database, "UPDATE sources SET host = 'slow.example' WHERE id = 2")
    await execute(database, "UPDATE sources SET host = 'secret.example' WHERE id = 1")
    rests = {"slow.example": NOON + 30 * MINUTE, "secret.example": NOON + HOUR}
    await database.run(lambda: save_cooldowns(rests, NOON))
    task = await EditionStore(database).get_or_add(NEW, now=NOON)
    await execute(
        database, "UPDATE edition_tasks SET last_error_code = 'database', last_error = 'full'"
    )
    rows = Rows(database)
    for position in range(20):
        done = {"state": "completed", "result": "{}"} if position < 8 else {}
        await rows.article(task, position, **done)
    await rows.batch(task, 1, 8, outcome="success", duration_seconds=9.0)
    digest = await rows.digest(task)
    channel = await rows.channel("house")
    for part, state in enumerate(("pending", "uncertain", "dead", "dead"), 1):
        await rows.message(digest, channel, part, state=state)
    shut = ChannelId(await rows.channel("shut"))
    await database.run(lambda: pause_channel(shut, "refused", "it is shut", NOON))


async def test_an_admin_sees_what_is_wrong_and_every_figure(database: Database) -> None:
    """(S003-9): each another number, so that none can stand for another."""
    stage = staged(database)
    async with stage.opened() as client:
        await furnish(database)
        stage.gate.release()
        answer = await client.get("/operations", COOKIE)
        statements = len(stage.counting.statements)
        await database.run(lambda: save_heartbeat("second", now=NOON, owes=HOUR))
        await save_trigger_heartbeat(database, NOON)
        stage.gate.release()
        chinese = HtmlPage((await client.get("/operations", CHINESE)).text)
        again = len(stage.counting.statements) - statements

    page = HtmlPage(answer.text)
    assert answer.status == 200
    assert again == statements  # whatever is listed
    assert page.texts(".verdict h2") == ["5 things need a look."]
    assert chinese.texts(".verdict h2") == ["有 4 件事需要处理。"]
    assert page.values(".verdict a", "href") == [
        "/operations/editions", "/operations/outbox?state=waiting", "/sources/2",
        "/operations/alarms", "/operations/outbox?state=dead",
    ]  # fmt: skip
    assert "clawfeed cron --loop" in page.texts(".verdict code")
    assert page.texts("#live-figures dd") == ["1", "1", "10 min", "3", "66.7 %", "4"]
    assert "within 10 s of their date, 99 of 100 within 40 s" in page.texts("#live-figures p")[0]
    assert words(page, "#live-collectors tbody tr") == [
        "busy alive 15 Nov 11:59 15 Nov 11:59 1",
    ]
    assert words(page, "#live-failure-reasons li") == [
        f"2 {BROKEN} at 1 source Resting 2 times",
        "1 Its server takes too long to answer. at 1 source a private source (number 1) 1 time",
    ]
    assert words(page, "#live-failed-sources tbody tr") == [
        f"Resting 15 Nov 11:152 times since 14 Nov 15:00 {BROKEN}<b>503</b> still fails",
        "a private source (number 1) 15 Nov 10:00 Its server takes too long to answer. works again",
    ]
    assert page.values("#live-failed-sources a", "href") == ["/sources/2"]
    assert "secret" not in answer.text
    [cadences] = page.values("#live-cadences svg", "aria-label")
    assert str(cadences).endswith(
        "P0 · 15 min: 1; P1 · 30 min: 0; P2 · 1 h: 1; P3 · 2 h: 0; P4 · 4 h: 0; P5 · 8 h: 0; "
        "P6 · 24 h: 0; not known yet: 1"
    )
    [lag] = page.values("#live-lag svg", "aria-label")
    assert "of all was 40 s; in the last hour the mean was 25 s" in str(lag)
    assert words(page, "#live-cooldowns li") == ["slow.example until 15 Nov 12:30"]
    assert "And 1 more." in page.texts("#live-cooldowns p")
    assert words(page, "#live-budgets dd") == [
        "6 of 10,000", "123 of 500", "0 of 1,000", "0.00 no limit set",
    ]  # fmt: skip
    assert words(page, "#live-editions li p") == [
        "8 of 20 stories written · 1 of 3 batches · about 20 minutes left",
        "Our database failed. full",
    ]
    assert page.texts("#live-outbox dd") == ["1", "1", "2"]


def words(page: HtmlPage, selector: str) -> list[str]:
    """What can be read there, line for line; blocks within a cell stand close to each other."""
    return [" ".join(text.split()) for text in page.texts(selector)]


async def test_a_house_that_polls_nothing_is_not_called_well(database: Database) -> None:
    """Offline from its start nobody is to blame, and no alarm rings yet."""
    stage = staged(database)
    stage.up_for = timedelta(0)
    async with stage.opened() as client:
        new = NewSource(type="rss", name="Waiting", config={"url": "https://a.example/"})
        await SourceStore(database).add(new, now=NOON)
        await database.run(lambda: save_heartbeat("alive", now=NOON, owes=HOUR))
        stage.gate.release()
        page = HtmlPage((await client.get("/operations", COOKIE)).text)

    assert page.texts(".verdict h2") == ["Nothing was polled in the last 24 hours."]
    assert page.texts(".verdict p")[0].startswith("1 source waits.")


async def test_many_open_pages_cost_one_reading_and_get_only_what_changed(
    database: Database,
) -> None:
    """Until they sign out: then each is told that it is over, and nothing is read any more."""
    stage = staged(database)
    async with stage.opened() as client, AsyncExitStack() as stack:
        await add_busy_fleet(database)
        stage.gate.release()
        await client.get("/operations", COOKIE)
        one = len(stage.counting.crossings)
        stage.counting.forget()
        streams = [
            await stack.enter_async_context(client.opened("/operations/live", headers))
            for headers in [COOKIE] * 7 + [CHINESE]
        ]

        stage.gate.release()
        first = [await event(each) for each in streams]
        after_first = len(stage.counting.crossings)
        await database.run(lambda: save_heartbeat("new one", now=NOON, owes=HOUR))
        stage.gate.release()
        second = [await event(each) for each in streams]
        after_second = len(stage.counting.crossings)
        stage.has_database = False
        stage.gate.release()
        outage = await event(streams[0])
        await Sessions(database).end(hash_of(TOKEN))
        ends = [(await each.content.read()).decode() for each in streams]
        await until(lambda: "live overview" not in tasks())

    assert (after_first, after_second) == (one, 2 * one)
    assert {each.headers["Content-Type"] for each in streams} == {
        "text/event-stream; charset=utf-8"
    }
    assert streams[0].headers["X-Accel-Buffering"] == "no"
    assert parts(first[0]) == [
        "verdict", "time", "figures", "collectors", "failure_reasons", "failed_sources",
        "cadences", "lag", "cooldowns", "budgets", "editions", "outbox", "alarms",
    ]  # fmt: skip
    assert len(set(first)) == 2  # one for each language
    assert "采集器" in first[-1]
    assert {tuple(parts(each)) for each in second} == {("verdict", "collectors")}
    assert "The database does not answer." in outage
    assert all(each.endswith("event: over\ndata: over\n\n") for each in ends)


async def test_a_person_has_so_many_streams_and_a_head_is_no_stream(database: Database) -> None:
    stage = staged(database)
    async with (
        stage.opened(each=2) as client,
        client.opened("/operations/live", COOKIE) as kept,
    ):
        async with client.opened("/operations/live", COOKIE):
            refused = await client.get("/operations/live", COOKIE)
        async with asyncio.timeout(30):
            while (head := await client.ask("HEAD", "/operations/live", COOKIE)).status == 429:
                pass  # the server has not seen yet that the second one is gone
            again = 429
            while again == 429:  # nor that a head is all that was asked for
                async with client.opened("/operations/live", COOKIE) as third:
                    again = third.status
        stage.stop.ask()
        rest = await kept.content.read()

    assert (refused.status, refused.headers["Retry-After"]) == (429, "60")
    assert (head.status, head.text, again) == (200, "", 200)
    assert rest.decode().splitlines()[0] == "retry: 3000"


@pytest.mark.slow
async def test_a_server_that_is_told_to_end_does_so_with_somebody_looking(tmp_path: Path) -> None:
    """(S000-14): the stream ends whole, and nobody waits until it would have to be cut off."""
    port, key = free_port(), token_hex(32)
    env = {"DIGEST_PORT": str(port), "API_KEY": key}
    with running_clawfeed("serve", cwd=tmp_path, env=env) as server:
        server.wait_for("listening")
        async with aiohttp.ClientSession(f"http://127.0.0.1:{port}") as session:
            headers = {"Authorization": f"Bearer {key}"}
            async with session.get("/operations/live", headers=headers) as answer:
                first = await event(answer)
                server.signal(signal.SIGTERM)
                await answer.content.read()  # raises if it is cut off
        code = server.wait()

    assert "live-verdict" in first
    assert code == 0
    assert "timeout graceful shutdown exceeded" not in server.stderr


def test_a_house_that_takes_long_to_read_is_read_less_often() -> None:
    """Looking at it takes no more than its share of the database's time."""

    async def read() -> HouseOverview:
        await asyncio.sleep(1)
        raise StorageError("nothing to tell")

    async def look() -> float:
        live, seen = LiveOverview(read, Stop()), None
        now = asyncio.get_running_loop().time
        with live.watched():
            seen = await live.news(seen)
            began = now()
            for _ in range(3):
                seen = await live.news(seen)
        return now() - began

    assert run_warped(look()) == pytest.approx(3 * (1 + RESTS_PER_READING), rel=0.2)


async def event(answer: aiohttp.ClientResponse) -> str:
    """The next message, without the comments and the word on when to come back."""
    while True:
        block = (await answer.content.readuntil(b"\n\n")).decode()
        if block.startswith("data: "):
            return "\n".join(line.removeprefix("data: ") for line in block.splitlines())


def parts(html: str) -> list[str]:
    page = HtmlPage(html)
    return [
        str(each).removeprefix("live-").replace("-", "_") for each in page.values("body > *", "id")
    ]


def tasks() -> set[str]:
    return {task.get_name() for task in asyncio.all_tasks()}


async def until(is_true: Callable[[], bool]) -> None:
    async with asyncio.timeout(30):
        while not is_true():  # noqa: ASYNC110 -- nobody tells when a task has ended
            await asyncio.sleep(0.01)

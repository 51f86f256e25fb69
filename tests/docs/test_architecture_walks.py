"""The walks of docs/architecture.md are what really happens, in this order."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from urllib.parse import urlsplit

from clawfeed.app.clock import system_clock
from clawfeed.app.settings.config_loading import load_config
from clawfeed.app.wiring.collector import opened_parts
from clawfeed.app.wiring.editions import opened_editions
from clawfeed.auth.request_actor import hand_at_the_keyboard
from clawfeed.collector.poll import PollResult
from clawfeed.domain.editions.edition import TaskState
from clawfeed.domain.people.users import Scope
from clawfeed.simulator import Every, Feed, Shape, World
from clawfeed.storage.database import Database
from clawfeed.storage.drivers.connect import StorageConfig, open_database
from clawfeed.storage.sources.sources import NewSource, SourceStore
from tests.app.whole_server import whole_house
from tests.support.clocks import FakeClock
from tests.support.counting_database import CountingDatabase
from tests.support.deliveries import add_channel, deliveries, write_edition
from tests.support.items import add_item, add_source
from tests.support.message_service import open_message_service
from tests.support.origin import on_stage
from tests.support.tracing import traced
from tests.support.walks import compare, names, on_the_way, walk

FEED = b"""<rss version="2.0"><channel><title>Tides</title>
<item><title>High</title><link>https://tides.example/1</link></item></channel></rss>"""


# A collector sleeps until the next date, which it reads once or, if a poll landed later, twice.
BESIDE_A_POLL = frozenset({"clawfeed.storage.polling.next_wakeups.next_turn_at"})
# The worker looks every second; when all channels are done, the driver publishes the edition.
BESIDE_A_DELIVERY = frozenset(
    {
        "clawfeed.storage.outbox.outbox.Outbox.look",
        "clawfeed.storage.outbox.outbox_results.OutboxResults.finished_tasks",
        "clawfeed.storage.editions.editions.EditionStore.claim",
        "clawfeed.storage.editions.edition_transitions.save_step",
        "clawfeed.storage.editions.editions.EditionStore.release",
    }
)


async def test_a_poll_goes_the_ten_steps_of_the_document(database_url: str, tmp_path: Path) -> None:
    steps = walk("One poll")
    results: list[PollResult] = []
    tides = Feed(
        id="t", path="/tides", shape=Shape.RSS20, title="Tides", plan=Every(gap=timedelta(days=1))
    )
    async with on_stage(World([tides], seed=1, clock=FakeClock()), tmp_path / "journal") as stage:
        stage.put("/tides", FEED, "application/rss+xml")
        host = urlsplit(stage.url).netloc
        counted: list[CountingDatabase] = []
        with traced(lambda: sum(len(on_the_way(each, BESIDE_A_POLL)) for each in counted)) as calls:
            # Opened within the trace: SQLite's writer is a thread, seen only if it starts here.
            counting = CountingDatabase(await open_database(StorageConfig(url=database_url)))
            new = NewSource(type="rss", name="A", config={"url": f"{stage.url}/tides"}, host=host)
            await SourceStore(counting).add(new, now=system_clock())
            config = load_config({"EGRESS_ALLOW": host}, directory=tmp_path)
            async with opened_parts(config, counting, results.append) as collecting:
                counting.forget()
                calls.clear()
                counted.append(counting)
                await collecting.collector.run_once()
        await counting.close()
        asked = [each.path for each in stage.asked()]

    assert [result.inserted for result in results] == [1]
    assert asked == ["/tides"]
    assert len(steps) == 10
    walked = on_the_way(counting, BESIDE_A_POLL)
    assert [crossing.is_write for crossing in walked] == [True, True]
    assert sum(step.is_crossing for step in steps) == len(walked)
    assert len(counting.crossings) - len(walked) in (1, 2)
    compare(steps, calls)


async def test_an_api_read_goes_the_steps_of_the_document(
    database: Database, tmp_path: Path
) -> None:
    counting = CountingDatabase(database)
    new = NewSource(type="rss", name="A", config={"url": "https://a.example/"})
    await SourceStore(database).add(new, now=system_clock())
    async with whole_house(counting, tmp_path) as house:
        headers = house.as_("anna", Scope.READ)
        await house.client.get("/api/sources", headers)  # which also notes that the key is used
        counting.forget()
        with traced(lambda: len(counting.crossings)) as calls:
            answer = await house.client.get("/api/sources", headers)

    assert [source["name"] for source in answer.json()["sources"]] == ["A"]
    steps = walk("One API read")
    assert len(steps) == 5
    assert len(counting.crossings) == sum(step.is_crossing for step in steps) == 2
    assert (counting.writes, len(counting.statements)) == (0, 2)
    compare(steps, calls)


async def test_an_edition_goes_the_steps_of_the_document(database_url: str, tmp_path: Path) -> None:
    config = load_config({"DATABASE_URL": database_url}, directory=tmp_path)
    with traced(lambda: 0) as calls:
        database = await open_database(StorageConfig(url=database_url))
        await add_item(database, await add_source(database, "a"), "High tide", at=system_clock())
        async with opened_editions(config, database) as editions:
            calls.clear()
            await editions.triggers.trigger()
            done = await editions.admin.run_to_end(hand=hand_at_the_keyboard(system_clock()))
        await database.close()

    assert done.task.state is TaskState.PUBLISHED
    steps = walk("One edition")
    named = names(steps)
    assert len(steps) == 11
    assert [name for name in calls if name in named] == named


async def test_a_delivery_goes_the_steps_of_the_document(database_url: str) -> None:
    steps = walk("One delivery")
    counted: list[CountingDatabase] = []
    async with open_message_service() as box:
        with traced(
            lambda: sum(len(on_the_way(each, BESIDE_A_DELIVERY)) for each in counted)
        ) as calls:
            counting = CountingDatabase(await open_database(StorageConfig(url=database_url)))
            await add_channel(counting, "one")
            calls.clear()
            await write_edition(counting)
            counting.forget()
            async with deliveries(counting, box.url) as out:
                counted.append(counting)
                await out.drain()
                sent = await out.states()
        await counting.close()

    assert len(box.arrived()) == 1
    assert [state for _, _, state in sent] == ["sent"]
    assert len(steps) == 10
    walked = on_the_way(counting, BESIDE_A_DELIVERY)
    assert [crossing.is_write for crossing in walked] == [True, True, False, True]
    assert sum(step.is_crossing for step in steps) == len(walked)
    compare(steps, calls)

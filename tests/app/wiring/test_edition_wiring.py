"""Editions, wired: their settings arrive, and what makes them is built once and late."""

from __future__ import annotations

import asyncio
from datetime import time, timedelta
from pathlib import Path

from clawfeed.app.processes.worker_group import Service
from clawfeed.app.settings.config_loading import load_config
from clawfeed.app.wiring.edition_driver import STORIES_AT_ONCE, stories_at_once
from clawfeed.app.wiring.editions import edition_config, opened_editions
from clawfeed.app.wiring.entry_points import opened_database, opened_product
from clawfeed.digest.driver.lazy_driver import Drives, LazyDriver
from clawfeed.domain.editions.edition import TaskState
from clawfeed.domain.editions.edition_period import EditionType
from clawfeed.storage.database import Database
from clawfeed.storage.editions.edition_metrics import last_trigger
from clawfeed.storage.editions.editions import EditionStore
from tests.support.clocks import NOON
from tests.support.edition_driving import driver_of
from tests.support.editions import NEW
from tests.support.ports import free_port
from tests.support.processes import PATIENCE_SECONDS


def test_the_settings_of_editions_arrive_where_they_are_made(tmp_path: Path) -> None:
    """(S002-1, S002-5, S002-10)."""
    settings = {
        "TIMEZONE": "Asia/Shanghai",
        "CRON_INTERVAL_MINUTES": "7",
        "TASK_BATCH_SIZE": "6",
        "MAX_RETRY_COUNT": "1",
        "EDITION_TYPES": "weekly, daily,weekly",
        "EDITION_LANGUAGE": "zh",
        "EDITION_TIME": "06:15",
        "DEFAULT_PACK": "news",
    }

    found = edition_config(load_config(settings, directory=tmp_path))

    assert (found.interval, found.batch_size, found.max_retries) == (timedelta(minutes=7), 6, 1)
    assert found.edition_types == (EditionType.WEEKLY, EditionType.DAILY)
    assert (found.zone, found.language) == ("Asia/Shanghai", "zh")
    assert (found.defaults.zone, found.defaults.language) == ("Asia/Shanghai", "zh")
    assert found.defaults.edition_time == time(6, 15)
    assert found.default_content.pack == "news"


async def test_whoever_needs_the_driver_first_builds_it_for_all(database: Database) -> None:
    """(S002-2): two readers' editions that begin together included."""
    task = await EditionStore(database).get_or_add(NEW, now=NOON)
    built = 0

    async def build() -> Drives:
        nonlocal built
        built += 1
        await asyncio.sleep(0)
        return driver_of(database)

    driver = LazyDriver(build)
    await asyncio.gather(driver.run_to_end(task.id), driver.run_to_end(task.id))

    found = await EditionStore(database).get(task.id)
    assert (built, found.state) == (1, TaskState.PUBLISHED)


async def test_the_real_driver_is_built_and_does_a_step(database: Database, tmp_path: Path) -> None:
    """On a day without any item: no empty publication (S002-17)."""
    config = load_config({"EDITION_TYPES": "daily"}, directory=tmp_path)

    async with opened_editions(config, database) as editions:
        nothing = await editions.triggers.trigger()

    assert nothing == []


async def test_where_all_is_one_process_editions_are_triggered_in_it(tmp_path: Path) -> None:
    """(S002-1): where SQLite is too old to be shared."""
    settings = {"STARTER_PACK": "false", "DIGEST_PORT": str(free_port()), "PARSE_WORKERS": "1"}
    config = load_config(settings, directory=tmp_path)

    async with opened_product(config, lambda _: None) as workers:
        service = Service(workers)
        running = asyncio.create_task(service.run())
        async with opened_database(config) as database:
            async with asyncio.timeout(PATIENCE_SECONDS):
                while await last_trigger(database) is None:  # noqa: ASYNC110 -- a row
                    await asyncio.sleep(0.01)
        service.stop()
        code = await running

    assert code == 0


def test_a_model_is_asked_as_much_at_once_as_the_operator_allows(tmp_path: Path) -> None:
    """Stories wait for a slot of the writing before they wait for one of the model."""
    few = load_config({"LLM_CONCURRENCY": "1"}, directory=tmp_path)
    many = load_config({"LLM_CONCURRENCY": "20"}, directory=tmp_path)

    assert (stories_at_once(few), stories_at_once(many)) == (STORIES_AT_ONCE, 20)

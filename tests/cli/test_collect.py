"""`clawfeed collect` and `status` as people use them, on a simulated world."""

from __future__ import annotations

import asyncio
import json
import re
import signal
from datetime import timedelta
from pathlib import Path

import pytest

from clawfeed.app.clock import system_clock
from clawfeed.simulator.faults import status
from clawfeed.storage.database import Database, execute
from clawfeed.storage.drivers.connect import StorageConfig, open_database
from tests.cli.collect_command import CollectCommand
from tests.end_to_end.fleet import count, follow, opened, running_fleet
from tests.support.databases import migrated
from tests.support.processes import running_clawfeed, wait_until

# Each starts processes; `make test` runs them.
pytestmark = pytest.mark.slow


async def test_collect_stores_what_is_due_and_the_second_time_finds_nothing(
    desk: CollectCommand,
) -> None:
    """(S001-14, S001-2, S000-8): one line per source in a pipe."""
    first, second = await desk.run("collect"), await desk.run("collect")

    assert first.returncode == second.returncode == 0
    assert [line.split(":")[0].split()[1] for line in sorted(first.stdout.splitlines())] == [
        "f0",
        "f1",
        "f2",
    ]
    assert "3 sources polled" in first.stderr
    assert (second.stdout, second.stderr) == ("", "nothing is due\n")


async def test_collect_json_is_one_object_per_source(desk: CollectCommand) -> None:
    desk.fleet.world.misbehave("/f/1", status(500))

    done = await desk.run("collect", "--json")

    results = {line["name"]: line for line in map(json.loads, done.stdout.splitlines())}
    assert results["f0"]["result"] == "fetched"
    assert results["f0"]["new"] == 4
    assert results["f1"]["result"] == "failed"
    assert results["f1"]["error"] == "the server answered 500 Internal Server Error"
    assert results["f1"]["because"] == "backing off after 1 failure"


async def test_one_source_is_polled_whatever_its_interval(desk: CollectCommand) -> None:
    """(S000-16)."""
    await desk.run("collect")

    done = await desk.run("collect", "--source", "2")

    assert done.returncode == 0
    assert done.stdout.count("\n") == 1
    assert "f1: not modified" in done.stdout
    assert len(desk.fleet.entries()) == 4


async def test_an_unknown_source_is_an_error(desk: CollectCommand) -> None:
    """(S000-16)."""
    done = await desk.run("collect", "--source", "404")

    assert done.returncode == 1
    assert done.stderr == "clawfeed: there is no source 404\n"


async def test_a_source_that_fails_by_hand_says_why_and_exits_1(desk: CollectCommand) -> None:
    desk.fleet.world.misbehave("/f/0", status(403))

    done = await desk.run("collect", "--source", "1")

    assert done.returncode == 1
    assert "failed (refused): the server answered 403 Forbidden" in done.stdout


async def test_source_and_loop_do_not_go_together(desk: CollectCommand) -> None:
    done = await desk.run("collect", "--source", "1", "--loop")

    assert done.returncode == 2
    assert "leave out --loop" in done.stderr


async def test_the_loop_says_its_tick_and_intervals_and_stops_on_sigterm(
    desk: CollectCommand,
) -> None:
    """(S000-6, S000-8, S000-14)."""
    environment = desk.fleet.environment(desk.url, FETCH_INTERVAL_RSS="60", LOG_FORMAT="json")

    with running_clawfeed("collect", "--loop", cwd=desk.folder, env=environment) as collector:
        await asyncio.to_thread(collector.wait_for, '"source polled"')
        async with opened(desk.url) as database, asyncio.timeout(20):
            while await count(database, "fetch_log") < 3:  # noqa: ASYNC110
                await asyncio.sleep(0.05)
        collector.signal(signal.SIGTERM)
        code = await asyncio.to_thread(collector.wait)

    lines = [json.loads(line) for line in collector.stderr.splitlines()]
    started = next(line for line in lines if line["event"] == "collector started")
    assert code == 0
    assert started["tick_seconds"] == 1
    assert started["intervals"]["rss"] == 60
    assert [line["count"] for line in lines if line["event"] == "sources due"] == [3]
    assert sum(line["event"] == "source polled" for line in lines) == 3
    assert "stopping" in [line["event"] for line in lines]


async def test_an_interval_in_the_config_table_counts_and_the_environment_beats_it(
    desk: CollectCommand,
) -> None:
    """(S000-2)."""
    database = await open_database(StorageConfig(url=desk.url))
    await execute(
        database,
        "INSERT INTO config (key, value, updated_at) VALUES ('fetch_interval_rss', '30', 0)",
    )
    await database.close()

    table = await desk.run("collect", "--source", "1")
    environment = await desk.run("collect", "--source", "1", FETCH_INTERVAL_RSS="90")

    assert "every 30 min (FETCH_INTERVAL_RSS)" in table.stdout
    assert "every 90 min (FETCH_INTERVAL_RSS)" in environment.stdout


@pytest.mark.slow
async def test_many_workers_share_one_sqlite_file(desk: CollectCommand) -> None:
    done = await desk.run("collect", "--workers", "2")

    assert done.returncode == 0, done.stderr
    async with opened(desk.url) as database:
        assert await count(database, "raw_items") == 12
        assert await count(database, "fetch_log") == 3


async def test_status_tells_how_each_source_does_and_why_it_waits(desk: CollectCommand) -> None:
    """(S000-18, S000-19)."""
    desk.fleet.world.misbehave("/f/1", status(500))
    await desk.run("collect", "--source", "1")
    await desk.run("collect", "--source", "2")

    shown, answer = await desk.run("status"), await desk.run("status", "--json")

    report = json.loads(answer.stdout)
    states = [source["status"] for source in report["sources"]]
    assert states == ["ok", "backing_off", "never_fetched"]
    assert report["sources"][0]["interval_minutes"] == 240
    assert re.fullmatch(r"[\d-]{10}T[\d:]{8}Z", report["sources"][0]["next_fetch_at"])
    assert report["sources"][1]["schedule_mode"] == "fixed"
    assert report["sources"][2]["next_fetch_at"] is None
    assert report["sources"][1]["last_error"]["message"].startswith("the server answered 500")
    assert report["stats"]["total_sources"] == 3
    assert (report["stats"]["fetches_24h"], report["stats"]["errors_24h"]) == (2, 1)
    assert report["stats"]["success_rate"] == 50.0
    assert "3 sources" in shown.stdout
    assert "the server answered 500" in shown.stdout


@pytest.mark.slow
async def test_a_backtest_replays_what_the_database_has_seen(desk: CollectCommand) -> None:
    """`clawfeed backtest` without traces: the stored history."""
    database = await open_database(StorageConfig(url=desk.url))
    now = system_clock().timestamp()
    for hour in range(24 * 30):
        await execute(
            database,
            "INSERT INTO seen_items (source_id, dedup_key, published_at, first_seen_at) "
            "VALUES (1, :key, :at, 0)",
            {"key": str(hour), "at": now - hour * 3600},
        )
    await database.close()

    done = await desk.run("backtest", "--policy", "forecast", "--policy", "fixed-60", "--json")

    assert done.returncode == 0, done.stderr
    results = {row["policy"]: row for row in json.loads(done.stdout)["results"]}
    assert results["forecast"]["mean"] < results["fixed-60"]["mean"]


async def test_a_backtest_without_history_says_what_is_missing(desk: CollectCommand) -> None:
    done = await desk.run("backtest")

    assert done.returncode == 1
    assert "no source has 10 dated items yet" in done.stderr


@pytest.mark.parametrize(("is_repeated", "held", "code"), [(False, 3, 0), (True, 100, 1)])
async def test_a_signal_during_one_poll_leaves_no_lease_behind(
    tmp_path: Path, is_repeated: bool, held: int, code: int
) -> None:
    """(S000-14): once asked, it ends the poll; asked again, it gives the source back at once."""
    url = f"sqlite:///{tmp_path / 'desk.db'}"
    await migrated(url)
    async with (
        running_fleet(tmp_path, 1, hold=timedelta(seconds=held)) as fleet,
        opened(url) as database,
    ):
        await follow(database, fleet)
        environment = fleet.environment(url, FETCH_TIMEOUT_SECONDS="100")

        with running_clawfeed("collect", "--source", "1", cwd=tmp_path, env=environment) as poll:
            await asyncio.to_thread(wait_until, lambda: fleet.entries() or poll.has_ended)
            poll.signal(signal.SIGTERM)
            while is_repeated and not poll.has_ended:
                await asyncio.sleep(0.7)  # sooner would be the same wish
                poll.signal(signal.SIGTERM)
            assert await asyncio.to_thread(poll.wait) == code

        assert "Traceback" not in poll.stderr
        assert ("stopping at once" in poll.stderr) is is_repeated
        assert not await is_held(database)
        assert (await count(database, "raw_items") > 0) is not is_repeated


async def is_held(database: Database) -> bool:
    return await count(database, "source_stats WHERE lease_until IS NOT NULL") > 0


async def test_a_changed_interval_counts_from_the_last_poll(desk: CollectCommand) -> None:
    """(S000-2, S000-20): nobody waits for the sake of an old setting."""
    await desk.run("collect", FETCH_INTERVAL_RSS="600")
    two_hours_ago = (system_clock() - timedelta(hours=2)).timestamp()
    async with opened(desk.url) as database:
        await execute(
            database, "UPDATE source_stats SET last_check_at = :at", {"at": two_hours_ago}
        )

    same = await desk.run("collect", FETCH_INTERVAL_RSS="600")
    shorter = await desk.run("collect", FETCH_INTERVAL_RSS="60")

    assert (same.stdout, len(shorter.stdout.splitlines())) == ("", 3)

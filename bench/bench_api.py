"""Reading a million items while a collector writes: 100 requests a second for 20 seconds.

Requests leave at their time whether or not earlier ones were answered, and their delay counts from
that time. Figures are ratios to the 99th percentile of `/healthz` in the same run. Goal: a list of
200 items at 3x or more of what FastAPI's `jsonable_encoder` serves; its response models, which
pydantic writes, are shown besides.

`--quick` takes 50,000 items. `BENCH_DATA` names a folder that keeps the database, which takes ten
minutes to make. `clawfeed serve`, the writer and we are processes of their own.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, cast

import aiohttp
from fastapi import FastAPI, Query
from starlette.types import ASGIApp, Message
from tests.support.api_callers import ANNA, NAME_TAGS, as_user
from tests.support.ports import free_port
from tests.support.processes import running_clawfeed, wait_until

from bench.item_database import build
from bench.report import report
from clawfeed.api.http.application import build_application
from clawfeed.api.items.item_schemas import ItemPage
from clawfeed.api.items.items import ItemListQuery, ItemsApi, item_routes
from clawfeed.app.clock import system_clock
from clawfeed.auth.tokens import new_key
from clawfeed.domain.people.users import Scope
from clawfeed.storage.database import Database
from clawfeed.storage.drivers.connect import StorageConfig, open_database
from clawfeed.storage.people.api_keys import ApiKeys, NewKey
from clawfeed.storage.timestamps import moment

ITEMS = 50_000 if "--quick" in sys.argv else 1_000_000
RATE, SECONDS = 100, 20
LIST = "/api/raw-items?limit=200"
PATHS = {
    "/healthz": "/healthz",
    "list, 200 items": LIST,
    "list of one source, 200 items": f"{LIST}&source_id=2",
    "search, English": f"{LIST}&q=model%20release",
    "search, Chinese": f"{LIST}&q=%E4%BA%BA%E5%B7%A5%E6%99%BA%E8%83%BD",
    "search, a word's beginning": f"{LIST}&q=secur",
    "stats of 1,800 sources": "/api/raw-items/stats",
    "for-digest, 500 items": "/api/raw-items/for-digest?limit=500",
}
ANSWERS = 150
ASKED_ALONE = 60

USUAL_SQL = """
SELECT i.id, i.source_id, s.name AS source_name, s.type AS source_type, i.title, i.url, i.author,
    i.content, i.fetched_at, i.published_at, i.metadata
FROM raw_items i CROSS JOIN sources s
WHERE s.id = i.source_id AND s.is_deleted = 0 AND (s.is_public = 1 OR s.created_by = :user_id)
ORDER BY i.fetched_at DESC, i.id DESC LIMIT :limit
"""

Delays = dict[str, list[float]]


@contextmanager
def process(*arguments: str) -> Iterator[str]:
    """A module running beside us, and the first line it said."""
    command = (sys.executable, "-m", *arguments)
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout
        try:
            yield running.stdout.readline().strip()
        finally:
            running.terminate()


@contextmanager
def filled_database() -> Iterator[Path]:
    """A database with all items; made now, unless `BENCH_DATA` has one."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(os.environ.get("BENCH_DATA", folder)) / f"items-{ITEMS}.db"
        if not path.exists():
            unfinished = path.with_suffix(".unfinished")
            asyncio.run(build(unfinished, ITEMS))
            unfinished.rename(path)
        yield path


async def load(url: str, key: str) -> Delays:
    """Ask for each path in turn, at the rate; every answer must be a good one."""
    delays: Delays = {name: [] for name in PATHS}
    headers = {"Authorization": f"Bearer {key}"}
    async with aiohttp.ClientSession(url, headers=headers) as session:
        for name, path in PATHS.items():  # open the pages of the file that all will need
            await ask(session, path, time.perf_counter(), delays[name])
        delays = {name: [] for name in PATHS}
        names = itertools.cycle(PATHS)
        started = time.perf_counter()
        async with asyncio.TaskGroup() as group:
            for number in range(RATE * SECONDS):
                due, name = started + number / RATE, next(names)
                await asyncio.sleep(max(0.0, due - time.perf_counter()))
                group.create_task(ask(session, PATHS[name], due, delays[name]))
    return delays


async def cpu_costs(url: str, key: str, pid: int) -> dict[str, float]:
    """What one answer costs the server, in milliseconds; holds on a busy machine too."""
    costs: dict[str, float] = {}
    async with aiohttp.ClientSession(url, headers={"Authorization": f"Bearer {key}"}) as session:
        for name, path in PATHS.items():
            await ask(session, path, 0.0, [])
            before = cpu_seconds(pid)
            for _ in range(ASKED_ALONE):
                await ask(session, path, 0.0, [])
            costs[name] = (cpu_seconds(pid) - before) / ASKED_ALONE * 1000
    return costs


def cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def ask(session: aiohttp.ClientSession, path: str, due: float, delays: list[float]) -> None:
    async with session.get(path) as answer:
        await answer.read()
        assert answer.status == 200, (path, answer.status)
    delays.append(time.perf_counter() - due)


def percentile(delays: list[float], share: float) -> float:
    """In milliseconds."""
    return sorted(delays)[min(len(delays) - 1, int(len(delays) * share))] * 1000


def delays_under_load(path: Path, figures: dict[str, float | str]) -> None:
    port = free_port()
    settings = {
        "DATABASE_URL": f"sqlite:///{path}",
        "DIGEST_PORT": str(port),
        "API_REQUESTS_PER_MINUTE": "0",
        "LOG_LEVEL": "warning",
    }
    key = asyncio.run(fresh_key(path))
    with running_clawfeed("serve", cwd=path.parent, env=settings) as server:
        wait_until(lambda: is_answered(port))
        costs = asyncio.run(cpu_costs(f"http://127.0.0.1:{port}", key, server.process.pid))
        with process("bench.item_database", "write", str(path), str(SECONDS + 5)):
            delays = asyncio.run(load(f"http://127.0.0.1:{port}", key))
    for name, cost in costs.items():
        figures[f"{name}: server's CPU, ms"] = cost
    floor = percentile(delays["/healthz"], 0.99)
    for name, found in delays.items():
        figures[f"{name}: p50, ms"] = percentile(found, 0.5)
        figures[f"{name}: p99, ms"] = percentile(found, 0.99)
        if name != "/healthz":
            figures[f"{name}: p99 over /healthz"] = percentile(found, 0.99) / floor


def is_answered(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


async def fresh_key(path: Path) -> str:
    """A key of the person who follows some sources."""
    database = await open_database(StorageConfig(url=f"sqlite:///{path}"))
    key = new_key()
    new = NewKey(
        user_id=ANNA, name="bench", key_id=key.key_id, key_hash=key.key_hash, last4=key.last4,
        scope=Scope.READ, expires_at=None,
    )  # fmt: skip
    await ApiKeys(database).add(new, now=system_clock())
    await database.close()
    return key.text


async def answers_per_second(app: ASGIApp) -> float:
    """Whole answers of 200 items per second of processor time, without a network between."""
    headers = [(key.lower().encode(), value.encode()) for key, value in as_user(ANNA).items()]
    scope = {
        "type": "http", "method": "GET", "path": "/api/raw-items", "raw_path": b"",
        "query_string": b"limit=200", "headers": headers, "http_version": "1.1",
        "scheme": "http", "server": ("x", 80), "client": ("x", 1), "root_path": "",
    }  # fmt: skip
    sizes: list[int] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Message) -> None:
        sizes.append(len(message.get("body", b"")))

    await app(dict(scope), receive, send)
    assert max(sizes) > 100_000, "an answer is missing"
    started = time.process_time()
    for _ in range(ANSWERS):
        await app(dict(scope), receive, send)
    return ANSWERS / (time.process_time() - started)


def usual_way(database: Database, model: type[ItemPage] | None) -> FastAPI:
    """The same rows as FastAPI's handbook has it; without a *model* by `jsonable_encoder`."""
    app = FastAPI()

    @app.get("/api/raw-items", response_model=model)
    async def list_items(wanted: Annotated[ItemListQuery, Query()]) -> object:
        rows = await database.read(USUAL_SQL, {"user_id": ANNA, "limit": wanted.limit})
        items = [_plain(dict(cast("Mapping[str, Any]", row))) for row in rows]
        return {"items": items, "next_cursor": None}

    return app


def _plain(item: dict[str, Any]) -> dict[str, Any]:
    for name in ("fetched_at", "published_at"):
        item[name] = moment(item[name])
    item["metadata"] = json.loads(item["metadata"])
    return item


async def compare(path: Path, figures: dict[str, float | str]) -> None:
    database = await open_database(StorageConfig(url=f"sqlite:///{path}"))
    routes = item_routes(ItemsApi(database=database, clock=system_clock))
    ours = await answers_per_second(build_application("0", [routes], NAME_TAGS))
    model = await answers_per_second(usual_way(database, ItemPage))
    encoder = await answers_per_second(usual_way(database, None))
    await database.close()
    figures["200 items, answers per CPU second: ours"] = ours
    figures["200 items, answers per CPU second: response model"] = model
    figures["200 items, answers per CPU second: jsonable_encoder"] = encoder
    figures["ours over the response model"] = ours / model
    figures["ours over jsonable_encoder (goal: 3 or more)"] = ours / encoder


def main() -> None:
    figures: dict[str, float | str] = {}
    with filled_database() as path:
        asyncio.run(compare(path, figures))
        delays_under_load(path, figures)
    report(f"API at {ITEMS:,} items, {RATE} requests/s", figures)


if __name__ == "__main__":
    main()

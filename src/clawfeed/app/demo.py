"""The whole product on a simulated world: no network, no key, nothing left behind."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from clawfeed.app.config import Config, load_config
from clawfeed.domain.errors import ConfigError
from clawfeed.domain.interval import OVERRIDE_PREFIX, TYPE_MINUTES
from clawfeed.simulator import cast, settings
from clawfeed.storage.database import Database
from clawfeed.storage.sources import NewSource, SourceStore

# An hour of the world in a minute of the demo, starting a day back: the news never runs out
# while somebody watches, and no date lies in the future for the first 24 minutes.
SPEED = 60
HEAD_START = timedelta(hours=24)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """Where the demo plays."""

    url: str
    environment: Mapping[str, str]
    config: Config


@asynccontextmanager
async def simulated_world(now: datetime, log: Path) -> AsyncIterator[str]:
    """A simulator in a process of its own; yields its URL."""
    start = (now - HEAD_START).isoformat()
    with log.open("ab") as stderr:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            *("-m", "clawfeed.simulator", "--port", "0", "--feeds", "0", "--own-links"),
            *("--speed", str(SPEED), "--start", start),
            stdout=asyncio.subprocess.PIPE,
            stderr=stderr,
        )
    try:
        assert process.stdout is not None  # noqa: S101 -- asked for above
        line = await process.stdout.readline()
        if not line:
            raise ConfigError(f"the simulated world could not start; see {log}")
        yield str(json.loads(line)["url"])
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()


def stage(url: str, folder: Path, *, host: str, port: int) -> Stage:
    """The settings of a product that lives in *folder* and knows only the world at *url*."""
    intervals = {f"{OVERRIDE_PREFIX}{name.upper()}": "1" for name in TYPE_MINUTES}
    environment = {
        **settings(url),
        **intervals,
        "DATABASE_URL": f"sqlite:///{folder / 'demo.db'}",
        "DIGEST_HOST": host,
        "DIGEST_PORT": str(port),
        "COLLECTOR_TICK": "5",
        "COLLECTOR_CONCURRENCY": "8",
        "HOST_SPACING_MS": "20",
        "HOST_CONCURRENCY": "8",
        "LOG_FORMAT": "json",
        "STARTER_PACK": "false",
    }
    return Stage(
        url=url, environment=environment, config=load_config(environment, directory=folder)
    )


async def follow_everything(database: Database, url: str, now: datetime) -> int:
    """Add one source of every kind; returns how many."""
    store = SourceStore(database)
    roles = cast(url)
    host = url.removeprefix("http://")
    for role in roles:
        new = NewSource(type=role.type, name=role.name, config=role.config, host=host)
        await store.add(new, now=now)
    return len(roles)

"""The whole product on a simulated world: no network, no key, nothing left behind."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from clawfeed.app.processes.supervisor import log_tail
from clawfeed.app.settings.config import Config
from clawfeed.app.settings.config_loading import load_config
from clawfeed.app.settings.setting_table import SettingTable
from clawfeed.domain.errors import ConfigError
from clawfeed.domain.schedule.interval import OVERRIDE_PREFIX, is_override_name
from clawfeed.domain.secret import Secret
from clawfeed.domain.settings.setting import FILE_SUFFIX
from clawfeed.simulator import (
    channel_settings,
    demo_sources,
    settings,
    troubled_demo_sources,
)
from clawfeed.sources.config.custom_api import HEADER_SECRETS
from clawfeed.sources.source_types.built_in import BUILT_IN
from clawfeed.storage.database import Database
from clawfeed.storage.people.users import UserStore
from clawfeed.storage.sources.sources import NewSource, SourceStore

# An hour of the world in a minute of the demo, starting half a day back: the news never runs out
# while somebody watches, no date lies in the future for the first 12 minutes, and what the first
# edition tells is mostly of the day it covers.
DEMO_SPEED = 60
HEAD_START = timedelta(hours=12)


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedWorld:
    """Where the world is: its sites and services, and its mail server."""

    url: str
    mail_url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoStage:
    """Where the demo plays. *environment* is all that its processes inherit.

    *chosen* are the settings among it, but for the operator's own key.
    """

    world: SimulatedWorld
    chosen: Mapping[str, str]
    environment: Mapping[str, str]
    config: Config


@asynccontextmanager
async def simulated_world(now: datetime, log: Path) -> AsyncIterator[SimulatedWorld]:
    """A simulator in a process of its own; yields where it is."""
    start = (now - HEAD_START).isoformat()
    with log.open("ab") as stderr:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            *("-m", "clawfeed.simulator", "--port", "0", "--feeds", "0", "--own-links"),
            *("--speed", str(DEMO_SPEED), "--start", start),
            stdout=asyncio.subprocess.PIPE,
            stderr=stderr,
        )
    try:
        assert process.stdout is not None  # noqa: S101 -- asked for above
        line = await process.stdout.readline()
        if not line:
            await process.wait()
            raise ConfigError("the simulated world could not start", *log_tail(log))
        yield SimulatedWorld(**json.loads(line))
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()


def stage(
    world: SimulatedWorld,
    folder: Path,
    *,
    host: str,
    port: int,
    environ: Mapping[str, str],
    api_key: Secret | None = None,
) -> DemoStage:
    """A product that lives in *folder* and knows only *world*.

    *api_key* is for whoever wants to try its API.

    None of the operator's settings in *environ* reach it: a demo that ran their plug-ins, or
    asked their database, would be none.
    """
    chosen = {
        **settings(world.url),
        **channel_settings(world.url, world.mail_url),
        **{
            f"{OVERRIDE_PREFIX}{each.name.upper()}": "1"
            for each in BUILT_IN
            if each.is_hot_list  # so that there is something to watch; the others are learned
        },
        # Without an account Reddit is asked once a minute, and nobody else at its host meanwhile:
        # here all sources have one host. The simulator takes any credentials.
        "REDDIT_CLIENT_ID": "simulated",
        "REDDIT_CLIENT_SECRET": "simulated",
        # Enough for a poll a minute all month; the default budget allows two an hour.
        "X_MONTHLY_READS": "1000000",
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
    key = {"API_KEY": api_key.reveal()} if api_key else {}
    return DemoStage(
        world=world,
        chosen=chosen,
        environment={**_without_settings(environ), **chosen, **key},
        config=load_config({**chosen, **key}, directory=folder),
    )


def open_to_commands(play: DemoStage, folder: Path) -> None:
    """Let `clawfeed status` and its siblings find the demo, for who runs them in *folder*."""
    told = {name: text for name, text in play.chosen.items() if name != "LOG_FORMAT"}
    path = folder / ".env"
    path.touch(mode=0o600)
    path.write_text("".join(f"{name}='{text}'\n" for name, text in told.items()), encoding="utf-8")


def _without_settings(environ: Mapping[str, str]) -> dict[str, str]:
    """What of *environ* is not about ClawFeed."""
    names = [setting.name for setting in SettingTable(BUILT_IN).all]
    ours = {name + end for name in names for end in ("", FILE_SUFFIX)}
    kept = {
        name: text
        for name, text in environ.items()
        if name not in ours and not name.startswith(HEADER_SECRETS) and not is_override_name(name)
    }
    if "PYTHONPATH" in kept:  # processes in another folder must find the same modules
        paths = kept["PYTHONPATH"].split(os.pathsep)
        kept["PYTHONPATH"] = os.pathsep.join(str(Path(path).absolute()) for path in paths)
    return kept


async def follow_everything(database: Database, url: str, now: datetime) -> int:
    """Add one source of every kind, and two that fail; returns how many."""
    store = SourceStore(database)
    roles = (*demo_sources(url), *troubled_demo_sources(url))
    host = url.removeprefix("http://")
    admin = await UserStore(database).local_admin(now=now)
    for role in roles:
        is_personal = BUILT_IN.facts(role.type).is_personal
        new = NewSource(
            type=role.type,
            name=role.name,
            config=role.config,
            host=host,
            is_public=not is_personal,
            created_by=admin.id if is_personal else None,
        )
        await store.add(new, now=now)
    return len(roles)


async def guest_link(config: Config, database: Database, now: datetime) -> str:
    """A one-time link that signs in the demo's admin, who alone has an account there.

    They have a password already, though nobody knows it: the server's start would replace the link
    of an admin without one.
    """
    from clawfeed.auth.password_hashing import Passwords
    from clawfeed.auth.tokens import hash_of, new_token, setup_link
    from clawfeed.storage.people.one_time_links import OneTimeLinks

    people = UserStore(database)
    admin = await people.local_admin(now=now)
    await people.set_password(admin.id, Passwords().hash_now(new_token()), now=now)
    token = new_token()
    await OneTimeLinks(database).add(admin.id, hash_of(token), now=now)
    return setup_link(config.server.base_url, token)

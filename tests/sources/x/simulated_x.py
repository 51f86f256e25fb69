"""A stage for X: a fetcher with a purse in memory, and a bridge at an address of its own."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path

from clawfeed.domain.schedule.read_budget import ReadRation
from clawfeed.domain.secret import Secret
from clawfeed.domain.settings.setting import SettingValues
from clawfeed.domain.sources.source import Source
from clawfeed.simulator import Fault, Misbehaviour, demo_world
from clawfeed.simulator.services.x import APP_TOKEN, USER_TOKEN
from clawfeed.sources.parsing.pool import ParsePool
from clawfeed.sources.source_types.source_type import FetcherKit
from clawfeed.sources.source_types.twitter import ENDPOINTS
from clawfeed.sources.x.endpoints import Endpoint
from clawfeed.sources.x.fetcher import Twitter, TwitterConfig
from tests.sources.simulated_world import Stage, source_of, staged
from tests.support.clocks import NOON
from tests.support.origin import door, on_stage

HANDLE = "chip_gossip"
BOTH = TwitterConfig(bearer_token=Secret(APP_TOKEN), user_token=Secret(USER_TOKEN))


@dataclass(slots=True)
class Purse:
    """A budget in memory that notes what was really asked of it."""

    limit: int = 10_000
    used: int = 0
    most: int = 0
    short: ReadRation | None = None

    async def reserve(self, wanted: int, *, at: datetime) -> int:
        del at
        granted = min(wanted, self.limit - self.used)
        self.used += granted
        self.most = max(self.most, self.used)
        return granted

    async def give_back(self, unused: int, *, at: datetime) -> None:
        del at
        self.used -= unused

    async def ration(self, *, at: datetime) -> ReadRation | None:
        del at
        return self.short


def settings(stage: Stage, *, bridges: tuple[str, ...] = ()) -> TwitterConfig:
    return replace(BOTH, api_base_url=f"{stage.url}/x", bridges=bridges)


def endpoint_of(source_type: str) -> Endpoint:
    return next(endpoint for endpoint in ENDPOINTS if endpoint.name == source_type)


def twitter(
    stage: Stage,
    parse: ParsePool,
    source_type: str = "twitter_feed",
    *,
    config: TwitterConfig | None = None,
    purse: Purse | None = None,
) -> Twitter:
    return Twitter(
        endpoint_of(source_type),
        egress=stage.egress,
        parse=parse,
        clock=stage.clock,
        settings=config or settings(stage),
        budget=purse or Purse(),
    )


def account() -> Source:
    return source_of("twitter_feed", handle=f"@{HANDLE}")


def bridge(url: str) -> str:
    return f"{url}/bridge/twitter/user/{{handle}}"


def serve_posts(stage: Stage, value: object) -> None:
    fault = Misbehaviour(
        fault=Fault.OTHER_BODY, body=json.dumps(value), content_type="application/json"
    )
    stage.world.misbehave("/x/2/users/1*", fault)


@asynccontextmanager
async def two_origins(folder: Path, *, x_limit: int = 900) -> AsyncIterator[tuple[Stage, str]]:
    """X at one address and a bridge at another, as in life: each rests for itself."""
    other = demo_world(seed=7, clock=lambda: NOON)
    async with (
        staged(folder, x_limit=x_limit) as stage,
        on_stage(other, folder / "bridge.jsonl") as bridging,
        door(stage.url, bridging.url, clock=stage.clock) as egress,
    ):
        yield replace(stage, egress=egress), bridging.url


class OpenTurns:
    """It is everybody's turn."""

    async def take(self, _host: str, _pace: timedelta, *, at: datetime) -> timedelta | None:
        del at
        return None


def fetcher_kit(stage: Stage, parse: ParsePool, settings: SettingValues) -> FetcherKit:
    """What the wiring would hand to the builders of fetchers, on *stage*."""
    return FetcherKit(
        egress=stage.egress,
        parse=parse,
        clock=stage.clock,
        settings=settings,
        header_secrets={},
        turns=OpenTurns(),
        paid_reads=lambda _api, limit: Purse(limit=limit),
        personal_tokens={},
        timeout=timedelta(seconds=20),
        max_bytes=1_000_000,
    )

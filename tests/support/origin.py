"""The simulator as an origin for fetchers: a world on loopback, and a door that leads to it."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from urllib.parse import urlsplit

from clawfeed.egress.client import Egress, EgressConfig
from clawfeed.egress.politeness import Manners
from clawfeed.simulator import Entry, Fault, Misbehaviour, World, read_journal, serve
from tests.support.clocks import FakeClock

HURRIED = Manners(at_once=20, spacing=timedelta(0))


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """A running world, its address and what it noted down."""

    world: World
    url: str
    journal: Path

    def asked(self) -> list[Entry]:
        return read_journal(self.journal)

    def put(self, path: str, body: bytes | object, content_type: str = "application/json") -> None:
        """From now on, answer *path* (or `prefix*`) with *body*: bytes, or a value for JSON."""
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.world.misbehave(path, other_body(raw, content_type))


def other_body(raw: bytes, content_type: str = "application/json") -> Misbehaviour:
    text = raw.decode("utf-8", "surrogateescape")
    return Misbehaviour(fault=Fault.OTHER_BODY, body=text, content_type=content_type)


@asynccontextmanager
async def on_stage(world: World, journal: Path) -> AsyncIterator[Stage]:
    async with serve(world, journal=journal) as origin:
        yield Stage(world=world, url=origin.url, journal=journal)


def door(*urls: str, clock: FakeClock, manners: Manners = HURRIED) -> Egress:
    """An egress that may go to these loopback addresses, and nowhere near else."""
    allow = ",".join(urlsplit(url).netloc for url in urls)
    return Egress(EgressConfig(allow=allow, manners=manners), clock=clock, dice=lambda: 0.5)

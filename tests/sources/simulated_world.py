"""A stage for fetchers: the simulated world on loopback, a door to it, and a clock for both."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

from aiohttp.abc import AbstractResolver

from clawfeed.domain.ids import JsonValue, SourceId
from clawfeed.domain.sources.item import dedup_key
from clawfeed.domain.sources.source import Fetched, NotModified, Source
from clawfeed.egress.client import Egress, EgressConfig
from clawfeed.egress.politeness import Manners
from clawfeed.simulator import Entry, Fault, Misbehaviour, World, demo_world, read_journal, serve
from clawfeed.sources.fetcher import Fetcher
from tests.support.clocks import FakeClock

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
HURRIED = Manners(at_once=50, spacing=timedelta(0))


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """A served world. What the fetcher asked for stands in `journal`."""

    world: World
    url: str
    egress: Egress
    clock: FakeClock
    journal_file: Path

    def journal(self) -> list[Entry]:
        return list(read_journal(self.journal_file))

    def answer_with(self, path: str, body: str, content_type: str = "text/html") -> None:
        """From now on *path* answers with *body* and without validators."""
        fault = Misbehaviour(fault=Fault.OTHER_BODY, body=body, content_type=content_type)
        self.world.misbehave(path, fault)


@asynccontextmanager
async def staged(
    folder: Path,
    world: World | None = None,
    *,
    x_limit: int = 900,
    resolver: AbstractResolver | None = None,
) -> AsyncIterator[Stage]:
    """The demo's world, or another one."""
    clock = FakeClock()
    world = world or demo_world(seed=7, clock=clock)
    world.clock = clock
    journal = folder / "journal.jsonl"
    async with serve(world, journal=journal, x_limit=x_limit) as origin:
        allow = origin.url.removeprefix("http://")
        config = EgressConfig(allow=allow, manners=HURRIED)
        door = Egress(config, clock=clock, dice=lambda: 0.5, resolver=resolver)
        async with door as egress:
            yield Stage(
                world=world, url=origin.url, egress=egress, clock=clock, journal_file=journal
            )


def source_of(source_type: str, **config: JsonValue) -> Source:
    return Source(id=SourceId(1), type=source_type, name="a source", config=config)


async def poll(fetcher: Fetcher, source: Source) -> tuple[Fetched | NotModified, Source]:
    """One poll, and the source as it is stored afterwards: only `Fetched` changes its cursor."""
    result = await fetcher.fetch(source)
    if isinstance(result, Fetched):
        return result, replace(source, cursor=dict(result.cursor))
    return result, source


def fetched(result: Fetched | NotModified) -> Fetched:
    assert isinstance(result, Fetched), result
    return result


def keys(result: Fetched | NotModified) -> set[str]:
    return {dedup_key(SourceId(1), draft) for draft in fetched(result).drafts}


def rss(*items: str, head: str = "") -> str:
    """A small RSS feed; each item is the XML inside `<item>`."""
    inside = "".join(f"<item>{item}</item>" for item in items)
    return f'<rss version="2.0"><channel><title>T</title>{head}{inside}</channel></rss>'

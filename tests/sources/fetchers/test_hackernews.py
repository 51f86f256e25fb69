"""Hacker News: which stories are asked for, kept and remembered."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import monotonic

import pytest
import pytest_asyncio

from clawfeed.domain.errors import Reason, SourceError
from clawfeed.domain.ids import JsonValue, SourceId
from clawfeed.domain.sources.source import Fetched, Source
from clawfeed.simulator import Fault, Misbehaviour, busy, demo_world, status
from clawfeed.sources.fetchers.hackernews import HackerNews
from clawfeed.sources.parsing.pool import ParsePool
from tests.support.clocks import NOON, FakeClock
from tests.support.fetcher_contract import FetcherContract, Post, Subject
from tests.support.origin import Stage, door, on_stage
from tests.support.parse_settings import BUILT_IN_DOCUMENTS

# One set of parse processes for the file; starting them costs more than most tests.
pytestmark = pytest.mark.asyncio(loop_scope="module")

LIST = "/hn/v0/topstories.json"
ITEM = "/hn/v0/item/{}.json"


def story(number: int, **other: object) -> dict[str, object]:
    plain = {"id": number, "type": "story", "title": f"Story {number}", "by": "ann", "score": 10}
    return {**plain, "time": 1763200000, "url": f"https://news.example/{number}", **other}


def documents(post: Post) -> Mapping[str, bytes]:
    item = story(7, title=post.title, url=post.url, by=post.author, text=post.content)
    return {
        LIST: b"[7]",
        ITEM.format(7): json.dumps({**item, "time": post.published}).encode(),
    }


class TestKeepsTheContract(FetcherContract):
    subject = Subject(
        build=lambda tools: HackerNews(
            egress=tools.egress,
            parse=tools.parse,
            clock=tools.clock,
            base_url=f"{tools.url}/hn",
            limits=tools.limits,
        ),
        config=lambda _: {"filter": "top", "min_score": 0, "limit": 5},
        documents=documents,
        key="filter",
    )


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def parse() -> AsyncIterator[ParsePool]:
    async with ParsePool(BUILT_IN_DOCUMENTS) as pool:
        yield pool


@pytest_asyncio.fixture(loop_scope="module")
async def stage(tmp_path: Path) -> AsyncIterator[Stage]:
    async with on_stage(demo_world(seed=1, clock=lambda: NOON), tmp_path / "journal") as stage:
        yield stage


@pytest_asyncio.fixture(loop_scope="module")
async def reader(stage: Stage, parse: ParsePool) -> AsyncIterator[HackerNews]:
    clock = FakeClock()
    async with door(stage.url, clock=clock) as egress:
        yield HackerNews(egress=egress, parse=parse, clock=clock, base_url=f"{stage.url}/hn/")


def source(cursor: Mapping[str, JsonValue] | None = None, **config: JsonValue) -> Source:
    return Source(id=SourceId(1), type="hackernews", name="HN", config=config, cursor=cursor or {})


def ids(outcome: Fetched) -> list[JsonValue]:
    return [draft.metadata["hn_id"] for draft in outcome.drafts]


def put(stage: Stage, *stories: dict[str, object]) -> None:
    stage.put(LIST, [one["id"] for one in stories])
    for one in stories:
        stage.put(ITEM.format(one["id"]), one)


async def test_a_story_carries_its_signals(stage: Stage, reader: HackerNews) -> None:
    """S001-3."""
    put(stage, story(7, score=0, descendants=3, text="<p>Why <b>not</b>?</p>", url=None))

    outcome = await reader.fetch(source())

    (draft,) = outcome.drafts
    page = "https://news.ycombinator.com/item?id=7"
    assert (draft.title, draft.author, draft.url) == ("Story 7", "ann", page)
    assert draft.published_at == datetime.fromtimestamp(1763200000, UTC)
    assert draft.content == "<p>Why <b>not</b>?</p>"
    assert draft.metadata == {
        "score": 0, "comments": 3, "by": "ann", "hn_id": 7, "discussion": page
    }  # fmt: skip


async def test_stories_below_the_score_are_left_and_asked_for_again(
    stage: Stage, reader: HackerNews
) -> None:
    """S001-6: scores rise."""
    put(stage, story(1, score=50), story(2, score=49), story(3, score=51))
    first = await reader.fetch(source(min_score=50))
    put(stage, story(1, score=90), story(2, score=60), story(3, score=70))

    second = await reader.fetch(source(first.cursor, min_score=50))

    assert (ids(first), ids(second)) == ([1, 3], [2])
    assert second.cursor == {"kept": [2, 1, 3]}
    asked = [entry.path for entry in stage.asked()]
    assert asked.count(ITEM.format(1)) == 1
    assert asked.count(ITEM.format(2)) == 2


async def test_a_score_of_zero_is_a_value(stage: Stage, reader: HackerNews) -> None:
    """S001-6."""
    put(stage, story(1, score=0), story(2, score=1))

    assert ids(await reader.fetch(source(min_score=0))) == [1, 2]
    assert ids(await reader.fetch(source(min_score=1))) == [2]


async def test_dead_deleted_and_missing_ones_are_no_failures(
    stage: Stage, reader: HackerNews
) -> None:
    put(stage, story(1, dead=True), story(2, deleted=True), story(3, type="comment"), story(4))
    stage.put(LIST, [1, 2, 3, 4, 5, "6", None, 4])
    stage.put(ITEM.format(5), None)
    stage.put(ITEM.format(6), story(6, type="job"))

    outcome = await reader.fetch(source())

    assert ids(outcome) == [4, 6]
    assert outcome.warnings == ()


async def test_one_broken_story_costs_only_itself(stage: Stage, reader: HackerNews) -> None:
    put(stage, story(1), story(2), story(3))
    stage.world.misbehave(ITEM.format(2), status(500))

    outcome = await reader.fetch(source())

    assert ids(outcome) == [1, 3]
    assert outcome.cursor == {"kept": [1, 3]}
    assert len(outcome.warnings) == 1


async def test_if_every_story_fails_the_poll_fails(stage: Stage, reader: HackerNews) -> None:
    stage.world.misbehave("/hn/v0/item/*", status(500))

    with pytest.raises(SourceError) as caught:
        await reader.fetch(source(limit=100))

    assert caught.value.reason is Reason.BROKEN
    # It gives up long before all sixty on the list are asked.
    assert len(stage.asked()) < 15


async def test_a_site_that_wants_rest_is_left_alone(stage: Stage, reader: HackerNews) -> None:
    """T20: what was read before is kept."""
    put(stage, *(story(number) for number in range(1, 30)))
    stage.world.misbehave(ITEM.format(6), busy(60))

    outcome = await reader.fetch(source())

    assert 0 < len(outcome.drafts) < 12
    assert len(stage.asked()) < 14


@pytest.mark.slow
async def test_slow_stories_wait_for_the_next_poll(stage: Stage, parse: ParsePool) -> None:
    """S001-12: a poll ends within its patience, with what it has."""
    clock, patience = FakeClock(), timedelta(seconds=10)
    put(stage, story(1), story(2))
    how = Misbehaviour(fault=Fault.SLOW_FIRST_BYTE, pause=timedelta(seconds=60))
    stage.world.misbehave(ITEM.format(2), how)
    async with door(stage.url, clock=clock) as egress:
        reader = HackerNews(
            egress=egress,
            parse=parse,
            clock=clock,
            base_url=f"{stage.url}/hn",
            patience=patience,
        )
        started = monotonic()

        outcome = await reader.fetch(source())

    assert ids(outcome) == [1]
    assert monotonic() - started < 40  # of 60; a busy machine may need its time


@pytest.mark.slow
async def test_only_the_wanted_number_is_asked_a_few_at_a_time(
    stage: Stage, reader: HackerNews
) -> None:
    """S001-10: four at a time, neither one nor twelve.

    Held so long that they meet on a busy machine, too.
    """
    feed = stage.world.feeds["hackernews"]
    stage.world.feeds["hackernews"] = replace(feed, hold=timedelta(seconds=0.5))

    outcome = await reader.fetch(source(filter="new", limit=12))

    asked = stage.asked()
    assert max(entry.at_origin for entry in asked) == 4
    assert asked[0].path == "/hn/v0/newstories.json"
    assert len(asked) == 1 + 12
    assert len(outcome.drafts) == 12


async def test_the_memory_of_kept_stories_is_bounded(stage: Stage, reader: HackerNews) -> None:
    put(stage, story(9999))
    old: list[JsonValue] = list(range(1, 501))

    outcome = await reader.fetch(source({"kept": old}))

    kept = outcome.cursor["kept"]
    assert isinstance(kept, list)
    assert (len(kept), kept[0]) == (500, 9999)


@pytest.mark.parametrize(
    ("config", "key"),
    [
        ({"filter": "best"}, "filter"),
        ({"min_score": -1}, "min_score"),
        ({"min_score": "50"}, "min_score"),
        ({"min_score": True}, "min_score"),
        ({"limit": 0}, "limit"),
        ({"limit": 101}, "limit"),
        ({"minscore": 5}, "minscore"),
    ],
)
async def test_a_bad_config_is_named(
    reader: HackerNews, config: dict[str, JsonValue], key: str
) -> None:
    """S001-17."""
    problems = reader.check(config)

    assert len(problems) == 1
    assert key in problems[0]

"""What every fetcher promises, whatever it reads: subclass `FetcherContract` in its test file.

    class TestKeepsTheContract(FetcherContract):
        subject = Subject(build=..., config=..., documents=..., key="subreddit")

The origin is the simulator's demo world; its answers are replaced by garbage, silence and malice.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from time import monotonic
from typing import ClassVar
from urllib.parse import urlsplit

import orjson
import pytest
import pytest_asyncio

from clawfeed.domain.errors import Reason, SourceError
from clawfeed.domain.ids import JsonValue, SourceId
from clawfeed.domain.sources.item import Draft, dedup_key
from clawfeed.domain.sources.source import Fetched, NotModified, Source
from clawfeed.egress.client import Egress
from clawfeed.egress.response_limits import Limits
from clawfeed.simulator import Fault, Misbehaviour, busy, demo_world, status
from clawfeed.sources.fetcher import Fetcher
from clawfeed.sources.parsing.pool import ParsePool
from tests.support.clocks import NOON, FakeClock
from tests.support.hostile_responses import (
    BROKEN_HTTP,
    DATES,
    FLOODS,
    NONSENSE,
    ODD_VALUES,
    SHAPES,
    SILENCES,
    STATUSES,
    WORST,
    Post,
)
from tests.support.origin import Stage, door, on_stage, other_body
from tests.support.parse_settings import BUILT_IN_DOCUMENTS
from tests.support.ports import free_port

__all__ = ["FetcherContract", "Post", "Subject", "Tools", "assert_clean", "keys"]

LONGEST_TITLE = 600
# Bidirectional overrides turn the text around them, too.
BIDI = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


@dataclass(frozen=True, slots=True, kw_only=True)
class Tools:
    """What a fetcher is built from. *url* is the origin; a fetcher may ignore *limits*."""

    egress: Egress
    parse: ParsePool
    clock: FakeClock
    url: str
    limits: Limits


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """One kind of fetcher under test.

    *config* makes a valid config for an origin's URL. *documents* writes a post as the bodies to
    serve, by path at the origin (`prefix*` allowed). *key* is any key of its config.
    *reads_any_page* says that plain HTML is no garbage to it.
    """

    build: Callable[[Tools], Fetcher]
    config: Callable[[str], Mapping[str, JsonValue]]
    documents: Callable[[Post], Mapping[str, bytes]]
    key: str
    content_type: str = "application/json"
    reads_any_page: bool = False
    is_dated: bool = True


PATIENT = Limits(total=timedelta(seconds=60), body=2_000_000)
HURRIED = Limits(total=timedelta(milliseconds=250), body=2_000_000)


@pytest.mark.asyncio(loop_scope="class")
class FetcherContract:
    """Times out, obeys the size limit, raises only `SourceError`, names equal things equally."""

    subject: ClassVar[Subject]

    @pytest_asyncio.fixture(scope="class", loop_scope="class")
    @classmethod
    async def pool(cls) -> AsyncIterator[ParsePool]:
        async with ParsePool(BUILT_IN_DOCUMENTS) as pool:
            yield pool

    @pytest_asyncio.fixture(scope="class", loop_scope="class")
    @classmethod
    async def theatre(cls, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Stage]:
        world = demo_world(seed=1, clock=lambda: NOON)
        async with on_stage(world, tmp_path_factory.mktemp("stage") / "journal") as stage:
            yield stage

    @pytest_asyncio.fixture(loop_scope="class")
    async def bench(self, theatre: Stage, pool: ParsePool) -> AsyncIterator[Bench]:
        """A fresh door and a world that behaves; the processes are shared."""
        theatre.world.behave("*")
        closed = f"http://127.0.0.1:{free_port()}"
        clock = FakeClock()
        async with door(theatre.url, closed, clock=clock) as egress:
            tools = Tools(egress=egress, parse=pool, clock=clock, url=theatre.url, limits=PATIENT)
            yield Bench(subject=self.subject, stage=theatre, tools=tools, closed_url=closed)

    async def test_an_honest_origin_gives_clean_items_with_equal_keys_twice(
        self, bench: Bench
    ) -> None:
        """S001-2."""
        first = await bench.poll()
        second = await bench.poll()

        assert isinstance(first, Fetched)
        assert isinstance(second, Fetched)
        assert first.drafts
        assert keys(first) == keys(second)
        assert len(set(keys(first))) == len(first.drafts)
        assert_clean(first)

    async def test_a_plain_post_is_read_as_it_is(self, bench: Bench) -> None:
        bench.publish(Post())

        outcome = await bench.poll()

        assert isinstance(outcome, Fetched)
        assert len(outcome.drafts) == 1
        if self.subject.is_dated:
            assert outcome.drafts[0].published_at == datetime.fromtimestamp(1763200000, UTC)

    @pytest.mark.parametrize("fault", SILENCES, ids=lambda fault: fault.name.lower())
    async def test_a_silent_origin_ends_in_time(self, bench: Bench, fault: Fault) -> None:
        """S001-12."""
        pause = timedelta(seconds=60) if fault is Fault.SLOW_FIRST_BYTE else timedelta(seconds=0.2)
        bench.all_paths(Misbehaviour(fault=fault, pause=pause))
        started = monotonic()

        error = await bench.fail(limits=HURRIED)

        assert error.reason is Reason.TIMED_OUT
        assert monotonic() - started < 30  # of 60

    @pytest.mark.parametrize("fault", FLOODS, ids=lambda fault: fault.name.lower())
    async def test_a_flood_is_cut_off(self, bench: Bench, fault: Fault) -> None:
        """S001-12."""
        bench.all_paths(Misbehaviour(fault=fault, size=20 * 1024 * 1024))

        error = await bench.fail()

        assert error.reason is Reason.TOO_LARGE

    @pytest.mark.parametrize("fault", BROKEN_HTTP, ids=lambda fault: fault.name.lower())
    async def test_broken_http_is_the_other_sides_fault(self, bench: Bench, fault: Fault) -> None:
        bench.all_paths(Misbehaviour(fault=fault, size=1024 * 1024))

        error = await bench.fail()

        assert error.reason in {Reason.UNREACHABLE, Reason.UNREADABLE, Reason.BROKEN}

    @pytest.mark.parametrize(("code", "reason"), STATUSES)
    async def test_a_refusal_is_named_by_its_status(
        self, bench: Bench, code: int, reason: Reason
    ) -> None:
        bench.all_paths(status(code))

        error = await bench.fail()

        assert (error.reason, error.status) == (reason, code)

    async def test_a_busy_origin_says_how_long_to_wait(self, bench: Bench) -> None:
        """T20."""
        bench.all_paths(busy(120))

        error = await bench.fail()

        assert (error.reason, error.wait) == (Reason.BUSY, timedelta(minutes=2))

    async def test_a_closed_port_is_unreachable(self, bench: Bench) -> None:
        error = await bench.fail(url=bench.closed_url)

        assert error.reason is Reason.UNREACHABLE

    @pytest.mark.parametrize("name", NONSENSE)
    async def test_nonsense_is_unreadable(self, bench: Bench, name: str) -> None:
        bench.all_paths(other_body(NONSENSE[name], self.subject.content_type))

        if self.subject.reads_any_page:
            await bench.survive()
        else:
            assert (await bench.fail()).reason is Reason.UNREADABLE

    @pytest.mark.parametrize("name", SHAPES)
    async def test_wrong_shapes_do_no_harm(self, bench: Bench, name: str) -> None:
        bench.all_paths(other_body(json.dumps(SHAPES[name]).encode(), self.subject.content_type))

        await bench.survive()

    @pytest.mark.parametrize("name", WORST)
    async def test_hostile_values_come_out_clean(self, bench: Bench, name: str) -> None:
        """T29, T30; and equal bytes give equal keys, however odd (S001-2)."""
        bench.publish(WORST[name])

        first, second = await bench.survive(), await bench.survive()

        assert [keys(one) for one in first] == [keys(one) for one in second]

    async def test_odd_dates_harm_nobody(self, bench: Bench) -> None:
        """Every fetcher reads dates in its own way, and keeps a post whose date makes no sense."""
        found = {}
        for name, date in DATES.items():
            bench.publish(Post(published=date))

            found[name] = sum(len(outcome.drafts) for outcome in await bench.survive())

        assert found == dict.fromkeys(DATES, 1)

    async def test_its_config_may_hold_an_interval_of_its_own(self, bench: Bench) -> None:
        """S000-23."""
        config = bench.config()

        assert bench.fetcher().check(config) == []
        assert bench.fetcher().check({**config, "fetch_interval_minutes": 15}) == []
        assert_names(bench.fetcher().check({**config, "fetch_interval_minutes": 0}), "interval")
        assert_names(bench.fetcher().check({**config, "no_such_key": 1}), "no_such_key")

    @pytest.mark.parametrize("odd", ODD_VALUES, ids=lambda odd: repr(odd)[:30])
    async def test_odd_config_is_explained_and_never_sent(
        self, bench: Bench, odd: JsonValue
    ) -> None:
        """S001-17."""
        for key in {*bench.config(), self.subject.key}:
            config = {**bench.config(), key: odd}

            problems = bench.fetcher().check(config)
            place = bench.fetcher().place(config)

            assert place == "" or place.startswith("http")
            if problems:
                assert_names(problems, key)
                assert (await bench.fail(config=config)).reason is Reason.MISCONFIGURED

    async def test_its_place_is_the_origin(self, bench: Bench) -> None:
        """S001-10."""
        place = bench.fetcher().place(bench.config())

        assert urlsplit(place).netloc == urlsplit(bench.stage.url).netloc


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """One subject in front of the stage, with everything for a poll."""

    subject: Subject
    stage: Stage
    tools: Tools
    closed_url: str

    def config(self) -> Mapping[str, JsonValue]:
        return self.subject.config(self.stage.url)

    def fetcher(self) -> Fetcher:
        return self.subject.build(self.tools)

    def all_paths(self, how: Misbehaviour) -> None:
        self.stage.world.misbehave("*", how)

    def publish(self, post: Post) -> None:
        for path, body in self.subject.documents(post).items():
            self.stage.put(path, body, self.subject.content_type)

    async def poll(
        self,
        *,
        url: str | None = None,
        limits: Limits = PATIENT,
        config: Mapping[str, JsonValue] | None = None,
    ) -> Fetched | NotModified:
        """One poll by a fresh fetcher that remembers nothing."""
        where = url or self.stage.url
        tools = Tools(
            egress=self.tools.egress,
            parse=self.tools.parse,
            clock=self.tools.clock,
            url=where,
            limits=limits,
        )
        wanted = self.subject.config(where) if config is None else config
        source = Source(id=SourceId(1), type="any", name="any", config=wanted)
        return await self.subject.build(tools).fetch(source)

    async def fail(
        self,
        *,
        url: str | None = None,
        limits: Limits = PATIENT,
        config: Mapping[str, JsonValue] | None = None,
    ) -> SourceError:
        """The `SourceError` of a poll that must not succeed."""
        with pytest.raises(SourceError) as caught:
            await self.poll(url=url, limits=limits, config=config)
        assert caught.value.reason is not Reason.OUR_BUG
        assert is_clean_text(caught.value.detail)
        return caught.value

    async def survive(self) -> tuple[Fetched, ...]:
        """What a poll brings, clean; nothing if it fails as it may."""
        try:
            outcome = await self.poll()
        except SourceError as error:
            if error.reason is not Reason.UNREADABLE:
                raise
            return ()
        if isinstance(outcome, NotModified):
            return ()
        assert_clean(outcome)
        return (outcome,)


def keys(outcome: Fetched) -> list[str]:
    return [dedup_key(SourceId(1), draft) for draft in outcome.drafts]


def assert_names(problems: list[str], key: str) -> None:
    """Each problem is one printable sentence, and one of them names *key*."""
    assert any(key in problem for problem in problems)
    for problem in problems:
        assert len(problem) < 400
        assert is_clean_text(problem)


def assert_clean(outcome: Fetched) -> None:
    """What storage and pages may rely on (T30)."""
    orjson.dumps(dict(outcome.cursor))
    for draft in outcome.drafts:
        assert_clean_draft(draft)


def assert_clean_draft(draft: Draft) -> None:
    assert draft.title.strip()
    assert len(draft.title) <= LONGEST_TITLE
    assert is_clean_text(draft.title)
    assert is_clean_text(draft.author or "")
    if draft.url is not None:
        assert urlsplit(draft.url).scheme in {"http", "https"}
        assert urlsplit(draft.url).hostname
        assert "@" not in urlsplit(draft.url).netloc
        assert is_clean_text(draft.url)
    if draft.published_at is not None:
        assert draft.published_at.utcoffset() == timedelta(0)
        assert datetime(1990, 1, 1, tzinfo=UTC) <= draft.published_at
        assert draft.published_at <= NOON + timedelta(days=2)
    draft.content.encode()
    assert "\x00" not in draft.content
    assert "<script" not in draft.content.lower()
    assert "javascript:" not in draft.content.lower()
    metadata = orjson.dumps(dict(draft.metadata)).decode()
    assert is_clean_text(metadata)
    assert "\\u0000" not in metadata


def is_clean_text(text: str) -> bool:
    """No control, no lone surrogate, nothing that turns text around."""
    return not any(unicodedata.category(c) in {"Cc", "Cs"} or c in BIDI for c in text)

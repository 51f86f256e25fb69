"""Parsing in processes that can be killed (T7, T8)."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from clawfeed.domain.errors import Reason, SourceError
from clawfeed.sources.documents.feed import FeedDocument, parse_feed
from clawfeed.sources.documents.web_page import parse_page
from clawfeed.sources.parsing import protocol as frames
from clawfeed.sources.parsing.pool import ParseConfig, ParsePool
from clawfeed.sources.parsing.worker import NICENESS
from tests.support.hostile_xml import SECRET, bombs, documents

NOW = datetime(2026, 11, 1, 12, tzinfo=UTC)
BASE = "https://site.example/feed"
FEED = b"""<rss><channel><title>Site</title><ttl>60</ttl><skipDays><day>Sunday</day></skipDays>
<item><title>One</title><link>/1</link><guid>g</guid><category>c</category>
<pubDate>Mon, 06 May 2024 07:08:09 GMT</pubDate><description>&lt;p&gt;Hi</description></item>
</channel></rss>"""
# A DTD leads to feedparser, which looks for an e-mail address in the author for 23 s.
DTD = b"<!DOCTYPE rss [<!ENTITY a 'b'>]>"
SLOW = DTD + b"<rss><channel><item><author>%s</author></item></channel></rss>" % (b"a" * 64_000)
SECOND = timedelta(seconds=1)


@pytest.fixture
async def pool() -> AsyncIterator[ParsePool]:
    async with ParsePool(ParseConfig(workers=2)) as pool:
        yield pool


async def read(pool: ParsePool, body: bytes) -> FeedDocument:
    return await pool.feed(body, content_type="", base_url=BASE, now=NOW)


async def test_a_worker_brings_what_the_parser_reads(pool: ParsePool) -> None:
    page = b"<title>P</title><link rel=alternate type=application/rss+xml href=/f title=F>"

    feed_document = await read(pool, FEED)
    page_document = await pool.page(page, content_type="", base_url=BASE)

    assert feed_document == parse_feed(FEED, content_type="", base_url=BASE, now=NOW)
    assert page_document == parse_page(page, "", BASE)


async def test_what_is_no_feed_is_unreadable_and_keeps_the_worker(pool: ParsePool) -> None:
    await read(pool, FEED)
    before = pool.pids

    with pytest.raises(SourceError, match="web page") as caught:
        await read(pool, b"<html></html>")

    assert caught.value.reason is Reason.UNREADABLE
    assert pool.pids == before


async def test_an_unknown_kind_is_our_bug(pool: ParsePool) -> None:
    with pytest.raises(SourceError) as caught:
        await pool.run("no such kind", b"", {}, dict)

    assert caught.value.reason is Reason.OUR_BUG


async def test_workers_start_when_needed_and_no_more_than_allowed(pool: ParsePool) -> None:
    assert pool.pids == frozenset()

    await two_at_work(pool)
    await asyncio.gather(*(read(pool, FEED) for _ in range(20)))

    assert len(pool.pids) == 2


async def two_at_work(pool: ParsePool) -> None:
    """Two processes that are ready and have nothing to do, not even in vain.

    On a busy machine a job is given back after 0.1 s and read elsewhere, while the first process
    still has it before it: the next job would not go there.
    """
    async with asyncio.timeout(30):
        while len(pool.pids) < 2 or any(process.load for process in pool._processes):
            await asyncio.gather(read(pool, FEED), read(pool, FEED))


async def stop_in_job(pool: ParsePool) -> FeedDocument:
    """A job whose process is stopped before it can answer, like one busy for ever."""
    idle = pool._processes[0]
    os.kill(idle.pid, signal.SIGSTOP)
    return await read(pool, FEED)


@pytest.mark.slow
async def test_a_job_over_its_wall_clock_is_killed_and_the_next_one_works() -> None:
    """(T7)."""
    async with ParsePool(ParseConfig(workers=1, wall=3 * SECOND)) as pool:
        await read(pool, FEED)
        (before,) = pool.pids

        with pytest.raises(SourceError, match=r"parse limit: not done after 3 s") as caught:
            await stop_in_job(pool)

        assert caught.value.reason is Reason.UNREADABLE
        assert (await read(pool, FEED)).title == "Site"
        assert before not in pool.pids


@pytest.mark.slow
async def test_a_job_over_its_processor_time_ends_its_process() -> None:
    """(T7)."""
    async with ParsePool(ParseConfig(workers=1, cpu=SECOND, wall=60 * SECOND)) as pool:
        with pytest.raises(SourceError, match="parse limit: the document took too much"):
            await read(pool, SLOW)

        assert (await read(pool, FEED)).title == "Site"


@pytest.mark.slow
async def test_a_job_over_its_memory_ends_its_process() -> None:
    """(T7)."""
    body = b"<rss><channel>" + b"<item><title>x</title><a/></item>" * 250_000 + b"</channel></rss>"
    patient = ParseConfig(workers=1, memory=200 * 2**20, wall=120 * SECOND, cpu=120 * SECOND)
    async with ParsePool(patient) as pool:
        with pytest.raises(SourceError, match="took too much memory"):
            await read(pool, body)

        assert (await read(pool, FEED)).title == "Site"


@pytest.mark.slow
async def test_an_entry_that_takes_too_much_memory_costs_its_own_markup_alone() -> None:
    """(T7): its formatting is left open, and looks closed to whoever counts tags."""
    evil = "".join(f"<b a{n}><select></b></select><p>word " for n in range(8000))
    items = (f"<item><title>Good</title></item><item><title>Evil</title><description>"
             f"<![CDATA[{evil}]]></description></item>")  # fmt: skip
    body = f"<rss><channel><title>Site</title>{items}</channel></rss>".encode()
    patient = ParseConfig(workers=1, memory=300 * 2**20, wall=120 * SECOND, cpu=120 * SECOND)
    async with ParsePool(patient) as pool:
        document = await read(pool, body)

    contents = {entry.title: entry.content for entry in document.entries}
    assert contents.keys() == {"Good", "Evil"}
    assert "word" in contents["Evil"]
    assert "<" not in contents["Evil"]


async def test_a_worker_killed_in_a_job_costs_that_job_alone() -> None:
    async with ParsePool(ParseConfig(workers=2, wall=60 * SECOND)) as pool:
        await two_at_work(pool)
        victim = pool._processes[0].pid
        doomed = asyncio.create_task(stop_in_job(pool))
        others = [asyncio.create_task(read(pool, FEED)) for _ in range(10)]
        await asyncio.sleep(0.05)

        os.kill(victim, signal.SIGKILL)
        results = await asyncio.gather(doomed, *others, return_exceptions=True)

        assert isinstance(results[0], SourceError)
        assert all(isinstance(result, FeedDocument) for result in results[1:])
        assert (await read(pool, FEED)).title == "Site"


async def test_who_waits_behind_a_slow_job_is_read_elsewhere() -> None:
    """A hostile document holds up its own process, not the one that came after it (T7)."""
    async with ParsePool(ParseConfig(workers=2, wall=30 * SECOND)) as pool:
        await two_at_work(pool)
        os.kill(pool._processes[0].pid, signal.SIGSTOP)

        jobs = [asyncio.create_task(read(pool, FEED)) for _ in range(12)]
        async with asyncio.timeout(25):
            while sum(job.done() for job in jobs) < 11:  # noqa: ASYNC110 - which eleven is open
                await asyncio.sleep(0.01)

        assert sum(job.done() for job in jobs) == 11
        os.kill(pool._processes[0].pid, signal.SIGCONT)
        assert [(await job).title for job in jobs] == ["Site"] * 12


async def test_who_waits_behind_a_job_that_kills_is_read_by_the_next() -> None:
    async with ParsePool(ParseConfig(workers=1, wall=30 * SECOND)) as pool:
        await read(pool, FEED)
        (victim,) = pool.pids
        os.kill(victim, signal.SIGSTOP)
        first, second = (asyncio.create_task(read(pool, FEED)) for _ in range(2))
        await asyncio.sleep(0.05)
        os.kill(victim, signal.SIGKILL)

        with pytest.raises(SourceError, match="took too much memory or time"):
            await first
        assert (await second).title == "Site"


async def test_an_answer_nobody_asked_for_ends_the_process() -> None:
    async with ParsePool(ParseConfig(workers=1)) as pool:
        await read(pool, FEED)
        (process,) = pool._processes

        process.pipe_data_received(1, frames.pack(frames.DONE_MARK, b"{}"))

        await until_none_lives(pool)
        assert (await read(pool, FEED)).title == "Site"


async def test_an_answer_without_end_ends_the_process() -> None:
    async with ParsePool(ParseConfig(workers=1)) as pool:
        await read(pool, FEED)
        (process,) = pool._processes

        process.pipe_data_received(1, b"\xff\xff\xff\xff")

        await until_none_lives(pool)
        assert (await read(pool, FEED)).title == "Site"


async def test_a_worker_killed_while_idle_costs_nothing(pool: ParsePool) -> None:
    await read(pool, FEED)
    (pid,) = pool.pids
    os.kill(pid, signal.SIGKILL)
    await until_none_lives(pool)

    assert (await read(pool, FEED)).title == "Site"


async def until_none_lives(pool: ParsePool) -> None:
    async with asyncio.timeout(30):
        while pool.pids:  # noqa: ASYNC110 - nobody sends an event when a process dies
            await asyncio.sleep(0.01)


async def test_workers_ignore_ctrl_c_and_a_polite_stop(pool: ParsePool) -> None:
    await read(pool, FEED)
    (pid,) = pool.pids

    os.kill(pid, signal.SIGINT)
    os.kill(pid, signal.SIGTERM)

    assert (await read(pool, FEED)).title == "Site"
    assert pool.pids == {pid}


async def test_a_cancelled_job_does_not_answer_the_next_one() -> None:
    async with ParsePool(ParseConfig(workers=1)) as pool:
        await read(pool, FEED)
        doomed = asyncio.create_task(stop_in_job(pool))
        await asyncio.sleep(0.05)

        doomed.cancel()
        with pytest.raises(asyncio.CancelledError):
            await doomed

        other = FEED.replace(b"Site", b"Other")
        assert (await read(pool, other)).title == "Other"


async def test_a_worker_is_replaced_after_its_share_of_jobs() -> None:
    async with ParsePool(ParseConfig(workers=1, recycle_after=3)) as pool:
        await read(pool, FEED)
        first = pool.pids
        await read(pool, FEED)
        assert pool.pids == first

        await read(pool, FEED)
        await read(pool, FEED)

        assert pool.pids.isdisjoint(first)


async def test_leaving_the_pool_ends_every_process() -> None:
    async with ParsePool() as pool:
        await asyncio.gather(read(pool, FEED), read(pool, FEED))
        pids = pool.pids

    assert not [pid for pid in pids if Path(f"/proc/{pid}").exists()]


def test_workers_end_with_a_parent_that_was_killed(tmp_path: Path) -> None:
    script = tmp_path / "parent.py"
    script.write_text(
        "import asyncio, os\n"
        "from datetime import UTC, datetime\n"
        "from clawfeed.sources.parsing.pool import ParsePool\n"
        "async def main():\n"
        "    async with ParsePool() as pool:\n"
        "        page = await pool.page(b'<title>x', content_type='', base_url='http://a.example/')\n"
        "        print(*pool.pids, flush=True)\n"
        "        os.kill(os.getpid(), 9)\n"
        "asyncio.run(main())\n"
    )

    done = subprocess.run([sys.executable, script], capture_output=True, check=False, timeout=30)

    (pid,) = map(int, done.stdout.split())
    deadline = time.monotonic() + 60
    while is_running(pid) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not is_running(pid)


def is_running(pid: int) -> bool:
    """Whether the process lives; one that ended and waits to be buried by init does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.skipif(sys.platform == "win32", reason="Windows knows no niceness")
async def test_a_worker_lets_the_collector_go_first(pool: ParsePool) -> None:
    await read(pool, FEED)
    (pid,) = pool.pids

    ours = os.getpriority(os.PRIO_PROCESS, 0)

    assert os.getpriority(os.PRIO_PROCESS, pid) == min(19, ours + NICENESS)


async def test_a_worker_sees_no_secret_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAWFEED_SECRET", "canary")
    async with ParsePool(ParseConfig(workers=1)) as pool:
        await read(pool, FEED)
        (pid,) = pool.pids

        assert b"canary" not in Path(f"/proc/{pid}/environ").read_bytes()


async def test_a_worker_cannot_open_anything(pool: ParsePool) -> None:
    """No file and no socket, whatever a parser is talked into (T8)."""
    await read(pool, FEED)
    (pid,) = pool.pids

    limits = Path(f"/proc/{pid}/limits").read_text()

    assert [line.split()[-3:-1] for line in limits.splitlines() if "open files" in line] == [
        ["0", "0"]
    ]


async def attempt(pool: ParsePool, body: bytes) -> FeedDocument | str:
    """The document, or why there is none."""
    try:
        return await read(pool, body)
    except SourceError as error:
        return f"{error.reason}: {error.detail}"


def test_a_worker_loads_nothing_that_speaks_to_the_network() -> None:
    worker = "from clawfeed.sources.parsing import worker; worker._load()"

    loaded = modules_after(worker)

    assert loaded.isdisjoint({"asyncio", "aiohttp", "clawfeed.egress", "clawfeed.storage"})


def test_the_service_loads_nothing_that_reads_what_strangers_wrote() -> None:
    """(T7) no parser in C beside the database and the secrets."""
    service = "import clawfeed.app.wiring.collector, clawfeed.app.wiring.server"

    loaded = modules_after(service)

    assert loaded.isdisjoint({"feedparser", "lxml", "trafilatura", "turbohtml"})


def modules_after(code: str) -> set[str]:
    """What a fresh interpreter has loaded once it ran *code*."""
    code = f"{code}; import sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, timeout=60)
    return set(done.stdout.decode().split())


class Canary:
    """A server on loopback that counts who calls."""

    def __init__(self) -> None:
        self.calls = 0

    async def answer(self, _reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.calls += 1
        writer.close()


async def test_hostile_documents_hang_nobody_read_no_file_and_call_nobody(pool: ParsePool) -> None:
    """(T8) what they want to call is a server of ours."""
    canary = Canary()
    async with await asyncio.start_server(canary.answer, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        await read(pool, FEED)
        before = pool.pids
        for name, body in documents(f"http://127.0.0.1:{port}/canary").items():
            outcome = await attempt(pool, body)
            assert SECRET not in repr(outcome), name
            assert "limit" not in str(outcome), name
            if isinstance(outcome, FeedDocument):
                assert_storable(outcome, name)

    assert canary.calls == 0
    assert pool.pids == before


def assert_storable(document: FeedDocument, name: str) -> None:
    """(T30)."""
    texts = repr(document).encode("utf-8")
    assert b"\\x00" not in texts, name
    for entry in document.entries:
        assert len(str(entry.metadata.get("guid", ""))) <= 512, name
        assert entry.url is None or entry.url.startswith(("http://", "https://")), name
        moment = entry.published_at
        assert (
            moment is None
            or datetime(1990, 1, 1, tzinfo=UTC) <= moment <= NOW + 2 * 24 * 3600 * SECOND
        )


@pytest.mark.slow
@pytest.mark.parametrize("name", bombs())
async def test_bombs_end_by_the_limits_and_harm_nobody_else(name: str) -> None:
    """Each ends by its limit of processor time, and the next job works (T7)."""
    body = bombs()[name]
    wrapped = b"<rss><channel><item><description><![CDATA[%s]]></description></item>" % body

    async with ParsePool(ParseConfig(workers=1, cpu=2 * SECOND, wall=60 * SECOND)) as pool:
        for hostile in (body, wrapped, DTD + body):
            outcome = await attempt(pool, hostile)
            assert isinstance(outcome, FeedDocument) or outcome.startswith("unreadable")
            assert (await read(pool, FEED)).title == "Site"


async def test_guests_leave_a_worker_to_everybody_else(pool: ParsePool) -> None:
    """(T7): two of them have long jobs, and may not hold both workers."""

    async def as_guest() -> None:
        with pool.guest():
            await read(pool, SLOW)

    while len(pool.pids) < 2:
        await asyncio.gather(*(read(pool, FEED) for _ in range(4)))
    guests = [asyncio.create_task(as_guest()) for _ in range(2)]
    await asyncio.sleep(0)

    documents = [await read(pool, FEED) for _ in range(3)]

    assert [len(document.entries) for document in documents] == [1, 1, 1]
    assert not any(guest.done() for guest in guests)
    for guest in guests:
        guest.cancel()
    await asyncio.gather(*guests, return_exceptions=True)

"""Every fault, seen at the socket (F8-F13, T5-T7, T20)."""

from __future__ import annotations

import asyncio
import fcntl
import json
import struct
import termios
import zlib
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import feedparser
import pytest

from clawfeed.simulator import Fault, Misbehaviour, Origin, World, busy, moved, read_journal, status
from clawfeed.simulator.control_api import Control
from clawfeed.simulator.response_faults import REWRITES
from clawfeed.simulator.serving.http import Request
from clawfeed.simulator.serving.wire_faults import PERFORMANCES
from tests.simulator.raw_client import connected, get, read_reply, request

PATH = "/feeds/keji-ribao.xml"
SHORT = timedelta(milliseconds=5)


# No machine is so busy that what comes at all has not come by then.
BOUND = 30


async def read_all(origin: Origin) -> bytes:
    """What comes until the server ends it."""
    async with connected(origin) as (reader, writer), asyncio.timeout(BOUND):
        writer.write(request(PATH))
        return await reader.read()


async def read_endless(origin: Origin, journal: Path, *, until: Callable[[bytes], bool]) -> bytes:
    """What comes *until* it is enough, of an answer that has not ended by then.

    That is told by the next to ask, who is the second in flight.
    """
    data = b""
    async with connected(origin) as (reader, writer), asyncio.timeout(BOUND):
        writer.write(request(PATH))
        while not until(data):
            piece = await reader.read(2**16)
            assert piece, data[-200:]
            data += piece
        async with connected(origin) as (second_reader, second):
            second.write(request(PATH))
            await second_reader.readexactly(1)
        assert read_journal(journal)[-1].in_flight == 2
    return data


def body_of(answer: bytes) -> bytes:
    return answer.partition(b"\r\n\r\n")[2]


def order(world: World, fault: Fault, **measures: object) -> None:
    world.misbehave(PATH, Misbehaviour(fault=fault, **measures))  # type: ignore[arg-type] # by name


def test_every_fault_is_played_by_somebody() -> None:
    assert REWRITES.keys() | PERFORMANCES.keys() == set(Fault)
    assert not REWRITES.keys() & PERFORMANCES.keys()


@pytest.mark.parametrize("code", [403, 404, 410, 500, 502, 503])
async def test_status_codes(origin: Origin, world: World, code: int) -> None:
    world.misbehave(PATH, status(code))

    assert (await get(origin, PATH)).status == code


async def test_redirects_lead_where_they_are_told(origin: Origin, world: World) -> None:
    world.misbehave(PATH, moved("http://127.0.0.1:1/x"), times=1)
    first = await get(origin, PATH)
    world.misbehave(PATH, moved("/opml", permanently=False), times=1)
    second = await get(origin, PATH)

    assert (first.status, first.headers["location"]) == (301, "http://127.0.0.1:1/x")
    assert (second.status, second.headers["location"]) == (302, "/opml")
    assert (await get(origin, PATH)).status == 200


@pytest.mark.parametrize(
    ("until", "header"),
    [
        (120, "120"),
        (-5, "-5"),
        (10**12, "1000000000000"),
        (datetime(2026, 11, 11, 13, tzinfo=UTC), "Wed, 11 Nov 2026 13:00:00 GMT"),
        ("soon", "soon"),
    ],
)
async def test_busy_servers_say_when_to_come_back(
    origin: Origin, world: World, until: datetime | int | str, header: str
) -> None:
    """Proves (F13, T20)."""
    world.misbehave(PATH, busy(until))

    reply = await get(origin, PATH)

    assert (reply.status, reply.headers["retry-after"]) == (429, header)


async def test_a_redirect_loop_stays_where_it_is(origin: Origin, world: World) -> None:
    """Proves (F12)."""
    order(world, Fault.REDIRECT_LOOP)

    reply = await get(origin, f"{PATH}?a=1")

    assert (reply.status, reply.headers["location"]) == (302, f"{PATH}?a=1")


async def test_a_redirect_chain_ends_after_its_hops(origin: Origin, world: World) -> None:
    """Proves (F12)."""
    order(world, Fault.REDIRECT_CHAIN, hops=5)
    reply, hops = await get(origin, PATH), 0

    while reply.status == 302:
        reply, hops = await get(origin, reply.headers["location"]), hops + 1

    assert (reply.status, hops) == (200, 5)


async def test_malformed_xml_does_not_parse(origin: Origin, world: World) -> None:
    order(world, Fault.MALFORMED_XML)

    reply = await get(origin, PATH)

    assert reply.status == 200
    assert feedparser.parse(reply.body).bozo


async def test_html_instead_of_a_feed(origin: Origin, world: World) -> None:
    order(world, Fault.HTML_INSTEAD)

    reply = await get(origin, PATH)

    assert reply.headers["content-type"].startswith("text/html")
    assert b"JavaScript" in reply.body


async def test_a_wrong_charset_is_not_what_the_label_says(origin: Origin, world: World) -> None:
    order(world, Fault.WRONG_CHARSET)

    reply = await get(origin, PATH)

    assert reply.headers["content-type"].endswith("charset=utf-8")
    with pytest.raises(UnicodeDecodeError):
        reply.body.decode()
    assert "远山科技日报" in reply.body.decode("gb18030")


async def test_an_empty_body_and_any_other(origin: Origin, world: World) -> None:
    order(world, Fault.EMPTY_BODY)
    empty = await get(origin, PATH)
    order(world, Fault.OTHER_BODY, body="<bomb/>", content_type="text/xml")
    other = await get(origin, PATH)

    assert (empty.status, empty.body) == (200, b"")
    assert (other.headers["content-type"], other.body) == ("text/xml", b"<bomb/>")


async def test_a_condition_does_not_hide_a_fault(origin: Origin, world: World) -> None:
    etag = (await get(origin, PATH)).headers["etag"]
    order(world, Fault.EMPTY_BODY)

    reply = await get(origin, PATH, if_none_match=etag)

    assert reply.status == 200


async def test_a_slow_first_byte_is_followed_by_the_rest(origin: Origin, world: World) -> None:
    order(world, Fault.SLOW_FIRST_BYTE, pause=timedelta(milliseconds=150))
    loop = asyncio.get_running_loop()
    began = loop.time()

    data = await read_all(origin)

    assert loop.time() - began >= 0.15
    assert data.endswith(b"</rss>\n")


async def test_a_body_may_drip(origin: Origin, world: World, journal: Path) -> None:
    """Proves (F10)."""
    order(world, Fault.BODY_DRIP, pause=SHORT)

    data = await read_endless(origin, journal, until=lambda data: len(body_of(data)) >= 5)

    assert data.startswith(b"HTTP/1.1 200")
    assert len(body_of(data)) < 100


async def test_a_head_may_drip(origin: Origin, world: World, journal: Path) -> None:
    """Proves (F10)."""
    order(world, Fault.HEADER_DRIP, pause=SHORT)

    data = await read_endless(origin, journal, until=lambda data: len(data) >= 5)

    assert len(data) < 100
    assert b"\r\n\r\n" not in data


async def test_a_connection_may_never_close(origin: Origin, world: World, journal: Path) -> None:
    """Proves (F10)."""
    order(world, Fault.NEVER_CLOSE, after_bytes=30)

    data = await read_endless(origin, journal, until=lambda data: len(body_of(data)) >= 30)

    assert b"Content-Length" not in data
    assert len(body_of(data)) == 30


async def test_a_body_may_be_infinite(origin: Origin, world: World, journal: Path) -> None:
    """Proves (F11)."""
    order(world, Fault.INFINITE_BODY)

    come = await read_endless(origin, journal, until=lambda data: len(data) >= 5_000_000)

    assert len(come) >= 5_000_000


async def test_a_gzip_bomb_is_small_and_unpacks_to_its_size(origin: Origin, world: World) -> None:
    """Proves (F11, T6)."""
    order(world, Fault.GZIP_BOMB, size=20 * 2**20)

    head, _, bomb = (await read_all(origin)).partition(b"\r\n\r\n")

    assert b"Content-Encoding: gzip" in head
    assert len(bomb) < 100_000
    assert len(zlib.decompress(bomb, 16 + zlib.MAX_WBITS)) == 20 * 2**20


async def test_a_truncated_body_promises_more_than_it_brings(origin: Origin, world: World) -> None:
    order(world, Fault.TRUNCATED)

    async with connected(origin) as (reader, writer):
        writer.write(request(PATH))
        with pytest.raises(asyncio.IncompleteReadError) as caught:
            await read_reply(reader)

    assert caught.value.expected is not None
    assert len(caught.value.partial) == caught.value.expected // 2


async def test_a_wrong_length_spills_over(origin: Origin, world: World, journal: Path) -> None:
    order(world, Fault.WRONG_LENGTH)

    data = await read_endless(origin, journal, until=lambda data: data.endswith(b"</rss>\n"))

    head, _, body = data.partition(b"\r\n\r\n")
    assert f"Content-Length: {len(body) // 2}".encode() in head


@pytest.mark.parametrize("after_bytes", [0, 10, 5000])
async def test_a_connection_may_be_reset(origin: Origin, world: World, after_bytes: int) -> None:
    """(F9) RST, not FIN: the client sees an error, not an end."""
    order(world, Fault.RESET, after_bytes=after_bytes)

    async with connected(origin) as (reader, writer):
        writer.write(request(PATH))
        if after_bytes:
            await reader.readexactly(after_bytes)
        with pytest.raises(ConnectionResetError):
            await reader.read()


async def test_an_answer_may_not_be_http_at_all(origin: Origin, world: World) -> None:
    order(world, Fault.GARBAGE)

    assert (await read_all(origin)).startswith(b"\x15\x03")


async def test_early_hints_may_come_for_ever(origin: Origin, world: World, journal: Path) -> None:
    """Proves (F10)."""
    order(world, Fault.EARLY_HINTS_FLOOD, pause=timedelta(milliseconds=1))

    data = await read_endless(origin, journal, until=lambda data: data.count(b"HTTP/1.1 103 ") > 10)

    assert b" 200 " not in data


async def test_headers_may_be_a_flood(origin: Origin, world: World) -> None:
    """Proves (T6)."""
    order(world, Fault.HEADER_FLOOD, size=300 * 1024)

    head = (await read_all(origin)).partition(b"\r\n\r\n")[0]

    assert head.count(b"X-Flood-") == 300
    assert len(head) > 300 * 1024


async def test_a_header_may_be_huge(origin: Origin, world: World) -> None:
    """Proves (T6)."""
    order(world, Fault.HUGE_HEADER, size=300 * 1024)

    data = await read_all(origin)

    longest = max(data.partition(b"\r\n\r\n")[0].split(b"\r\n"), key=len)
    assert longest.startswith(b"X-Huge: ")
    assert len(longest) == 300 * 1024 + len(b"X-Huge: ")


async def until_all_was_taken(writer: asyncio.StreamWriter) -> None:
    """Until the other side's kernel has acknowledged every byte, or said that nobody is there."""
    await writer.drain()
    number = writer.get_extra_info("socket").fileno()
    async with asyncio.timeout(BOUND):
        while struct.unpack("i", fcntl.ioctl(number, termios.TIOCOUTQ, bytes(4)))[0]:  # noqa: ASYNC110 -- the kernel sends no event
            await asyncio.sleep(0.001)


async def test_half_closed_the_server_still_listens(origin: Origin, world: World) -> None:
    """Proves (F10)."""
    order(world, Fault.HALF_CLOSE)

    async with connected(origin) as (reader, writer):
        writer.write(request(PATH))
        data = await reader.read()
        writer.write(b"still there?")  # a closed socket would answer with RST
        await until_all_was_taken(writer)
        writer.write(b"still there?")
        await until_all_was_taken(writer)

    head, _, body = data.partition(b"\r\n\r\n")
    assert b"Content-Length" not in head
    assert body.endswith(b"</rss>\n")


async def test_others_are_served_while_one_misbehaves(origin: Origin, world: World) -> None:
    """Proves (I9)."""
    order(world, Fault.INFINITE_BODY)

    async with connected(origin) as (_, writer):
        writer.write(request(PATH))
        replies = [await get(origin, "/feeds/night-sky.atom") for _ in range(5)]

    assert [reply.status for reply in replies] == [200] * 5


async def test_faults_come_a_number_of_times(origin: Origin, world: World) -> None:
    world.misbehave(PATH, status(500), times=2)

    assert [(await get(origin, PATH)).status for _ in range(3)] == [500, 500, 200]


async def test_a_share_of_requests_fails_the_same_way_in_every_run(world: World) -> None:
    def run() -> list[bool]:
        world.misbehave(PATH, Misbehaviour(fault=Fault.RESET, share=0.1))
        return [world.misbehaviour_for(PATH) is not None for _ in range(1000)]

    first, second = run(), run()

    assert first == second
    assert 60 < sum(first) < 140


async def test_a_star_stands_for_all_paths_below(origin: Origin, world: World) -> None:
    world.misbehave("/feeds/*", status(503))
    world.misbehave(PATH, status(410))

    assert (await get(origin, "/feeds/night-sky.atom")).status == 503
    assert (await get(origin, PATH)).status == 410
    assert (await get(origin, "/opml")).status == 200
    world.behave("*")
    assert (await get(origin, PATH)).status == 200


async def test_faults_can_be_ordered_over_http(origin: Origin) -> None:
    wish = {"path": PATH, "fault": "status", "status": 429, "retry_after": "7", "times": 1}

    taken = await get(origin, "/_control/misbehave", method="POST", body=json.dumps(wish).encode())
    replies = [await get(origin, PATH) for _ in range(2)]

    assert taken.status == 200
    assert [reply.status for reply in replies] == [429, 200]
    assert replies[0].headers["retry-after"] == "7"


@pytest.mark.parametrize(
    "body",
    [
        b"not json",
        b"[]",
        b'{"fault": "reset"}',
        b'{"path": "/", "fault": "explode"}',
        b'{"path": "/", "fault": "reset", "after_bytes": "many"}',
        b'{"path": "/", "fault": "reset", "times": "twice"}',
    ],
)
async def test_a_wish_that_cannot_be_used_is_refused(origin: Origin, body: bytes) -> None:
    reply = await get(origin, "/_control/misbehave", method="POST", body=body)

    assert reply.status == 400
    assert json.loads(reply.body)["error"]


async def test_the_stage_manager_sees_what_there_is(origin: Origin, world: World) -> None:
    faults = json.loads((await get(origin, "/_control/faults")).unpacked())
    feeds = json.loads((await get(origin, "/_control/feeds")).unpacked())

    assert faults.keys() == {fault.name.lower() for fault in Fault}
    assert [feed["id"] for feed in feeds] == list(world.feeds)
    told = await get(origin, "/_control/behave", method="POST", body=b'{"path": "*"}')
    assert told.status == 200


def test_the_stage_door_is_closed_to_strangers(world: World) -> None:
    body = b'{"path": "*", "fault": "reset"}'
    order = Request(method="POST", path="/_control/misbehave", body=body, peer="192.0.2.1")

    answer = Control(world).answer(order)

    assert answer.status == 403
    assert world.misbehaviour_for(PATH) is None

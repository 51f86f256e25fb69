"""The server itself: conditions, encodings, connections."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from clawfeed.simulator import Origin, World, serve
from tests.simulator.conftest import HandClock
from tests.simulator.raw_client import connected, get, read_reply, request

PATH = "/feeds/harbour-times.xml"


async def test_an_unchanged_document_is_not_sent_again(origin: Origin, clock: HandClock) -> None:
    first = await get(origin, PATH)
    etag, date = first.headers["etag"], first.headers["last-modified"]

    by_tag = await get(origin, PATH, if_none_match=f'"other", W/{etag}')
    by_date = await get(origin, PATH, if_modified_since=date)
    tag_wins = await get(origin, PATH, if_none_match='"other"', if_modified_since=date)
    clock.pass_time(timedelta(hours=2))
    changed = await get(origin, PATH, if_none_match=etag)

    assert (by_tag.status, by_date.status, tag_wins.status) == (304, 304, 200)
    assert by_tag.body == b""
    assert by_tag.headers["etag"] == etag
    assert changed.status == 200
    assert changed.headers["etag"] != etag


async def test_gzip_is_sent_to_those_who_accept_it(origin: Origin) -> None:
    plain = await get(origin, PATH)
    packed = await get(origin, PATH, accept_encoding="gzip, deflate")

    assert "content-encoding" not in plain.headers
    assert packed.headers["content-encoding"] == "gzip"
    assert len(packed.body) < len(plain.body) / 2
    assert packed.unpacked() == plain.body
    assert packed.headers["etag"] == f"W/{plain.headers['etag']}"


async def test_head_tells_the_length_and_keeps_the_body(origin: Origin) -> None:
    whole = await get(origin, PATH)

    async with connected(origin) as (reader, writer):
        writer.write(request(PATH, method="HEAD", connection="close"))
        reply = await read_reply(reader, has_body=False)
        rest = await reader.read()

    assert reply.headers["content-length"] == str(len(whole.body))
    assert rest == b""


async def test_pipelined_requests_are_answered_in_order(world: World) -> None:
    slow = replace(world.feeds["night-sky"], hold=timedelta(milliseconds=50))
    world = World([slow, world.feeds["lab-bench"]], seed=1, clock=world.clock)

    async with serve(world) as origin, connected(origin) as (reader, writer):
        writer.write(request(slow.path) + request("/feeds/lab-bench.atom") + request("/nothing"))
        replies = [await read_reply(reader) for _ in range(3)]

    assert "2005/Atom" in replies[0].text
    assert "purl.org/atom" in replies[1].text
    assert replies[2].status == 404


async def test_a_request_may_come_byte_by_byte(origin: Origin) -> None:
    async with connected(origin) as (reader, writer):
        for byte in request(PATH):
            writer.write(bytes([byte]))
            await asyncio.sleep(0)
        reply = await read_reply(reader)

    assert reply.status == 200


async def test_the_connection_closes_when_the_client_asks(origin: Origin) -> None:
    async with connected(origin) as (reader, writer):
        writer.write(request(PATH, connection="close"))
        await read_reply(reader)
        rest = await reader.read()

    assert rest == b""


@pytest.mark.parametrize(
    "nonsense",
    [
        b"\x16\x03\x01\x02\x00\r\n\r\n",
        b"GET /\r\n\r\n",
        b"GET / SPDY/3\r\n\r\n",
        b"GET / HTTP/1.1\r\nContent-Length: many\r\n\r\n",
        b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"x" * 70_000,
    ],
)
async def test_nonsense_is_refused(origin: Origin, nonsense: bytes) -> None:
    async with connected(origin) as (reader, writer):
        writer.write(nonsense)
        reply = await read_reply(reader)

    assert reply.status == 400


async def test_leaving_cuts_every_connection(world: World) -> None:
    async with serve(world) as origin:
        host, port = origin.url.removeprefix("http://").split(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(request(PATH))
        await read_reply(reader)

    with pytest.raises(ConnectionError):
        await asyncio.open_connection(host, int(port))
    assert await reader.read() == b""
    writer.close()


async def test_a_demo_can_be_clicked(world: World) -> None:
    async with serve(world, own_links=True) as origin:
        link = world.keys(world.feeds["harbour-times"])[0]
        reply = await get(origin, link.removeprefix(origin.url))

    assert link.startswith(origin.url)
    assert reply.status == 200

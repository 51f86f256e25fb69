"""Servers that want to be expensive: each is ended by a limit and its slot is free again (T6)."""

from __future__ import annotations

import asyncio
import gzip
import tracemalloc
import zlib
from collections.abc import Callable
from datetime import timedelta
from time import monotonic

import brotli  # type: ignore[import-untyped]  # ships no types
import pytest

from clawfeed.domain.errors import EgressError, Reason
from clawfeed.egress.politeness import Manners
from clawfeed.egress.request_and_response import Request
from clawfeed.egress.response_limits import Limits
from tests.egress.loopback_servers import Asked, Exchange, Handler, answering, new_egress, serving

CAP = 500_000
ZEROS = b"\0" * (1 << 20)
SHORT = timedelta(seconds=0.5)


def _gzip_bomb(megabytes: int) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    return b"".join([packer.compress(ZEROS) for _ in range(megabytes)] + [packer.flush()])


def _raw_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return packer.compress(data) + packer.flush()


def _brotli_bomb(megabytes: int) -> bytes:
    packer = brotli.Compressor(quality=5)
    return b"".join([packer.process(ZEROS) for _ in range(megabytes)]) + bytes(packer.finish())


BOMBS: dict[str, tuple[str, Callable[[], bytes]]] = {
    "gzip": ("gzip", lambda: _gzip_bomb(128)),
    "gzip members": ("gzip", lambda: _gzip_bomb(1) * 200),
    "zlib": ("deflate", lambda: zlib.compress(ZEROS * 64, 9)),
    "raw deflate": ("deflate", lambda: _raw_deflate(ZEROS * 64)),
    "brotli": ("br", lambda: _brotli_bomb(128)),
}


async def _ask(handler: Handler, limits: Limits) -> bytes:
    async with serving(handler) as server, new_egress(dial=Exchange(server)) as egress:
        return (await egress.request(Request(url="http://public.example/", limits=limits))).body


@pytest.mark.parametrize("name", BOMBS)
async def test_a_bomb_is_capped_without_growing_us(name: str) -> None:
    """F11: stopped at the decompressed cap; our memory peaks below 10 MB."""
    encoding, make = BOMBS[name]
    handler = answering(200, make(), content_encoding=encoding)
    tracemalloc.start()

    try:
        with pytest.raises(EgressError) as caught:
            await _ask(handler, Limits())
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert caught.value.reason is Reason.TOO_LARGE
    assert peak < 10_000_000


async def test_an_error_page_that_is_too_large_still_brings_its_status() -> None:
    async with (
        serving(answering(404, b"x" * 600_000)) as server,
        new_egress(dial=Exchange(server)) as egress,
    ):
        response = await egress.request(Request(url="http://public.example/"))

    assert response.status == 404
    assert len(response.body) <= CAP


async def test_a_body_of_exactly_the_cap_is_taken() -> None:
    body = await _ask(answering(200, gzip.compress(b"a" * CAP), content_encoding="gzip"), Limits())

    assert len(body) == CAP


def _endless(head: bytes, piece: bytes, pause: float = 0.0) -> Handler:
    async def handler(_: Asked, writer: asyncio.StreamWriter) -> None:
        writer.write(head)
        while True:
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(pause)

    return handler


_OK = b"HTTP/1.1 200 OK\r\n"
_GZIP_HEAD = _OK + b"content-encoding: gzip\r\n\r\n"
ENDLESS: dict[str, tuple[Handler, Reason]] = {
    "infinite body": (_endless(_OK + b"\r\n", b"x" * 65536), Reason.TOO_LARGE),
    "infinite chunks": (
        _endless(_OK + b"transfer-encoding: chunked\r\n\r\n", b"1000\r\n" + b"x" * 4096 + b"\r\n"),
        Reason.TOO_LARGE,
    ),
    "empty members": (_endless(_GZIP_HEAD, gzip.compress(b"") * 100), Reason.UNREADABLE),
    "body drip": (_endless(_OK + b"\r\n", b"x", 0.01), Reason.TIMED_OUT),
    "gzip drip": (_endless(_GZIP_HEAD + gzip.compress(b"a")[:10], b"", 0.01), Reason.TIMED_OUT),
    "header drip": (_endless(_OK, b"x", 0.01), Reason.TIMED_OUT),
    "header flood": (_endless(_OK, b"a: b\r\n" * 100), Reason.UNREADABLE),
    "one long header": (_endless(_OK, b"a" * 65536), Reason.TOO_LARGE),
    "1xx flood": (_endless(b"", b"HTTP/1.1 103 Early Hints\r\n\r\n" * 10), Reason.UNREADABLE),
    "never closes": (_endless(_OK + b"\r\nall there is", b"", 0.05), Reason.TIMED_OUT),
    "silence": (_endless(b"", b"", 0.05), Reason.TIMED_OUT),
    "announced giant": (
        _endless(_OK + b"content-length: 99999999999\r\n\r\n", b"", 0.05),
        Reason.TOO_LARGE,
    ),
}


@pytest.mark.parametrize("name", ENDLESS)
async def test_an_endless_answer_ends_in_time_and_frees_its_slot(name: str) -> None:
    """F10, S001-12: the total limit covers it all; the next request gets its turn."""
    handler, reason = ENDLESS[name]
    started = monotonic()
    manners = Manners(at_once=1, spacing=timedelta(0), patience=timedelta(seconds=5))
    total = SHORT if reason is Reason.TIMED_OUT else timedelta(seconds=15)
    request = Request(url="http://public.example/", limits=Limits(total=total))

    async with (
        serving(handler) as server,
        new_egress(dial=Exchange(server), manners=manners) as egress,
    ):
        for _ in range(2):
            with pytest.raises(EgressError) as caught:
                await egress.request(request)

            assert caught.value.reason in {reason, Reason.TOO_LARGE}

    assert caught.value.reason is reason
    assert monotonic() - started < 20  # endless otherwise; a busy machine may need its time


async def test_the_total_limit_counts_across_redirects() -> None:
    async def handler(asked: Asked, writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(0.2)
        writer.write(b"HTTP/1.1 302 X\r\nlocation: /" + asked.path.encode()[1:] + b"x\r\n")
        writer.write(b"content-length: 0\r\n\r\n")

    started = monotonic()
    with pytest.raises(EgressError) as caught:
        await _ask(handler, Limits(total=timedelta(seconds=0.5)))

    assert caught.value.reason is Reason.TIMED_OUT
    assert monotonic() - started < 20


async def test_a_cancelled_request_frees_its_slot() -> None:
    manners = Manners(at_once=1, spacing=timedelta(0), patience=timedelta(seconds=0.2))
    silent = _endless(b"", b"", 0.05)
    async with (
        serving(silent) as server,
        new_egress(dial=Exchange(server), manners=manners) as egress,
    ):
        task = asyncio.create_task(egress.request(Request(url="http://public.example/")))
        while not server.seen:  # noqa: ASYNC110 -- a server that is asked sends no event
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

        with pytest.raises(EgressError) as caught:
            await egress.request(Request(url="http://public.example/", limits=Limits(total=SHORT)))

    assert caught.value.reason is Reason.TIMED_OUT  # it was asked: BUSY would mean no slot

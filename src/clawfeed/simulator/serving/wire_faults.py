"""Faults in the HTTP itself: what is done to the bytes of a correct response.

A performance that returns closes the connection; one that goes on ends when the client leaves.
"""

from __future__ import annotations

import asyncio
import functools
import zlib
from collections.abc import Awaitable, Callable, Mapping

from clawfeed.simulator.faults import MIB, Fault, Misbehaviour
from clawfeed.simulator.serving.http import Response, Wire
from clawfeed.simulator.serving.responses import GZIP

Perform = Callable[[Wire, Response, Misbehaviour], Awaitable[None]]

# So that bytes sent before an RST arrive before it.
BEFORE_RESET = 0.05
BOMB_PREFIX = b'<?xml version="1.0"?><rss version="2.0"><channel><title>'
TLS_ALERT = b"\x15\x03\x01\x00\x02\x02\x28" + bytes(range(256))
EARLY_HINT = b"HTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload\r\n\r\n"


async def _slow_first_byte(wire: Wire, response: Response, how: Misbehaviour) -> None:
    await asyncio.sleep(how.pause.total_seconds())
    await wire.send(response.encode())


async def _body_drip(wire: Wire, response: Response, how: Misbehaviour) -> None:
    await wire.send(response.head())
    await _drip(wire, response.body, how)


async def _header_drip(wire: Wire, response: Response, how: Misbehaviour) -> None:
    await _drip(wire, response.encode(), how)


async def _drip(wire: Wire, data: bytes, how: Misbehaviour) -> None:
    for place in range(len(data)):
        await wire.send(data[place : place + 1])
        await asyncio.sleep(how.pause.total_seconds())


async def _never_close(wire: Wire, response: Response, how: Misbehaviour) -> None:
    await wire.send(response.head(without="Content-Length") + response.body[: how.after_bytes])
    await wire.wait_for_ever()


async def _infinite_body(wire: Wire, response: Response, how: Misbehaviour) -> None:
    del how
    await wire.send(_plain_head(response) + BOMB_PREFIX)
    while True:
        await wire.send(b"and on " * 9362)  # just under 64 KiB


async def _gzip_bomb(wire: Wire, response: Response, how: Misbehaviour) -> None:
    bomb = gzip_bomb(how.size)
    headers = (
        ("Content-Type", "application/rss+xml"),
        ("Content-Encoding", "gzip"),
        ("Content-Length", str(len(bomb))),
    )
    await wire.send(Response(status=response.status, headers=headers, body=bomb).encode())


@functools.lru_cache(maxsize=2)
def gzip_bomb(size: int) -> bytes:
    """A gzip file that unpacks to *size* bytes of XML beginning, valid to its checksum.

    One full-flushed MiB is compressed once and repeated, so that 1 GiB costs a second, not ten.
    """
    packer = zlib.compressobj(9, zlib.DEFLATED, GZIP)
    head = packer.compress(BOMB_PREFIX.ljust(MIB)) + packer.flush(zlib.Z_FULL_FLUSH)
    blank = b" " * MIB
    block = packer.compress(blank) + packer.flush(zlib.Z_FULL_FLUSH)
    blocks = max(0, size // MIB - 1)
    checksum = zlib.crc32(BOMB_PREFIX.ljust(MIB))
    for _ in range(blocks):
        checksum = zlib.crc32(blank, checksum)
    last = b"\x03\x00"  # an empty final block
    length = (blocks + 1) * MIB % 2**32
    return (
        head + block * blocks + last + checksum.to_bytes(4, "little") + length.to_bytes(4, "little")
    )


async def _truncated(wire: Wire, response: Response, how: Misbehaviour) -> None:
    del how
    await wire.send(response.head() + response.body[: len(response.body) // 2])


async def _wrong_length(wire: Wire, response: Response, how: Misbehaviour) -> None:
    del how
    told = len(response.body) // 2
    head = response.head(without="Content-Length").removesuffix(b"\r\n")
    await wire.send(head + f"Content-Length: {told}\r\n\r\n".encode() + response.body)
    await wire.wait_for_ever()


async def _reset(wire: Wire, response: Response, how: Misbehaviour) -> None:
    await wire.send(response.encode()[: how.after_bytes])
    await asyncio.sleep(BEFORE_RESET)
    wire.reset()


async def _garbage(wire: Wire, response: Response, how: Misbehaviour) -> None:
    del response, how
    await wire.send(TLS_ALERT)


async def _early_hints_flood(wire: Wire, response: Response, how: Misbehaviour) -> None:
    del response
    while True:
        await wire.send(EARLY_HINT)
        await asyncio.sleep(how.pause.total_seconds())


async def _header_flood(wire: Wire, response: Response, how: Misbehaviour) -> None:
    await wire.send(response.head().removesuffix(b"\r\n"))
    for number in range(how.size // 1024):
        line = f"X-Flood-{number}: ".encode()
        await wire.send(line.ljust(1022, b"x") + b"\r\n")
    await wire.send(b"\r\n" + response.body)


async def _huge_header(wire: Wire, response: Response, how: Misbehaviour) -> None:
    await wire.send(response.head().removesuffix(b"\r\n") + b"X-Huge: ")
    for _ in range(how.size // 1024):
        await wire.send(b"x" * 1024)
    await wire.send(b"\r\n\r\n" + response.body)


async def _half_close(wire: Wire, response: Response, how: Misbehaviour) -> None:
    del how
    await wire.send(response.head(without="Content-Length") + response.body)
    wire.end_writing()
    await wire.wait_for_ever()


def _plain_head(response: Response) -> bytes:
    """The head of a body without length and encoding."""
    kept = tuple(
        (name, value)
        for name, value in response.headers
        if name not in {"Content-Length", "Content-Encoding"}
    )
    return Response(status=response.status, headers=kept).head()


PERFORMANCES: Mapping[Fault, Perform] = {
    Fault.SLOW_FIRST_BYTE: _slow_first_byte,
    Fault.BODY_DRIP: _body_drip,
    Fault.HEADER_DRIP: _header_drip,
    Fault.NEVER_CLOSE: _never_close,
    Fault.INFINITE_BODY: _infinite_body,
    Fault.GZIP_BOMB: _gzip_bomb,
    Fault.TRUNCATED: _truncated,
    Fault.WRONG_LENGTH: _wrong_length,
    Fault.RESET: _reset,
    Fault.GARBAGE: _garbage,
    Fault.EARLY_HINTS_FLOOD: _early_hints_flood,
    Fault.HEADER_FLOOD: _header_flood,
    Fault.HUGE_HEADER: _huge_header,
    Fault.HALF_CLOSE: _half_close,
}

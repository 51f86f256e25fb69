"""A client that shows every byte: no library between the test and the socket."""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass

from clawfeed.simulator import Origin


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.unpacked().decode()

    def unpacked(self) -> bytes:
        is_packed = self.headers.get("content-encoding") == "gzip"
        return zlib.decompress(self.body, 16 + zlib.MAX_WBITS) if is_packed else self.body


def request(path: str, *, method: str = "GET", body: bytes = b"", **headers: str) -> bytes:
    """A request's bytes; keyword `if_none_match` becomes the header `if-none-match`."""
    lines = [f"{method} {path} HTTP/1.1", "host: sim"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    if body:
        lines.append(f"content-length: {len(body)}")
    return ("\r\n".join(lines) + "\r\n\r\n").encode() + body


@asynccontextmanager
async def connected(
    origin: Origin,
) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    host, port = origin.url.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    try:
        yield reader, writer
    finally:
        writer.close()


async def read_reply(reader: asyncio.StreamReader, *, has_body: bool = True) -> Reply:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    headers = {}
    for line in head[1:-2]:
        name, _, value = line.partition(": ")
        headers[name.lower()] = value
    length = int(headers.get("content-length", 0)) if has_body else 0
    body = await reader.readexactly(length)
    return Reply(status=int(head[0].split(" ")[1]), headers=headers, body=body)


async def get(
    origin: Origin, path: str, *, method: str = "GET", body: bytes = b"", **headers: str
) -> Reply:
    async with connected(origin) as (reader, writer):
        writer.write(request(path, method=method, body=body, **headers))
        return await read_reply(reader, has_body=method != "HEAD")

"""An origin of real feeds: the files of a folder at `/f/N`, with ETags. Run by `bench_collect`.

`POST /publish` puts one new entry at the top of every document, in place of the one before.

python -m bench.real_feeds FOLDER
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path

from aiohttp import web

_FIRST = re.compile(rb"<((?:[\w.-]+:)?)(item|entry)[\s>]")
WORDS = "<p>Words of a <b>new</b> entry, and <a href='/more'>more</a> of them.</p>" * 30
DATE = "2026-11-01T12:00:00Z"


def folder() -> Path | None:
    """The folder that `BENCH_FEEDS` names, if it does."""
    name = os.environ.get("BENCH_FEEDS")
    return Path(name) if name else None


def files(directory: Path) -> list[Path]:
    found = sorted(path for path in directory.iterdir() if path.suffix in {".xml", ".rss", ".atom"})
    if not found:
        raise SystemExit(f"BENCH_FEEDS: there is no feed (.xml, .rss, .atom) in {directory}")
    return found


@dataclass(frozen=True)
class Document:
    """A feed, cut where its first entry begins."""

    head: bytes
    entries: bytes
    prefix: str
    kind: str

    @classmethod
    def read(cls, path: Path) -> Document:
        body = path.read_bytes()
        first = _FIRST.search(body)
        if first is None:
            return cls(body, b"", "", "")
        at, prefix, kind = first.start(), first[1].decode(), first[2].decode()
        return cls(body[:at], body[at:], prefix, kind)

    def at(self, generation: int, number: int) -> bytes:
        """The document with its own entries and, but for the first generation, a new one.

        Where none is found (an empty feed, a JSON Feed) another line break is the difference.
        """
        if not self.kind:
            return self.head + b"\n" * generation
        new = self._entry(generation, number) if generation else ""
        return b"".join((self.head, new.encode(), self.entries))

    def _entry(self, generation: int, number: int) -> str:
        url = f"https://new.example/{number}/{generation}"
        text = WORDS.replace("<", "&lt;")
        if self.kind == "item":
            values = {"title": f"New {generation}", "link": url, "guid": url, "description": text}
            inside = "".join(f"<{name}>{value}</{name}>" for name, value in values.items())
            return f"<item>{inside}</item>\n"
        tag = self.prefix
        return (
            f"<{tag}entry><{tag}title>New {generation}</{tag}title><{tag}link href='{url}'/>"
            f"<{tag}id>{url}</{tag}id><{tag}updated>{DATE}</{tag}updated>"
            f"<{tag}content type='html'>{text}</{tag}content></{tag}entry>\n"
        )


class Origin:
    """All documents of one generation, rendered when they are first asked for."""

    def __init__(self, documents: list[Document]) -> None:
        self._documents = documents
        self._generation = 0
        self._rendered: dict[int, tuple[str, bytes]] = {}

    async def feed(self, request: web.Request) -> web.Response:
        number = int(request.match_info["number"])
        if number not in self._rendered:
            self._render(number)
        etag, body = self._rendered[number]
        if request.headers.get("If-None-Match") == etag:
            return web.Response(status=304, headers={"ETag": etag})
        return web.Response(body=body, content_type="application/xml", headers={"ETag": etag})

    async def publish(self, request: web.Request) -> web.Response:
        self._generation += 1
        for number in self._rendered:  # before anybody's clock runs
            self._render(number)
        return web.Response(text=f"{request.method}: generation {self._generation}")

    def _render(self, number: int) -> None:
        document = self._documents[number % len(self._documents)]
        body = document.at(self._generation, number)
        self._rendered[number] = f'"{hashlib.sha256(body).hexdigest()[:16]}"', body


async def serve(directory: Path) -> None:
    origin = Origin([Document.read(path) for path in files(directory)])
    application = web.Application()
    application.router.add_get("/f/{number:[0-9]+}", origin.feed)
    application.router.add_post("/publish", origin.publish)
    runner = web.AppRunner(application, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    host, port = runner.addresses[0][:2]
    print(json.dumps({"url": f"http://{host}:{port}"}), flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(serve(Path(sys.argv[1])))

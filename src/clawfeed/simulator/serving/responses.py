"""What an origin means to say, and how HTTP says it: validators, 304, gzip, lengths."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from email.utils import format_datetime, parsedate_to_datetime

from clawfeed.simulator.formats import JSON_TYPE
from clawfeed.simulator.serving.http import Headers, Request, Response

# Below this, gzip costs more than it saves; most servers have a floor like it.
WORTH_COMPRESSING = 512
GZIP = 16 + zlib.MAX_WBITS


class Content:
    """A rendered body with the keys of the items in it; compressed once, when first asked for."""

    __slots__ = ("_gzipped", "body", "keys")

    def __init__(self, body: bytes, keys: tuple[str, ...] = ()) -> None:
        self.body = body
        self.keys = keys
        self._gzipped: bytes | None = None

    def gzipped(self) -> bytes:
        if self._gzipped is None:
            packer = zlib.compressobj(6, zlib.DEFLATED, GZIP)
            self._gzipped = packer.compress(self.body) + packer.flush()
        return self._gzipped


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A service's answer, before conditions and encodings.

    *content* is rendered only when needed: a 304 never pays for a body. *tag* changes exactly
    when the content does. *hold* is in seconds.
    """

    content: Callable[[], Content]
    content_type: str
    status: int = 200
    headers: Headers = ()
    tag: str | None = None
    modified_at: datetime | None = None
    feed: str = ""
    hold: float = 0.0


def text(
    body: str, content_type: str, *, status: int = 200, headers: Headers = (), feed: str = ""
) -> Answer:
    content = Content(body.encode())
    return Answer(
        content=lambda: content,
        content_type=content_type,
        status=status,
        headers=headers,
        feed=feed,
    )


def as_json(
    value: object,
    *,
    status: int = 200,
    headers: Headers = (),
    keys: tuple[str, ...] = (),
    feed: str = "",
    hold: float = 0.0,
) -> Answer:
    content = Content(json.dumps(value, ensure_ascii=False).encode(), keys)
    return Answer(
        content=lambda: content,
        content_type=JSON_TYPE,
        status=status,
        headers=headers,
        feed=feed,
        hold=hold,
    )


def not_found() -> Answer:
    return text("not found\n", "text/plain; charset=utf-8", status=404)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """The response to send, with what the journal wants to know about it."""

    response: Response
    etag: str | None
    keys: tuple[str, ...]


def settle(answer: Answer, request: Request, date: str) -> Settled:
    """Apply the request's conditions and encodings (RFC 9110 section 13.1, 12.5.3)."""
    is_head = request.method == "HEAD"
    accepts_gzip = "gzip" in request.headers.get("accept-encoding", "")
    etag = _etag(answer, is_gzipped=accepts_gzip)
    headers = (("Server", "simulator"), ("Date", date), *_validators(answer, etag), *answer.headers)
    if _is_unchanged(answer, request):
        response = Response(status=304, headers=headers, is_head=True)
        return Settled(response=response, etag=etag, keys=())
    content = answer.content()
    body = content.body
    headers += (("Content-Type", answer.content_type), ("Vary", "Accept-Encoding"))
    if accepts_gzip and len(body) >= WORTH_COMPRESSING:
        body = content.gzipped()
        headers += (("Content-Encoding", "gzip"),)
    headers += (("Content-Length", str(len(body))),)
    response = Response(status=answer.status, headers=headers, body=body, is_head=is_head)
    return Settled(response=response, etag=etag, keys=() if is_head else content.keys)


def _etag(answer: Answer, *, is_gzipped: bool) -> str | None:
    """Strong for the plain body, weak for the compressed one, as nginx does."""
    if answer.tag is None:
        return None
    return f'W/"{answer.tag}"' if is_gzipped else f'"{answer.tag}"'


def _validators(answer: Answer, etag: str | None) -> Headers:
    headers: Headers = (("ETag", etag),) if etag else ()
    if answer.modified_at:
        headers += (("Last-Modified", format_datetime(answer.modified_at, usegmt=True)),)
    return headers


def _is_unchanged(answer: Answer, request: Request) -> bool:
    if answer.status != 200 or request.method not in {"GET", "HEAD"}:
        return False
    known = request.headers.get("if-none-match")
    if known is not None:  # If-Modified-Since is ignored beside it (RFC 9110 section 13.1.3)
        names = {name.strip().removeprefix("W/") for name in known.split(",")}
        return answer.tag is not None and bool(names & {f'"{answer.tag}"', "*"})
    since = _moment(request.headers.get("if-modified-since", ""))
    return since is not None and answer.modified_at is not None and answer.modified_at <= since


def _moment(value: str) -> datetime | None:
    try:
        return parsedate_to_datetime(value)
    except ValueError:
        return None

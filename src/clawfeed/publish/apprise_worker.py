"""What runs inside an apprise process: the library, which can open nothing, and a pipe to us.

Its services call `requests`. Here those calls end in the pipe: the parent makes each of them
through egress, or refuses to. A service that speaks to the network in another way finds no socket.
"""

from __future__ import annotations

import io
import json
import os
import signal
import sys
from base64 import b64decode, b64encode
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, BinaryIO, Final

from requests import PreparedRequest, Response
from requests.adapters import HTTPAdapter
from requests.exceptions import ConnectionError as NoAnswerError
from requests.structures import CaseInsensitiveDict
from requests.utils import get_encoding_from_headers

from clawfeed.sources.parsing.protocol import LENGTH, pack
from clawfeed.sources.parsing.sandbox import close_doors

# Address space; the library and all its services take a quarter of it.
MEMORY: Final = 2**30
# Sets by itself what egress sets; anything else a service wants to send is egress' to judge.
_SET_BY_REQUESTS: Final = frozenset({"accept-encoding", "connection", "content-length"})


@dataclass(frozen=True, slots=True)
class Pipe:
    """Frames of JSON to and from the parent."""

    heard: BinaryIO
    said: BinaryIO

    def say(self, value: object) -> None:
        self.said.write(pack(json.dumps(value).encode()))
        self.said.flush()

    def hear(self) -> dict[str, Any]:
        """The next frame; the process ends with its parent."""
        head = self.heard.read(LENGTH.size)
        if len(head) < LENGTH.size:
            sys.exit(0)
        found: dict[str, Any] = json.loads(self.heard.read(LENGTH.unpack(head)[0]))
        return found

    def fetch(self, request: PreparedRequest) -> Response:
        """The answer to one request, as the parent brings it."""
        body = request.body or b""
        if not isinstance(body, str | bytes):
            raise NoAnswerError("a stream cannot be sent")
        self.say(
            {
                "method": request.method,
                "url": request.url,
                "headers": _headers(request),
                "body": b64encode(body.encode() if isinstance(body, str) else body).decode(),
            }
        )
        answer = self.hear()
        if "status" not in answer:
            raise NoAnswerError("there was no answer")
        return _response(request, answer)


def main() -> None:
    """Send the one message that arrives on standard input, and say whether it was taken."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    pipe = Pipe(os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb"))
    os.dup2(2, 1)  # a stray print of a library must not reach the frames
    _load()
    _close_what_loading_left_open(pipe)
    close_doors(MEMORY)
    _prove_that_they_are_closed()
    _answer_with(pipe.fetch)
    pipe.say({"is_ready": True})
    pipe.say({"is_taken": _notify(pipe.hear())})


def _load() -> None:
    """Load every service, and what sending a first message loads."""
    from apprise.manager_plugins import NotificationManager

    NotificationManager().load_modules()  # type: ignore[no-untyped-call]
    _answer_with(lambda request: _response(request, {"status": 200, "headers": {}, "body": ""}))
    _notify({"url": "json://localhost/", "title": "a", "body": "b"})


def _close_what_loading_left_open(pipe: Pipe) -> None:
    ours = sorted((2, pipe.heard.fileno(), pipe.said.fileno()))
    for below, above in pairwise((*ours, os.sysconf("SC_OPEN_MAX"))):
        os.closerange(below + 1, above)


def _prove_that_they_are_closed() -> None:
    try:
        os.dup(0)
    except OSError:
        return
    sys.exit(3)  # a system that does not keep this limit is none for apprise


def _notify(job: dict[str, Any]) -> bool:
    from apprise import Apprise, AppriseAsset, NotifyFormat, PersistentStoreMode

    asset = AppriseAsset(storage_mode=PersistentStoreMode.MEMORY)
    try:
        service = Apprise.instantiate(job["url"], asset=asset)
        if service is None:
            return False
        return bool(
            service.notify(body=job["body"], title=job["title"], body_format=NotifyFormat.TEXT)
        )
    except Exception:  # noqa: BLE001 - a service that trips over our closed doors, or over itself
        return False


def _answer_with(answer: Callable[[PreparedRequest], Response]) -> None:
    """From here on, every call of `requests` is answered by *answer*."""

    def send(_: HTTPAdapter, request: PreparedRequest, **__: object) -> Response:
        return answer(request)

    HTTPAdapter.send = send  # type: ignore[assignment] # what else it is told is about connections


def _headers(request: PreparedRequest) -> dict[str, str]:
    return {
        _text(name): _text(value)
        for name, value in request.headers.items()
        if _text(name).lower() not in _SET_BY_REQUESTS
    }


def _text(value: str | bytes) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else value


def _response(request: PreparedRequest, answer: dict[str, Any]) -> Response:
    response = Response()
    response.status_code = answer["status"]
    response.headers = CaseInsensitiveDict(answer["headers"])
    response.encoding = get_encoding_from_headers(response.headers)
    response.raw = io.BytesIO(b64decode(answer["body"]))
    response.url, response.request = request.url or "", request
    return response

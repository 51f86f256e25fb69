"""What a server may send around an answer, and after it.

`response_limits` counts the bytes of a body. This counts all that comes in: heads, interim answers,
the framing of chunks, and what nobody asked for. aiohttp sets no bound to any of them, and uvloop
hands over 256 KiB at a time, up to 32 times in a row, before anything else gets its turn.
"""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any

import aiohttp
from aiohttp.client_proto import ResponseHandler
from aiohttp.http import RawResponseMessage
from aiohttp.streams import StreamReader

from clawfeed.egress.failures import (
    BIG_HEADERS,
    MANY_INTERIM,
    MUCH_FRAMING,
    FloodError,
    NetworkFault,
)

# Bytes that are not the body's, beyond one for each that is. Room for any honest head (servers'
# own limits are 8 to 64 KiB), and for an answer of 32 KiB that comes in chunks of one byte each.
# Chunks of five bytes and more never come near it, however many they are.
FRAMING_BYTES = 131_072
# 100, 102 and 103 come once or twice; a proxy that says "processing" does so every few seconds.
MOST_INTERIM = 16
# Taken in pieces, each judged before the next. The worst are interim answers of 16 bytes: a
# thousand of them cost 8 ms.
_SLICE = 16_384


def watch(connector: aiohttp.TCPConnector) -> aiohttp.TCPConnector:
    """The same connector, whose connections are `ProtocolLimits`s from now on."""
    # No public way. The version is capped, and `test_protocol_limits` names all that we lean on.
    if not hasattr(connector, "_factory"):
        raise RuntimeError(f"aiohttp {aiohttp.__version__} makes its connections elsewhere")
    wire: partial[Any] = partial(ProtocolLimits, loop=asyncio.get_running_loop())
    connector._factory = wire  # noqa: SLF001 - see above
    return connector


class ProtocolLimits(ResponseHandler):
    """One connection, which is ended when its server sends much around little.

    1. Before and around the body: past `FRAMING_BYTES` or `MOST_INTERIM` the request fails with
    `FloodError`. 2. After the answer: whatever comes closes the connection, unread; the answer is
    good, and nobody learns of it.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(loop)
        self._body: StreamReader | None = None  # the answer's, once its head is here
        self._flood: FloodError | None = None
        self._start_over()

    def set_response_params(self, **params: Any) -> None:  # noqa: ANN401 - passed on unread
        self._start_over()
        super().set_response_params(**params)

    def data_received(self, data: bytes) -> None:
        # Called with nothing, too: to go on with what was held back.
        for start in range(0, len(data) or 1, _SLICE):
            if not self._is_over:
                self._take(data[start : start + _SLICE])

    def feed_data(self, data: tuple[RawResponseMessage, StreamReader], size: int = 0) -> None:
        """Queue a message for the one who asked; those beyond their number are dropped."""
        message, body = data
        if self._body is not None:
            self._has_surplus = True
            return
        if 100 <= message.code < 200 and message.code != 101:
            self._interim += 1
        else:
            self._body = body
        if self._interim <= MOST_INTERIM:
            super().feed_data(data, size)

    def pause_reading(self) -> None:
        super().pause_reading()
        self._is_held_back = True

    def resume_reading(self, resume_parser: bool = True) -> None:  # noqa: FBT001, FBT002 - theirs
        self._is_held_back = False
        super().resume_reading(resume_parser)

    def connection_lost(self, exc: BaseException | None) -> None:
        super().connection_lost(exc)
        if self._flood is not None and self._body is not None:
            # Our own abort looks like a body that broke off, and that would be the wrong blame.
            self._body.set_exception(self._flood)

    def _start_over(self) -> None:
        self._received = 0
        self._interim = 0
        self._body = None
        self._has_surplus = False
        self._is_held_back = False  # the parser keeps bytes for later, so they cannot be told apart
        self._is_over = False
        self._flood = None

    def _take(self, data: bytes) -> None:
        if data and self._body is not None and self._body.is_eof():
            self._hang_up()
            return
        self._received += len(data)
        super().data_received(data)
        self._judge()

    def _judge(self) -> None:
        content = self._body.total_bytes if self._body is not None else 0
        if self._has_surplus:
            self._hang_up()
        elif self._interim > MOST_INTERIM:
            self._fail(MANY_INTERIM)
        elif self._received - 2 * content > FRAMING_BYTES and not self._is_held_back:
            self._fail(BIG_HEADERS if self._body is None else MUCH_FRAMING)

    def _fail(self, fault: NetworkFault) -> None:
        self._flood = FloodError(fault)
        self.set_exception(self._flood)
        if self._body is not None:
            self._body.set_exception(self._flood)
        self._hang_up()

    def _hang_up(self) -> None:
        self._is_over = True
        self.force_close()
        if self.transport is not None:
            self.transport.abort()

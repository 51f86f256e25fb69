"""A connection for protocols that are not HTTP: lines in, bytes out, within limits."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from datetime import timedelta
from time import monotonic
from typing import TypeVar, cast

from clawfeed.domain.errors import EgressError, Reason
from clawfeed.egress.failures import NETWORK_ERRORS
from clawfeed.egress.timeouts import Deadlines
from clawfeed.runtime.async_resource import AsyncResource

T = TypeVar("T")

# How long the other side may take to say goodbye, once all is said.
_FAREWELL_SECONDS = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class MailServer:
    """Where to dial. *is_encrypted* means TLS from the first byte (port 465)."""

    host: str
    port: int
    is_encrypted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamLimits:
    """What one connection may cost us, from the dial to the last byte."""

    total: timedelta = timedelta(seconds=60)
    received: int = 65_536  # an honest conversation with a mail server has 1 or 2 KB


DEFAULT_STREAM = StreamLimits()


class Inbox(asyncio.Protocol):
    """What came in and was not read yet; a server that sends more than *cap* is cut off."""

    def __init__(self, cap: int) -> None:
        self.transport: asyncio.Transport | None = None
        self.gone = asyncio.Event()
        self._cap = cap
        self._left = cap
        self._bytes = bytearray()
        self._error: Exception | None = None
        self._is_at_end = False
        self._news = asyncio.Event()
        self._may_write = asyncio.Event()
        self._may_write.set()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # uvloop's are no subclass of it, and behave like it.
        self.transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        self._left -= len(data)
        if self._left >= 0:
            self._bytes += data
        elif self._error is None:
            self._error = EgressError(
                Reason.TOO_LARGE, f"The server sent more than {self._cap:,} bytes."
            )
            self.abort()
        self._news.set()

    def eof_received(self) -> None:
        self._is_at_end = True
        self._news.set()

    def connection_lost(self, exc: Exception | None) -> None:
        self._error = self._error or exc
        self._is_at_end = True
        for event in (self._news, self._may_write, self.gone):
            event.set()

    def pause_writing(self) -> None:
        self._may_write.clear()

    def resume_writing(self) -> None:
        self._may_write.set()

    @property
    def is_empty(self) -> bool:
        return not self._bytes

    def abort(self) -> None:
        if self.transport is not None:
            self.transport.abort()

    async def line(self) -> bytes:
        while (end := self._bytes.find(b"\n") + 1) == 0:
            self._raise_if_over()
            self._news.clear()
            await self._news.wait()
        line = bytes(self._bytes[:end])
        del self._bytes[:end]
        return line

    async def drained(self) -> None:
        await self._may_write.wait()
        if self._error is not None:
            raise self._error

    def _raise_if_over(self) -> None:
        if self._error is not None:
            raise self._error
        if self._is_at_end:
            raise ConnectionResetError


class Stream(AsyncResource):
    """An open connection. Use as `async with`, and only with one thing under way at a time.

    Whatever fails raises `EgressError` and ends the connection; its *was_sent*, like the
    stream's, says whether anything was written by the caller. Greetings and TLS do not count.
    """

    def __init__(
        self,
        inbox: Inbox,
        *,
        name: str,
        ends_at: float,
        deadlines: Deadlines,
        tls: Callable[[], ssl.SSLContext],
        translate: Callable[[BaseException], EgressError],
    ) -> None:
        self.was_sent = False
        self._inbox = inbox
        self._name = name
        self._ends_at = ends_at
        self._deadlines = deadlines
        self._tls = tls
        self._translate = translate

    async def read_line(self) -> bytes:
        """The next line with its end."""
        return await self._within(self._inbox.line())

    async def write(self, data: bytes) -> None:
        """Send; waits while the other side reads too slowly."""
        await self._within(self._write(data))

    async def start_tls(self) -> None:
        """Encrypt from here on, once the server has agreed to it (STARTTLS).

        What it said beyond its agreement was not under seal and could pass as if it were
        (CVE-2011-0411): it ends the connection.
        """
        await self._within(self._start_tls())

    async def close(self) -> None:
        """Say goodbye, and do not wait long for an answer."""
        transport = self._inbox.transport
        if transport is None:
            return
        transport.close()
        try:
            async with asyncio.timeout(_FAREWELL_SECONDS):
                await self._inbox.gone.wait()
        except TimeoutError:
            self._inbox.abort()

    async def _write(self, data: bytes) -> None:
        transport = self._inbox.transport
        if transport is None or transport.is_closing():
            raise ConnectionResetError
        self.was_sent = True
        transport.write(data)
        await self._inbox.drained()

    async def _start_tls(self) -> None:
        inbox, loop = self._inbox, asyncio.get_running_loop()
        if inbox.transport is None or inbox.transport.is_closing():
            raise ConnectionResetError
        if not inbox.is_empty:
            raise EgressError(
                Reason.UNREADABLE, f"{self._name} spoke on before the encryption began."
            )
        inbox.transport = await loop.start_tls(
            inbox.transport, inbox, self._tls(), server_hostname=self._name
        )

    async def _within(self, work: Coroutine[None, None, T]) -> T:
        left = self._ends_at - monotonic()
        try:
            if left <= 0:  # a limit rings only where something waits
                work.close()
                raise TimeoutError
            with self._deadlines.within(left):
                return await work
        except EgressError as error:
            raise self._ended(error) from None
        except NETWORK_ERRORS as error:
            raise self._ended(self._translate(error)) from None

    def _ended(self, error: EgressError) -> EgressError:
        self._inbox.abort()
        error.was_sent = self.was_sent
        return error

"""A small mail server on loopback. Speaks enough SMTP to take a message, and what it is told to."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field


@dataclass
class MailBox:
    """*context* makes it offer STARTTLS, or speak TLS from the start (*is_encrypted*)."""

    context: ssl.SSLContext | None = None
    is_encrypted: bool = False
    greeting: bytes = b"220 mail.example ESMTP\r\n"
    after_starttls: bytes = b""  # planted behind the agreement, before the encryption
    port: int = 0
    connections: int = 0
    heard: list[tuple[bytes, bool]] = field(default_factory=list)  # the line; under seal or not
    messages: list[bytes] = field(default_factory=list)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        with suppress(OSError, asyncio.IncompleteReadError):
            writer.write(self.greeting)
            while line := await reader.readline():
                self.heard.append((line, writer.get_extra_info("ssl_object") is not None))
                await self._answer(line.strip().upper(), reader, writer)
        writer.close()

    async def _answer(
        self, line: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        if line.startswith(b"EHLO"):
            writer.write(b"250-mail.example\r\n250 STARTTLS\r\n")
        elif line == b"STARTTLS" and self.context is not None:
            writer.write(b"220 go ahead\r\n" + self.after_starttls)
            await writer.drain()
            await writer.start_tls(self.context)
        elif line == b"DATA":
            writer.write(b"354 go on\r\n")
            self.messages.append(await reader.readuntil(b"\r\n.\r\n"))
            writer.write(b"250 taken\r\n")
        elif line == b"QUIT":
            writer.write(b"221 bye\r\n")
            writer.close()
        else:
            writer.write(b"250 fine\r\n")


@asynccontextmanager
async def mail_server(box: MailBox) -> AsyncIterator[MailBox]:
    context = box.context if box.is_encrypted else None
    async with await asyncio.start_server(box.serve, "127.0.0.1", 0, ssl=context) as server:
        box.port = server.sockets[0].getsockname()[1]
        yield box

"""A mail server with mailboxes: SMTP on a port of its own, in front of the journal of effects.

It takes mail for everybody. What arrives a second time under the same Message-ID is noted as
`REPEATED`: mailboxes show it once. Faults are ordered at `/smtp/STAGE` like those of other
services (`Stage`): a status is answered instead, a reset cuts the connection, a pause comes before
the answer. At `/smtp/accepted` the message is in its mailbox already.
"""

from __future__ import annotations

import asyncio
import ssl
from base64 import b64decode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from email import message_from_bytes
from email.policy import default
from enum import StrEnum

from clawfeed.simulator.faults import Fault
from clawfeed.simulator.side_effects import Effect
from clawfeed.simulator.world import World

SERVICE, REPEATED = "mail", "mail repeated"


class Stage(StrEnum):
    """Where a fault may be ordered."""

    GREETING = "greeting"
    EHLO = "ehlo"
    STARTTLS = "starttls"
    AUTH = "auth"
    MAIL = "mail"
    RCPT = "rcpt"
    DATA = "data"
    CONTENT = "content"  # all of it was heard, nothing is done yet
    ACCEPTED = "accepted"


@dataclass(frozen=True, slots=True, kw_only=True)
class MailOptions:
    """*context* makes it offer STARTTLS, or speak TLS from the start (*is_encrypted*).

    With *login* (user, password) it takes mail only after that, by one of the *ways*.
    """

    context: ssl.SSLContext | None = None
    is_encrypted: bool = False
    login: tuple[str, str] | None = None
    ways: tuple[str, ...] = ("PLAIN", "LOGIN")


@dataclass(slots=True)
class Mailboxes:
    """A running mail server; made by `serve_mail`. *heard*: each command, under seal or not."""

    world: World
    options: MailOptions
    port: int = 0
    url: str = ""
    heard: list[tuple[str, bool]] = field(default_factory=list)
    connections: set[asyncio.StreamWriter] = field(default_factory=set)

    def accept(self, recipients: list[str], content: bytes) -> None:
        key = str(message_from_bytes(content, policy=default)["Message-ID"] or "")
        for each in recipients:
            known = {effect.key for effect in self.world.effects.of(SERVICE, each)}
            service = REPEATED if key and key in known else SERVICE
            text = content.decode("utf-8", "surrogateescape")
            self.world.effects.add(Effect(service=service, place=each, content=text, key=key))

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections.add(writer)
        try:
            with suppress(OSError, asyncio.IncompleteReadError):
                await _Session(self, reader, writer).run()
        finally:
            self.connections.discard(writer)
            writer.close()


class _OverError(Exception):
    """Nothing more is said."""


class _Session:
    """One connection, from its greeting on."""

    def __init__(
        self, mail: Mailboxes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self._mail, self._reader, self._writer = mail, reader, writer
        self._is_known = mail.options.login is None
        self._sender: str | None = None
        self._recipients: list[str] = []

    async def run(self) -> None:
        with suppress(_OverError):
            await self._answer(Stage.GREETING, "220 mail.example ESMTP")
            while line := await self._reader.readline():
                text = line.decode("utf-8", "replace").strip()
                self._mail.heard.append((text, self._is_sealed))
                await self._obey(text)

    @property
    def _is_sealed(self) -> bool:
        return self._writer.get_extra_info("ssl_object") is not None

    async def _obey(self, line: str) -> None:
        verb, _, rest = line.partition(" ")
        match verb.upper():
            case "EHLO":
                await self._answer(Stage.EHLO, *self._offers())
            case "STARTTLS" if self._mail.options.context and not self._is_sealed:
                if await self._answer(Stage.STARTTLS, "220 2.0.0 go ahead"):
                    await self._writer.start_tls(self._mail.options.context)
            case "AUTH":
                await self._log_in(rest)
            case "QUIT":
                self._say("221 2.0.0 bye")
                raise _OverError
            case "MAIL" | "RCPT" | "DATA":
                await self._take(verb.upper(), rest)
            case _:
                self._say("500 5.5.2 what?")

    def _offers(self) -> list[str]:
        options = self._mail.options
        offers = ["mail.example", "ENHANCEDSTATUSCODES"]
        if options.context and not self._is_sealed:
            offers.append("STARTTLS")
        if options.login:
            offers.append(f"AUTH {' '.join(options.ways)}")
        return [f"250-{each}" for each in offers] + ["250 8BITMIME"]

    async def _log_in(self, rest: str) -> None:
        way, _, proof = rest.partition(" ")
        if way == "PLAIN":
            _, user, password = _decoded(proof).split("\0")
        else:
            user, password = [await self._asked(each) for each in ("VXNlcm5hbWU6", "UGFzc3dvcmQ6")]
        self._is_known = (user, password) == self._mail.options.login
        text = "235 2.7.0 welcome" if self._is_known else f"535 5.7.8 {user} is not known here"
        await self._answer(Stage.AUTH, text)

    async def _asked(self, challenge: str) -> str:
        self._say(f"334 {challenge}")
        return _decoded((await self._reader.readline()).decode())

    async def _take(self, verb: str, rest: str) -> None:
        if not self._is_known:
            self._say("530 5.7.0 log in first")
        elif verb == "MAIL":
            self._sender, self._recipients = _address(rest), []
            await self._answer(Stage.MAIL, "250 2.1.0 fine")
        elif self._sender is None or (verb == "DATA" and not self._recipients):
            self._say("503 5.5.1 not yet")
        elif verb == "RCPT":
            if await self._answer(Stage.RCPT, "250 2.1.5 fine"):
                self._recipients.append(_address(rest))
        elif await self._answer(Stage.DATA, "354 go on"):
            await self._receive()

    async def _receive(self) -> None:
        lines: list[bytes] = []
        while (line := await self._reader.readline()) != b".\r\n":
            if not line:
                raise _OverError
            lines.append(line.removeprefix(b"."))
        recipients, self._recipients, self._sender = self._recipients, [], None
        if await self._answer(Stage.CONTENT):
            self._mail.accept(recipients, b"".join(lines))
            await self._answer(Stage.ACCEPTED, "250 2.0.0 taken")

    async def _answer(self, stage: Stage, *lines: str) -> bool:
        """Say *lines*, unless a fault was ordered here; whether they were said."""
        how = self._mail.world.misbehaviour_for(f"/smtp/{stage}")
        if how and how.fault is Fault.RESET:
            self._writer.transport.abort()
            raise _OverError
        if how and how.fault is Fault.STATUS:
            self._say(f"{how.status} {how.body}")
            return False
        if how and how.fault is Fault.SLOW_FIRST_BYTE:
            await asyncio.sleep(how.pause.total_seconds())
        if lines:
            self._say(*lines)
            await self._writer.drain()
        return True

    def _say(self, *lines: str) -> None:
        self._writer.write("".join(f"{line}\r\n" for line in lines).encode())


def _address(rest: str) -> str:
    return rest.partition("<")[2].partition(">")[0]


def _decoded(text: str) -> str:
    return b64decode(text).decode()


@asynccontextmanager
async def serve_mail(
    world: World, options: MailOptions | None = None, *, host: str = "127.0.0.1"
) -> AsyncIterator[Mailboxes]:
    """Run mailboxes on a free port; on leaving, every connection is cut."""
    options = options or MailOptions()
    mail = Mailboxes(world=world, options=options)
    context = options.context if options.is_encrypted else None
    server = await asyncio.start_server(mail.serve, host, 0, ssl=context)
    mail.port = server.sockets[0].getsockname()[1]
    mail.url = f"smtp{'s' * options.is_encrypted}://{host}:{mail.port}"
    try:
        yield mail
    finally:
        server.close()
        for each in list(mail.connections):
            each.transport.abort()
        await server.wait_closed()

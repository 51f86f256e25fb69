"""SMTP (RFC 5321): one e-mail to one mailbox, over one connection."""

from __future__ import annotations

import re
from base64 import b64encode
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final

from clawfeed.domain.errors import EgressError, Reason
from clawfeed.egress.client import Egress
from clawfeed.egress.stream import MailServer, Stream, StreamLimits
from clawfeed.publish.mail.mail_settings import Login, MailRelay
from clawfeed.publish.mail.smtp_replies import Reply, SmtpStage, refusal, trouble_of_the_house
from clawfeed.publish.message import SendError, lost

# From the dial to the last answer, within the minute that any message has. RFC 5321 would wait ten
# for that answer alone; an e-mail that nobody acknowledged is sent again, and recognised.
CONVERSATION: Final = StreamLimits(total=timedelta(seconds=50))
_MOST_LINES: Final = 100
_LINE_END: Final = re.compile(rb"\r\n|\r|\n")
_CHUNK: Final = 65_536


@dataclass(frozen=True, slots=True, kw_only=True)
class Envelope:
    """Who sends it to whom; both addresses are plain ASCII without spaces."""

    sender: str
    recipient: str
    content: bytes = field(repr=False)


async def send_email(egress: Egress, relay: MailRelay, envelope: Envelope) -> None:
    """Hand it over. Returns once the server has taken it; else raises `SendError`.

    Until the dot that ends the content nothing can have arrived, however much was written: a
    server that loses us before must forget what it heard (RFC 5321, 4.5.3.2).
    """
    server = MailServer(host=relay.host, port=relay.port, is_encrypted=relay.is_encrypted)
    try:
        stream = await egress.dial(server, CONVERSATION)
    except EgressError as error:
        raise _lost(error, has_ended=False) from None
    async with stream:
        await _Conversation(stream, relay, envelope).hold()


class _Conversation:
    def __init__(self, stream: Stream, relay: MailRelay, envelope: Envelope) -> None:
        self._stream, self._relay, self._envelope = stream, relay, envelope
        self._has_ended = False  # whether the last dot may have left

    async def hold(self) -> None:
        try:
            await self._introduce()
            await self._hand_over()
        except EgressError as error:
            raise _lost(error, has_ended=self._has_ended) from None
        except SendError:
            await self._say_goodbye()
            raise
        await self._say_goodbye()

    async def _introduce(self) -> None:
        await self._expect(SmtpStage.GREETING)
        offers = await self._hello()
        if self._relay.must_upgrade:
            await self._upgrade(offers)
            offers = await self._hello()  # what was offered before was not under seal
        if self._relay.login is not None:
            await self._log_in(self._relay.login, offers)

    async def _hello(self) -> dict[str, str]:
        domain = self._envelope.sender.rpartition("@")[2]
        reply = await self._ask(SmtpStage.HELLO, f"EHLO {domain}")
        offers = (line.partition(" ") for line in reply.lines[1:])
        return {name.upper(): rest.upper() for name, _, rest in offers}

    async def _upgrade(self, offers: dict[str, str]) -> None:
        if "STARTTLS" not in offers:
            raise trouble_of_the_house(
                "The mail server offers no encryption (STARTTLS), so nothing was sent; the "
                "operator can use smtps://, or ?tls=no for a server in the own network."
            )
        await self._ask(SmtpStage.STARTTLS, "STARTTLS")
        await self._stream.start_tls()

    async def _log_in(self, login: Login, offers: dict[str, str]) -> None:
        ways = offers.get("AUTH", "").split()
        user, password = login.user.encode(), login.password.reveal().encode()
        if "PLAIN" in ways:
            proof = b"\0".join([b"", user, password])
            await self._ask(SmtpStage.LOGIN, f"AUTH PLAIN {_base64(proof)}")
        elif "LOGIN" in ways:
            for answer in ("AUTH LOGIN", _base64(user), _base64(password)):
                await self._ask(SmtpStage.LOGIN, answer)
        else:
            raise trouble_of_the_house(
                "The mail server takes no login by PLAIN or LOGIN; the operator must mend SMTP_URL."
            )

    async def _hand_over(self) -> None:
        envelope = self._envelope
        await self._ask(SmtpStage.SENDER, f"MAIL FROM:<{envelope.sender}>")
        await self._ask(SmtpStage.RECIPIENT, f"RCPT TO:<{envelope.recipient}>")
        await self._ask(SmtpStage.DATA, "DATA")
        content = dot_stuffed(envelope.content)
        for start in range(0, len(content), _CHUNK):
            await self._stream.write(content[start : start + _CHUNK])
        self._has_ended = True
        await self._stream.write(b".\r\n")
        await self._expect(SmtpStage.CONTENT)

    async def _ask(self, stage: SmtpStage, command: str) -> Reply:
        """Say *command*, one line; `SendError` unless the answer is good."""
        if not (command.isascii() and command.isprintable()):
            raise ValueError(f"{stage} would be more than one line")  # no value: it may be secret
        await self._stream.write(f"{command}\r\n".encode())
        return await self._expect(stage)

    async def _expect(self, stage: SmtpStage) -> Reply:
        reply = await self._reply()
        if not reply.is_good or (stage is SmtpStage.DATA and reply.code != 354):
            raise refusal(stage, reply)
        return reply

    async def _reply(self) -> Reply:
        lines: list[str] = []
        while len(lines) < _MOST_LINES:
            line = (await self._stream.read_line()).decode("utf-8", "replace").rstrip("\r\n")
            found = re.fullmatch(r"([2-5][0-9]{2})(?:([ -])(.*))?", line)
            if found is None:
                break
            lines.append(found[3] or "")
            if found[2] != "-":
                return Reply(code=int(found[1]), lines=tuple(lines))
        error = EgressError(Reason.UNREADABLE, "The mail server does not speak SMTP.")
        error.was_sent = self._stream.was_sent
        raise error

    async def _say_goodbye(self) -> None:
        """The e-mail's fate is known: whether this is heard changes nothing."""
        with suppress(EgressError):
            await self._stream.write(b"QUIT\r\n")


def dot_stuffed(content: bytes) -> bytes:
    """*content* as it travels: every line ends in CRLF, and no line can be the end of it.

    A line end of another kind is one for some servers (SMTP smuggling), so none is left.
    """
    lines = _LINE_END.split(content.removesuffix(b"\r\n"))
    return b"".join((b"." if each.startswith(b".") else b"") + each + b"\r\n" for each in lines)


def _base64(data: bytes) -> str:
    return b64encode(data).decode()


def _lost(error: EgressError, *, has_ended: bool) -> SendError:
    """Bytes of the conversation may have left; only its end makes an e-mail of them.

    Our own guard's no, and a certificate that is wrong, is for the operator to mend.
    """
    if error.reason in (Reason.BLOCKED, Reason.MISCONFIGURED):
        return trouble_of_the_house(error.detail)
    failed = lost(error)
    failed.may_have_arrived = has_ended
    return failed

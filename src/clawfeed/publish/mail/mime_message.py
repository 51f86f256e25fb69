"""One e-mail as the bytes that travel: headers, and the same text twice.

No line of it comes from a stranger unencoded, and nothing in it is left to chance: the same e-mail
is the same bytes.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field
from datetime import datetime
from email.header import Header
from email.message import EmailMessage
from email.policy import SMTP, Policy
from email.utils import format_datetime
from typing import Final

from clawfeed.publish.mail.mail_settings import MailAddress
from clawfeed.rendering.email_edition import EmailBody, html_document, text_document
from clawfeed.rendering.safe_text import one_line

# RFC 5322: no line may be longer.
_LONGEST_LINE: Final = 998
# A name of these needs neither quotes nor encoding.
_PLAIN_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9 -]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class OutgoingEmail:
    """An e-mail to one mailbox. *key* is what it is recognised by; *at* is when it leaves."""

    sender: MailAddress
    to: str
    body: EmailBody
    key: str
    at: datetime
    unsubscribe: str = field(repr=False)

    @property
    def message_id(self) -> str:
        """The same for every attempt: that is how a repetition is recognised (I7)."""
        return f"<{_digest(self.key)}@{self.sender.domain}>"


def email_bytes(email: OutgoingEmail) -> bytes:
    """Headers and body, in lines that end in CRLF; plain ASCII."""
    message = EmailMessage(policy=SMTP)
    sender = email.sender
    message["From"] = _from(sender)
    message["To"] = _plain("To", email.to)
    message["Subject"] = _encoded("Subject", email.body.subject)
    message["Date"] = _plain("Date", format_datetime(email.at))
    message["Message-ID"] = _plain("Message-ID", email.message_id)
    message["List-Id"] = _plain("List-Id", f"ClawFeed <clawfeed.{sender.domain}>")
    _add_way_out(message, email.unsubscribe)
    # Nobody's holiday greeting is for us (RFC 3834).
    message["Auto-Submitted"] = _plain("Auto-Submitted", "auto-generated")
    text = text_document(email.body, email.unsubscribe)
    html = html_document(email.body, email.unsubscribe)
    message.set_content(text, cte=_shorter_encoding(text))
    message.add_alternative(html, subtype="html", cte=_shorter_encoding(html))
    # Neither encoding of a body can hold this.
    message.set_boundary(f"=_{_digest(email.key)}")
    return message.as_bytes()


def _add_way_out(message: EmailMessage, link: str) -> None:
    """One click ends it (RFC 8058, which wants https); by plain http it is a link to follow."""
    if not link.startswith(("https://", "http://")):
        return
    message["List-Unsubscribe"] = _plain("List-Unsubscribe", f"<{link}>")
    if link.startswith("https://"):
        one_click = "List-Unsubscribe=One-Click"
        message["List-Unsubscribe-Post"] = _plain("List-Unsubscribe-Post", one_click)


class _Line(str):
    """A header that is written as it was made.

    The library parses what it is given: a title that looks encoded would be decoded, and a long
    link encoded. What has a `name` it takes as it is and asks to fold itself.
    """

    __slots__ = ("folded", "name")

    name: str
    folded: str

    def fold(self, *, policy: Policy) -> str:
        return f"{self.name}: {self.folded}{policy.linesep}"


def _plain(name: str, value: str) -> _Line:
    """Our own words, on one line."""
    if not (value.isascii() and value.isprintable() and len(value) < _LONGEST_LINE - len(name)):
        raise ValueError(f"{name} cannot be one line of an e-mail")
    return _line(name, value, value)


def _encoded(name: str, text: str) -> _Line:
    """A stranger's words: always encoded (RFC 2047), so that whatever they hold is only text."""
    safe = one_line(text)
    header = Header(safe, charset="utf-8", header_name=name, maxlinelen=76)
    return _line(name, safe, header.encode(linesep="\r\n"))


def _from(sender: MailAddress) -> _Line:
    if not sender.name:
        return _plain("From", sender.email)
    is_plain = _PLAIN_NAME.fullmatch(sender.name)
    name = sender.name if is_plain else _encoded("From", sender.name).folded
    return _line("From", sender.name, f"{name} <{sender.email}>")


def _shorter_encoding(text: str) -> str:
    """Plain ASCII on the wire either way; of three bytes one makes nine, the other four."""
    odd = len(text.encode()) - sum(map(str.isascii, text))
    return "base64" if odd * 6 > len(text) else "quoted-printable"


def _line(name: str, value: str, folded: str) -> _Line:
    line = _Line(value)
    line.name, line.folded = name, folded
    return line


def _digest(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()[:40]

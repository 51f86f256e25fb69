"""SMTP_URL and EMAIL_FROM, read: which mail server carries e-mails, and who writes them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Final
from urllib.parse import unquote

from clawfeed.domain.errors import ConfigError, InvalidInputError
from clawfeed.domain.people.user_names import normal_email
from clawfeed.domain.secret import Secret
from clawfeed.rendering.safe_text import one_line

_SUBMISSION_PORT: Final = 587
_TLS_PORT: Final = 465
_URL: Final = re.compile(
    r"(?P<scheme>smtps?)://(?:(?P<login>[^\s/@]+)@)?"
    r"(?P<host>[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::(?P<port>[0-9]{1,5}))?/?(?P<plain>\?tls=no)?"
)
_MAILBOX: Final = re.compile(r"([^<>]*)<([^<>]*)>")
_WRONG_URL: Final = "SMTP_URL: expected smtp://user:password@host:587, or smtps:// for TLS at once."


@dataclass(frozen=True, slots=True, kw_only=True)
class Login:
    """How we prove to the mail server who we are."""

    user: str
    password: Secret


@dataclass(frozen=True, slots=True, kw_only=True)
class MailRelay:
    """The mail server that carries e-mails for us.

    *must_upgrade*: nothing is said before STARTTLS has succeeded. It is False only where TLS runs
    from the first byte, where nobody can listen (loopback), or where the operator wrote `?tls=no`.
    """

    host: str
    port: int
    is_encrypted: bool
    must_upgrade: bool
    login: Login | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MailAddress:
    """A mailbox, and whose it is."""

    name: str
    email: str

    @property
    def domain(self) -> str:
        return self.email.rpartition("@")[2]


def read_mailbox(text: str) -> MailAddress:
    """`Anna <anna@example.org>`, or without the name; `InvalidInputError` for anything else."""
    found = _MAILBOX.fullmatch(text)
    name, email = (found[1], found[2]) if found else ("", text)
    return MailAddress(name=one_line(name), email=normal_email(email))


def read_sender(text: str) -> MailAddress:
    """EMAIL_FROM; `ConfigError` in one sentence if nobody can be written to there."""
    try:
        return read_mailbox(text)
    except InvalidInputError:
        raise ConfigError("EMAIL_FROM: expected an address like news@example.org.") from None


def mail_settings(smtp_url: Secret | None, email_from: str | None) -> tuple[MailRelay, MailAddress]:
    """Both; `ConfigError` in one sentence if e-mails cannot be written with what is set."""
    if smtp_url is None or email_from is None:
        raise ConfigError("E-mail is not set up: the operator must set SMTP_URL and EMAIL_FROM.")
    return read_smtp_url(smtp_url), read_sender(email_from)


def read_smtp_url(url: Secret) -> MailRelay:
    """What SMTP_URL means; `ConfigError` in one sentence if it means nothing."""
    found = _URL.fullmatch(url.reveal())
    if found is None:
        raise ConfigError(_WRONG_URL)
    is_encrypted = found["scheme"] == "smtps"
    host, login = found["host"].strip("[]"), _login(found["login"])
    if found["plain"] and (is_encrypted or login):
        raise ConfigError(
            "SMTP_URL: ?tls=no is for smtp:// without user and password, which anybody on the way "
            "could read; leave it out, or leave them out."
        )
    port = int(found["port"] or (_TLS_PORT if is_encrypted else _SUBMISSION_PORT))
    return MailRelay(
        host=host,
        port=port,
        is_encrypted=is_encrypted,
        must_upgrade=not (is_encrypted or found["plain"] or _is_loopback(host)),
        login=login,
    )


def _login(text: str | None) -> Login | None:
    if not text:
        return None
    user, _, password = text.partition(":")
    return Login(user=unquote(user), password=Secret(unquote(password)))


def _is_loopback(host: str) -> bool:
    if host.lower() == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False

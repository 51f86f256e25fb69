"""SMTP_URL: which mail server takes our letters, and how we speak with it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Final
from urllib.parse import unquote

from clawfeed.domain.errors import ConfigError
from clawfeed.domain.secret import Secret
from clawfeed.egress.stream import MailServer

_SUBMISSION_PORT: Final = 587
_TLS_PORT: Final = 465
_URL: Final = re.compile(
    r"(?P<scheme>smtps?)://(?:(?P<login>[^\s/@]+)@)?"
    r"(?P<host>[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::(?P<port>[0-9]{1,5}))?/?(?P<plain>\?tls=no)?"
)
_WRONG: Final = "SMTP_URL: expected smtp://user:password@host:587, or smtps:// for TLS at once."


@dataclass(frozen=True, slots=True, kw_only=True)
class Login:
    """How we prove to the mail server who we are."""

    user: str
    password: Secret


@dataclass(frozen=True, slots=True, kw_only=True)
class Relay:
    """The mail server that carries letters for us.

    *must_upgrade*: nothing is said before STARTTLS has succeeded. It is False only where TLS runs
    from the first byte, where nobody can listen (loopback), or where the operator wrote `?tls=no`.
    """

    server: MailServer
    must_upgrade: bool
    login: Login | None = None


def read_smtp_url(url: Secret) -> Relay:
    """What SMTP_URL means; `ConfigError` in one sentence if it means nothing."""
    found = _URL.fullmatch(url.reveal())
    if found is None:
        raise ConfigError(_WRONG)
    is_encrypted = found["scheme"] == "smtps"
    host, login = found["host"].strip("[]"), _login(found["login"])
    if found["plain"] and (is_encrypted or login):
        raise ConfigError(
            "SMTP_URL: ?tls=no is for smtp:// without user and password, which anybody on the way "
            "could read; leave it out, or leave them out."
        )
    port = int(found["port"] or (_TLS_PORT if is_encrypted else _SUBMISSION_PORT))
    return Relay(
        server=MailServer(host=host, port=port, is_encrypted=is_encrypted),
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

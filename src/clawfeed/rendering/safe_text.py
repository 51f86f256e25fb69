"""Texts and addresses of strangers, so that they can only be what they are: a line, a link."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import quote, urlsplit

# Whatever some reader somewhere takes for the end of a line, or for room.
_ROOM: Final = re.compile("[\t-\r\x1c-\x1f \x85\u2028\u2029]+")
# Controls steer terminals; overrides and isolates turn the text around them, ours too. Marks that
# only shape a word (joiners, LRM and RLM) stay: Persian and emoji families need them.
_STEERING: Final = re.compile("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufff9-\ufffb]")
# Halves of characters, and what Unicode promises never to be one.
_BROKEN: Final = re.compile(
    "[\ud800-\udfff\ufdd0-\ufdef"
    + "".join(chr(plane * 0x10000 + end) for plane in range(17) for end in (0xFFFE, 0xFFFF))
    + "]"
)
# What may stand in an address as it is (RFC 3986); everything else is percent-encoded.
_PLAIN_IN_ADDRESS: Final = "%:/?#[]@!$&'()*+,;=~-._"
LONGEST_ADDRESS: Final = 4_096
# Cannot be seen, allows no break, and is part of no name: `@` before it calls nobody.
JOINER: Final = "\u2060"
# What a chat makes something of by itself: a name that rings, a command that is sent when touched,
# an address that opens another program.
_LIVELY: Final = re.compile(
    r"@(?=\w)|(?<![\w/<>])/(?=\w)|(?<=\w)(?<!\bhttp)(?<!\bhttps):(?=//)", re.IGNORECASE
)


def one_line(text: str) -> str:
    """*text* as one line that steers nothing; what can be read in it is unchanged."""
    without = _STEERING.sub("", _ROOM.sub(" ", text))
    return _ROOM.sub(" ", _BROKEN.sub("\ufffd", without)).strip()


def inert(text: str) -> str:
    """*text* as it reads, but nothing in it rings, runs or opens when a chat shows it."""
    return _LIVELY.sub(lambda found: found[0] + JOINER, text)


def host_of(link: str) -> str:
    """Where a `safe_link` leads, for people: a label may name another place."""
    return urlsplit(link).netloc


def safe_link(url: str | None) -> str | None:
    """*url* in plain ASCII if a reader may be sent there: http(s), a host, nobody's name before it.

    `https://bank.example@evil.example/` shows one place and leads to another, so it leads nowhere.
    """
    if not url or len(url) > LONGEST_ADDRESS:
        return None
    try:
        parts = urlsplit(one_line(url))
        host = (parts.hostname or "").encode("idna").decode() if parts.hostname else ""
    except (ValueError, UnicodeError):
        return None
    if parts.scheme not in {"http", "https"} or not host or "@" in parts.netloc:
        return None
    if not re.fullmatch(r"[a-z0-9.:_-]+", host):
        return None
    place = f"[{host}]" if ":" in host else host
    try:
        port = f":{parts.port}" if parts.port is not None else ""
    except ValueError:
        return None
    rest = parts._replace(scheme="", netloc="").geturl()
    return f"{parts.scheme}://{place}{port}{quote(rest, safe=_PLAIN_IN_ADDRESS)}"

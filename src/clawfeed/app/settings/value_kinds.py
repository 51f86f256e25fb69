"""What the house's own settings may hold, beside the kinds of `domain.settings.value_kinds`.

Heavy modules are imported by the kinds that need them.
"""

from __future__ import annotations

import re
from datetime import time, timedelta
from pathlib import Path

from clawfeed.domain.editions.edition_period import EditionType
from clawfeed.domain.secret import Secret
from clawfeed.domain.settings.value_kinds import (
    SECRET,
    WEB_ADDRESS,
    ValueKind,
    list_of,
    parts_of,
    require,
    whole,
)
from clawfeed.domain.wall_clock import is_zone, time_at

# As many as 16 random bytes have in hexadecimal, spelled in any way.
SHORTEST_KEY, FEWEST_CHARACTERS = 20, 8


def days(low: int, high: int) -> ValueKind[timedelta]:
    return whole(low, high).then(lambda number: timedelta(days=number))


def minutes(low: int, high: int) -> ValueKind[timedelta]:
    return whole(low, high).then(lambda number: timedelta(minutes=number))


def milliseconds(low: int, high: int) -> ValueKind[timedelta]:
    return whole(low, high).then(lambda number: timedelta(milliseconds=number))


def seconds(low: float, high: float) -> ValueKind[timedelta]:
    def parse(text: str) -> timedelta:
        require(re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,6})?", text) and low <= float(text) <= high)
        return timedelta(seconds=float(text))

    return ValueKind(f"a number of seconds from {low:g} to {high:g}", parse)


def _millionths(text: str) -> int:
    """An amount of money as a whole number of millionths: sums must not drift."""
    require(re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,6})?", text))
    whole_part, _, rest = text.partition(".")
    return int(whole_part) * 1_000_000 + int(rest.ljust(6, "0"))


def _hard_to_guess(text: str) -> Secret:
    """Nothing brakes who guesses it: that would make the right one wait, too."""
    require(len(text) >= SHORTEST_KEY and len(set(text)) >= FEWEST_CHARACTERS)
    return SECRET.parse(text)


def _host(text: str) -> str:
    require(re.fullmatch(r"[A-Za-z0-9._:%-]+", text))
    return text


def _issuer(text: str) -> str:
    """As it is: an issuer is compared letter by letter, its last slash included."""
    WEB_ADDRESS.parse(text)
    return text


def _time_zone(text: str) -> str:
    require(text == "UTC" or is_zone(text))
    return text


def _edition_types(text: str) -> tuple[EditionType, ...]:
    """Each once, in the order they are written in. None at all is more likely a slip."""
    names = [part.lower() for part in parts_of(text)]
    require(names)
    return tuple(dict.fromkeys(map(EditionType, names)))


def _time_of_day(text: str) -> time:
    found = time_at(text)
    if found is None:
        raise ValueError
    return found


def _allowed_address(text: str) -> str:
    host, colon, port = text.rpartition(":")
    is_service = colon and re.fullmatch(r"[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\]", host)
    if is_service and re.fullmatch(r"[0-9]{1,5}", port) and 1 <= int(port) <= 65535:
        return text
    return _network(text)


def _network(text: str) -> str:
    import ipaddress

    return str(ipaddress.ip_network(text))


DATABASE_ENDINGS = (".db", ".sqlite", ".sqlite3")


def _database(text: str) -> str | Path:
    """A SQLite file as its path, PostgreSQL as its URL.

    No database in memory: the collector and the server are processes of their own (S000-22).
    """
    if re.match(r"postgres(ql)?://[^\s/]", text):
        return re.sub("^postgres:", "postgresql:", text)
    name = text.removeprefix("sqlite:///")
    require(name and "://" not in name and ":memory:" not in name and name.isprintable())
    # A bare word is more likely a slip than the name of a file to be made.
    require(name != text or "/" in name or name.endswith(DATABASE_ENDINGS))
    return Path(name)


def _repository(text: str) -> str:
    require(re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9-]{0,38}/[A-Za-z0-9._-]{1,100}", text))
    require(text.partition("/")[2].strip("."))
    return text


def _mail_server(text: str) -> Secret:
    """`smtp://user:password@host:587` or `smtps://...`: what it means is read by `publish`."""
    place = r"([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?/?"
    require(re.fullmatch(rf"smtps?://([^\s/@]+@)?{place}|smtp://{place}\?tls=no", text))
    return Secret(text)


def _mailbox(text: str) -> str:
    """`someone@example.org`, or `ClawFeed <someone@example.org>`."""
    require(re.fullmatch(r"([^<>@,\r\n]* )?<[^\s<>@,]+@[^\s<>@,]+>|[^\s<>@,]+@[^\s<>@,]+", text))
    return text


def _secret_address(text: str) -> Secret:
    """An http(s) address that is itself a secret: whoever knows it can post there."""
    require(re.fullmatch(r"https?://[^\s/?#@]+(/\S*)?", text))
    return Secret(text)


MONEY = ValueKind("an amount of money such as 5 or 0.15", _millionths)
PRESENCE = ValueKind("any text", bool)
KEY = ValueKind(
    f"{SHORTEST_KEY} characters or more that nobody guesses: `openssl rand -hex 32` makes some",
    _hard_to_guess,
    is_secret=True,
)
FILE = ValueKind("the path of a file", Path)
FOLDER = ValueKind("the path of a folder", Path)
HOST = ValueKind("a host name or an IP address", _host)
ISSUER = ValueKind(WEB_ADDRESS.expected, _issuer)
TIME_ZONE = ValueKind("the name of a time zone such as UTC or Asia/Shanghai", _time_zone)
EDITION_TYPES = ValueKind(
    f"a comma-separated list, each one of {', '.join(EditionType)}", _edition_types, is_list=True
)
TIME_OF_DAY = ValueKind("a time of day such as 07:30", _time_of_day)
REPOSITORY = ValueKind("a repository such as owner/name", _repository)
MAIL_SERVER = ValueKind(
    "smtp://user:password@host:587, or smtps:// for TLS at once", _mail_server, is_secret=True
)
MAILBOX = ValueKind("an e-mail address, with or without a name before it", _mailbox)
SECRET_ADDRESS = ValueKind("an http:// or https:// address", _secret_address, is_secret=True)
NETWORKS = list_of(ValueKind("a network such as 10.1.0.0/16", _network))
ADDRESSES = list_of(ValueKind("a host:port or a network such as 10.1.0.0/16", _allowed_address))
DATABASE = ValueKind(
    "sqlite:///path, a path with a / or the ending .db, or postgresql://host/name", _database
)

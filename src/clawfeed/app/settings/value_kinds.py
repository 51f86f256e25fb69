"""What a setting may hold: how a text becomes a value, and what is expected, in words.

Heavy modules are imported by the kinds that need them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import time, timedelta
from pathlib import Path

from clawfeed.domain.editions.edition_period import EditionType
from clawfeed.domain.secret import Secret
from clawfeed.domain.wall_clock import is_zone, time_at

# As many as 16 random bytes have in hexadecimal, spelled in any way.
SHORTEST_KEY, FEWEST_CHARACTERS = 20, 8
# What a bridge's address may leave open (`sources.x.bridges`).
BRIDGE_NAMES = ("handle", "list_id", "query", "type")


class ValueType:
    """What a setting may hold: *expected* in words; *parse* raises ValueError on anything else."""

    __slots__ = ("expected", "is_list", "parse")

    def __init__(
        self, expected: str, parse: Callable[[str], object], *, is_list: bool = False
    ) -> None:
        self.expected = expected
        self.parse = parse
        self.is_list = is_list


def whole(low: int, high: int, unit: Callable[[int], object] = int) -> ValueType:
    def parse(text: str) -> object:
        # Not int() alone: it takes "1_000" and "٣" too.
        _require(text.isascii() and text.isdigit() and len(text) <= 15)
        _require(low <= int(text) <= high)
        return unit(int(text))

    return ValueType(f"a whole number from {low} to {high}", parse)


def days(low: int, high: int) -> ValueType:
    return whole(low, high, lambda number: timedelta(days=number))


def minutes(low: int, high: int) -> ValueType:
    return whole(low, high, lambda number: timedelta(minutes=number))


def milliseconds(low: int, high: int) -> ValueType:
    return whole(low, high, lambda number: timedelta(milliseconds=number))


def seconds(low: float, high: float) -> ValueType:
    def parse(text: str) -> timedelta:
        _require(re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,6})?", text) and low <= float(text) <= high)
        return timedelta(seconds=float(text))

    return ValueType(f"a number of seconds from {low:g} to {high:g}", parse)


def _millionths(text: str) -> int:
    """An amount of money as a whole number of millionths: sums must not drift."""
    _require(re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,6})?", text))
    whole_part, _, rest = text.partition(".")
    return int(whole_part) * 1_000_000 + int(rest.ljust(6, "0"))


def choice(*names: str) -> ValueType:
    def parse(text: str) -> str:
        _require(text.lower() in names)
        return text.lower()

    return ValueType("one of " + ", ".join(names), parse)


def list_of(kind: ValueType) -> ValueType:
    def parse(text: str) -> tuple[object, ...]:
        return tuple(kind.parse(part.strip()) for part in text.split(",") if part.strip())

    return ValueType(f"a comma-separated list, each {kind.expected}", parse, is_list=True)


def _flag(text: str) -> bool:
    _require(text.lower() in {"true", "yes", "on", "1", "false", "no", "off", "0"})
    return text.lower() in {"true", "yes", "on", "1"}


def _secret(text: str) -> Secret:
    # A line break in a token would become a header of its own in a request.
    return Secret(_line(text))


def _hard_to_guess(text: str) -> Secret:
    """Nothing brakes who guesses it: that would make the right one wait, too."""
    _require(len(text) >= SHORTEST_KEY and len(set(text)) >= FEWEST_CHARACTERS)
    return _secret(text)


def _host(text: str) -> str:
    _require(re.fullmatch(r"[A-Za-z0-9._:%-]+", text))
    return text


def _web_address(text: str) -> str:
    """An http(s) URL without its last slash; credentials have settings of their own."""
    _require(re.fullmatch(r"https?://[^\s/?#@]+(/[^\s?#]*)?", text))
    return text.rstrip("/")


def _issuer(text: str) -> str:
    """As it is: an issuer is compared letter by letter, its last slash included."""
    _web_address(text)
    return text


def _bridge(text: str) -> str:
    # No user or password: egress refuses them in any address.
    _require(re.fullmatch(r"https?://[^\s/?#@]+(/\S*)?", text))
    # Without one of them it would serve no source, and nobody would be told.
    _require(any(f"{{{name}}}" in text for name in BRIDGE_NAMES))
    return text


def _time_zone(text: str) -> str:
    _require(text == "UTC" or is_zone(text))
    return text


def _edition_types(text: str) -> tuple[EditionType, ...]:
    """Each once, in the order they are written in. None at all is more likely a slip."""
    names = [part.strip().lower() for part in text.split(",") if part.strip()]
    _require(names)
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
    _require(name and "://" not in name and ":memory:" not in name and name.isprintable())
    # A bare word is more likely a slip than the name of a file to be made.
    _require(name != text or "/" in name or name.endswith(DATABASE_ENDINGS))
    return Path(name)


def _repository(text: str) -> str:
    _require(re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9-]{0,38}/[A-Za-z0-9._-]{1,100}", text))
    _require(text.partition("/")[2].strip("."))
    return text


def _mail_server(text: str) -> Secret:
    """`smtp://user:password@host:587` or `smtps://...`: what it means is read by `publish`."""
    place = r"([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?/?"
    _require(re.fullmatch(rf"smtps?://([^\s/@]+@)?{place}|smtp://{place}\?tls=no", text))
    return Secret(text)


def _mailbox(text: str) -> str:
    """`someone@example.org`, or `ClawFeed <someone@example.org>`."""
    _require(re.fullmatch(r"([^<>@,\r\n]* )?<[^\s<>@,]+@[^\s<>@,]+>|[^\s<>@,]+@[^\s<>@,]+", text))
    return text


def _secret_address(text: str) -> Secret:
    """An http(s) address that is itself a secret: whoever knows it can post there."""
    _require(re.fullmatch(r"https?://[^\s/?#@]+(/\S*)?", text))
    return Secret(text)


def _require(is_right: object) -> None:
    if not is_right:
        raise ValueError


def _line(text: str) -> str:
    _require(text.isprintable())
    return text


MONEY = ValueType("an amount of money such as 5 or 0.15", _millionths)
FLAG = ValueType("true or false", _flag)
PRESENCE = ValueType("any text", bool)
TEXT = ValueType("one line of text", _line)
SECRET = ValueType("one line of text", _secret)
KEY = ValueType(
    f"{SHORTEST_KEY} characters or more that nobody guesses: `openssl rand -hex 32` makes some",
    _hard_to_guess,
)
FILE = ValueType("the path of a file", Path)
FOLDER = ValueType("the path of a folder", Path)
HOST = ValueType("a host name or an IP address", _host)
WEB_ADDRESS = ValueType(
    "an http:// or https:// address without user, password or query", _web_address
)
ISSUER = ValueType(WEB_ADDRESS.expected, _issuer)
BRIDGES = list_of(
    ValueType(
        "an http:// or https:// address without user and password that holds "
        "{handle}, {list_id}, {query} or {type}",
        _bridge,
    )
)
TIME_ZONE = ValueType("the name of a time zone such as UTC or Asia/Shanghai", _time_zone)
EDITION_TYPES = ValueType(
    f"a comma-separated list, each one of {', '.join(EditionType)}", _edition_types, is_list=True
)
TIME_OF_DAY = ValueType("a time of day such as 07:30", _time_of_day)
REPOSITORY = ValueType("a repository such as owner/name", _repository)
MAIL_SERVER = ValueType("smtp://user:password@host:587, or smtps:// for TLS at once", _mail_server)
MAILBOX = ValueType("an e-mail address, with or without a name before it", _mailbox)
SECRET_ADDRESS = ValueType("an http:// or https:// address", _secret_address)
NETWORKS = list_of(ValueType("a network such as 10.1.0.0/16", _network))
ADDRESSES = list_of(ValueType("a host:port or a network such as 10.1.0.0/16", _allowed_address))
DATABASE = ValueType(
    "sqlite:///path, a path with a / or the ending .db, or postgresql://host/name", _database
)

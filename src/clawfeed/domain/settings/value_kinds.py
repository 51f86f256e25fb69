"""What a setting may hold: how a text becomes a value, and what is expected, in words.

Here are the kinds that anybody's settings may be of; `app` has more for the house's own.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Generic, TypeVar

from clawfeed.domain.secret import Secret

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class ValueKind(Generic[T_co]):
    """What a setting may hold: *expected* in words; *parse* raises ValueError on anything else.

    *show* is what everybody may see of a text that is no secret as a whole; of one that *is_secret*
    nobody sees anything. A kind whose *parse* makes a `Secret` says so: nobody can tell before.
    """

    __slots__ = ("expected", "is_list", "is_secret", "parse", "show")

    def __init__(
        self,
        expected: str,
        parse: Callable[[str], T_co],
        *,
        is_list: bool = False,
        is_secret: bool = False,
        show: Callable[[str], str] = str,
    ) -> None:
        self.expected = expected
        self.parse = parse
        self.is_list = is_list
        self.is_secret = is_secret
        self.show = show

    def then(self, make: Callable[[T_co], T]) -> ValueKind[T]:
        """The same texts, *made* into another value."""
        return ValueKind(
            self.expected,
            lambda text: make(self.parse(text)),
            is_list=self.is_list,
            is_secret=self.is_secret,
            show=self.show,
        )


def whole(low: int, high: int) -> ValueKind[int]:
    def parse(text: str) -> int:
        # Not int() alone: it takes "1_000" and "٣" too.
        require(text.isascii() and text.isdigit() and len(text) <= 15)
        require(low <= int(text) <= high)
        return int(text)

    return ValueKind(f"a whole number from {low} to {high}", parse)


def choice(*names: str) -> ValueKind[str]:
    def parse(text: str) -> str:
        require(text.lower() in names)
        return text.lower()

    return ValueKind("one of " + ", ".join(names), parse)


def list_of(kind: ValueKind[T], *, show: Callable[[str], str] = str) -> ValueKind[tuple[T, ...]]:
    def parse(text: str) -> tuple[T, ...]:
        return tuple(kind.parse(part) for part in parts_of(text))

    return ValueKind(
        f"a comma-separated list, each {kind.expected}",
        parse,
        is_list=True,
        is_secret=kind.is_secret,
        show=show,
    )


def parts_of(text: str) -> list[str]:
    """What stands between the commas, without what is empty."""
    return [part.strip() for part in text.split(",") if part.strip()]


def require(is_right: object) -> None:
    if not is_right:
        raise ValueError


def _flag(text: str) -> bool:
    require(text.lower() in {"true", "yes", "on", "1", "false", "no", "off", "0"})
    return text.lower() in {"true", "yes", "on", "1"}


def _line(text: str) -> str:
    require(text.isprintable())
    return text


def _secret(text: str) -> Secret:
    # A line break in a token would become a header of its own in a request.
    return Secret(_line(text))


def _web_address(text: str) -> str:
    """An http(s) URL without its last slash; credentials have settings of their own."""
    require(re.fullmatch(r"https?://[^\s/?#@]+(/[^\s?#]*)?", text))
    return text.rstrip("/")


FLAG = ValueKind("true or false", _flag)
TEXT = ValueKind("one line of text", _line)
SECRET = ValueKind("one line of text", _secret, is_secret=True)
WEB_ADDRESS = ValueKind(
    "an http:// or https:// address without user, password or query", _web_address
)

"""What brings back what was removed: a browser keeps it for a minute, so anybody may send it."""

from __future__ import annotations

import binascii
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import TypeVar

import msgspec

from clawfeed.domain.errors import InvalidInputError, RefusalCode
from clawfeed.web.frame.flash import LONGEST_THING

T = TypeVar("T")


def packed(parts: object) -> str:
    """*parts* in the letters of a cookie; empty if they are too long for one."""
    text = urlsafe_b64encode(msgspec.json.encode(parts)).decode().rstrip("=")
    return text if len(text) <= LONGEST_THING else ""


def unpacked(thing: str, kind: type[T]) -> T:
    """The parts again, of their types and nothing more: what they may hold is for the caller."""
    try:
        raw = urlsafe_b64decode(thing + "=" * (-len(thing) % 4))
        return msgspec.json.decode(raw, type=kind)
    except (binascii.Error, ValueError, msgspec.DecodeError):
        raise nothing_to_undo() from None


def nothing_to_undo() -> InvalidInputError:
    return InvalidInputError("there is nothing to bring back", RefusalCode.NOTHING_TO_UNDO)

"""What a parse process and its parent say to each other, as both must know it.

A frame is a length and that many bytes. A request holds a JSON head and the raw body, an answer one
status byte and MessagePack, which needs no escapes in the HTML that most of it is. Never pickle:
the process reads hostile bytes, its parent its answers.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Hashable, Mapping
from functools import lru_cache
from typing import Any, Final, TypeVar, cast

import orjson

T = TypeVar("T")

READY_MARK: Final = b"r"
DONE_MARK: Final = b"d"
UNREADABLE_MARK: Final = b"u"
OUR_BUG: Final = b"b"
LENGTH: Final = struct.Struct("!I")


def pack(*parts: bytes) -> bytes:
    """One frame."""
    return b"".join((LENGTH.pack(sum(map(len, parts))), *parts))


def pack_request(kind: str, body: bytes, options: Mapping[str, Any]) -> bytes:
    head = orjson.dumps([kind, options])
    return pack(LENGTH.pack(len(head)), head, body)


def unpack_request(request: bytes) -> tuple[str, dict[str, Any], bytes]:
    end = LENGTH.size + LENGTH.unpack_from(request)[0]
    kind, options = orjson.loads(request[LENGTH.size : end])
    return kind, options, request[end:]


def pack_result(result: object) -> bytes:
    """The answer to a job that is done: any dataclass of texts, numbers, dates and the like."""
    return pack(DONE_MARK, _encoder()(result))


def result_in(answer: memoryview, expected: type[T]) -> T:
    """The values in an answer, each of the type it should be; `ValueError` if they are not.

    A process taken over by its input could send anything.
    """
    result: T = _decoder(cast("Hashable", expected))(answer)
    return result


# Loaded where it is needed: 20 ms, which a command that reads nothing can do without.


@lru_cache(maxsize=1)
def _encoder() -> Callable[[object], bytes]:
    from msgspec.msgpack import Encoder

    return Encoder().encode


@lru_cache
def _decoder(expected: Hashable) -> Callable[[memoryview], Any]:
    from msgspec.msgpack import Decoder

    return Decoder(expected).decode

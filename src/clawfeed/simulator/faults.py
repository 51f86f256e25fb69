"""What can be wrong with an origin, as values; `response_faults` and `wire_faults` do it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from email.utils import format_datetime
from enum import Enum

from clawfeed.domain.errors import InvalidInputError

MIB = 1024 * 1024


class Fault(Enum):
    """Every way to misbehave; the text says what the client will see."""

    # Wrong answers, in correct HTTP.
    STATUS = "any status code, with Location, Retry-After and body if given"
    REDIRECT_LOOP = "302 to the very same URL"
    REDIRECT_CHAIN = "302 to ?hop=1, ?hop=2, ...; the real answer after `hops` of them"
    MALFORMED_XML = "a document cut off in the middle, with an undefined entity"
    HTML_INSTEAD = "200 with an HTML page that asks to enable JavaScript"
    WRONG_CHARSET = "GB18030 bytes (Chinese, dashes and quotes differ) labelled as UTF-8"
    EMPTY_BODY = "200 with Content-Length: 0"
    OTHER_BODY = "200 with the given body and content type"
    # Wrong words of the language model, in correct JSON.
    MODEL_LIES = "names and numbers that no text has"
    MODEL_OBEYS = "whatever the texts ask for: canaries, links, markup, its task and its key"
    MODEL_INVENTS_IDS = "good words that cite sources nobody gave it"
    MODEL_WRONG_SHAPE = "JSON of another shape than was asked for"
    # Wrong HTTP.
    SLOW_FIRST_BYTE = "nothing for `pause`, then a correct answer"
    BODY_DRIP = "a correct head, then one byte of the body every `pause`"
    HEADER_DRIP = "the head itself, one byte every `pause`"
    NEVER_CLOSE = "a head without length, `after_bytes` of body, then silence"
    INFINITE_BODY = "a body that goes on as fast as the client reads"
    GZIP_BOMB = "a small gzip body that unpacks to `size` bytes"
    TRUNCATED = "the true Content-Length, half of the body, then FIN"
    WRONG_LENGTH = "a Content-Length smaller than the body; the rest spills over"
    RESET = "RST after `after_bytes` of the answer"
    GARBAGE = "bytes that look like a TLS alert, not like HTTP"
    EARLY_HINTS_FLOOD = "103 again and again, one every `pause`, never an answer"
    HEADER_FLOOD = "`size` bytes of headers of 1 KiB each"
    HUGE_HEADER = "one header line of `size` bytes"
    HALF_CLOSE = "a correct answer without length, FIN, and an ear kept open"

    @property
    def delivers(self) -> bool:
        """Whether the items arrive all the same, so that the journal counts them as served."""
        return self in {
            Fault.SLOW_FIRST_BYTE,
            Fault.HALF_CLOSE,
            Fault.WRONG_CHARSET,
            Fault.REDIRECT_CHAIN,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Misbehaviour:
    """One fault with its measures; each fault reads only the measures its text names.

    *share* is how many of the requests are hit, by dice that fall the same way in every run.
    """

    fault: Fault
    status: int = 500
    location: str = ""
    retry_after: str = ""
    pause: timedelta = timedelta(seconds=1)
    after_bytes: int = 100
    size: int = 100 * MIB
    hops: int = 50
    body: str = ""
    content_type: str = "application/rss+xml; charset=utf-8"
    share: float = 1.0


def moved(location: str, *, permanently: bool = True) -> Misbehaviour:
    return Misbehaviour(fault=Fault.STATUS, status=301 if permanently else 302, location=location)


def status(code: int) -> Misbehaviour:
    return Misbehaviour(fault=Fault.STATUS, status=code)


def busy(until: datetime | int | str, *, code: int = 429) -> Misbehaviour:
    """429 (or another *code*) with Retry-After as a date, as seconds, or as any nonsense."""
    when = format_datetime(until, usegmt=True) if isinstance(until, datetime) else str(until)
    return Misbehaviour(fault=Fault.STATUS, status=code, retry_after=when)


def from_json(order: Mapping[str, object]) -> Misbehaviour:
    """A misbehaviour from a control request: the fields above, `pause` in seconds.

    InvalidInputError tells which field cannot be used.
    """
    try:
        fault = Fault[str(order.get("fault", "")).upper()]
    except KeyError:
        known = ", ".join(fault.name.lower() for fault in Fault)
        raise InvalidInputError(f"no such fault; known are: {known}") from None
    plain = Misbehaviour(fault=fault)
    try:
        return Misbehaviour(
            fault=fault,
            status=int(str(order.get("status", plain.status))),
            location=str(order.get("location", "")),
            retry_after=str(order.get("retry_after", "")),
            pause=timedelta(seconds=float(str(order.get("pause", 1)))),
            after_bytes=int(str(order.get("after_bytes", plain.after_bytes))),
            size=int(str(order.get("size", plain.size))),
            hops=int(str(order.get("hops", plain.hops))),
            body=str(order.get("body", "")),
            content_type=str(order.get("content_type", plain.content_type)),
            share=float(str(order.get("share", 1.0))),
        )
    except ValueError as error:
        raise InvalidInputError(f"a measure is not a number: {error}") from error

"""An answer that does not end by itself: server-sent events, a place held for each."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Final

from fastapi import HTTPException

from clawfeed.domain.ids import UserId
from clawfeed.web.frame.streamed_page import HeldStream

HEADERS: Final = {
    "Cache-Control": "no-store",
    # nginx and its like hold answers back until they are whole, which this one never is.
    "X-Accel-Buffering": "no",
}
# A comment: nothing to the page, but a sign of life to whatever stands between us.
HEARTBEAT: Final = b": still here\n\n"
# When to come back after a cut, in milliseconds.
COME_BACK: Final = b"retry: 3000\n\n"
# Do not come back: whoever looked may not any more.
OVER_EVENT: Final = b"event: over\ndata: over\n\n"


def message(html: str) -> bytes:
    """*html* as one event; every line of it has to say that it is data."""
    lines = html.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return "".join(f"data: {line}\n" for line in lines).encode() + b"\n"


class StreamPlaces:
    """At most so many streams for one person, and in all: each is a connection that stays open."""

    def __init__(self, *, each: int, in_all: int) -> None:
        self._each, self._in_all = each, in_all
        self._held: Counter[UserId] = Counter()

    @contextmanager
    def held(self, user: UserId) -> Iterator[None]:
        """Hold one place; 429 if there is none."""
        if self._held[user] >= self._each or self._held.total() >= self._in_all:
            raise HTTPException(
                429,
                f"{self._each} open pages for each person, {self._in_all} in all, are the most "
                "that stay up to date by themselves; close one, or load this page again",
                headers={"Retry-After": "60"},
            )
        self._held[user] += 1
        try:
            yield
        finally:
            self._held[user] -= 1


class EventStream(HeldStream):
    """Sends *messages* as they come, within *place*."""

    def __init__(self, messages: AsyncIterator[bytes], place: AbstractContextManager[None]) -> None:
        super().__init__(messages, place, HEADERS, "text/event-stream")

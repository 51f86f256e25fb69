"""How often a person may ask for what costs others something."""

from __future__ import annotations

import asyncio
import math
from collections import Counter, OrderedDict, deque
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from datetime import datetime, timedelta

from clawfeed.auth.refused import RefusedError
from clawfeed.domain.errors import RefusalCode
from clawfeed.domain.ids import UserId

WINDOW = timedelta(minutes=1)
# People remembered at once; the one who was quiet longest is forgotten first.
MOST_PEOPLE = 10_000
REQUESTS_PER_MINUTE = 10
# Each may take half a minute, and somebody else waits for the same workers.
RESOLVED_AT_ONCE = 2
# A list is a thousand changes of the database, and is read by the workers that read feeds.
LISTS_AT_ONCE = 1
# A day of twenty thousand items takes seconds to choose from.
TURN_PATIENCE = timedelta(seconds=30)
# Each is a message to somebody, from us.
TESTS_PER_MINUTE = 5


class AtOnce:
    """At most so many at the same time for each person, counted in this process."""

    def __init__(self, most: int, what: str) -> None:
        self._most, self._what = most, what
        self._held: Counter[UserId] = Counter()

    @contextmanager
    def held(self, user: UserId) -> Iterator[None]:
        """Hold one place; 429 if this person holds all of theirs."""
        if self._held[user] >= self._most:
            raise RefusedError(
                429,
                f"{self._most} {self._what} at a time is the most; wait for the last answer",
                RefusalCode.TOO_MANY_AT_ONCE,
                headers={"Retry-After": "1"},
                most=self._most,
            )
        self._held[user] += 1
        try:
            yield
        finally:
            self._held[user] -= 1
            if not self._held[user]:
                del self._held[user]


class RateLimit:
    """At most so many a minute for each person, counted in this process."""

    def __init__(self, a_minute: int, clock: Callable[[], datetime], what: str) -> None:
        self._a_minute, self._clock, self._what = a_minute, clock, what
        self._taken: OrderedDict[UserId, deque[datetime]] = OrderedDict()

    def take(self, user: UserId) -> None:
        """Count one; 429 with `Retry-After` if it is one too many."""
        now = self._clock()
        taken = self._taken.setdefault(user, deque())
        self._taken.move_to_end(user)
        # Also drops what lies ahead: a clock that went back must not lock anybody out.
        while taken and not now - WINDOW < taken[0] <= now:
            taken.popleft()
        if len(taken) >= self._a_minute:
            wait = math.ceil((taken[0] + WINDOW - now).total_seconds())
            raise RefusedError(
                429,
                f"{self._a_minute} {self._what} a minute is the most; try again in {wait} s",
                RefusalCode.TOO_MANY_A_MINUTE,
                headers={"Retry-After": str(wait)},
                most=self._a_minute,
                seconds=wait,
            )
        taken.append(now)
        if len(self._taken) > MOST_PEOPLE:
            self._taken.popitem(last=False)


class SourceLimits:
    """What asks others' servers because somebody asked us: one count for the API and the pages."""

    def __init__(self, clock: Callable[[], datetime]) -> None:
        self.resolving = RateLimit(REQUESTS_PER_MINUTE, clock, "addresses")
        self.resolving_now = AtOnce(RESOLVED_AT_ONCE, "addresses")
        self.polling = RateLimit(REQUESTS_PER_MINUTE, clock, "polls")
        self.importing_now = AtOnce(LISTS_AT_ONCE, "list")


class PreviewTurns:
    """Selection is all processor: one preview at a time, whoever asks, for the API and the pages.

    Nobody stands in the queue twice: whoever asked a hundred times would keep all others waiting,
    and nobody waits for longer than they would look at an empty page (T26).
    """

    def __init__(
        self, turn: asyncio.Semaphore | None = None, patience: timedelta = TURN_PATIENCE
    ) -> None:
        self._turn, self._patience = turn or asyncio.Semaphore(1), patience
        self._places = AtOnce(1, "preview")

    @asynccontextmanager
    async def held(self, user: UserId) -> AsyncIterator[None]:
        """One's turn; 429 for who has one already, or whose turn does not come."""
        with self._places.held(user):
            try:
                async with asyncio.timeout(self._patience.total_seconds()):
                    await self._turn.acquire()
            except TimeoutError:
                raise RefusedError(
                    429,
                    "previews of others are being made; try again in a moment",
                    RefusalCode.PREVIEWS_BUSY,
                    headers={"Retry-After": "5"},
                ) from None
            try:
                yield
            finally:
                self._turn.release()


class ChannelLimits:
    """Tests of channels, counted for the API and the pages together."""

    def __init__(self, clock: Callable[[], datetime]) -> None:
        self.tests = RateLimit(TESTS_PER_MINUTE, clock, "tests of channels")
        self.testing_now = AtOnce(1, "test of a channel")


def x_beginnings(clock: Callable[[], datetime]) -> RateLimit:
    """Authorisations that are begun at X, by whichever way."""
    return RateLimit(REQUESTS_PER_MINUTE, clock, "authorisations")

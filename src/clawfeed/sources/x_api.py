"""The X API v2: which posts are asked for, what they may cost, and when to stay away."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from http import HTTPStatus
from itertools import chain
from typing import Any, Final, Protocol
from urllib.parse import urlencode

from clawfeed.domain.errors import EgressError, Reason, SourceError
from clawfeed.domain.ids import JsonValue
from clawfeed.domain.item import Draft
from clawfeed.domain.secret import Secret
from clawfeed.egress.client import Egress
from clawfeed.egress.limits import Limits
from clawfeed.egress.message import Request, Response
from clawfeed.egress.retry_after import LONGEST, parse_reset
from clawfeed.sources.answers import failure
from clawfeed.sources.x_posts import FIELDS, Page, read_json, read_page, read_user_id

# A hundred long posts with all their fields come near 3 MB.
X_LIMITS: Final = Limits(body=5_000_000)
# X refuses to be asked for fewer; a remainder below it cannot be spent.
FEWEST: Final = 5
# The first look shows what the account is like; the rest of its past is not news.
FIRST_LOOK: Final = (20,)
# With `since_id` only new posts are counted, so there is no harm in asking for many.
SINCE: Final = (20, 100, 100)
# Without it every post shown is paid for again: a few, and more only while all were new.
NO_SINCE: Final = (5, 20, 100)
MOST_KNOWN: Final = 100
# After an answer that never came we cannot tell what was counted: the reservation is lost. Left
# alone for a while, an X that is down costs 20 reads per pause and not per source.
PAUSE: Final = timedelta(minutes=5)
# Failures in which nothing was read for certain.
UNASKED: Final = frozenset({Reason.BLOCKED, Reason.OFFLINE, Reason.MISCONFIGURED, Reason.BUSY})


class ReadBudget(Protocol):
    """How many posts may still be read this month, for all collectors together (S001-8)."""

    async def reserve(self, wanted: int, *, at: datetime) -> int:
        """Take up to *wanted* reads from the month of *at*, before asking; returns how many."""
        ...

    async def give_back(self, unused: int, *, at: datetime) -> None:
        """Return what was not read, with the *at* it was reserved with."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Shelf:
    """Where one type of source lies in the API."""

    path: str
    takes_since_id: bool
    is_personal: bool = False


SHELVES: Final[Mapping[str, Shelf]] = {
    "twitter_feed": Shelf(path="users/{id}/tweets", takes_since_id=True),
    "twitter_list": Shelf(path="lists/{id}/tweets", takes_since_id=False),
    "twitter_bookmarks": Shelf(path="users/{id}/bookmarks", takes_since_id=False, is_personal=True),
    "twitter_favorites": Shelf(
        path="users/{id}/liked_tweets", takes_since_id=False, is_personal=True
    ),
    # The API does not offer the ranked "For You"; this is the same timeline in order of time.
    "twitter_foryou": Shelf(
        path="users/{id}/timelines/reverse_chronological", takes_since_id=True, is_personal=True
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class XCursor:
    """What was read so far: *since_id* where X takes it, else the ids of the last look."""

    user_id: str = ""
    since_id: str = ""
    known: tuple[str, ...] = ()

    @classmethod
    def load(cls, saved: Mapping[str, JsonValue]) -> XCursor:
        known = saved.get("known")
        return cls(
            user_id=str(saved.get("user_id") or ""),
            since_id=str(saved.get("since_id") or ""),
            known=tuple(map(str, known)) if isinstance(known, list) else (),
        )

    def save(self) -> dict[str, JsonValue]:
        saved: dict[str, JsonValue] = {}
        if self.user_id:
            saved["user_id"] = self.user_id
        if self.since_id:
            saved["since_id"] = self.since_id
        if self.known:
            saved["known"] = list[JsonValue](self.known)
        return saved

    @property
    def is_new(self) -> bool:
        return not self.since_id and not self.known


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What to read, as whom, from where on."""

    shelf: Shelf
    token: Secret
    owner: str  # the id in the shelf's path
    cursor: XCursor
    handle: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Harvest:
    """What a look brought, newest first."""

    drafts: tuple[Draft, ...]
    cursor: XCursor
    wait: timedelta | None = None
    warnings: tuple[str, ...] = ()


class XApi:
    """Asks the API within the budget and its rate limits.

    Every post is reserved before the request leaves, so the budget holds whatever happens next:
    a crash, or an answer that never came, leaves the reservation spent.
    """

    def __init__(
        self,
        *,
        egress: Egress,
        clock: Callable[[], datetime],
        base_url: str,
        budget: ReadBudget,
        limits: Limits = X_LIMITS,
    ) -> None:
        self._egress = egress
        self._clock = clock
        self._base_url = base_url.rstrip("/")
        self._budget = budget
        self._limits = limits
        self._rests: dict[str, _Rest] = {}

    async def user_id(self, handle: str, token: Secret) -> str:
        return read_user_id(await self._ask("users/by/username", f"/{handle}", {}, token))

    async def own_id(self, token: Secret) -> str:
        """The id of the person whose token this is."""
        return read_user_id(await self._ask("users/me", "", {}, token))

    async def read(self, order: Order) -> Harvest:
        """The posts that are new since the order's cursor, as far as a few pages go.

        If a later page fails, what came is returned and the cursor stays: nothing is skipped, the
        first pages are read again.
        """
        pages: list[Page] = []
        for size in _sizes(order):
            try:
                pages.append(await self._page(order, size, pages[-1].next_token if pages else ""))
            except SourceError as error:
                if not pages:
                    raise
                trouble = f"not all new posts could be read: {error.detail}"
                return self._harvest(order, pages, order.cursor, trouble)
            if _is_last(pages[-1], order.cursor):
                return self._harvest(order, pages, _moved_on(order, pages))
        trouble = "" if order.cursor.is_new else "more was posted than is read at once"
        return self._harvest(order, pages, _moved_on(order, pages), trouble)

    def _harvest(
        self, order: Order, pages: list[Page], cursor: XCursor, trouble: str = ""
    ) -> Harvest:
        return Harvest(
            drafts=tuple(chain.from_iterable(page.drafts for page in pages)),
            cursor=cursor,
            wait=self._rest_left(order.shelf.path),
            warnings=(trouble,) if trouble else (),
        )

    async def _page(self, order: Order, size: int, after: str) -> Page:
        """One page, paid for in advance; what it did not cost goes back."""
        at = self._clock()
        self._refuse_at_rest(order.shelf.path)
        granted = await self._budget.reserve(size, at=at)
        if granted < FEWEST:
            await self._budget.give_back(granted, at=at)
            raise _budget_spent(at)
        query = {**FIELDS, "max_results": str(granted)}
        if after:
            query["pagination_token"] = after
        if order.cursor.since_id and order.shelf.takes_since_id:
            query["since_id"] = order.cursor.since_id
        try:
            value = await self._ask(order.shelf.path, order.owner, query, order.token)
        except SourceError as error:
            if error.status is not None or error.reason in UNASKED:
                await self._budget.give_back(granted, at=at)
            raise
        page = read_page(value, handle=order.handle, now=at)
        await self._budget.give_back(granted - page.cost, at=at)
        return page

    async def _ask(
        self, path: str, name: str, query: Mapping[str, str], token: Secret
    ) -> Mapping[str, Any]:
        """The JSON at *path*, with *name* put in its place. The limits count by *path*."""
        self._refuse_at_rest(path)
        where = path.replace("{id}", name) if "{id}" in path else path + name
        url = f"{self._base_url}/2/{where}" + (f"?{urlencode(query)}" if query else "")
        request = Request(
            url=url,
            headers={"Authorization": f"Bearer {token.reveal()}", "Accept": "application/json"},
            limits=self._limits,
        )
        try:
            response = await self._egress.request(request)
        except EgressError as error:
            raise self._no_answer(path, error) from error
        rest = self._heed(path, response)
        if response.status == HTTPStatus.OK:
            return read_json(response.body)
        refused = failure(response, now=self._clock())
        if refused.reason is Reason.BUSY and not refused.wait:
            refused.wait = rest
        raise refused

    def _no_answer(self, path: str, error: EgressError) -> SourceError:
        if error.reason not in UNASKED:
            self._rests[path] = _Rest(until=self._clock() + PAUSE, reason=error.reason)
        return SourceError(error.reason, error.detail, status=error.status, wait=error.wait)

    def _heed(self, path: str, response: Response) -> timedelta | None:
        """Stay away once the window is used up; returns for how long."""
        if response.headers.get("x-rate-limit-remaining", "").strip() != "0":
            return None
        wait = parse_reset(response.headers.get("x-rate-limit-reset"), self._clock())
        if wait:
            self._rests[path] = _Rest(until=self._clock() + wait)
        return wait

    def _rest_left(self, path: str) -> timedelta | None:
        rest = self._rests.get(path)
        left = rest.until - self._clock() if rest else timedelta(0)
        return left if left > timedelta(0) else None

    def _refuse_at_rest(self, path: str) -> None:
        left = self._rest_left(path)
        if left is None:
            self._rests.pop(path, None)
            return
        rest = self._rests[path]
        raise SourceError(
            rest.reason, f"the X API is left alone until {rest.until:%H:%M} UTC", wait=left
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rest:
    until: datetime
    reason: Reason = field(default=Reason.BUSY)


def _sizes(order: Order) -> tuple[int, ...]:
    if order.cursor.is_new:
        return FIRST_LOOK
    return SINCE if order.shelf.takes_since_id else NO_SINCE


def _is_last(page: Page, cursor: XCursor) -> bool:
    return not page.next_token or not page.ids or not set(page.ids).isdisjoint(cursor.known)


def _moved_on(order: Order, pages: list[Page]) -> XCursor:
    ids = list(chain.from_iterable(page.ids for page in pages))
    if not order.shelf.takes_since_id:
        return replace(order.cursor, known=tuple(ids[:MOST_KNOWN]) or order.cursor.known)
    newest = max([*ids, order.cursor.since_id], key=lambda number: int(number or 0))
    return replace(order.cursor, since_id=newest)


def _budget_spent(now: datetime) -> SourceError:
    day_in_next_month = now.replace(day=28) + timedelta(days=4)
    next_month = day_in_next_month.replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    wait = min(next_month - now, LONGEST)
    return SourceError(Reason.BUSY, "monthly X read budget used up", wait=wait)

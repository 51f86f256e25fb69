"""The X API v2: which posts are asked for, what they may cost, and when to stay away."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from http import HTTPStatus
from itertools import chain
from typing import Any, Final
from urllib.parse import urlencode

from clawfeed.domain.because import Because, Rule
from clawfeed.domain.errors import EgressError, Reason, SourceError
from clawfeed.domain.moments import iso
from clawfeed.domain.polling.failures import as_source_error
from clawfeed.domain.schedule.longest_wait import LONGEST_WAIT
from clawfeed.domain.schedule.read_budget import month_end
from clawfeed.domain.secret import Secret
from clawfeed.domain.sources.item import Draft
from clawfeed.egress.client import Egress
from clawfeed.egress.request_and_response import Request, Response
from clawfeed.egress.response_limits import Limits
from clawfeed.egress.retry_after import parse_reset
from clawfeed.sources.fetchers.response_outcomes import failure
from clawfeed.sources.paid_reads import ReadBudget
from clawfeed.sources.x.posts import FIELDS, PostPage, read_json, read_page, read_user_id
from clawfeed.sources.x.read_plan import (
    ReadPlan,
    XCursor,
    is_last,
    moved_on,
    page_sizes,
    refuse_out_of_turn,
    since_of,
)

# A hundred long posts with all their fields come near 3 MB.
X_LIMITS: Final = Limits(body=5_000_000)
# After an answer that never came we cannot tell what was counted: the reservation is lost. So
# whatever did not answer is left alone for a while.
SILENCE_PAUSE: Final = timedelta(minutes=5)
# One dropped connection says nothing of the other accounts; so many in a row, each about another,
# say that X is down. From then on that costs 20 reads per pause and not per source.
SILENT_TIMES: Final = 3


class XNotAskedError(SourceError):
    """Nothing has left for X, so nothing can have been counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PostBatch:
    """What a poll brought, newest first."""

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
        # By path, as X counts, and by whole address for what alone did not answer.
        self._rests: dict[str, datetime] = {}
        # What did not answer since the last answer, by path.
        self._silent: dict[str, set[str]] = {}
        self._ids: dict[str, str] = {}

    async def user_id(self, handle: str, token: Secret) -> str:
        """The number of an account.

        Remembered: if X wants rest right after telling it, the poll that follows must not spend
        its first question on it again.
        """
        known = self._ids.get(handle)
        if known is None:
            known = read_user_id(await self._ask("users/by/username", f"/{handle}", {}, token))
            self._ids[handle] = known
        return known

    async def own_id(self, token: Secret) -> str:
        """The id of the person whose token this is."""
        return read_user_id(await self._ask("users/me", "", {}, token))

    async def read(self, order: ReadPlan) -> PostBatch:
        """The posts that are new since the order's cursor, as far as a few pages go.

        If a later page fails, what came is returned and the cursor stays: nothing is skipped, the
        first pages are read again. While the budget is short, the newest of a flood are enough.
        """
        pages: list[PostPage] = []
        ration = await self._budget.ration(at=self._clock()) if order.is_metered else None
        refuse_out_of_turn(order, ration, self._clock())
        for size in page_sizes(order, ration):
            try:
                pages.append(await self._page(order, size, pages[-1].next_token if pages else ""))
            except SourceError as error:
                if not pages:
                    raise
                trouble = f"not all new posts could be read: {error.detail}"
                return self._harvest(order, pages, order.cursor, trouble)
            if is_last(pages[-1], order.cursor):
                return self._harvest(order, pages, moved_on(order, pages))
        cursor = moved_on(order, pages)
        if order.cursor.is_new:
            return self._harvest(order, pages, cursor)
        if ration:
            return self._harvest(order, pages, replace(cursor, is_behind=True), _TOO_DEAR)
        return self._harvest(order, pages, cursor, _TOO_MUCH)

    def _harvest(
        self, order: ReadPlan, pages: list[PostPage], cursor: XCursor, trouble: str = ""
    ) -> PostBatch:
        return PostBatch(
            drafts=tuple(chain.from_iterable(page.drafts for page in pages)),
            cursor=cursor,
            wait=self._rest_left(order.endpoint.path),
            warnings=(trouble,) if trouble else (),
        )

    async def _page(self, order: ReadPlan, size: int, after: str) -> PostPage:
        """One page, paid for in advance; what it did not cost goes back."""
        at = self._clock()
        self._refuse_at_rest(order.endpoint.path, _where(order.endpoint.path, order.owner))
        granted = await self._budget.reserve(size, at=at)
        if granted < order.endpoint.fewest:
            await self._budget.give_back(granted, at=at)
            raise _budget_spent(at)
        query = {**FIELDS, "max_results": str(granted)}
        if after:
            query["pagination_token"] = after
        if order.query:
            query["query"] = order.query
        if since := since_of(order, at):
            query["since_id"] = since
        try:
            value = await self._ask(order.endpoint.path, order.owner, query, order.token)
        except SourceError as error:
            if error.status is not None or isinstance(error, XNotAskedError):
                await self._budget.give_back(granted, at=at)
            raise
        page = read_page(value, handle=order.handle, now=at)
        await self._budget.give_back(granted - page.cost, at=at)
        return page

    async def _ask(
        self, path: str, name: str, query: Mapping[str, str], token: Secret
    ) -> Mapping[str, Any]:
        """The JSON at *path*, with *name* put in its place. The limits count by *path*."""
        where = _where(path, name)
        self._refuse_at_rest(path, where)
        url = f"{self._base_url}/2/{where}" + (f"?{urlencode(query)}" if query else "")
        request = Request(
            url=url,
            headers={"Authorization": f"Bearer {token.reveal()}", "Accept": "application/json"},
            limits=self._limits,
            is_once=True,  # what is sent twice may be counted twice
        )
        try:
            response = await self._egress.request(request)
        except EgressError as error:
            raise self._no_answer(path, where, error) from error
        self._silent.pop(path, None)
        rest = self._heed(path, response)
        if response.status == HTTPStatus.OK:
            return read_json(response.body)
        refused = failure(response, now=self._clock())
        if refused.reason is Reason.BUSY and not refused.wait:
            refused.wait = rest
        raise refused

    def _no_answer(self, path: str, where: str, error: EgressError) -> SourceError:
        if not error.was_sent:
            return as_source_error(error, kind=XNotAskedError)
        if error.reason is not Reason.OFFLINE:
            silent = self._silent.setdefault(path, set())
            if len(silent) < SILENT_TIMES:
                silent.add(where)
            is_down = len(silent) == SILENT_TIMES
            self._rests[path if is_down else where] = self._clock() + SILENCE_PAUSE
        return as_source_error(error)

    def _heed(self, path: str, response: Response) -> timedelta | None:
        """Stay away once the window is used up; returns for how long."""
        if response.headers.get("x-rate-limit-remaining", "").strip() != "0":
            return None
        wait = parse_reset(response.headers.get("x-rate-limit-reset"), self._clock())
        if wait:
            self._rests[path] = self._clock() + wait
        return wait

    def _rest_left(self, name: str) -> timedelta | None:
        until = self._rests.get(name)
        left = until - self._clock() if until else timedelta(0)
        if left > timedelta(0):
            return left
        self._rests.pop(name, None)
        return None

    def _refuse_at_rest(self, *names: str) -> None:
        """A postponed `XNotAskedError(BUSY)`, for nobody is asked."""
        waits = [left for name in names if (left := self._rest_left(name))]
        if waits:
            until = self._clock() + max(waits)
            why = f"the X API is left alone until {until:%H:%M} UTC"
            rests = Because(Rule.API_RESTS, {"api": "X", "until": iso(until)})
            raise XNotAskedError(Reason.BUSY, why, wait=max(waits), postponed=rests)


_TOO_MUCH = "more was posted than is read at once"
_TOO_DEAR = "more was posted than the monthly X read budget allows"


def _where(path: str, name: str) -> str:
    return path.replace("{id}", name) if "{id}" in path else path + name


def _budget_spent(now: datetime) -> SourceError:
    wait = min(month_end(now) - now, LONGEST_WAIT)
    spent = Because(Rule.READS_SPENT, {"api": "X"})
    return SourceError(Reason.BUSY, "monthly X read budget used up", wait=wait, postponed=spent)

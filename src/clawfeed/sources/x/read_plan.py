"""What to read of X, from where on, in which pages, and who must wait for a turn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import accumulate, chain
from typing import Final

from clawfeed.domain.because import Because, Rule, Scalar
from clawfeed.domain.errors import Reason, SourceError
from clawfeed.domain.ids import JsonValue
from clawfeed.domain.schedule.read_budget import ReadRation
from clawfeed.domain.secret import Secret
from clawfeed.sources.x.endpoints import Endpoint
from clawfeed.sources.x.posts import PostPage

# The first poll shows what the account is like; the rest of its past is not news.
FIRST_POLL: Final = (20,)
# With `since_id` only new posts are counted, so there is no harm in asking for many.
SINCE_SIZES: Final = (20, 100, 100)
# Without it every post shown is paid for again: a few, and more only while all were new.
FULL_SIZES: Final = (5, 20, 100)
MOST_KNOWN: Final = 100
X_EPOCH: Final = datetime(2010, 11, 4, 1, 42, 54, 657000, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class XCursor:
    """What was read so far: *since_id* where X takes it, else the ids of the last poll.

    *is_behind*: the budget was short, and more was posted than it allowed us to read.
    """

    user_id: str = ""
    since_id: str = ""
    known: tuple[str, ...] = ()
    is_behind: bool = False

    @classmethod
    def load(cls, saved: Mapping[str, JsonValue]) -> XCursor:
        known = saved.get("known")
        return cls(
            user_id=str(saved.get("user_id") or ""),
            since_id=str(saved.get("since_id") or ""),
            known=tuple(map(str, known)) if isinstance(known, list) else (),
            is_behind=saved.get("is_behind") is True,
        )

    def save(self) -> dict[str, JsonValue]:
        saved: dict[str, JsonValue] = {}
        if self.user_id:
            saved["user_id"] = self.user_id
        if self.since_id:
            saved["since_id"] = self.since_id
        if self.known:
            saved["known"] = list[JsonValue](self.known)
        if self.is_behind:
            saved["is_behind"] = True
        return saved

    @property
    def is_new(self) -> bool:
        return not self.since_id and not self.known


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadPlan:
    """What to read, as whom, from where on."""

    endpoint: Endpoint
    token: Secret
    owner: str  # the id in the endpoint's path
    cursor: XCursor
    handle: str = ""
    query: str = ""  # what is searched for
    is_metered: bool = False  # nobody takes over when the reads are spent: be sparing
    last_read_at: datetime | None = None


def page_sizes(order: ReadPlan, ration: ReadRation | None) -> tuple[int, ...]:
    """How many posts to ask for, page after page, until one is the last."""
    if order.cursor.is_new:
        return FIRST_POLL
    sizes = SINCE_SIZES if order.endpoint.takes_since_id else FULL_SIZES
    return (
        _within(sizes, max(ration.page, order.endpoint.fewest), order.endpoint) if ration else sizes
    )


def _within(sizes: tuple[int, ...], most: int, endpoint: Endpoint) -> tuple[int, ...]:
    """The first pages of all, *most* posts together."""
    before = accumulate(sizes, initial=0)
    kept = (min(size, most - read) for size, read in zip(sizes, before, strict=False))
    return tuple(size for size in kept if size >= endpoint.fewest)


def since_of(order: ReadPlan, now: datetime) -> str:
    """The post to read on from; "" where X would not take it, or none is known."""
    since, endpoint = order.cursor.since_id, order.endpoint
    if not since or not endpoint.takes_since_id:
        return ""
    if endpoint.reach is not None and posted_at(since) < now - endpoint.reach:
        return ""
    return since


def posted_at(post_id: str) -> datetime:
    """When X gave out *post_id*: its numbers hold milliseconds since November 2010."""
    return X_EPOCH + timedelta(milliseconds=int(post_id) >> 22)


def refuse_out_of_turn(order: ReadPlan, ration: ReadRation | None, now: datetime) -> None:
    """While there is not even a page a day for each, those who cost more than that take turns."""
    is_costly = order.cursor.is_behind or not order.endpoint.takes_since_id
    if ration is None or order.last_read_at is None or order.cursor.is_new or not is_costly:
        return
    wait = ration.wait(order.last_read_at, now)
    if wait is not None:
        days = ration.gap / timedelta(days=1)
        why = f"the monthly X read budget is short: read every {days:.1f} days, {ration.page} posts"
        turn: dict[str, Scalar] = {"api": "X", "every_days": round(days, 2), "posts": ration.page}
        raise SourceError(Reason.BUSY, why, wait=wait, postponed=Because(Rule.READ_TURN, turn))


def is_last(page: PostPage, cursor: XCursor) -> bool:
    """Whether nothing new can follow *page*."""
    return not page.next_token or not page.ids or not set(page.ids).isdisjoint(cursor.known)


def moved_on(order: ReadPlan, pages: list[PostPage]) -> XCursor:
    """The cursor after all that matters was read."""
    ids = list(chain.from_iterable(page.ids for page in pages))
    if not order.endpoint.takes_since_id:
        known = tuple(ids[:MOST_KNOWN]) or order.cursor.known
        return replace(order.cursor, known=known, is_behind=False)
    newest = max([*ids, order.cursor.since_id], key=lambda number: int(number or 0))
    return replace(order.cursor, since_id=newest, is_behind=False)

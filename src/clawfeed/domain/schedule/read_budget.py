"""A month's reads of a paid API, shared out so that they last and nobody eats them all.

What a poll costs: X bills the posts it returns. Where it takes a `since_id`, a poll that finds
nothing new is free, and an account costs what it posts however often we poll; waiting saves
nothing. Lists, bookmarks and likes show their newest posts again, so each poll costs at least
`FEWEST_POSTS`. Waiting pays there, and for whoever posts more than one page between two polls: of
those only the newest page is read while the budget is short.

So there is one threshold for all, in reads a day and source. Each further post of one source is
worth less than the first of another, so the reads go to those who got least: whoever costs less
than the threshold is not held up, the others wait until they fit under it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import accumulate

from clawfeed.domain.because import Because, Rule, Scalar
from clawfeed.domain.schedule.longest_wait import LONGEST_WAIT
from clawfeed.domain.schedule.schedule import NextPoll, PollFindings

# X refuses to be asked for fewer posts; a remainder below it cannot be spent.
FEWEST_POSTS = 5
# The most a poll reads while the budget is short: a quiet account's day, and no flood.
LARGEST_PAGE = 20
# How many of the latest posts tell how much a source posts.
SAMPLE_SIZE = 30
DAY = timedelta(days=1)
LONGEST_MONTH = 31
# One post of a minute ago is no rate of a thousand a day; nor are the month's last seconds days.
SHORTEST_SPAN = timedelta(hours=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadShare:
    """What one source may cost, while the budget does not suffice for all that is posted."""

    a_day: float  # the threshold: reads a day, the same for all sources
    left: int
    limit: int
    ends_at: datetime  # when new reads come
    least: int = 0  # what a poll costs that brings nothing

    @property
    def page(self) -> int:
        return ration_for(self.a_day).page


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadRation:
    """What the share means for one poll: how many posts, and how long after the last one.

    *gap* is zero unless even one small page a day is too much. Dates are never further than 24 h
    apart, so the polls in between go without reading.
    """

    page: int
    gap: timedelta = timedelta(0)

    def wait(self, last_read_at: datetime, now: datetime) -> timedelta | None:
        """How long until a source that costs more than its share may be read; None if now."""
        left = min(last_read_at + self.gap - now, LONGEST_WAIT)
        return left if left > timedelta(0) else None


def fair_share(demands: Sequence[float], affordable: float) -> float | None:
    """The most each may take so that all together take *affordable*; None if it suffices for all.

    What the modest leave is shared by the others: the highest level at which nothing overflows.
    """
    if sum(demands) <= affordable:
        return None
    ordered = sorted(demands)
    taken = accumulate(ordered[:-1], initial=0.0)
    return max(0.0, *((affordable - all_of) / (len(ordered) - n) for n, all_of in enumerate(taken)))


def affordable_a_day(left: int, *, now: datetime) -> float:
    """Reads a day that are left for the rest of the month of *now*."""
    return left / (max(month_end(now) - now, SHORTEST_SPAN) / DAY)


def demand_a_day(posts_a_day: float, *, least: int, every: timedelta) -> float:
    """What a source costs if nobody holds it up: its posts, and *least* at each poll."""
    return posts_a_day + least * (DAY / every)


def posts_a_day(posts: int, oldest: datetime | None, now: datetime) -> float:
    """How much is posted, from so many latest posts and the date of the oldest of them."""
    return posts / (max(now - oldest, SHORTEST_SPAN) / DAY) if oldest else 0.0


def ration_for(a_day: float) -> ReadRation:
    """So many posts that a poll a day fits under the threshold; at `FEWEST_POSTS`, fewer polls."""
    page = max(FEWEST_POSTS, min(LARGEST_PAGE, int(a_day)))
    if a_day >= FEWEST_POSTS:
        return ReadRation(page=page)
    return ReadRation(page=page, gap=DAY * min(LONGEST_MONTH, FEWEST_POSTS / max(a_day, 0.01)))


def month_end(at: datetime) -> datetime:
    """When the next month begins, in UTC: budgets are counted by UTC months."""
    in_next = at.astimezone(UTC).replace(day=28) + timedelta(days=4)
    return in_next.replace(day=1, hour=0, minute=0, second=0, microsecond=0)


def spare_reads(
    poll: NextPoll,
    share: ReadShare | None,
    found: PollFindings,
    *,
    last_poll: datetime,
    now: datetime,
) -> NextPoll:
    """*poll*, put off until it fits under the threshold.

    Never earlier than planned; never put off beyond 24 hours after the last poll, nor beyond the
    month's end. Without a share, and under it, nothing changes.
    """
    if share is None or poll.at is None:
        return poll
    sample = _consecutive(found, share.page)
    rate = posts_a_day(len(sample), sample[-1] if sample else None, now)
    at = min(min(last_poll, now) + _wait(share, rate), share.ends_at)
    if at <= poll.at:
        return poll
    return replace(poll, at=at, because=_why(share, rate, at - last_poll, now))


def _consecutive(found: PollFindings, page: int) -> tuple[datetime, ...]:
    """The latest dates without a hole: what came before a full page may have been left out."""
    return found.dates[: found.inserted if found.inserted >= page else SAMPLE_SIZE]


def _wait(share: ReadShare, rate: float) -> timedelta:
    """The earliest at which `min(least + rate x wait, page) / wait` is under the threshold."""
    if share.a_day <= 0:
        return LONGEST_WAIT
    days = share.page / share.a_day
    if rate < share.a_day:
        days = min(days, share.least / (share.a_day - rate))
    return min(timedelta(days=min(days, 1.0)), LONGEST_WAIT)


def _why(share: ReadShare, rate: float, wait: timedelta, now: datetime) -> Because:
    budget: dict[str, Scalar] = {
        "left": share.left,
        "limit": share.limit,
        "days": max(1, round((share.ends_at - now) / DAY)),
        "share": round(share.a_day, 2),
    }
    if not share.least:
        return Because(Rule.READ_BUDGET, {**budget, "posts_per_day": round(rate, 2)})
    found = round(min(rate * (wait / DAY), share.page), 2)
    return Because(Rule.READ_BUDGET_PER_POLL, {**budget, "cost": share.least, "posts_found": found})

"""What a server says about when to come back. It can only slow us down, never hurry us."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from clawfeed.domain.because import Because, Rule
from clawfeed.domain.sources.source import Hints

NO_WAIT = timedelta(0)
_ALL_HOURS = frozenset(range(24))
_ALL_DAYS = frozenset(range(7))
# A feed whose `<ttl>` or `sy:*` would let more than so many of its own items pile up contradicts
# itself: many a template says "daily" whatever it is used for.
MOST_GAPS = 4
# What it asks for up to here is no contradiction, however much it publishes.
ALWAYS_GRANTED = timedelta(minutes=15)
# What it takes to hold a feed's habits against its word: so many items, over so long at least.
EVIDENT_ITEMS, EVIDENT_SPAN = 10, timedelta(hours=1)


def slow_down(
    at: datetime, because: Because, hints: Hints, *, now: datetime, latest: datetime
) -> tuple[datetime, Because]:
    """The date after the server was heard, and the rule that now holds.

    Never earlier than *at*; never moved beyond *latest*, whatever the server asks: a mistyped
    max-age must not make us forget a source.
    """
    asked = hints.feed_wait or NO_WAIT
    granted = min(asked, longest_granted(hints.usual_gap))
    # Compared before it is added: a wait may be endless, or lie in the past.
    wait = min(max(hints.wait or NO_WAIT, granted, NO_WAIT), latest - now)
    if now + wait > at:
        is_capped = granted < asked and wait == granted
        at, because = now + wait, _capped(because, hints) if is_capped else _asked(because)
    return _after_the_quiet(at, because, hints, latest=latest)


def needs_evidence(hints: Hints) -> bool:
    """Whether what the feed asks for might be more than it is granted."""
    return (hints.feed_wait or NO_WAIT) > ALWAYS_GRANTED


def with_evidence(hints: Hints, published: Sequence[datetime], now: datetime) -> Hints:
    """*hints*, and how often the feed demonstrably publishes; *published* are its latest dates."""
    return replace(hints, usual_gap=usual_gap(published, now)) if needs_evidence(hints) else hints


def usual_gap(published: Sequence[datetime], now: datetime) -> timedelta | None:
    """The mean gap of its latest dates up to *now*, the silence since included; None if unclear."""
    dates = [date for date in published if date <= now]
    if len(dates) < EVIDENT_ITEMS or max(dates) - min(dates) < EVIDENT_SPAN:
        return None
    return (now - min(dates)) / len(dates)


def longest_granted(gap: timedelta | None) -> timedelta:
    """For how long a feed with this *gap* between items may ask us to stay away."""
    return timedelta.max if gap is None else max(gap * MOST_GAPS, ALWAYS_GRANTED)


def _after_the_quiet(
    at: datetime, because: Because, hints: Hints, *, latest: datetime
) -> tuple[datetime, Because]:
    """The first moment from *at* on that lies in no forbidden hour or day, both in UTC."""
    # A feed that forbids every hour, or every day, means something else than it says.
    hours = frozenset() if hints.skip_hours >= _ALL_HOURS else hints.skip_hours
    days = frozenset() if hints.skip_days >= _ALL_DAYS else hints.skip_days
    at, ours = at.astimezone(UTC), because
    while at < latest and (at.hour in hours or at.weekday() in days):
        rule = Rule.SKIP_HOUR if at.hour in hours else Rule.SKIP_DAY
        because = Because(rule, {"instead_of": str(ours.rule)})
        next_hour = at.replace(minute=0, second=0, microsecond=0) + timedelta(hours=1)
        at = min(next_hour, latest)
    return at, because


def _asked(because: Because) -> Because:
    """The server's wish holds; what it overrules is told to programs."""
    return Because(Rule.SERVER_HINT, {"instead_of": str(because.rule)})


def _capped(because: Because, hints: Hints) -> Because:
    asked, gap = hints.feed_wait or NO_WAIT, hints.usual_gap or NO_WAIT
    return Because(
        Rule.FEED_HINT_CAPPED,
        {
            "instead_of": str(because.rule),
            "asked_minutes": round(asked.total_seconds() / 60, 1),
            "per_day": round(timedelta(days=1) / gap, 1),
        },
    )

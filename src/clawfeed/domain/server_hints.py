"""What a server says about when to come back. It can only slow us down, never hurry us."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from clawfeed.domain.because import Because, Rule
from clawfeed.domain.source import Hints

NO_WAIT = timedelta(0)
_ALL_HOURS = frozenset(range(24))
_ALL_DAYS = frozenset(range(7))


def slow_down(
    at: datetime, because: Because, hints: Hints, *, now: datetime, latest: datetime
) -> tuple[datetime, Because]:
    """The date after the server was heard, and the rule that now holds.

    Never earlier than *at*; never moved beyond *latest*, whatever the server asks: a mistyped
    max-age must not make us forget a source.
    """
    # Compared before it is added: a wait may be endless, or lie in the past.
    wait = min(max(hints.wait or NO_WAIT, NO_WAIT), latest - now)
    if now + wait > at:
        at, because = now + wait, _instead(because, Rule.SERVER_HINT)
    return _after_the_quiet(at, because, hints, latest=latest)


def _after_the_quiet(
    at: datetime, because: Because, hints: Hints, *, latest: datetime
) -> tuple[datetime, Because]:
    """The first moment from *at* on that lies in no forbidden hour or day, both in UTC."""
    # A feed that forbids every hour, or every day, means something else than it says.
    hours = frozenset() if hints.skip_hours >= _ALL_HOURS else hints.skip_hours
    days = frozenset() if hints.skip_days >= _ALL_DAYS else hints.skip_days
    at, ours = at.astimezone(UTC), because
    while at < latest and (at.hour in hours or at.weekday() in days):
        because = _instead(ours, Rule.SKIP_HOUR if at.hour in hours else Rule.SKIP_DAY)
        next_hour = at.replace(minute=0, second=0, microsecond=0) + timedelta(hours=1)
        at = min(next_hour, latest)
    return at, because


def _instead(because: Because, rule: Rule) -> Because:
    """*rule* holds; what it overrules is told to programs."""
    return Because(rule, {"instead_of": str(because.rule)})

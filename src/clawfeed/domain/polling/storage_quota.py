"""How much may be stored in a day (UTC): of one source, and of one person's own sources.

What does not fit is neither stored nor forgotten: it is read again tomorrow.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from clawfeed.domain.because import Because, Rule

MEGABYTE = 1_000_000
DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Quota:
    """So many items and megabytes a day; 0 is no limit."""

    items: int = 0
    megabytes: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Quotas:
    """What a source may store in a day, and what all of one person's own may."""

    source: Quota = Quota()
    person: Quota = Quota()


NO_QUOTAS = Quotas()


def fitting(sizes: Sequence[int], quota: Quota, *, items: int, size: int) -> int:
    """How many of *sizes*, from the first on, still fit beside what is stored already."""
    count = 0
    for each in sizes:
        items, size = items + 1, size + each
        if quota.items and items > quota.items:
            break
        if quota.megabytes and size > quota.megabytes * MEGABYTE:
            break
        count += 1
    return count


def over_source(quotas: Quotas) -> Because:
    return _over(Rule.SOURCE_QUOTA, quotas.source)


def over_person(quotas: Quotas) -> Because:
    return _over(Rule.PERSON_QUOTA, quotas.person)


def _over(rule: Rule, quota: Quota) -> Because:
    return Because(rule, {"items": quota.items, "megabytes": quota.megabytes})


def tomorrow(now: datetime, spread: float) -> datetime:
    """When what did not fit is read: in the first hour of the next day, each at its own minute."""
    midnight = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0) + DAY
    return midnight + spread * timedelta(hours=1)

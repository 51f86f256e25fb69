"""How others decide when to poll, stated as small rules of our own to compare ourselves with.

Each is the peer's adaptive rule with its usual limits, without HTTP caching hints; Miniflux and
Nextcloud News themselves begin with a fixed hour and adapt only when asked to.
A rule sees what its peer would see: the publish dates of the items found so far (oldest first,
seconds), whether the last poll found something, and a die. It answers with the
seconds until the next poll.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from statistics import fmean, median
from typing import NamedTuple, TypeAlias

MINUTE, HOUR, DAY, WEEK = 60.0, 3600.0, 86400.0, 604800.0
MONTH = 30 * DAY
# What a document holds, and so what a peer that judges by the document can see of the past.
DOCUMENT = 20


class PollObservation(NamedTuple):
    """What a rule may know at the end of a poll."""

    now: float
    dates: Sequence[float]
    is_hit: bool
    last_wait: float | None
    die: float


Rule: TypeAlias = Callable[[PollObservation], float]


def fixed(minutes: float) -> Rule:
    """The same interval for everybody: tt-rss, Fusion, reader, Feedbin, plain FreshRSS."""
    return lambda _seen: minutes * MINUTE


def miniflux(seen: PollObservation) -> float:
    """Miniflux `entry_frequency`: one poll per usual gap of the last week, 5 min to 24 h.

    Its scheduler wakes once an hour, so a poll waits for the next full hour.
    """
    week = seen.dates[bisect_left(seen.dates, seen.now - WEEK) :]
    wait = DAY
    if len(week) >= 2 and week[-1] > week[0]:
        weekly = math.ceil(WEEK * (len(week) - 1) / (week[-1] - week[0]))
        wait = min(max(WEEK / weekly, 5 * MINUTE), DAY)
    return math.ceil((seen.now + wait) / HOUR) * HOUR - seen.now


def commafeed(seen: PollObservation) -> float:
    """CommaFeed: half the mean gap in the document, 5 min to 1 h; the silent at most 4 h."""
    document = seen.dates[-DOCUMENT:]
    if len(document) < 2 or seen.now - document[-1] >= 30 * DAY:
        return 4 * HOUR
    if seen.now - document[-1] >= 14 * DAY:
        return 2 * HOUR
    if seen.now - document[-1] >= 7 * DAY:
        return HOUR
    mean_gap = (document[-1] - document[0]) / (len(document) - 1)
    return min(max(mean_gap / 2, 5 * MINUTE), HOUR)


def newsblur(seen: PollObservation) -> float:
    """NewsBlur with one paying reader: by stories a day over a month, plus up to a quarter."""
    stories = (len(seen.dates) - bisect_left(seen.dates, seen.now - MONTH)) / 30
    if stories >= 1:
        minutes = 45.0
    elif stories > 0:
        minutes = 360 * (1 - stories)
    else:
        months = (seen.now - seen.dates[-1]) / MONTH if seen.dates else 1.0
        minutes = 720 * max(1.0, months)
    minutes = max(1.0, min(minutes, 240))
    return (minutes + seen.die * minutes / (1 if minutes <= 5 else 4)) * MINUTE


def auto_ttl(seen: PollObservation) -> float:
    """FreshRSS with the AutoTTL extension: the mean gap of the last month, 1 h to 24 h."""
    month = seen.dates[bisect_left(seen.dates, seen.now - MONTH) :]
    return min(max((seen.now - month[0]) / len(month), HOUR), DAY) if month else DAY


def nextcloud(seen: PollObservation) -> float:
    """Nextcloud News (feed-io): the last item plus 1.1 usual gaps; the silent once a day."""
    document = seen.dates[-DOCUMENT:]
    if len(document) < 3 or seen.now > document[-1] + 1.1 * WEEK:
        return DAY
    gaps = [second - first for first, second in pairwise(document)]
    for gap in sorted((fmean(gaps), median(gaps))):
        if document[-1] + 1.1 * gap > seen.now:
            return max(5 * MINUTE, document[-1] + 1.1 * gap - seen.now)
    return HOUR


def aimd(seen: PollObservation) -> float:
    """Half the wait after a find, half as much again after none; 5 min to 24 h."""
    wait = (seen.last_wait or HOUR) * (0.5 if seen.is_hit else 1.5)
    return min(max(wait, 5 * MINUTE), DAY)


PEERS: Mapping[str, Rule] = {
    "fixed-60": fixed(60),
    "fixed-240": fixed(240),
    "miniflux": miniflux,
    "commafeed": commafeed,
    "newsblur": newsblur,
    "autottl": auto_ttl,
    "nextcloud": nextcloud,
    "aimd": aimd,
}
# Who looks at the die.
THROW_DICE: frozenset[Rule] = frozenset({newsblur})
# Readers whose line above is what they do when asked to: by default, Miniflux goes round robin
# every hour, and Nextcloud News has a fixed hour.
HOURLY_BY_DEFAULT = frozenset({"miniflux", "nextcloud"})

"""How long a server asks us to wait, read strictly."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

from clawfeed.domain.schedule.longest_wait import LONGEST_WAIT

_SECONDS = re.compile(r"\A[0-9]+\Z")
# The three date forms of RFC 9110 section 5.6.7 all start with a day's name, and have no comma but
# the one after it: with another, they are the dates of two headers.
_DATE = re.compile(r"\A(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? [\x20-\x2b\x2d-\x7e]+\Z")


def parse_retry_after(value: str | None, now: datetime) -> timedelta | None:
    """The wait a `Retry-After` header asks for, within 0..24 h.

    None means there is nothing usable in it (absent, malformed, a date gone by): the caller's own
    back-off applies.
    """
    text = (value or "").strip(" \t")
    if _SECONDS.match(text):
        return _seconds(text)
    if _DATE.match(text):
        return _until(text, now)
    return None


def parse_reset(value: str | None, now: datetime) -> timedelta | None:
    """The wait until an `x-ratelimit-reset`: seconds from now, or (GitHub, X) an epoch.

    An epoch of thirteen digits is in milliseconds.
    """
    text = (value or "").strip(" \t").partition(".")[0]
    if not _SECONDS.match(text):
        return None
    # No one asks for a wait of thirty years, so a number that large is a moment.
    if len(text) < 10:
        return _seconds(text)
    moment = int(text) / 1000 if len(text) == 13 else int(text[:12])
    left = moment - now.timestamp()
    return min(timedelta(seconds=left), LONGEST_WAIT) if left > 0 else None


def _seconds(text: str) -> timedelta:
    # Seven digits are over a hundred days; longer ones need not be read at all.
    digits = text.lstrip("0")
    return (
        LONGEST_WAIT
        if len(digits) > 7
        else min(timedelta(seconds=int(digits or "0")), LONGEST_WAIT)
    )


def _until(text: str, now: datetime) -> timedelta | None:
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    wait = moment - now
    return min(wait, LONGEST_WAIT) if wait > timedelta(0) else None

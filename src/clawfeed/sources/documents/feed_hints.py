"""When a feed would like us back: `<ttl>`, `sy:*`, skipHours and skipDays."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Final

from clawfeed.sources.documents.feed_decoding import HEAD

_ITEM = re.compile(rb"<(?:[\w.-]{1,20}:)?(?:item|entry)[\s>]", re.IGNORECASE)
# "\s*+" gives nothing back: two plain ones in a row took 4 s over 32 KB of spaces.
_OPENING: Final = rb"\s*+(?:<!\[CDATA\[)?\s*+"
_TTL = re.compile(rb"<ttl>" + _OPENING + rb"(\d{1,6})\s*+(?:\]\]>)?\s*+</ttl>", re.IGNORECASE)
_PERIOD = re.compile(rb"updatePeriod>" + _OPENING + rb"(\w{1,10})", re.IGNORECASE)
_FREQUENCY = re.compile(rb"updateFrequency>" + _OPENING + rb"(\d{1,4})", re.IGNORECASE)
_HOUR = re.compile(rb"<hour>\s*(\d{1,2})\s*<", re.IGNORECASE)
_DAY = re.compile(rb"<day>\s*(\w{6,9})\s*<", re.IGNORECASE)
_PERIODS: Final = {
    b"hourly": timedelta(hours=1),
    b"daily": timedelta(days=1),
    b"weekly": timedelta(weeks=1),
    b"monthly": timedelta(days=30),
    b"yearly": timedelta(days=365),
}
_DAYS: Final = (
    b"monday", b"tuesday", b"wednesday", b"thursday", b"friday", b"saturday", b"sunday",
)  # fmt: skip


def channel_only(document: bytes) -> bytes:
    """The document around its items, as far as anyone writes a channel."""
    first = _ITEM.search(document)
    head = document[: first.start() if first else len(document)][: 8 * HEAD]
    return head + document[document.rfind(b"</item>") :][:HEAD] if first else head


def ttl_of(channel: bytes) -> timedelta | None:
    if (found := _TTL.search(channel)) and int(found[1]):
        return timedelta(minutes=int(found[1]))
    period = _PERIOD.search(channel)
    usual = _PERIODS.get(period[1].lower()) if period else None
    times = _FREQUENCY.search(channel)
    return usual / max(1, int(times[1]) if times else 1) if usual else None


def skip_hours_of(channel: bytes) -> frozenset[int]:
    inside = channel.partition(b"<skipHours>")[2].partition(b"</skipHours>")[0]
    # Some write 1..24 (RSS 0.91), so 24 is midnight.
    return frozenset(int(hour) % 24 for hour in _HOUR.findall(inside) if int(hour) <= 24)


def skip_days_of(channel: bytes) -> frozenset[int]:
    inside = channel.partition(b"<skipDays>")[2].partition(b"</skipDays>")[0]
    return frozenset(
        _DAYS.index(day.lower()) for day in _DAY.findall(inside) if day.lower() in _DAYS
    )

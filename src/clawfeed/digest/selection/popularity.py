"""How loud an item was at its own source: points, votes, stars, likes (S001-3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from clawfeed.domain.editions.selection import percentile
from clawfeed.domain.ids import JsonValue, SourceId

# The first that an item has speaks for it; those after it say the same in another way.
_KEYS = (
    "score", "upvotes", "stars_today", "stars_this_week", "stars_this_month", "like_count",
)  # fmt: skip


def signal_of(metadata: Mapping[str, JsonValue]) -> float | None:
    """The number its source gives it, in whatever the source counts in; None if it gives none."""
    found = named_signal(metadata)
    return found[1] if found else None


def named_signal(metadata: Mapping[str, JsonValue]) -> tuple[str, float] | None:
    """The same with the name of what the source counts in."""
    for key in _KEYS:
        value = metadata.get(key)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return key, float(value)
    return None


class UsualSignals:
    """What each source usually brings: 300 points are ordinary on one list and rare on another."""

    def __init__(self, by_source: Mapping[SourceId, Sequence[float]]) -> None:
        self._by_source = {source: sorted(signals) for source, signals in by_source.items()}

    def loudness(self, source_id: SourceId, signal: float | None) -> float | None:
        """The share of the source's own items that this one exceeds; None without a signal."""
        if signal is None:
            return None
        return percentile(signal, self._by_source.get(source_id, ()))

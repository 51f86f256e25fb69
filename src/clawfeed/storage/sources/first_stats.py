"""A source's first row in `source_stats`: from then on it has a date of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from clawfeed.domain.ids import SourceId
from clawfeed.storage.database import Insert, Statement, Steps
from clawfeed.storage.sql_lists import chunks, in_list


class FirstDate(NamedTuple):
    """Whose row, its class (`rss` or `custom`, S004-1), and since when it is due: seconds."""

    source_id: SourceId
    stats_type: str
    due: float


def add_first_stats(dates: Sequence[FirstDate], *, because: str, at: float) -> Steps[None]:
    """Make these sources' rows; one that has a row already keeps it."""
    if not dates:
        return
    yield Insert(
        table="source_stats",
        columns=("source_id", "source_type", "next_due_at", "because", "created_at", "updated_at"),
        rows=[
            (date.source_id, date.stats_type, date.due, because, at, at) for date in sorted(dates)
        ],
        returning="source_id",
    )
    for some in chunks([date.source_id for date in dates]):
        names, params = in_list(some)
        yield Statement(f"UPDATE sources SET has_stats = 1 WHERE id IN ({names})", params)  # noqa: S608

"""A source's first row in `source_stats`: from then on it has a date of its own."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from clawfeed.domain.because import Because, Rule, to_text
from clawfeed.domain.ids import SourceId
from clawfeed.domain.sources.type_facts import TypeFacts
from clawfeed.storage.database import Insert, Statement, Steps
from clawfeed.storage.sql_lists import chunks, in_list
from clawfeed.storage.timestamps import seconds

NEVER_POLLED = Because(Rule.NEVER_POLLED)


class FirstDate(NamedTuple):
    """Whose row, what is known of its type, and since when it is due: seconds.

    Due since its last fetch, or since 1970: the never-fetched come first (S000-4).
    """

    source_id: SourceId
    facts: TypeFacts
    due: float = 0.0


def make_rows(
    dates: Sequence[FirstDate], *, now: datetime, because: Because = NEVER_POLLED
) -> Steps[None]:
    """Give these sources their rows; one that has a row already keeps it."""
    if not dates:
        return
    at, why = seconds(now), to_text(because)
    yield Insert(
        table="source_stats",
        columns=("source_id", "source_type", "next_due_at", "because", "created_at", "updated_at"),
        rows=[
            (date.source_id, date.facts.stats_type, date.due, why, at, at)
            for date in sorted(dates, key=lambda date: date.source_id)
        ],
        returning="source_id",
    )
    for some in chunks([date.source_id for date in dates]):
        names, params = in_list(some)
        yield Statement(f"UPDATE sources SET has_stats = 1 WHERE id IN ({names})", params)  # noqa: S608

"""What past polls taught us about a source, as `source_stats` has it."""

from __future__ import annotations

from clawfeed.domain.schedule.schedule import Rhythm
from clawfeed.storage.database import Row
from clawfeed.storage.timestamps import moment_or_none

# Of `source_stats`: what `to_rhythm` reads.
RHYTHM = (
    "frequency_type, cadence, is_cadence_set, avg_publish_hour, std_publish_hour, "
    "last_article_at, check_count, hit_count, fail_count, gone_count, is_stale, forecast"
)


def to_rhythm(row: Row) -> Rhythm:
    return Rhythm(
        frequency_type=row["frequency_type"],
        cadence=row["cadence"],
        is_cadence_set=bool(row["is_cadence_set"]),
        avg_publish_hour=row["avg_publish_hour"],
        std_publish_hour=row["std_publish_hour"],
        last_article_at=moment_or_none(row["last_article_at"]),
        check_count=row["check_count"],
        hit_count=row["hit_count"],
        fail_count=row["fail_count"],
        gone_count=row["gone_count"],
        is_stale=bool(row["is_stale"]),
        forecast=row["forecast"],
    )

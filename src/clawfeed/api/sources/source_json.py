"""A source as JSON: its row straight into a dictionary, since lists of 200 are asked for often."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from functools import lru_cache
from typing import NamedTuple

import orjson

from clawfeed.domain.ids import JsonValue, UserId
from clawfeed.domain.moments import iso
from clawfeed.domain.schedule.interval import Intervals, positive_minutes
from clawfeed.domain.sources.item import Draft
from clawfeed.domain.sources.source_faults import SourceFault
from clawfeed.domain.sources.source_secrets import mask_config
from clawfeed.domain.sources.type_facts import OWN_INTERVAL
from clawfeed.storage.json_columns import read_object
from clawfeed.storage.polling.poll_history import PollRow
from clawfeed.storage.sources.source_row import SourceRow
from clawfeed.storage.timestamps import moment_or_none

# Longer configs are rare, and not worth remembering: 4096 of these are 8 MB.
LONGEST_REMEMBERED = 2_000


class SourceView:
    """How one caller sees sources at one moment; a stranger has no *intervals* (S000-21)."""

    def __init__(self, user: UserId | None, now: datetime, intervals: Intervals | None) -> None:
        self._user, self._now = user, now.timestamp()
        self._intervals = intervals
        self._minutes: dict[tuple[str, int | None], float] = {}

    def source(self, row: SourceRow) -> dict[str, object]:
        """The source as this caller may see it; its secrets are masked for everybody."""
        config, own = _shown(row.config)
        found: dict[str, object] = {
            "id": row.id,
            "name": row.name,
            "type": row.type,
            "config": config,
            "is_public": bool(row.is_public),
            "is_active": bool(row.is_active),
            "subscriber_count": row.subscribers,
            "last_fetched_at": _iso(row.last_fetched_at),
            "created_at": _iso(row.created_at),
        }
        if self._intervals:
            minutes = self._minutes_of(self._intervals, row.type, own)
            found |= {
                "is_own": row.is_of(self._user),
                "is_subscribed": bool(row.is_subscribed),
                "status": row.status(self._now),
                "fetch_interval_minutes": minutes,
                "next_fetch_at": _iso(row.next_fetch_at(60 * minutes)),
                "cadence": row.cadence,
                "is_cadence_set": bool(row.is_cadence_set),
                "fetch_error_count": row.fetch_error_count,
                "last_error": _error(row),
            }
        return found

    def _minutes_of(self, intervals: Intervals, source_type: str, own: int | None) -> float:
        key = source_type, own
        if key not in self._minutes:
            config: dict[str, JsonValue] = {OWN_INTERVAL: own}
            self._minutes[key] = intervals.of(_Followed(source_type, config)).minutes
        return self._minutes[key]


class _Followed(NamedTuple):
    type: str
    config: Mapping[str, JsonValue]


def faults_as_json(faults: Sequence[SourceFault]) -> list[dict[str, object]]:
    """What is odd about a source (S001-17)."""
    return [{"kind": each.kind, "text": each.text, "twin": each.twin} for each in faults]


def poll_as_json(row: PollRow) -> dict[str, object]:
    """One line of a source's log. Which machine polled is the operators' business."""
    took = timedelta(seconds=max(0.0, row.finished_at - row.started_at))
    return {
        "id": row.id,
        "planned_at": _iso(row.planned_at or None),
        "started_at": _iso(row.started_at),
        "finished_at": _iso(row.finished_at),
        "seconds": round(took.total_seconds(), 3),
        "outcome": row.outcome,
        "inserted": row.inserted,
        "reason": row.reason,
        "detail": row.detail,
    }


def preview_as_json(drafts: Sequence[Draft]) -> list[dict[str, object]]:
    return [
        {"title": each.title, "url": each.url, "published_at": iso(each.published_at)}
        for each in drafts
    ]


def _shown(config: str) -> tuple[orjson.Fragment, int | None]:
    """The masked config, ready to be put into an answer, and the interval it asks for."""
    return _read(config) if len(config) <= LONGEST_REMEMBERED else _read.__wrapped__(config)


# Masking costs as much as all the rest of a row; the same configs are asked for all day.
@lru_cache(maxsize=4096)
def _read(config: str) -> tuple[orjson.Fragment, int | None]:
    settings = read_object(config)
    shown = orjson.Fragment(orjson.dumps(mask_config(settings)))
    return shown, positive_minutes(settings.get(OWN_INTERVAL))


def _error(row: SourceRow) -> dict[str, str] | None:
    error = row.error()
    return {"message": error.message, "at": error.at} if error else None


# Half of a list's price otherwise; most of its moments were in the answer before.
@lru_cache(maxsize=8192)
def _iso(seconds: float | None) -> str | None:
    return iso(moment_or_none(seconds))

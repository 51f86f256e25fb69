"""The JSON that programs rely on, made from values. Additions are fine, changes are not."""

from __future__ import annotations

from dataclasses import asdict, replace

from clawfeed.domain.alarm import Trouble
from clawfeed.domain.because import Because
from clawfeed.domain.forecast.forecast_report import ForecastReport
from clawfeed.domain.moments import iso
from clawfeed.domain.wording.alarm_wording import alarm_words
from clawfeed.domain.wording.because_wording import Language, render_because
from clawfeed.runtime.cooperative_work import in_turns
from clawfeed.storage.operations.collector_status import CollectorStatus, SourceStatus
from clawfeed.storage.operations.scheduler_stats import StatsByType
from clawfeed.storage.polling.due_sources import DueSource
from clawfeed.storage.sources.source_status import SourceState


def because_as_json(
    because: Because | None, language: Language = Language.ENGLISH
) -> dict[str, object]:
    """Why then: a sentence for people, and the rule with its figures for programs."""
    return {
        "because": render_because(because, language),
        "because_code": str(because.rule) if because else None,
        "because_parameters": dict(because.parameters) if because else {},
    }


def status_as_json(
    found: CollectorStatus, language: Language = Language.ENGLISH
) -> dict[str, object]:
    """The shape of `GET /api/collector/status` (S000-18, S000-19)."""
    return {
        "sources": [_source_as_json(line, language) for line in found.sources],
        "stats": asdict(found.stats),
        "x_reads": asdict(found.x_reads) if found.x_reads else None,
        "collectors": [
            {
                "name": each.worker,
                "started_at": iso(each.started_at),
                "last_seen_at": iso(each.seen_at),
                "is_alive": each.is_alive,
            }
            for each in found.collectors
        ],
        "troubles": [trouble_as_json(each, language) for each in found.troubles],
    }


async def status_in_turns(found: CollectorStatus, language: Language) -> dict[str, object]:
    """`status_as_json` where others wait for the event loop."""
    lines = await in_turns(found.sources, lambda line: _source_as_json(line, language))
    return {**status_as_json(replace(found, sources=[]), language), "sources": lines}


def _source_as_json(line: SourceStatus, language: Language) -> dict[str, object]:
    state, source = line.state, line.state.source
    error = state.last_error
    return {
        "id": source.id,
        "name": source.name,
        "type": source.type,
        "interval_minutes": line.interval_minutes,
        "last_fetched_at": iso(source.last_fetched_at),
        "next_fetch_at": iso(line.next_fetch_at),
        "fetch_count": state.fetch_count,
        "fetch_error_count": state.errors,
        "last_error": {"message": error.message, "at": error.at} if error else None,
        "status": str(line.status),
        "schedule_mode": state.schedule_mode,
        "cadence": state.cadence,
        **because_as_json(state.because, language),
        "stale": state.is_stale,
    }


def trouble_as_json(trouble: Trouble, language: Language = Language.ENGLISH) -> dict[str, object]:
    """What is wrong, whether or not it rang."""
    words = alarm_words(trouble, language)
    return {
        "code": str(trouble.code),
        "subject": trouble.subject,
        "parameters": dict(trouble.parameters),
        "text": words.text,
        "way_out": words.way_out,
    }


def scheduler_as_json(
    found: StatsByType,
) -> dict[str, object]:
    """The shape of `GET /api/scheduler/stats` (S004-9)."""
    return {
        **asdict(found.overall),
        "by_source_type": {name: asdict(stats) for name, stats in found.by_source_type.items()},
        "by_type": {name: asdict(stats) for name, stats in found.by_type.items()},
    }


def due_as_json(source: DueSource) -> dict[str, object]:
    """One line of `GET /api/scheduler/due`."""
    return {
        "id": source.id,
        "name": source.name,
        "type": source.type,
        "source_type": source.source_type,
        "due_since": iso(source.due_since),
    }


def outlook_as_json(
    state: SourceState, outlook: ForecastReport, language: Language = Language.ENGLISH
) -> dict[str, object]:
    """The shape of `GET /api/sources/{id}/forecast`."""
    return {
        "id": state.source.id,
        "name": state.source.name,
        "schedule_mode": state.schedule_mode,
        "cadence": state.cadence,
        "next_fetch_at": iso(state.next_poll),
        **because_as_json(state.because, language),
        "summary": outlook.described.told(language),
        "items_per_day": round(outlook.described.rate, 2),
        "hour_of_week": [round(level, 3) for level in outlook.described.week],
        "next_polls": [
            {"at": iso(poll.at), **because_as_json(poll.because, language)}
            for poll in outlook.next_polls
        ],
        "stale": outlook.is_stale,
    }

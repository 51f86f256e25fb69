"""After a start: who is polled now, and who waits for the rest of its interval (S003-4)."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import datetime

from clawfeed.domain.errors import StorageError
from clawfeed.domain.moments import iso
from clawfeed.storage.database import Database
from clawfeed.storage.polling.restart_state import (
    DamagedMoment,
    Resumption,
    forget_dates,
    resumptions,
)

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class ResumeSummary:
    """How many sources are polled now, and how many wait for their date."""

    immediate: int
    delayed: int


async def resume(database: Database, *, now: datetime, remember: bool = True) -> ResumeSummary:
    """Log how each source goes on, and say it in figures.

    Dates live in the database, so there is nothing to restore. Without *remember*
    (`enable_time_persistence: false`) every source starts anew.
    """
    if not remember:
        await forget_dates(database, now=now)
    try:
        found = await resumptions(database)
    except StorageError as error:
        # S003-8: without states everything is a first run.
        log.warning("collector states cannot be read; treated as first runs", extra=_why(error))
        await forget_dates(database, now=now)
        found = await resumptions(database, with_states=False)
    damaged = [each.source_id for each in found if isinstance(each.last_run, DamagedMoment)]
    if damaged:
        await forget_dates(database, now=now, only=damaged)
        found = await resumptions(database)
    resumed = [_tell(each, now) for each in found]
    counts = ResumeSummary(immediate=sum(resumed), delayed=len(resumed) - sum(resumed))
    told = {"immediate": counts.immediate, "delayed": counts.delayed}
    log.info("rhythm resumed", extra=told)
    return counts


def _tell(source: Resumption, now: datetime) -> bool:
    """Log one source's fate; True if it is polled now."""
    collector = {"collector": f"{source.collector_name}/{source.param_key}"}
    has_state = _tell_state(source.last_run, collector)
    if source.due_at is None or source.due_at <= now:
        reason = "timeout" if has_state else "first_run"
        log.info("collector runs now", extra=collector | {"reason": reason, "delay": 0})
        return True
    delay = round((source.due_at - now).total_seconds())
    waits = {"delay_seconds": delay, "next_run": iso(source.due_at)}
    log.info("collector waits", extra=collector | waits)
    return False


def _tell_state(last_run: float | DamagedMoment | None, collector: dict[str, str]) -> bool:
    """Log when it last ran; False if nobody knows. A damaged state is a first run (S003-8)."""
    match last_run:
        case None:
            return False
        case DamagedMoment(why=why):
            told = collector | {"why": why}
            log.warning("collector state cannot be read; treated as a first run", extra=told)
            return False
        case _:
            loaded = {"last_time": last_run, "action": "load"}
            log.info("collector state loaded", extra={**collector, **loaded})
            return True


def _why(error: Exception) -> dict[str, str]:
    return {"why": str(error)}

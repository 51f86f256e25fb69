"""One log line per poll, and one warning per type that nobody can read (S000-8, S000-12)."""

from __future__ import annotations

import logging
from typing import assert_never

from clawfeed.collector.poll import PollResult
from clawfeed.domain.moments import iso
from clawfeed.domain.sources.source import Failed, Fetched, NotModified, Postponed, Skipped
from clawfeed.domain.wording.because_wording import render_because

log = logging.getLogger(__name__)


class PollLog:
    """Writes results to the log; call it with each."""

    def __init__(self) -> None:
        self._warned_types: set[str] = set()

    def __call__(self, result: PollResult) -> None:
        fields = {"source": result.source.id, "title": result.source.name}
        at = result.decision.next_poll.at
        planned = {
            "next": iso(at),
            "because": render_because(result.decision.next_poll.because),
            "rule": str(result.decision.next_poll.because.rule),
        }
        match result.outcome:
            case Fetched():
                log.info("source polled", extra={**fields, "new": result.inserted, **planned})
            case NotModified():
                log.info("source unchanged", extra={**fields, **planned})
            case Postponed(detail=detail):
                log.info("source postponed", extra={**fields, "why": detail, **planned})
            case Failed(reason=reason, detail=detail):
                why = {"reason": str(reason), "why": detail}
                log.warning("source failed", extra={**fields, **why, **planned})
            case Skipped(why=why_skipped):
                self._skipped(result.source.type, why_skipped)
            case _:
                assert_never(result.outcome)

    def _skipped(self, source_type: str, why: str) -> None:
        if source_type not in self._warned_types:
            self._warned_types.add(source_type)
            log.warning("sources skipped", extra={"type": source_type, "why": why})

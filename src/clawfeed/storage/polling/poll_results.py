"""Write down what a poll brought, all of it or nothing, and give the source back.

An ETag stored without its items would lose them for ever, so items, validators, statistics,
execution state, log and next date are one transaction (invariant I5).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import assert_never

from clawfeed.domain.because import Rule, to_text
from clawfeed.domain.moments import iso
from clawfeed.domain.polling.storage_quota import NO_QUOTAS, Quotas
from clawfeed.domain.schedule.schedule import PollDecision, PollFindings
from clawfeed.domain.sources.source import Failed, Fetched, NotModified, Outcome, Postponed, Skipped
from clawfeed.storage.database import Database, Dialect, SqlValue, Statement, Steps
from clawfeed.storage.items.daily_quota_use import QuotaOwner
from clawfeed.storage.items.new_items import (
    LATEST_DATES,
    PolledDrafts,
    preview_arrivals,
    store_arrivals,
)
from clawfeed.storage.json_columns import write_object
from clawfeed.storage.leases import RELEASED, fenced
from clawfeed.storage.polling.execution_state import save_run
from clawfeed.storage.polling.host_cooldowns import save_cooldowns
from clawfeed.storage.polling.host_queue import DUE_SINCE, SOURCES
from clawfeed.storage.polling.poll_queue import Claim
from clawfeed.storage.timestamps import seconds, seconds_or_none

# A forecast that starts anew learns from as much as there is, within reason.
WHOLE_HISTORY = 1000
# `fetch_log.reason` of an answer without content; a `Fetched` may be without news, too.
NOT_MODIFIED = "not_modified"


@dataclass(frozen=True, slots=True, kw_only=True)
class PollRecord:
    """One finished poll, ready to be stored. *decide* is pure: it may run again on a retry."""

    claim: Claim
    outcome: Outcome
    started_at: datetime
    finished_at: datetime
    worker: str
    decide: Callable[[PollFindings], PollDecision]
    remember_run: bool = True  # storage.state_management.enable_time_persistence
    cooldowns: Mapping[str, datetime] = field(default_factory=dict)  # hosts that asked for rest
    # How many dates of older items the decision needs without news; news need `LATEST_DATES`.
    dates: int = LATEST_DATES

    @property
    def was_attempt(self) -> bool:
        """Whether the source was really asked; a skip or a postponement is no run."""
        return not isinstance(self.outcome, Postponed | Skipped)

    @property
    def is_postponed(self) -> bool:
        """Whether it was not its turn: it comes again, and keeps its place in the queue."""
        return isinstance(self.outcome, Postponed)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredPoll:
    """What the poll changed."""

    inserted: int
    decision: PollDecision
    executions: int | None = None  # how many there were so far; None if no run was written down


class PollFinisher:
    """The second of a poll's two crossings into the database."""

    def __init__(self, database: Database, quotas: Quotas = NO_QUOTAS) -> None:
        self._db, self._quotas = database, quotas

    async def finish(self, poll: PollRecord) -> StoredPoll:
        """Store *poll*; raises `LeaseLostError` if its source was claimed again since."""
        return await self._db.run(lambda: _finish(poll, self._db.dialect, self._quotas))

    async def preview(self, poll: PollRecord) -> PollFindings:
        """What *poll* will be found to have brought, with the dates of the whole history."""
        arrivals = replace(_arrivals(poll, quota_owner=None), dates=WHOLE_HISTORY)
        return await preview_arrivals(arrivals, self._db)


def _finish(poll: PollRecord, dialect: Dialect, quotas: Quotas) -> Steps[StoredPoll]:
    arrivals = _arrivals(poll, quota_owner=_quota_owner(poll, quotas))
    found = yield from store_arrivals(arrivals, dialect)
    decision = poll.decide(found)
    yield from _save_rhythm(poll, decision)
    yield from _save_source(poll, decision, is_whole=found.over_quota is None)
    yield from save_cooldowns(poll.cooldowns, poll.finished_at)
    executions = None
    if poll.remember_run and poll.was_attempt:
        # The run's start, written after the items are stored (S003-5).
        source = poll.claim.source
        executions = yield from save_run(
            source.type, source.param_key, started_at=poll.started_at, now=poll.finished_at
        )
    yield from _log_fetch(poll, found.inserted)
    return StoredPoll(inserted=found.inserted, decision=decision, executions=executions)


def _arrivals(poll: PollRecord, *, quota_owner: QuotaOwner | None) -> PolledDrafts:
    return PolledDrafts(
        source_id=poll.claim.source.id,
        drafts=poll.outcome.drafts if isinstance(poll.outcome, Fetched) else (),
        known=poll.outcome.known if isinstance(poll.outcome, Fetched) else 0,
        at=seconds(poll.finished_at),
        dates=poll.dates,
        was_polled_before=poll.claim.rhythm.check_count > 0,
        quota_owner=quota_owner,
    )


def _save_rhythm(poll: PollRecord, decision: PollDecision) -> Steps[None]:
    """Write what we know now and give the source back, if it is still ours to give (the fence)."""
    claim, rhythm, next_poll = poll.claim, decision.rhythm, decision.next_poll
    yield fenced(
        SOURCES,
        claim.held,
        f"""
            frequency_type = :frequency_type, cadence = :cadence, is_cadence_set = :is_set,
            avg_publish_hour = :avg_hour, std_publish_hour = :std_hour,
            next_due_at = CASE WHEN EXISTS (
                SELECT 1 FROM sources WHERE id = :id AND is_active = 1 AND is_deleted = 0
            ) THEN CAST(:next_due_at AS DOUBLE PRECISION) END, backoff_until = :backoff_until,
            schedule_mode = :mode, because = :because,
            waiting_since = CASE WHEN :postponed = 1 THEN {DUE_SINCE} END,
            last_check_at = CASE WHEN :attempt = 1 THEN :checked ELSE last_check_at END,
            forecast = :forecast, is_stale = :is_stale,
            last_article_at = :last_article_at, fail_count = :fail_count, gone_count = :gone_count,
            last_error = CASE WHEN :attempt = 1 THEN :last_error ELSE last_error END,
            check_count = :check_count, hit_count = :hit_count,
            poll_seconds = CASE WHEN :attempt = 1 THEN :took ELSE poll_seconds END,
            updated_at = :now, {RELEASED}
        """,  # noqa: S608 -- our own constants
        {
            "frequency_type": rhythm.frequency_type,
            "cadence": rhythm.cadence,
            "is_set": int(rhythm.is_cadence_set),
            "avg_hour": rhythm.avg_publish_hour,
            "std_hour": rhythm.std_publish_hour,
            "next_due_at": seconds_or_none(next_poll.at),
            "backoff_until": seconds_or_none(next_poll.backoff_until),
            "mode": str(next_poll.mode),
            "forecast": rhythm.forecast,
            "is_stale": int(rhythm.is_stale),
            "because": to_text(next_poll.because),
            "checked": seconds(poll.started_at),
            "last_article_at": seconds_or_none(rhythm.last_article_at),
            "fail_count": rhythm.fail_count,
            "gone_count": rhythm.gone_count,
            "last_error": last_error(poll),
            "attempt": int(poll.was_attempt),
            "postponed": int(poll.is_postponed),
            "check_count": rhythm.check_count,
            "hit_count": rhythm.hit_count,
            "took": max(0.0, (poll.finished_at - poll.started_at).total_seconds()),
            "now": seconds(poll.finished_at),
            "id": claim.source.id,
        },
    )


def _quota_owner(poll: PollRecord, quotas: Quotas) -> QuotaOwner:
    source = poll.claim.source
    return QuotaOwner(
        source=source.id, owner=source.created_by, quotas=quotas, is_public=source.is_public
    )


def _save_source(poll: PollRecord, decision: PollDecision, *, is_whole: bool) -> Steps[None]:
    """Write what changed and no more: a cursor that was emptied meanwhile stays empty.

    Nor is one written for a document that was not stored as a *whole*: it must be read again.
    """
    outcome = poll.outcome
    changes: dict[str, SqlValue] = {"fetch_error_count": decision.rhythm.fail_count}
    if poll.was_attempt:
        changes["last_error"] = last_error(poll)
    # `last_fetched_at` is success only (S003-5); a skipped source was not polled.
    if isinstance(outcome, Fetched | NotModified):
        changes["last_fetched_at"] = seconds(poll.started_at)
    if isinstance(outcome, Fetched) and is_whole:
        changes["cursor"] = write_object(outcome.cursor)
    if decision.paused_because is not None:
        changes |= {"is_active": 0, "paused_because": decision.paused_because}
    assignments = ", ".join(f"{column} = :{column}" for column in changes)
    if isinstance(outcome, Fetched) and outcome.title:
        # Whoever named it meanwhile named it.
        assignments += ", name = CASE WHEN is_auto_named = 1 THEN :title ELSE name END"
        assignments += ", is_auto_named = 0"
        changes["title"] = outcome.title
    yield Statement(
        f"UPDATE sources SET fetch_count = fetch_count + {int(poll.was_attempt)}, {assignments} "  # noqa: S608 -- names from our own code
        "WHERE id = :id",
        changes | {"id": poll.claim.source.id},
    )


def last_error(poll: PollRecord) -> str | None:
    """`{message, at, reason}` as JSON while the source fails, else None (S001-9)."""
    if not isinstance(poll.outcome, Failed):
        return None
    at = iso(poll.finished_at)
    error = {"message": poll.outcome.detail, "at": at, "reason": str(poll.outcome.reason)}
    return json.dumps(error, ensure_ascii=False)


def _log_fetch(poll: PollRecord, inserted: int) -> Steps[None]:
    outcome, reason, detail = _summary(poll.outcome, inserted)
    yield Statement(
        """
        INSERT INTO fetch_log
            (source_id, planned_at, started_at, finished_at, outcome, inserted, reason, detail,
             worker)
        VALUES (:id, :planned, :started, :finished, :outcome, :inserted, :reason, :detail,
            :worker)
        """,
        {
            "id": poll.claim.source.id,
            "planned": seconds_or_none(poll.claim.planned_at),
            "started": seconds(poll.started_at),
            "finished": seconds(poll.finished_at),
            "outcome": outcome,
            "inserted": inserted,
            "reason": reason,
            "detail": detail,
            "worker": poll.worker,
        },
    )


def _summary(outcome: Outcome, inserted: int) -> tuple[str, str | None, str | None]:
    """The log's `outcome` and `reason`, both codes, and its `detail` for people."""
    match outcome:
        case Fetched():
            return ("new" if inserted else "unchanged"), None, None
        case NotModified():
            return "unchanged", NOT_MODIFIED, None
        case Failed(reason=reason, detail=detail):
            return "failed", str(reason), detail
        case Postponed(because=because, detail=detail):
            return "postponed", str(because.rule), detail
        case Skipped(why=why):
            return "skipped", str(Rule.NO_FETCHER), why
        case _:
            assert_never(outcome)

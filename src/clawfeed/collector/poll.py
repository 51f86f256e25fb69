"""One poll of one source: fetch, decide, store. One exit, whatever happens."""

from __future__ import annotations

import asyncio
import logging
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta, tzinfo

from clawfeed.domain.because import Because, Rule
from clawfeed.domain.errors import ClawFeedError, Reason, SourceError, StorageError
from clawfeed.domain.forecast.forecast_memory import PollPrice, first_memory, needs_first_memory
from clawfeed.domain.ids import SourceId
from clawfeed.domain.polling.failures import outcome_of
from clawfeed.domain.polling.poll_decision import (
    PollContext,
    PollRules,
    decide_next,
    needs_dates,
    plan_again,
)
from clawfeed.domain.schedule.interval import IntervalRules
from clawfeed.domain.schedule.schedule import NextPoll, Policy, PollDecision, PollFindings, Rhythm
from clawfeed.domain.schedule.server_hints import needs_evidence
from clawfeed.domain.sources.source import (
    Failed,
    Fetched,
    NotModified,
    Outcome,
    Postponed,
    Skipped,
    Source,
)
from clawfeed.egress.timeouts import Deadlines
from clawfeed.runtime.retry import growing, retried
from clawfeed.sources.registry import Fetchers
from clawfeed.storage.items.new_items import LATEST_DATES
from clawfeed.storage.polling.execution_state import ExecutionStates, tell_updated
from clawfeed.storage.polling.poll_queue import Claim
from clawfeed.storage.polling.poll_results import (
    WHOLE_HISTORY,
    PollFinisher,
    PollRecord,
    StoredPoll,
)

log = logging.getLogger(__name__)

# Shorter than the lease: a poll that takes longer than this would be taken from us anyway.
LONGEST_POLL = timedelta(seconds=120)
# A database that restarts is back within seconds; the items are worth waiting for (F7).
FINISH_TRIES = 6
FIRST_RETRY = timedelta(seconds=0.5)
STATE_TRIES = 4


class OfflineError(ClawFeedError):
    """Our own network is down: nothing of this poll is worth storing, and its source is free."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PollResult:
    """What one poll came to, for logs and progress bars."""

    source: Source
    outcome: Outcome
    inserted: int
    decision: PollDecision
    duration: timedelta


@dataclass(frozen=True, slots=True, kw_only=True)
class PollConfig:
    """What the operator decided about polls."""

    worker: str
    intervals: IntervalRules
    rules: PollRules = field(default_factory=PollRules)
    policy: Policy = Policy.CADENCE
    timezone: tzinfo = UTC
    remember_runs: bool = True
    longest_poll: timedelta = LONGEST_POLL
    first_retry: timedelta = FIRST_RETRY


@dataclass(frozen=True, slots=True, kw_only=True)
class Poller:
    """The one place where fetching, deciding and storing meet."""

    fetchers: Fetchers
    finisher: PollFinisher
    states: ExecutionStates
    config: PollConfig
    clock: Callable[[], datetime]
    dice: Callable[[], float] = lambda: 0.5  # without dice there is no jitter
    poll_price: Callable[[Source], PollPrice] = lambda _source: PollPrice()
    cooldowns: Callable[[], Mapping[str, datetime]] = dict
    # Told how long a host is to be left alone first, where another collector has just been.
    hold_off: Callable[[str, timedelta], None] = lambda _host, _wait: None
    # Whether others are polled beside it, by whom an outage of ours is told from a host's.
    is_one_of_many: bool = True
    _told: dict[str, datetime] = field(default_factory=dict, init=False, repr=False)
    _deadlines: Deadlines = field(default_factory=Deadlines, init=False, repr=False)

    async def __call__(self, claim: Claim) -> PollResult:
        started_at = self.clock()
        if claim.hold_off:
            self.hold_off(claim.source.host, claim.hold_off)
        outcome = self._in_doubt(await self._poll(claim.source))
        cooldowns = self._new_cooldowns()
        context = self._circumstances(claim.source, claim.rhythm, started_at)
        poll = PollRecord(
            claim=claim,
            outcome=outcome,
            started_at=started_at,
            finished_at=context.now,
            worker=self.config.worker,
            decide=lambda found: _decide(outcome, found, context, claim.source),
            remember_run=self.config.remember_runs,
            cooldowns=cooldowns,
            dates=_dates_needed(context, outcome),
        )
        if _starts_anew(outcome, context):
            poll = await self._with_first_memory(poll, context)
        finished = await self._finish(poll)
        if finished.executions is not None:
            tell_updated(claim.source.type, claim.source.param_key, finished.executions)
        self._told.update(cooldowns)
        return PollResult(
            source=claim.source,
            outcome=outcome,
            inserted=finished.inserted,
            decision=finished.decision,
            duration=poll.finished_at - started_at,
        )

    def _in_doubt(self, outcome: Outcome) -> Outcome:
        """Nobody is charged for what may be our own outage (settled 2); the next try will tell."""
        if not self.is_one_of_many:
            return outcome
        if isinstance(outcome, Postponed) and outcome.because.rule is Rule.OFFLINE:
            raise OfflineError(outcome.detail)
        if isinstance(outcome, Failed) and outcome.is_doubtful:
            return Postponed(because=Because(Rule.NOBODY_ANSWERED), detail=outcome.detail)
        return outcome

    async def _with_first_memory(self, poll: PollRecord, context: PollContext) -> PollRecord:
        """The same poll, its forecast's first memory built: a read and a tenth of a second.

        Once in a source's life, and out here: inside `finish` all of SQLite's writers would wait.
        If it cannot be built here, `finish` does, from the same dates.
        """
        try:
            dates = (await self.finisher.preview(poll)).dates
            first = await asyncio.to_thread(first_memory, dates, context.started_at)
        except Exception:
            log.exception("no first memory", extra={"source": poll.claim.source.id})
            return replace(poll, dates=WHOLE_HISTORY)
        prepared = replace(context, first_memory=first)
        source = poll.claim.source
        return replace(poll, decide=lambda found: _decide(poll.outcome, found, prepared, source))

    def _new_cooldowns(self) -> dict[str, datetime]:
        """The hosts' rests that no stored poll has told of yet: each is written once."""
        resting = self.cooldowns()
        for host in self._told.keys() - resting.keys():
            del self._told[host]
        return {host: until for host, until in resting.items() if self._told.get(host) != until}

    async def _poll(self, source: Source) -> Outcome:
        fetcher = self.fetchers.get(source.type)
        if fetcher is None:
            return Skipped(why=self.fetchers.why_absent(source.type))
        try:
            with self._deadlines.within(self.config.longest_poll.total_seconds()):
                return await fetcher.fetch(source)
        except SourceError as error:
            return outcome_of(error)
        except TimeoutError:
            limit = self.config.longest_poll.total_seconds()
            return Failed(reason=Reason.TIMED_OUT, detail=f"not done after {limit:g} s")
        except Exception as error:
            # A bug, ours or a plug-in's. Storing it as a failure backs the source off, so a
            # poisoned page cannot crash us again every few seconds.
            log.exception("fetcher crashed", extra={"source": source.id, "type": source.type})
            return Failed(
                reason=Reason.OUR_BUG, detail=f"a bug in ClawFeed: {type(error).__name__}"
            )

    def plan(self, source: Source, rhythm: Rhythm, last_poll: datetime) -> NextPoll:
        """The date that follows from what is known, without a poll."""
        return plan_again(self._circumstances(source, rhythm, last_poll))

    def _circumstances(self, source: Source, rhythm: Rhythm, started_at: datetime) -> PollContext:
        return PollContext(
            source_type=source.type,
            interval=self.config.intervals.of(source),
            rhythm=rhythm,
            started_at=started_at,
            now=self.clock(),
            rules=self.config.rules,
            policy=self.config.policy,
            # Rolled once, out here: a transaction that is retried must decide the same.
            dice=self.dice(),
            timezone=self.config.timezone,
            poll_price=self.poll_price(source),
            previous_poll=source.last_fetched_at,
            spread=stagger_offset(source.id),
        )

    async def _finish(self, poll: PollRecord) -> StoredPoll:
        """Store the poll; a database that is away for a moment is waited for (F7)."""

        def tell(error: StorageError) -> None:
            why = {"source": poll.claim.source.id, "why": str(error)}
            log.warning("could not store a poll; trying again", extra=why)

        return await retried(
            lambda: self._store(poll),
            errors=StorageError,
            wait_after=growing(self.config.first_retry, tries=FINISH_TRIES),
            on_failure=tell,
        )

    async def _store(self, poll: PollRecord) -> StoredPoll:
        """One try. If only the execution state cannot be kept, the poll is stored without it."""
        try:
            return await self.finisher.finish(poll)
        except StorageError:
            if not poll.remember_run:
                raise
            finished = await self.finisher.finish(replace(poll, remember_run=False))
            await self._keep_state(poll)
            return finished

    async def _keep_state(self, poll: PollRecord) -> None:
        """S003-8: try the state alone, with growing waits; the collection itself succeeded."""
        source = poll.claim.source

        def tell(error: StorageError) -> None:
            log.warning("collector state not kept; trying again", extra=_state(source, error))

        try:
            await retried(
                lambda: self.states.update_execution_time(
                    source.type, source.param_key, started_at=poll.started_at
                ),
                errors=StorageError,
                wait_after=growing(self.config.first_retry / 5, tries=STATE_TRIES),
                on_failure=tell,
            )
        except StorageError as error:
            log.error("collector state not kept", extra=_state(source, error))  # noqa: TRY400
            await self.states.count_failure(str(error))


def _decide(
    outcome: Outcome, found: PollFindings, context: PollContext, source: Source
) -> PollDecision:
    """The decision; if its arithmetic fails on a damaged row, the default schedule (S003-8).

    The items must be stored whatever the numbers say, and the source must come back.
    """
    try:
        return decide_next(outcome, found, context)
    except Exception:
        told = {"source": source.id, "collector": f"{source.type}/{source.param_key}"}
        log.exception("no date could be computed; the fixed interval is used", extra=told)
        plain = replace(context, rhythm=Rhythm(), policy=Policy.FIXED)
        return decide_next(outcome, replace(found, published_at=()), plain)


def _starts_anew(outcome: Outcome, context: PollContext) -> bool:
    """Whether this poll gives the forecast its first memory."""
    return (
        context.policy is Policy.FORECAST
        and isinstance(outcome, Fetched | NotModified)
        and needs_first_memory(context.rhythm.forecast, context.previous_poll)
    )


def _dates_needed(context: PollContext, outcome: Outcome) -> int:
    """How many dates of older items to read if nothing is new."""
    if isinstance(outcome, Fetched | NotModified) and needs_evidence(outcome.hints):
        return LATEST_DATES
    try:
        return LATEST_DATES if needs_dates(context) else 0
    except TypeError:  # a damaged row; `_decide` tells of it
        return LATEST_DATES


def stagger_offset(source_id: SourceId) -> float:
    """A number in [0, 1) that is the source's own, so that polls do not bunch in one second."""
    return zlib.crc32(f"source {source_id}".encode()) / 2**32


def _state(source: Source, error: StorageError) -> dict[str, str]:
    return {"collector": f"{source.type}/{source.param_key}", "why": str(error)}

"""What follows from one poll: what we know now, when we poll again, whether we give up."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta, tzinfo

from clawfeed.domain.because import Because, Rule
from clawfeed.domain.forecast.forecast_memory import PollPrice, forecast_date, remember
from clawfeed.domain.polling.storage_quota import tomorrow
from clawfeed.domain.schedule.backoff import back_off
from clawfeed.domain.schedule.cadence import is_analysis_due, is_known
from clawfeed.domain.schedule.interval import Interval
from clawfeed.domain.schedule.longest_wait import LONGEST_WAIT
from clawfeed.domain.schedule.read_budget import spare_reads
from clawfeed.domain.schedule.schedule import (
    STALE_NOT_BEFORE,
    ForecastDate,
    Mode,
    NextPoll,
    Policy,
    PollDecision,
    PollFindings,
    Rhythm,
    habits_of,
    is_stale,
    learn,
    mode_of,
    next_poll,
    widen_for_silence,
)
from clawfeed.domain.schedule.server_hints import with_evidence
from clawfeed.domain.sources.source import Failed, Hints, Outcome, Postponed, Skipped

# While our own network is down nobody can say for how long; we try again soon.
POSTPONED_WAIT = timedelta(minutes=1)
# 410 means it: three times and we stop asking.
GONE, GONE_TIMES = 410, 3


@dataclass(frozen=True, slots=True, kw_only=True)
class PollRules:
    """What the operator decided. *auto_pause_after* failures in a row pause; 0 never does."""

    auto_pause_after: int = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class PollContext:
    """All that a decision depends on besides what was found.

    *dice* is one throw in [0, 1), so that a decision asked for twice is the same; the default
    lands on the middle. *timezone* rules hours and days (settled 10).
    """

    source_type: str
    interval: Interval
    rhythm: Rhythm
    started_at: datetime
    now: datetime
    rules: PollRules = PollRules()
    policy: Policy = Policy.CADENCE
    dice: float = 0.5
    timezone: tzinfo = UTC
    poll_price: PollPrice = field(default_factory=PollPrice)
    previous_poll: datetime | None = None  # the last successful one
    first_memory: bytes | None = None  # what the whole history teaches, where there is no memory
    spread: float = 0.5  # the source's place in the crowd, the same at every poll


def needs_dates(context: PollContext) -> bool:
    """Whether the decision on a poll without news depends on the dates of older items.

    Mostly not: what they taught is in the rhythm. They are needed where a rhythm is learned, to
    count the items of a source that has none, and to notice that it has been silent for too long.
    """
    rhythm = context.rhythm
    if context.policy is Policy.FORECAST or rhythm.avg_publish_hour is None:
        return True
    if context.poll_price.reads is not None:
        return True  # how much is posted decides when it fits the budget
    is_due = is_analysis_due(check_count=rhythm.check_count + 1, is_hit=False)
    if is_due or not is_known(rhythm.frequency_type, rhythm.cadence):
        return True
    latest = rhythm.last_article_at
    return latest is None or not (rhythm.is_stale or context.now - latest <= STALE_NOT_BEFORE)


def decide_next(outcome: Outcome, found: PollFindings, context: PollContext) -> PollDecision:
    """Fold one outcome into what we know and choose the next date, with its reason."""
    if isinstance(outcome, Failed):
        return _after_failure(outcome, found, context)
    if isinstance(outcome, Postponed):
        again = _postponed(outcome, context.now, _mode(found, context))
        return PollDecision(rhythm=context.rhythm, next_poll=again)
    if isinstance(outcome, Skipped):
        again = _poll_again(context.rhythm, found, context, Hints())
        why = Because(Rule.NO_FETCHER, {"why": outcome.why})
        return PollDecision(rhythm=context.rhythm, next_poll=replace(again, because=why))
    rhythm = _after_success(found, context)
    again = _poll_again(rhythm, found, context, outcome.hints)
    if found.over_quota is not None:
        at = tomorrow(context.now, context.spread)
        again = replace(again, at=max(at, again.at or at), because=found.over_quota)
    return PollDecision(rhythm=rhythm, next_poll=again)


def plan_again(context: PollContext) -> NextPoll:
    """The next date from what is known since the poll at *started_at*, as if it were decided now.

    Whether three items carried a date is told by the usual hour, which nobody has without.
    """
    is_known = context.rhythm.avg_publish_hour is not None
    found = PollFindings(inserted=0, published_at=None if is_known else ())
    unmetered = replace(context, poll_price=replace(context.poll_price, reads=None))
    return _poll_again(context.rhythm, found, unmetered, Hints())


def _poll_again(
    rhythm: Rhythm, found: PollFindings, context: PollContext, hints: Hints
) -> NextPoll:
    again = next_poll(
        source_type=context.source_type,
        interval=context.interval,
        rhythm=rhythm,
        dated=found.dated,
        last_poll=context.started_at,
        now=context.now,
        policy=context.policy,
        dice=context.dice,
        timezone=context.timezone,
        hints=with_evidence(hints, found.dates, context.now),
        forecast=_foresight(rhythm, context),
    )
    started_at, now = context.started_at, context.now
    return spare_reads(again, context.poll_price.reads, found, last_poll=started_at, now=now)


def _foresight(rhythm: Rhythm, context: PollContext) -> ForecastDate | None:
    """The learned schedule's proposal; None where it has nothing to go by."""
    if context.policy is not Policy.FORECAST:
        return None
    return forecast_date(
        rhythm.forecast,
        last_poll=context.started_at,
        now=context.now,
        poll_price=context.poll_price,
        spread=context.spread,
        timezone=context.timezone,
    )


def _after_success(found: PollFindings, context: PollContext) -> Rhythm:
    """S004-4: one more check, one more hit if something was new; failures are forgotten."""
    before, is_hit = context.rhythm, found.inserted > 0
    newest = _newest(found, context)
    rhythm = replace(
        before,
        check_count=before.check_count + 1,
        hit_count=before.hit_count + int(is_hit),
        fail_count=0,
        gone_count=0,
        last_article_at=newest,
        is_stale=before.is_stale
        if found.published_at is None
        else is_stale(found.dates, context.now, last_article_at=newest),
        forecast=_memory(before, found, context),
    )
    # S004-5 speaks of analysing again; the first time is whenever there is no result yet. Whoever
    # breaks its silence is known by its history again, at once.
    is_due = is_analysis_due(check_count=rhythm.check_count, is_hit=is_hit)
    is_back = before.is_stale and not rhythm.is_stale
    if is_due or is_back or not is_known(rhythm.frequency_type, rhythm.cadence):
        rhythm = learn(rhythm, found.dates, context.timezone)
    return widen_for_silence(rhythm, context.now)


def _newest(found: PollFindings, context: PollContext) -> datetime | None:
    """When the last item appeared, as far as is known; one without a date is dated by its poll."""
    is_undated = found.inserted > 0 and (None in found.new or not found.dates)
    known = (
        found.dates[0] if found.dates else None,
        context.started_at if is_undated else None,
        context.rhythm.last_article_at,
    )
    return max((moment for moment in known if moment), default=None)


def _memory(rhythm: Rhythm, found: PollFindings, context: PollContext) -> bytes | None:
    """What the learned schedule keeps; other policies leave an old memory alone."""
    if context.policy is not Policy.FORECAST:
        return rhythm.forecast
    return remember(
        rhythm.forecast,
        found,
        polled_at=context.started_at,
        previous_poll=context.previous_poll,
        first=context.first_memory,
    )


def _after_failure(failed: Failed, found: PollFindings, context: PollContext) -> PollDecision:
    mode = _mode(found, context)
    rhythm = _failed_again(failed, found, context)
    paused_because = _give_up(rhythm, context.rules)
    if paused_because:
        paused = NextPoll(at=None, because=Because(_PAUSED[paused_because]), mode=mode)
        return PollDecision(rhythm=rhythm, next_poll=paused, paused_because=paused_because)
    # A smart source has a rhythm of its own, so its type's interval means nothing to it.
    base = habits_of(rhythm).base if mode is Mode.SMART else context.interval.every
    return PollDecision(rhythm=rhythm, next_poll=_rest(failed, rhythm, context.now, mode, base))


def _mode(found: PollFindings, context: PollContext) -> Mode:
    return mode_of(
        context.interval,
        dated=found.dated,
        policy=context.policy,
        is_cadence_set=context.rhythm.is_cadence_set,
    )


def _failed_again(failed: Failed, found: PollFindings, context: PollContext) -> Rhythm:
    """A failure is a check, too (S004-4), and may be the tenth; it is no first impression."""
    rhythm = context.rhythm
    rhythm = replace(
        rhythm,
        check_count=rhythm.check_count + 1,
        fail_count=rhythm.fail_count + 1,
        gone_count=rhythm.gone_count + 1 if failed.status == GONE else 0,
    )
    is_due = is_analysis_due(check_count=rhythm.check_count, is_hit=False)
    rhythm = learn(rhythm, found.dates, context.timezone) if is_due else rhythm
    return widen_for_silence(rhythm, context.now)


def _rest(failed: Failed, rhythm: Rhythm, now: datetime, mode: Mode, base: timedelta) -> NextPoll:
    backoff = back_off(failed, failures=rhythm.fail_count, base=base)
    at = now + backoff.wait
    until = at if backoff.is_rest else None
    return NextPoll(at=at, because=backoff.because, mode=mode, backoff_until=until)


def _postponed(postponed: Postponed, now: datetime, mode: Mode) -> NextPoll:
    wait = min(postponed.wait or POSTPONED_WAIT, LONGEST_WAIT)
    return NextPoll(at=now + wait, because=postponed.because, mode=mode)


_PAUSED = {
    "errors": Rule.PAUSED_ERRORS,
    "gone": Rule.PAUSED_GONE,
}


def _give_up(rhythm: Rhythm, rules: PollRules) -> str | None:
    """S000-11, and 410 three times in a row (T20); None while there is hope."""
    if rhythm.gone_count >= GONE_TIMES:
        return "gone"
    if rules.auto_pause_after and rhythm.fail_count >= rules.auto_pause_after:
        return "errors"
    return None

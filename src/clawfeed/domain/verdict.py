"""What follows from one look: what we know now, when we look again, whether we give up."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from clawfeed.domain.backoff import back_off
from clawfeed.domain.errors import Reason
from clawfeed.domain.interval import TYPE_DEFAULT, Interval, type_key
from clawfeed.domain.schedule import LONGEST_WAIT, Found, Mode, NextLook, Rhythm, Verdict
from clawfeed.domain.source import Failed, Outcome, Skipped

# Lists that change all day whoever publishes: their interval is their rhythm (settled 1).
HOT_LISTS = frozenset({"hackernews", "reddit", "github_trending"})
# While our own network is down nobody is at fault; we try again soon.
OFFLINE_WAIT = timedelta(minutes=1)
# 410 means it: three times and we stop asking.
GONE_TIMES = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What the operator decided. *auto_pause_after* failures in a row pause; 0 never does."""

    auto_pause_after: int = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Circumstances:
    """All that a verdict depends on besides what was found."""

    source_type: str
    interval: Interval
    rhythm: Rhythm
    started_at: datetime
    now: datetime
    rules: Rules = Rules()


def judge(outcome: Outcome, found: Found, circumstances: Circumstances) -> Verdict:
    """Fold one outcome into what we know and choose the next date, with its reason."""
    if isinstance(outcome, Failed):
        return _after_failure(outcome, circumstances)
    rhythm = circumstances.rhythm
    if not isinstance(outcome, Skipped):
        rhythm = _after_success(rhythm, found, circumstances)
    return Verdict(rhythm=rhythm, next_look=_at_interval(circumstances))


def mode_of(source_type: str, interval: Interval) -> Mode:
    """`pinned` where somebody set the interval or the list is hot, else `fixed`."""
    kind = type_key(source_type)
    is_hot = kind in HOT_LISTS or kind.startswith("twitter_")
    return Mode.PINNED if is_hot or interval.is_chosen else Mode.FIXED


def _at_interval(circumstances: Circumstances) -> NextLook:
    """S000-20: the last look plus the interval, to the second."""
    interval = circumstances.interval
    return NextLook(
        at=circumstances.started_at + interval.every,
        because=f"every {interval.minutes} min ({_rule(interval, circumstances.source_type)})",
        mode=mode_of(circumstances.source_type, interval),
    )


def _rule(interval: Interval, source_type: str) -> str:
    return f"the usual for {source_type}" if interval.rule == TYPE_DEFAULT else interval.rule


def _after_success(rhythm: Rhythm, found: Found, circumstances: Circumstances) -> Rhythm:
    """S004-4: one more check, one more hit if something was new; failures are forgotten."""
    newest = found.published_at[0] if found.published_at else None
    if newest is None and found.inserted:
        newest = circumstances.started_at
    return replace(
        rhythm,
        check_count=rhythm.check_count + 1,
        hit_count=rhythm.hit_count + (1 if found.inserted else 0),
        fail_count=0,
        last_article_at=newest or rhythm.last_article_at,
    )


def _after_failure(failed: Failed, circumstances: Circumstances) -> Verdict:
    rhythm, now = circumstances.rhythm, circumstances.now
    mode = mode_of(circumstances.source_type, circumstances.interval)
    if failed.is_postponed:
        return Verdict(rhythm=rhythm, next_look=_postponed(failed, now, mode))
    failures = rhythm.fail_count + 1
    rhythm = replace(rhythm, check_count=rhythm.check_count + 1, fail_count=failures)
    paused_because = _give_up(failed, failures, circumstances.rules)
    if paused_because:
        next_look = NextLook(at=None, because=_PAUSED[paused_because], mode=mode)
        return Verdict(rhythm=rhythm, next_look=next_look, paused_because=paused_because)
    backoff = back_off(failed, failures=failures, base=circumstances.interval.every)
    at = now + backoff.wait
    next_look = NextLook(
        at=at, because=backoff.because, mode=mode, backoff_until=at if backoff.is_rest else None
    )
    return Verdict(rhythm=rhythm, next_look=next_look)


def _postponed(failed: Failed, now: datetime, mode: Mode) -> NextLook:
    if failed.reason is Reason.OFFLINE:
        return NextLook(at=now + OFFLINE_WAIT, because="our own network is down", mode=mode)
    wait = min(failed.wait or OFFLINE_WAIT, LONGEST_WAIT)
    return NextLook(at=now + wait, because="its host asked for rest", mode=mode)


_PAUSED = {
    "errors": "paused after too many failures in a row; resume it to look again",
    "gone": "paused because the server says it is gone for good",
}


def _give_up(failed: Failed, failures: int, rules: Rules) -> str | None:
    """S000-11, and 410 three times; None while there is hope."""
    if failed.status == 410 and failures >= GONE_TIMES:
        return "gone"
    if rules.auto_pause_after and failures >= rules.auto_pause_after:
        return "errors"
    return None

"""After a restart: run now, or wait for the rest of the interval (S003-4)."""

from __future__ import annotations

import math


def should_run_now(last: float | None, now: float, interval_seconds: float) -> bool:
    """On the first run, and once strictly more than the interval has passed.

    A last run in the future means the clock went back: waiting for it could take for ever.
    """
    return last is None or not math.isfinite(last) or last > now or now - last > interval_seconds


def next_run_time(last: float | None, now: float, interval_seconds: float) -> float:
    """Now, or at last + interval: what is left of the interval, not a full one from the restart."""
    if last is None or should_run_now(last, now, interval_seconds):
        return now
    return last + interval_seconds

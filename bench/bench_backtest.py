"""What a backtest costs in processor time, by rule, and what it finds.

On 40 made-up sources, or on the traces that `BENCH_TRACES` names (one JSON object per line,
gzipped; `BENCH_SAMPLE` of them, 40 if left out). Goal: under 0.1 s per thousand polls.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from random import Random

from bench.report import report
from clawfeed.cli.backtest.traces import choose, read_traces
from clawfeed.domain.backtest.backtest import (
    DAY,
    HOUR,
    Replay,
    Trace,
    count_worse,
    replay,
    summarise,
)
from clawfeed.domain.backtest.polling_rules import RuleChoice

SOURCES = int(os.environ.get("BENCH_SAMPLE", "40"))
START = 1_772_409_600.0  # a Monday
WARM_UP, DAYS = 60, 30


def made_up() -> list[Trace]:
    """From one item a month to fifty a day, mostly by day."""
    dice = Random(7)
    fleet = []
    for place in range(SOURCES):
        gap = 30 * DAY / 1500 ** (place / SOURCES)
        times, now = [], START - WARM_UP * DAY
        while (now := now + dice.expovariate(1 / gap)) < START + DAYS * DAY:
            times.append(now if 7 <= now // HOUR % 24 < 20 else now + 9 * HOUR)
        fleet.append(
            Trace(
                name=f"source {place}",
                start=START - WARM_UP * DAY,
                eval_from=START,
                eval_to=START + DAYS * DAY,
                times=sorted(times),
            )
        )
    return fleet


def spent(fleet: list[Trace], rule: str) -> tuple[float, list[Replay]]:
    """Processor seconds per thousand polls, and what the rule did."""
    started = time.process_time()
    replays = [replay(each, RuleChoice(name=rule).follower()) for each in fleet]
    return (time.process_time() - started) * 1000 / sum(one.polls for one in replays), replays


def main() -> None:
    named = os.environ.get("BENCH_TRACES")
    fleet = choose(read_traces(Path(named)), SOURCES) if named else made_up()
    figures: dict[str, float | str] = {}
    fixed, hourly = spent(fleet, "fixed-60")
    for rule in ("forecast", "cadence"):
        seconds, replays = spent(fleet, rule)
        found = summarise(replays)
        figures[f"{rule}: processor seconds per 1,000 polls"] = seconds
        figures[f"{rule}: times a fixed interval's"] = seconds / fixed
        figures[f"{rule}: polls a day and source"] = found.polls_per_day
        figures[f"{rule}: mean delay, min"] = found.mean
        figures[f"{rule}: per source, min"] = found.per_source
        figures[f"{rule}: sources worse than with an hour"] = count_worse(replays, hourly)
    report(f"backtest ({len(fleet)} sources)", figures)


if __name__ == "__main__":
    main()

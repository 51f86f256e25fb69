"""How well and how fast stories are found: against labelled headlines, and in a flood.

`BENCH_DATASETS=FOLDER` names labelled headlines (half A; `--held-out` takes half B instead, which
nothing was tuned on: look rarely). Without it, only what the simulated world knows is judged. Time
is processor time of one core; memory is what a process of its own needs at most. The goals for
20,000 items are 30 s and 500 MB; a whole edition of a reader's 300 takes under 2 s.
"""

from __future__ import annotations

import asyncio
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import mean

from tests.support.clocks import NOON, FakeClock
from tests.support.items import add_item, add_source
from tests.support.simulated_editions import DAY, simulated_items
from tests.support.story_quality import BCubed, adjusted_rand, b_cubed

from bench.bench_startup import median_ms
from bench.headlines import (
    Headline,
    all_at_once,
    datasets,
    headlines,
    judged_pairs,
    readers_days,
)
from bench.report import report
from clawfeed.app.clock import system_clock
from clawfeed.app.settings.config_loading import load_config
from clawfeed.app.wiring.editions import opened_editions
from clawfeed.app.wiring.entry_points import opened_database
from clawfeed.digest.selection.selection import SelectionInput, select_edition
from clawfeed.digest.stories.grouping import group_stories
from clawfeed.digest.stories.similarity import similarities
from clawfeed.digest.stories.terms import terms_of
from clawfeed.simulator import fleet

DAYS = 100
AT_ONCE = 2_500
# How many items, of how many sources.
FLOODS = ((300, 60), (20_000, 1_000))


def judge(found: list[Headline]) -> tuple[BCubed, float]:
    groups = group_stories([headline.text for headline in found])
    truth = [headline.story for headline in found]
    return b_cubed(groups, truth), adjusted_rand(groups, truth)


def report_quality(folder: Path, half: str) -> None:
    found = headlines(folder, half)
    days = [judge(day)[0] for day in readers_days(found, DAYS)]
    whole, rand = judge(all_at_once(found, AT_ONCE))
    report(
        f"stories of labelled headlines, half {half}",
        {
            "a reader's day: B-cubed precision": mean(day.precision for day in days),
            "a reader's day: B-cubed recall": mean(day.recall for day in days),
            "a reader's day: B-cubed F1 (goal: 0.84)": mean(day.f1 for day in days),
            "2,500 at once: B-cubed precision": whole.precision,
            "2,500 at once: B-cubed recall": whole.recall,
            "2,500 at once: B-cubed F1": whole.f1,
            "2,500 at once: adjusted Rand index": rand,
        },
    )
    report("pairs judged by people, with leads", {"area under the curve": pair_auc(folder)})


def pair_auc(folder: Path) -> float:
    """How often a pair that is one story is more alike than one that is not; ties count half."""
    pairs = judged_pairs(folder)
    texts = [text for pair in pairs for text in (pair.one, pair.other)]
    graph = similarities(
        (terms_of(text.title, text.lead) for text in texts), lambda one, other: one ^ 1 == other
    )
    alike = [graph[2 * number].get(2 * number + 1, 0.0) for number in range(len(pairs))]
    same = [value for value, pair in zip(alike, pairs, strict=True) if pair.is_same]
    others = [value for value, pair in zip(alike, pairs, strict=True) if not pair.is_same]
    wins = sum((one > other) + (one == other) / 2 for one in same for other in others)
    return wins / (len(same) * len(others))


def report_flood(size: int, sources: int) -> None:
    """One selection of simulated items; run in a process of its own, for its memory."""
    gap = DAY / (size / sources)
    world = fleet(sources, seed=3, clock=FakeClock(), gap=gap)
    told = list(simulated_items(world, list(world.feeds.values()), NOON - DAY, NOON).values())
    items = [item for item, _ in told]
    before = peak_mb()
    started = time.process_time()
    verdicts = select_edition(SelectionInput(items=items, now=NOON))
    seconds = time.process_time() - started
    numbers = {item.id: number for number, item in enumerate(items)}
    groups = [[numbers[item.id] for item in verdict.items] for verdict in verdicts]
    quality = b_cubed(groups, [event for _, event in told])
    report(
        f"a selection of {len(items):,} simulated items of {sources:,} sources",
        {
            "processor time, seconds": seconds,
            "memory of the whole process, MB": peak_mb(),
            "of it before the selection, MB": before,
            "milliseconds an item": seconds * 1000 / len(items),
            "B-cubed precision": quality.precision,
            "B-cubed recall": quality.recall,
        },
    )


def report_edition(size: int, sources: int) -> None:
    """A whole edition on a database of its own: chosen, put into words, composed, published."""
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(make_edition(Path(folder), size, sources))


async def make_edition(folder: Path, size: int, sources: int) -> None:
    settings = {
        "DATABASE_URL": f"sqlite:///{folder / 'bench.db'}",
        "STARTER_PACK": "false",
        "EDITION_FULL_TEXT": "false",
    }
    config, now = load_config(settings, directory=folder), system_clock()
    world = fleet(sources, seed=3, clock=lambda: now, gap=DAY / (size / sources))
    feeds = list(world.feeds.values())
    async with opened_database(config) as database, opened_editions(config, database) as editions:
        ids = [await add_source(database, f"s{number}") for number in range(sources)]
        told = simulated_items(world, feeds, now - DAY, now).values()
        for item, _ in told:
            source, at = ids[item.source_id], min(item.fetched_at, now)
            await add_item(database, source, item.title, at=at, content=item.content)
        began = time.process_time()
        done = await editions.admin.run_to_end()
        seconds = time.process_time() - began
    report(
        f"an edition of {len(told)} simulated items of {sources} sources, from rows to published",
        {
            "processor time, seconds (goal: under 2)": seconds,
            "stories": sum(done.articles.values()),
        },
    )


def peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def report_cron() -> None:
    """The one-shot trigger with nothing to do (S002-2), as a multiple of the bare interpreter."""
    cron = (sys.executable, "-m", "clawfeed.cli", "cron")
    if subprocess.run([*cron, "--help"], capture_output=True, check=False).returncode:
        report("clawfeed cron", {"this build has no such command": "skipped"})
        return
    bare, ours = median_ms(sys.executable, "-c", "pass"), median_ms(*cron)
    report(
        "clawfeed cron with nothing to do",
        {"milliseconds (goal: under 500)": ours, "over python -c pass": ours / bare},
    )


def main() -> None:
    if "--flood" in sys.argv:
        size, sources = map(int, sys.argv[sys.argv.index("--flood") + 1].split(","))
        report_flood(size, sources)
        return
    folder = datasets()
    if folder:
        report_quality(folder, "B" if "--held-out" in sys.argv else "A")
    else:
        report("stories of labelled headlines", {"BENCH_DATASETS is not set": "skipped"})
    if "--held-out" in sys.argv:
        return
    for size, sources in FLOODS:
        sys.stdout.flush()
        subprocess.run(
            [sys.executable, __file__, "--flood", f"{size},{sources}", *sys.argv[1:]], check=True
        )
    report_edition(*FLOODS[0])
    report_cron()


if __name__ == "__main__":
    main()

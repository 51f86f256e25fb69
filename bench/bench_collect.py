"""Collecting feeds: all new, then (real feeds) with one new entry each, then all unchanged.

Goals: cold at 20x `reader`, 3x `newsboat` and half of the floor (aiohttp, fastfeedparser, SQLite,
nothing of ours); unchanged at half of its floor, which writes down no more than the time of each
poll; under 200 MB at 10,000 sources (not in `--quick`).

The feeds are made up (some 50 KB, 23 items), and flatter us: their markup is plain. `BENCH_FEEDS`
may name a folder of real ones; then 0.4 of the floor is the goal for cold, and half of it for
documents that changed by one entry. Each is read under some addresses, to have enough of them.

Every contestant runs in a process of its own against one origin, also a process of its own, that
has rendered each feed before. Ours is what `clawfeed collect` runs (`opened_parts`), timed
from the first claim to the last commit. The start of interpreters is left out for all, parse
workers included. Peers that are not installed are left out; `READER_PYTHON` may name an
interpreter that has `reader`.

The floor stands twice: as it is, and as it was when the goal was set, with fastfeedparser 0.5 (0.6
reads three times as fast): `pip install --target FOLDER --no-deps fastfeedparser==0.5.10`, then
`OLD_PARSER=FOLDER`.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench import peer_collectors, real_feeds
from bench.report import report

QUICK = "--quick" in sys.argv
REAL = real_feeds.folder()
FILES = len(real_feeds.files(REAL)) if REAL else 0
FEEDS = -(-200 // FILES) * FILES if REAL else 300 if QUICK else 500
FEEDS_FOR_READER = FILES or 40  # it needs 80 ms for each
ROUNDS = 1 if QUICK else 5
SOURCES_FOR_MEMORY = 10_000
CONCURRENCY = 50

OLD_PARSER = os.environ.get("OLD_PARSER", "")

Figures = dict[str, float]


@contextmanager
def origin(feeds: int, real: Path | None = None) -> Iterator[str]:
    """The address of a server with *feeds* feeds at `/f/N`, or with those of the folder *real*."""
    # Its time stands nearly still: nothing may be published between two rounds.
    made_up = ("clawfeed.simulator", "--feeds", str(feeds), "--speed", "0.0001")
    command = (sys.executable, "-m", *(("bench.real_feeds", str(real)) if real else made_up))
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout
        try:
            yield json.loads(server.stdout.readline())["url"]
        finally:
            server.terminate()


def contestant(module: str, url: str, feeds: int, packages: str = "") -> Figures:
    """What `python -m bench.<module>` found, in a fresh process and folder.

    Packages in the folder *packages* are preferred to the installed ones.
    """
    paths = (packages, *os.environ.get("PYTHONPATH", "").split(os.pathsep))
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, paths))}
    with tempfile.TemporaryDirectory() as folder:
        figures = Path(folder) / "figures.json"
        arguments = (url, str(feeds), str(CONCURRENCY), str(figures))
        command = (sys.executable, "-m", f"bench.{module}", *arguments)
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)
        found: Figures = json.loads(figures.read_text(encoding="utf-8"))
    return found


def rounds(url: str) -> Iterator[Figures]:
    """What each contestant does, one after the other, again and again.

    In turns and not one by one: a shared machine is half as fast from one minute to the next, and
    only neighbours in time can be compared.
    """
    urls = [f"{url}/f/{number}" for number in range(FEEDS)]
    for _ in range(ROUNDS):
        ours, floor = (contestant(name, url, FEEDS) for name in ("own_collector", "floor"))
        old = contestant("floor", url, FEEDS, OLD_PARSER) if OLD_PARSER else {"cold": 0.0}
        yield {
            "ours": ours["cold"],
            "floor": floor["cold"],
            "floor of the goal": old["cold"],
            "reader": peer_collectors.reader(urls[:FEEDS_FOR_READER]) or 0.0,
            "newsboat": peer_collectors.newsboat(urls, CONCURRENCY) or 0.0,
            "ours, changed": ours["changed"],
            "floor, changed": floor["changed"],
            "ours, unchanged": ours["unchanged"],
            "floor, unchanged": floor["unchanged"],
        }


def speeds(figures: dict[str, float | str]) -> None:
    with origin(FEEDS, REAL) as url:
        contestant("floor", url, FEEDS)  # the first to ask pays for the rendering
        found = list(rounds(url))

    def middle(name: str) -> float:
        return statistics.median(each[name] for each in found)

    def ratio(one: str, other: str) -> float:
        """The middle one of the rounds' own ratios."""
        return statistics.median(each[one] / each[other] for each in found)

    for name in ("ours", "floor", "floor of the goal", "reader", "newsboat"):
        figures[f"cold, feeds/s: {name}"] = middle(name) or "not installed"
    for name, goal in (("reader", 20), ("newsboat", 3)):
        if middle(name):
            figures[f"cold: ours over {name} (goal: {goal} or more)"] = ratio("ours", name)
    if middle("floor of the goal"):
        share = 100 * ratio("ours", "floor of the goal")
        figures["cold: ours in % of the floor of the goal (50 or more)"] = share
    wanted = " (goal: 40 or more)" if REAL else ""
    figures[f"cold: ours in % of today's floor{wanted}"] = 100 * ratio("ours", "floor")
    if REAL:
        figures["one new entry, feeds/s: ours"] = middle("ours, changed")
        figures["one new entry, feeds/s: floor"] = middle("floor, changed")
        share = 100 * ratio("ours, changed", "floor, changed")
        figures["one new entry: ours in % of the floor (goal: 50 or more)"] = share
    figures["unchanged, feeds/s: ours (goal: 1,000 or more)"] = middle("ours, unchanged")
    figures["unchanged, feeds/s: floor"] = middle("floor, unchanged")
    share = 100 * ratio("ours, unchanged", "floor, unchanged")
    figures["unchanged: ours in % of the floor (goal: 50 or more)"] = share


def memory(figures: dict[str, float | str]) -> None:
    with origin(SOURCES_FOR_MEMORY) as url:
        found = contestant("own_collector", url, SOURCES_FOR_MEMORY)
    figures["10,000 sources: collector, MB (goal: under 200)"] = found["collector_mb"]
    figures["10,000 sources: collector at its highest, MB"] = found["collector_peak_mb"]
    figures["10,000 sources: each parse worker, MB"] = found["parse_worker_mb"]


def main() -> None:
    figures: dict[str, float | str] = {}
    speeds(figures)
    if not QUICK and not REAL:
        memory(figures)
    report(f"collecting {FILES} real feeds" if REAL else "collecting", figures)


if __name__ == "__main__":
    main()

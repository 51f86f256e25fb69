"""What one decision costs, and whether finding the due ones stays flat as the fleet grows.

Goals: a decision under 1 ms on one core; the due query under 1 ms at 224 sources (S000-24); due
query and claim flat from 1k to 1M sources (`--quick` stops at 100k).
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from datetime import timedelta

from bench.bench_storage import NOW, claims_per_second, fill_queue, fresh
from bench.report import report
from clawfeed.domain.forecast.forecast_memory import PollPrice, forecast_date, remember
from clawfeed.domain.schedule.interval import interval_for
from clawfeed.domain.schedule.schedule import Policy, PollFindings, Rhythm, next_poll
from clawfeed.sources.source_types.built_in import BUILT_IN
from clawfeed.storage.polling.host_queue import ClaimRequest
from clawfeed.storage.polling.poll_queue import PollQueue

SIZES = (224, 1_000, 100_000) if "--quick" in sys.argv else (224, 1_000, 100_000, 1_000_000)
TIMES = 50
HOUR = timedelta(hours=1)
# Before any of the sources is due.
EARLY = NOW - timedelta(days=2)
DATES = tuple(NOW - n * 5 * HOUR for n in range(200))


def milliseconds(work: Callable[[], object], times: int = 200) -> float:
    """The mean cost of *work*, the best of five rounds."""
    rounds = []
    for _ in range(5):
        started = time.perf_counter()
        for _ in range(times):
            work()
        rounds.append((time.perf_counter() - started) / times * 1000)
    return min(rounds)


def decisions(figures: dict[str, float | str]) -> None:
    rhythm = Rhythm(frequency_type="daily", cadence="P2", avg_publish_hour=9, std_publish_hour=1)
    memory = remember(
        None, PollFindings(inserted=0, published_at=DATES), polled_at=NOW, previous_poll=None
    )
    found = PollFindings(inserted=1, published_at=DATES[:30], new=(NOW,))
    figures["cadence decision, ms (goal: under 1)"] = milliseconds(
        lambda: next_poll(
            source_type="rss",
            interval=interval_for(BUILT_IN.facts("rss"), {}, None),
            rhythm=rhythm,
            dated=20,
            last_poll=NOW,
            now=NOW,
            policy=Policy.CADENCE,
        )
    )
    figures["forecast decision, ms (goal: under 1)"] = milliseconds(
        lambda: forecast_date(memory, last_poll=NOW, now=NOW, poll_price=PollPrice(), spread=0.5)
    )
    figures["forecast, learning from one poll, ms"] = milliseconds(
        lambda: remember(memory, found, polled_at=NOW + HOUR, previous_poll=NOW)
    )


async def due_query(schedule: PollQueue) -> object:
    """Who is due, as every tick asks it: the rows it counts are those it then claims from."""
    return await schedule.overview(NOW)


async def tick(schedule: PollQueue) -> object:
    """All that a tick asks while nothing is due: who is, a claim that gets nothing, who is next."""
    await schedule.overview(EARLY)
    order = ClaimRequest(now=EARLY, limit=5, lease=HOUR, worker="bench", owes=HOUR)
    await schedule.claim_due(order)
    return await schedule.next_due_at()


async def spent(work: Callable[[PollQueue], Awaitable[object]], schedule: PollQueue) -> float:
    """Milliseconds, the mean of a few."""
    started = time.perf_counter()
    for _ in range(TIMES):
        await work(schedule)
    return (time.perf_counter() - started) / TIMES * 1000


async def queue(figures: dict[str, float | str]) -> None:
    claims = {}
    for size in SIZES:
        with tempfile.TemporaryDirectory() as folder:
            async with fresh(f"sqlite:///{folder}/queue.db") as database:
                await fill_queue(database, size)
                schedule = PollQueue(database, types=BUILT_IN)
                goal = " (goal: under 1)" if size == SIZES[0] else ""
                name = f"due query at {size:,} sources, ms{goal}"
                figures[name] = await spent(due_query, schedule)
                figures[f"an idle tick at {size:,} sources, ms"] = await spent(tick, schedule)
                if size >= 10_000:
                    claims[size] = await claims_per_second(database)
                    figures[f"claims/s at {size:,} sources"] = claims[size]
    smallest, largest = min(claims.values()), max(claims.values())
    figures["claims, fastest over slowest size (goal: under 2)"] = largest / smallest


def main() -> None:
    figures: dict[str, float | str] = {}
    decisions(figures)
    asyncio.run(queue(figures))
    report("schedule (SQLite)", figures)


if __name__ == "__main__":
    main()

"""Many feeds of real size, for load."""

from __future__ import annotations

from datetime import timedelta

from clawfeed.simulator.news.deterministic_random import between
from clawfeed.simulator.news.feed_model import Feed, Shape
from clawfeed.simulator.news.publish_times import Every
from clawfeed.simulator.world import Clock, World

# Gaps between items as feeds have them: few are busy, most are slow.
GAPS = (
    timedelta(minutes=20),
    timedelta(hours=2),
    timedelta(hours=8),
    timedelta(days=1),
    timedelta(days=4),
)


def fleet(
    count: int,
    *,
    seed: int,
    clock: Clock,
    gap: timedelta | None = None,
    window: int = 22,
    hold: timedelta = timedelta(0),
    remember: int = 2000,
) -> World:
    """A world of *count* RSS feeds at `/f/0`, `/f/1`, ...: some 50 KB, *window* items each.

    *gap* is the time between items, for all alike; None gives a natural mixture. Rendered
    documents cost about 65 KB of memory each; at most *remember* are kept.
    """
    feeds = (
        Feed(
            id=f"f{number}",
            path=f"/f/{number}",
            shape=Shape.RSS20,
            title=f"Feed number {number}",
            plan=Every(gap=gap or GAPS[between(0, len(GAPS) - 1, seed, number, "gap")]),
            window=window,
            paragraphs=(2, 3),
            is_dressed=True,
            hold=hold,
        )
        for number in range(count)
    )
    return World(feeds, seed=seed, clock=clock, remember=remember)

"""Our stories against the simulated world, which knows which event each item tells."""

from __future__ import annotations

from collections import defaultdict
from datetime import timedelta

import pytest

from clawfeed.digest.selection.selection import SelectionInput, select_edition
from clawfeed.domain.editions.story import ChangedStory, News
from clawfeed.simulator import Language, demo_world, fleet
from tests.support.clocks import NOON, FakeClock
from tests.support.simulated_editions import DAY, Scope, simulated_items
from tests.support.story_quality import b_cubed


@pytest.mark.parametrize("seed", [7, 11, 23])
@pytest.mark.parametrize("language", list(Language))
def test_the_stories_of_a_day_are_the_worlds_events(language: Language, seed: int) -> None:
    """(S001-19): what several tell is one story, what only looks like it is not."""
    world = demo_world(seed=seed, clock=FakeClock())
    feeds = [feed for feed in world.feeds.values() if feed.language is language]
    told = list(simulated_items(world, feeds, NOON - DAY, NOON).values())
    numbers = {item.id: number for number, (item, _) in enumerate(told)}

    verdicts = select_edition(SelectionInput(items=[item for item, _ in told], now=NOON))

    groups = [[numbers[item.id] for item in verdict.items] for verdict in verdicts]
    found = b_cubed(groups, [event for _, event in told])
    assert found.precision > 0.97
    assert found.recall > 0.97


def test_a_week_of_editions_tells_no_event_twice_unless_it_changed() -> None:
    """(S001-19): each day's edition knows what the days before it told."""
    world = fleet(40, seed=7, clock=FakeClock(), gap=timedelta(hours=3))
    feeds = list(world.feeds.values())
    # The edges lie in the middle of the world's rounds of news: events are told on both sides.
    begin = NOON - 7 * DAY + timedelta(hours=1, minutes=30)
    scope = Scope()
    tellings: dict[str, list[News]] = defaultdict(list)
    days_of: dict[str, set[int]] = defaultdict(set)

    for day in range(7):
        told = simulated_items(world, feeds, begin + day * DAY, begin + (day + 1) * DAY)
        for _, event in told.values():
            days_of[event].add(day)
        now = begin + (day + 1) * DAY
        for verdict in scope.edition((item for item, _ in told.values()), now):
            tellings[told[verdict.items[0].id][1]].append(verdict.news)

    again = [news for each in tellings.values() for news in each[1:]]
    assert [news for news in again if not isinstance(news, ChangedStory)] == []
    assert sum(len(days_of[event]) > 1 for event in tellings) >= 15
    # Nothing develops in this world: to say that a story goes on is wrong each time, and it is said
    # of another event as easily as of the same (ten of 126, until known stories were weighed less).
    changed = [
        news for each in tellings.values() for news in each if isinstance(news, ChangedStory)
    ]
    assert len(again) <= 2
    assert len(changed) <= 5

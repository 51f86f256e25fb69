"""One word binds where nearly everybody tells the same, and not on a day of single stories."""

from __future__ import annotations

from dataclasses import replace

import pytest

from clawfeed.digest.selection.selection import SelectionInput, select_edition
from clawfeed.digest.stories.chance_similarity import HeadlineWords, loosen
from clawfeed.digest.stories.grouping import StoryText, group_stories
from clawfeed.simulator import demo_world
from tests.support.clocks import NOON, FakeClock
from tests.support.simulated_editions import DAY, simulated_items
from tests.support.story_quality import b_cubed

LEAD = "I wrote this down because people keep asking me about it at work, and so do my friends."


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Your last ever computer", "Computer setup"),
        ("The importance of artifacts", "The importance of diversity"),
        ("Albums of the year 2025", "Traveling in 2025"),
        ("You don't have to wait", "Why I don't drive"),
    ],
)
@pytest.mark.parametrize("lead", ["", LEAD])
def test_a_topic_is_no_story(one: str, other: str, lead: str) -> None:
    """(S001-19): these were told as one story of two publishers."""
    others = ["Rain in the south", "A harbour crane is kept", "Orchestra names conductor"]
    texts = [StoryText(title=title, lead=lead, at=NOON) for title in (one, other, *others)]

    assert [0, 1] not in group_stories(texts)


def test_one_word_binds_as_much_as_the_day_is_busy() -> None:
    """0 and 1 share one word; the others are partners by two, or are nobody's."""

    def likeness(partners: int, singles: int) -> float:
        titles = [frozenset({1}), frozenset({1}), *[frozenset({8, 9})] * partners]
        titles += [frozenset({100 + n}) for n in range(singles)]
        graph: list[dict[int, float]] = [{} for _ in titles]
        graph[0][1] = graph[1][0] = 0.2
        for one in range(2, 2 + partners):
            graph[one] = {n: 0.5 for n in range(2, 2 + partners) if n != one}
        words = [dict.fromkeys(title, 1.0) for title in titles]
        loosen(graph, HeadlineWords(titles=titles, words=words, leads=[False] * len(titles)))
        return graph[0][1]

    assert likeness(20, 0) == pytest.approx(0.1)
    assert 0 < likeness(10, 10) < 0.1
    assert likeness(2, 20) == 0


@pytest.mark.parametrize("seed", [7, 11])
def test_a_day_of_bare_headlines_is_not_put_together_by_single_words(seed: int) -> None:
    """(S001-19): Hacker News and its like bring titles and no texts."""
    world = demo_world(seed=seed, clock=FakeClock())
    told = simulated_items(world, list(world.feeds.values()), NOON - DAY, NOON)
    bare = [(replace(item, content=""), event) for item, event in told.values()]
    numbers = {item.id: number for number, (item, _) in enumerate(bare)}

    verdicts = select_edition(SelectionInput(items=[item for item, _ in bare], now=NOON))

    groups = [[numbers[item.id] for item in verdict.items] for verdict in verdicts]
    found = b_cubed(groups, [event for _, event in bare])
    assert found.precision > 0.85
    assert found.recall > 0.9

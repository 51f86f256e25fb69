"""The same story is one story; what only looks like it is not."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from itertools import pairwise

import pytest

from clawfeed.digest.stories.conflicting_numbers import contradict, series_of
from clawfeed.digest.stories.grouping import StoryText, group_stories
from clawfeed.simulator import demo_world
from clawfeed.sources.documents.text_cleaning import clean_text
from tests.support.clocks import NOON, FakeClock


def together(*titles: str, apart: timedelta = timedelta()) -> list[list[int]]:
    texts = [StoryText(title=title, at=NOON + n * apart) for n, title in enumerate(titles)]
    return group_stories([*texts, *(StoryText(title=title, at=NOON) for title in OTHERS)])


# A day has other news, by which words are weighed.
OTHERS = (
    "Council votes to keep the old harbour crane",
    "Rain ends a month of drought in the south",
    "Orchestra names a conductor from its own ranks",
    "新图书馆在河边开放",
)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "Apple unveils iPhone with long battery life",
            "New Apple iPhone has a long battery life",
        ),
        ("Ukraine's grain leaves Odessa by ship", "First Ukrainian grain ship leaves Odessa port"),
        ("人民币对美元汇率突破7.0", "人民币兑美元突破7.0关口"),
        ("Café owners protest new tax", "CAFE OWNERS PROTEST TAX"),
    ],
)
def test_one_story_in_two_wordings_is_one(one: str, other: str) -> None:
    assert [0, 1] in together(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "Kernel 6.12 brings faster file systems",
            "Kernel 6.13 brings faster file systems",
        ),
        ("EU agrees on 12th sanctions package", "EU agrees on 13th sanctions package"),
        ("Galaxy S5 goes on sale worldwide", "Galaxy S4 goes on sale worldwide"),
        (
            "Council votes on the harbour tunnel",
            "Orchestra plays in the harbour tunnel",
        ),
        ("northgate/micro-shell-8", "Ferry Mail ships its largest update in 8 years"),
        ("hanlin-lab/hyper-canvas", "hanlin-lab/hyper-vector"),
        ("Payroll law passes the upper house", "Teachers test a payroll calculator"),
    ],
)
def test_what_only_looks_alike_stays_apart(one: str, other: str) -> None:
    assert [0, 1] not in together(one, other)


def test_counts_that_grow_are_no_contradiction() -> None:
    assert not contradict(series_of("Quake kills 9 in the hills"), series_of("Quake kills 12"))
    assert contradict(series_of("iOS 7.1 is out"), series_of("iOS 7.2 is out"))
    assert contradict(series_of("Grades up 27%"), series_of("Pupils score 37 per cent higher"))


def test_what_comes_again_after_days_is_another_story() -> None:
    title = "Ferry strike stops all traffic to the islands"

    assert [0, 1] in together(title, title, apart=timedelta(hours=1))
    assert [0, 1] not in together(title, title, apart=timedelta(days=5))


def test_copies_without_number_are_one_story_and_empty_titles_none() -> None:
    found = together(*["Ferry strike stops all traffic"] * 3_000, "", "")

    assert [3_000] in found
    assert list(range(3_000)) in found


def test_the_same_texts_are_the_same_stories_in_whatever_order_they_come() -> None:
    """Of copies one stands for all, and ties have to be broken: neither by who came first."""
    world = demo_world(seed=7, clock=FakeClock())
    told = [story for feed in world.feeds.values() for story in world.stories(feed)]
    texts = [
        StoryText(title=story.title, lead=clean_text(story.html, 400), at=story.published_at)
        for story in told
    ]
    copies = [replace(text, lead=other.lead) for text, other in pairwise(texts)]
    everything = [*texts, *copies]

    found = group_stories(everything)
    backwards = group_stories(everything[::-1])

    last = len(everything) - 1
    assert sorted(found) == sorted(sorted(last - n for n in numbers) for numbers in backwards)


def test_a_known_story_goes_on_with_a_higher_toll_and_not_with_other_names() -> None:
    """What was told on Monday of Bergen is no beginning of what happens in Oslo on Wednesday."""
    told = StoryText(
        title="Flood wall protects Bergen from the autumn storm, 12 homes lost",
        at=NOON - timedelta(days=2),
        window=timedelta(days=7),
        is_known=True,
    )
    filler = [
        StoryText(title=f"{word} prices fall for the {n}th week", at=NOON)
        for n, word in enumerate(["Coffee", "Copper", "Wheat", "Paper", "Cotton"], 4)
    ]
    goes_on = StoryText(title="Flood wall in Bergen: 15 homes lost to the autumn storm", at=NOON)
    elsewhere = StoryText(title="New flood wall keeps the port of Oslo dry", at=NOON)

    found = [group_stories([told, each, *filler]) for each in (goes_on, elsewhere)]

    assert [[0, 1] in groups for groups in found] == [True, False]

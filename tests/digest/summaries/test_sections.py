"""Where stories stand in an edition, and how long it is to read."""

from __future__ import annotations

import pytest

from clawfeed.digest.summaries.sections import minutes_for, order_by_section
from clawfeed.domain.editions.digest import Section
from tests.digest.summaries.stories import told


def test_sections_come_in_their_order_and_the_best_of_each_first() -> None:
    stories = [
        told("c", section=Section.NOTEWORTHY, worth=9),
        told("b", section=Section.TOP, worth=1),
        told("a", section=Section.TOP, worth=2),
    ]

    assert [story.words.headline for story in order_by_section(stories)] == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("texts", "minutes"),
    [([], 1), (["word " * 230], 1), (["word " * 231], 2), (["桥" * 400], 1), (["桥" * 801], 3)],
)
def test_minutes_are_counted_in_words_and_in_characters(texts: list[str], minutes: int) -> None:
    assert minutes_for(texts) == minutes

"""An edition's title names what it is about; its summary says it in three lines."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clawfeed.digest.summaries.title_and_summary import (
    LONGEST_LINE,
    LONGEST_TITLE,
    TopicHeading,
    title_of,
)
from clawfeed.digest.summaries.topics import topics_of
from clawfeed.domain.editions.digest import DigestStory, Section
from tests.digest.summaries.stories import told

LEAD = "The old bridge at Riverton was closed on Tuesday, and nobody knows for how long."


@pytest.mark.parametrize(
    ("story", "topics"),
    [
        (told("Flood closes old bridge at Riverton", LEAD), ["Riverton"]),
        (told("Now the pressure is on Lena Marsh. Can she win?"), ["Lena Marsh"]),
        (told("Marsh's Harbour Inc raises prices"), ["Harbour Inc"]),
        (told("Talks on the Strait of Calder resume"), ["Strait of Calder"]),
        (told("OpenAI releases GPT-5.5"), ["OpenAI", "GPT-5.5"]),
        # Capitals say nothing in a headline that has them everywhere; its sentences know better.
        (told("Old Bridge Closes After Flood In Riverton", LEAD), ["Riverton"]),
        (told("Guards of 48 bridges get paid", "It pays the guards of 48 bridges."), ["Guards"]),
        (told("How to mend a bridge"), []),
        (told("The French say no"), []),
        (told("《河上的桥》首映", titles=()), ["河上的桥"]),
        (told("OpenAI 发布新模型"), ["OpenAI"]),
        (told("小米汽车今日交付", titles=("小米汽车开始交付首批车辆",)), ["小米汽车", "交付"]),
        (told("老桥关闭，交通受阻"), ["老桥关闭"]),
    ],
)
def test_a_story_is_named_by_what_it_names(story: DigestStory, topics: list[str]) -> None:
    assert topics_of(story) == topics


async def test_the_title_has_topics_and_the_summary_a_line_for_each_of_three() -> None:
    stories = [
        told("Flood closes old bridge at Riverton", LEAD, worth=3),
        told("Lena Marsh leaves Harbour Inc", "She goes.", worth=2),
        told("Calder wins the cup", "Calder " + "won " * 60 + "it.", worth=1.5),
        told("Show HN: Bridgekit", "A kit to build bridges.", section=Section.COMMUNITY),
    ]

    heading = await TopicHeading().write(stories, "en")

    assert heading.title == "Riverton, Lena Marsh, Calder, Bridgekit"
    # The first of each section, then the best of the others; what is too short or too long is
    # told by its headline.
    assert heading.summary == (LEAD, "Lena Marsh leaves Harbour Inc", "Show HN: Bridgekit")


async def test_a_question_is_no_summary() -> None:
    asked = told(
        "Old bridge at Riverton closed", "Why was the old bridge at Riverton closed again?"
    )

    assert (await TopicHeading().write([asked], "en")).summary == ("Old bridge at Riverton closed",)


def test_chinese_titles_are_joined_the_chinese_way() -> None:
    stories = [told("《河上的桥》首映"), told("OpenAI 发布新模型"), told("老桥关闭，交通受阻")]

    assert title_of(stories, "zh-CN") == "河上的桥、OpenAI、老桥关闭"


async def test_without_names_the_first_headline_must_do_and_without_stories_nothing() -> None:
    assert title_of([told("How to mend a bridge")], "en") == "How to mend a bridge"
    assert (await TopicHeading().write([], "en")).summary == ()
    assert title_of([], "en") == ""


@given(st.lists(st.text(max_size=200), max_size=6), st.sampled_from(["en", "zh"]))
async def test_neither_grows_too_long(headlines: list[str], language: str) -> None:
    heading = await TopicHeading().write([told(each) for each in headlines], language)

    assert len(heading.title) <= LONGEST_TITLE
    assert len(heading.summary) == min(3, len(headlines))
    assert all(len(line) <= LONGEST_LINE for line in heading.summary)

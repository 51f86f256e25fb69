"""A week's story: how it stands, then how it began, from what the dailies said."""

from __future__ import annotations

from clawfeed.digest.summaries.rollup_writer import TellingsWriter, write_from_tellings
from clawfeed.domain.editions.digest import WordsBy
from tests.digest.summaries.stories import material, source_text

FIRST = "The flood damaged two pillars of the old bridge at Riverton. Nobody was hurt."
LATER = "The county will rebuild the Riverton crossing for nine million crowns. Work starts in May."


async def test_the_latest_state_comes_first_then_what_it_began_with() -> None:
    story = material(
        source_text(1, "Flood damages bridge", FIRST, days=-6),
        source_text(2, "Engineers look at bridge", "Engineers looked at it on Wednesday.", days=-4),
        source_text(3, "County rebuilds bridge", LATER, days=-1),
    )

    words = await TellingsWriter().write(story)

    assert (words.headline, words.by, words.language) == (
        "County rebuilds bridge", WordsBy.TELLINGS, "en",
    )  # fmt: skip
    assert [(each.text, each.cites) for each in words.sentences] == [
        ("The county will rebuild the Riverton crossing for nine million crowns.", (3,)),
        ("Work starts in May.", (3,)),
        ("It began: The flood damaged two pillars of the old bridge at Riverton.", (1,)),
    ]


def test_a_beginning_that_says_the_same_is_not_told_twice() -> None:
    story = material(
        source_text(1, "Bridge closed", FIRST, days=-2), source_text(2, "Bridge closed", FIRST)
    )

    words = write_from_tellings(story)

    assert {sentence.cites for sentence in words.sentences} == {(2,)}


def test_chinese_begins_in_chinese() -> None:
    story = material(
        source_text(1, "老桥关闭", "洪水损坏了里弗顿老桥的两个桥墩。", days=-3),
        source_text(2, "县政府重建", "政府将投资九百万重建渡口，五月开工。"),
        language="zh",
    )

    assert write_from_tellings(story).sentences[-1].text == "起初：洪水损坏了里弗顿老桥的两个桥墩。"


def test_tellings_without_words_leave_a_headline() -> None:
    words = write_from_tellings(material(source_text(1, "Bridge closed"), language="en"))

    assert (words.headline, words.sentences) == ("Bridge closed", ())
    assert write_from_tellings(material()).headline == ""

"""A story in its sources' words: the best one's lead, and one sentence that another adds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clawfeed.digest.summaries.lead import LONGEST_SENTENCE, MOST_WORDS
from clawfeed.digest.summaries.lead_writer import LeadWriter, write_lead
from clawfeed.digest.summaries.length import length_in_words
from clawfeed.digest.writer_interface import StoryMaterial
from clawfeed.domain.editions.digest import WordsBy
from tests.digest.summaries.stories import material, source_text
from tests.digest.summaries.test_sentences import growth

TITLE = "Old bridge at Riverton closed after Monday's flood"
LEAD = (
    "The old bridge at Riverton was closed on Tuesday after the flood damaged two of its pillars. "
    "Engineers of the county need three weeks to find out whether it can be saved. "
    "The mayor was not available on the day."
)
OTHER = (
    "It rained all night. "
    "The bridge at Riverton, built in 1884, carries nine thousand commuters on a working day. "
    "The old bridge at Riverton was closed on Tuesday after the flood damaged its pillars."
)


def texts(story: StoryMaterial) -> list[tuple[str, tuple[int, ...]]]:
    return [(sentence.text, sentence.cites) for sentence in write_lead(story).sentences]


async def test_the_lead_of_the_best_and_what_another_adds() -> None:
    story = material(source_text(1, f"{TITLE} - BBC News", LEAD), source_text(2, TITLE, OTHER))

    words = await LeadWriter().write(story)

    assert words.headline == TITLE
    assert (words.by, words.language, words.ungrounded) == (WordsBy.LEAD, "en", 0)
    assert [(each.text, each.cites) for each in words.sentences] == [
        (LEAD.partition(". ")[0] + ".", (1,)),
        ("Engineers of the county need three weeks to find out whether it can be saved.", (1,)),
        (OTHER.split(". ")[1] + ".", (2,)),
    ]


@pytest.mark.parametrize(
    "said",
    [
        "It is the third flood at Riverton in four years, and the bridge suffered each time.",
        "“The bridge at Riverton is lost to the county and the people,” said a commuter.",
        "Will the old bridge at Riverton ever carry nine thousand commuters again?",
        "The chess club of Oldham won the county cup for the ninth time in a row on Tuesday.",
        "Engineers need five weeks at Riverton before commuters can hope for an answer.",
        "Die alte Brücke in Riverton ist für den Verkehr mit dem Umland nicht zu ersetzen.",
    ],
)
def test_what_points_back_asks_contradicts_or_strays_is_not_added(said: str) -> None:
    lead = LEAD.replace("three weeks", "3 weeks")
    story = material(source_text(1, TITLE, lead), source_text(2, TITLE, said.replace("five", "5")))

    assert {cites for _, cites in texts(story)} == {(1,)}


def test_another_story_of_the_same_place_adds_nothing() -> None:
    said = "Commuters at the Riverton bridge elected a new council with nine seats for the left."
    other = source_text(2, "Left wins nine seats as county elects council", said)

    assert {cites for _, cites in texts(material(source_text(1, TITLE, LEAD), other))} == {(1,)}


def test_readers_get_their_own_language_where_somebody_writes_it() -> None:
    chinese = source_text(
        2, "里弗顿老桥洪水后关闭", "里弗顿的老桥周二关闭。工程师需要三周时间检查。"
    )
    english = source_text(1, TITLE, LEAD)

    for language, headline, cited in (("zh-CN", "里弗顿老桥洪水后关闭", 2), ("en", TITLE, 1)):
        words = write_lead(material(english, chinese, language=language))

        assert words.headline == headline
        assert words.sentences[0].cites == (cited,)
        assert words.language == language[:2]


def test_where_nobody_writes_it_there_is_what_there_is() -> None:
    words = write_lead(material(source_text(1, TITLE, LEAD), language="zh-CN"))

    assert (words.headline, words.language, len(words.sentences)) == (TITLE, "en", 2)


@pytest.mark.parametrize("text", ["", "Comments", "https://a.example/", TITLE, f"{TITLE}."])
def test_with_nothing_to_say_there_is_a_headline_only(text: str) -> None:
    words = write_lead(material(source_text(1, TITLE, text)))

    assert (words.headline, words.sentences) == (TITLE, ())


def test_without_a_source_there_is_nothing_at_all() -> None:
    words = write_lead(material())

    assert (words.headline, words.sentences, words.language) == ("", (), "en")


def test_a_source_that_says_nothing_leaves_the_lead_to_the_next() -> None:
    story = material(source_text(1, TITLE), source_text(2, "Bridge at Riverton shut", LEAD))

    assert texts(story)[0] == (LEAD.partition(". ")[0] + ".", (2,))


def test_what_a_feed_cut_off_is_left_out_if_there_is_more_and_shows_if_there_is_not() -> None:
    cut = "The old bridge at Riverton was closed on Tuesday after the flood damaged its pi..."

    assert texts(material(source_text(1, TITLE, cut)))[0][0].endswith("damaged its pi…")
    assert texts(material(source_text(1, TITLE, f"{LEAD} {cut}")))[-1][0].endswith("saved.")


def test_a_very_long_sentence_ends_with_a_clause() -> None:
    text = "The bridge is closed" + ", and so is the road that leads to it" * 20 + "."

    (sentence,) = write_lead(material(source_text(1, TITLE, text))).sentences

    assert sentence.text.endswith("leads to it…")
    assert length_in_words(sentence.text) <= MOST_WORDS


def test_chinese_is_cut_at_sentence_ends_within_its_length() -> None:
    sentence = "里弗顿的老桥周二因洪水损坏桥墩而关闭，当地交通受到很大影响。"
    story = material(source_text(1, "老桥关闭了", sentence * 9), language="zh")

    assert texts(story) == [(sentence, (1,))] * 2


def test_code_headings_and_lists_are_not_read_out() -> None:
    text = f"Introduction\n$ npm install --save bridge && x = {{}} => foo()\n{LEAD}"

    assert texts(material(source_text(1, TITLE, text)))[0][0].startswith("The old bridge")


WORDS = st.sampled_from(
    [
        "The bridge", "Riverton", "closed on Tuesday", "flood", "3.5 million", "U.S.", "“Go,”",
        "said", "Read more", "By Ada Penn", "老桥", "今天关闭", "。", ".", ". ", "!", "…", "\n",
        ", and", "；", "**",
    ]
)  # fmt: skip
TEXTS = st.lists(WORDS, max_size=60).map(" ".join)


@given(st.lists(st.tuples(TEXTS, TEXTS), max_size=4), st.sampled_from(["en", "zh-CN", "fr"]))
def test_every_sentence_is_its_sources_own(stories: list[tuple[str, str]], language: str) -> None:
    story = material(
        *(source_text(number, title, text) for number, (title, text) in enumerate(stories, 1)),
        language=language,
    )

    words = write_lead(story)

    by_number = {text.source.number: normalised(text.text) for text in story.texts}
    for sentence in words.sentences:
        assert len(sentence.cites) == 1
        assert normalised(sentence.text) in by_number[sentence.cites[0]]
    assert len(words.sentences) <= 4
    assert all(length_in_words(s.text) <= LONGEST_SENTENCE for s in words.sentences)
    assert sum(length_in_words(s.text) for s in words.sentences) <= LONGEST_SENTENCE + 40


def normalised(text: str) -> str:
    return "".join(character for character in text if character.isalnum())


def test_the_work_grows_with_the_texts_up_to_a_point() -> None:
    def write(text: str) -> object:
        return write_lead(material(source_text(1, TITLE, text), source_text(2, TITLE, text)))

    for piece in ("The bridge at Riverton closed, ", "A. ", "桥", "“a. B” "):
        assert growth(write, piece * 200, piece * 20_000) < 64

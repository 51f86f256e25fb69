"""Where sentences end, in English, Chinese and Japanese."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clawfeed.digest.summaries.sentences import is_whole, split_sentences


@pytest.mark.parametrize(
    "sentences",
    [
        ["The bridge is closed.", "It opens again in May."],
        ["Mr. Hale met Dr. Osei at St. Mary's.", "Both were late."],
        ["J. R. Vale and Anna B. Cole wrote it.", "Nobody read it."],
        ["It cost $3.50 a litre, 4.2% more.", "Drivers noticed."],
        ["She lives in the U.S. with two cats.", "He does not."],
        ["The vote passed in the U.S. Senate at 5 p.m. on Monday.", "Few watched."],
        ["It is made in the U.S.", "The parts are not."],
        ["Bring fruit, e.g. Cox apples, i.e. Small ones.", "No. 5 is best."],
        ["Harbour Inc. Chief Lena Marsh resigned.", "She was 40."],
        ["The firm is Marsh & Co.", "It has two clerks."],
        ["See https://a.example/b.c?d=e.", "Then go."],
        ["Version 2.0.1 of ASP.NET is out.", "Nobody minds."],
        ["“It is over. We go home,” she said.", "They stayed."],
        ['"Stop! Go back," he cried.', "Nobody did."],
        ['"Really?" she asked.', '"Yes," he said.'],
        ["Yahoo! announced a sale.", "Prices fell!", "Why?"],
        ["Well... it works.", "But then...", "Nothing did."],
        ["He left (at 4 p.m. or so. Nobody knows).", "She stayed."],
        ["1. Mix the flour.", "2. Add water."],
        ["On Jan. 5 it snowed.", "On Sept. 3 it did not."],
        ["He took vitamin C.", "The cold stayed."],
        ["大桥今天关闭。", "五月重新开放！", "真的吗？", "是的。"],
        ["他说：“关了。我们回家吧。”", "没有人走。"],
        ["第一条是真的；", "第二条不是。"],
        ["彼は「行く。」と言った。", "雨が降った。"],
        ["「もう終わりだ。帰ろう。」", "彼女は残った。"],
        ["OpenAI 发布 GPT-5.5。", "It is fast.", "价格为 3.5 美元。"],
        ["Она ушла.", "Он остался."],
        ["A line without an end", "and another"],
    ],
)  # fmt: skip
def test_text_is_parted_where_its_sentences_end(sentences: list[str]) -> None:
    is_wide = all(sentence[-1] in "。！？；”」" for sentence in sentences)
    glue = "" if is_wide else "\n" if not is_whole(sentences[0]) else " "

    assert split_sentences(glue.join(sentences)) == sentences


def test_a_quote_that_nobody_closed_holds_up_nothing() -> None:
    text = "“It is over. " + "We go. " * 60

    assert len(split_sentences(text)) > 50
    assert len(split_sentences(f"{text}” he said, much later.")) > 50


@pytest.mark.parametrize(
    ("sentence", "is_it"),
    [
        ("It is.", True),
        ("“It is.”", True),
        ("是的。", True),
        ("It is…", False),
        ("It is...", False),
        ("It is", False),
        ("", False),
    ],
)
def test_a_sentence_knows_whether_it_is_whole(sentence: str, is_it: bool) -> None:
    assert is_whole(sentence) is is_it


@given(st.text(alphabet="aB.!?。！；… \n“”\"()「」1'", max_size=200))
def test_nothing_is_lost_added_or_moved(text: str) -> None:
    sentences = split_sentences(text)

    assert "".join("".join(sentences).split()) == "".join(text.split())
    assert all(sentence.strip() == sentence != "" for sentence in sentences)


@pytest.mark.parametrize(
    "piece", ["(", '"a. B', "e.g. ", "“", "“a. B”", "a.", "。", '(("“', ")(", "U.S. ", "Mr."]
)
def test_the_work_grows_with_the_text(piece: str) -> None:
    assert growth(split_sentences, piece * 4_000, piece * 32_000) < 32


def growth(work: Callable[[str], object], small: str, large: str) -> float:
    """How many times as long *large* takes; eight times the text, in linear work, about eight."""

    def cost(text: str) -> float:
        times = []
        for _ in range(3):
            started = time.process_time()
            work(text)
            times.append(time.process_time() - started)
        return min(times)

    return cost(large) / max(cost(small), 0.000_5)

"""Which language a text is in, cheaply; and how long it is to read."""

from __future__ import annotations

import pytest

from clawfeed.digest.summaries.language import guess_language, is_written_in
from clawfeed.digest.summaries.length import count_characters, count_words, length_in_words


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The bridge is closed for the winter.", "en"),
        ("Prosecutors filed charges against a man who they say planned to attack.", "en"),
        ("Die Brücke ist für den Winter nicht offen.", "de"),
        ("Le pont est fermé pour la durée des travaux.", "fr"),
        ("El puente está cerrado por las obras.", "es"),
        ("老桥今天关闭。", "zh"),
        ("OpenAI 发布 GPT-5，称其更快。", "zh"),
        ("橋は冬のあいだ閉まります。", "ja"),
        ("다리가 닫혔습니다.", "ko"),
        ("Мост закрыт на зиму.", "ru"),
        ("GPT-5.5", ""),
        ("123", ""),
        ("", ""),
    ],
)
def test_a_language_is_guessed(text: str, language: str) -> None:
    assert guess_language(text) == language


def test_a_reader_of_a_region_reads_its_language() -> None:
    assert is_written_in("老桥今天关闭。", "zh-CN")
    assert not is_written_in("The bridge is closed for the winter.", "zh-CN")
    assert is_written_in("GPT-5.5", "zh-CN")


def test_two_chinese_characters_are_as_long_as_a_word() -> None:
    assert count_words("The bridge — it's closed, 3.5 m.") == 6
    assert (count_words("OpenAI 发布 GPT-5。"), count_characters("OpenAI 发布 GPT-5。")) == (2, 2)
    assert length_in_words("关闭 the bridge") == 3

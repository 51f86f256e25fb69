"""Words of items and words of questions are cut alike."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clawfeed.domain.search_terms import (
    LONGEST_WORD,
    Term,
    index_words,
    query_terms,
    source_word,
)

CHINESE = st.text(alphabet="人工智能模型今天发布新的版本", min_size=1, max_size=30)


def words_of(text: str) -> list[str]:
    return index_words(title=text, author=None, content="")


def is_found(text: str, question: str) -> bool:
    """What both databases do with the words."""
    words = words_of(text)
    return all(
        any(
            word.startswith(term.word) if term.is_beginning else word == term.word for word in words
        )
        for term in query_terms(question)
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Hello, World! hello", ["hello", "world"]),
        ("Café naïve Ångström", ["cafe", "naive", "angstrom"]),
        ("Straße ＦＵＬＬ", ["strasse", "full"]),
        ("C++ node.js gpt-4o", ["c", "node", "js", "gpt", "4o"]),
        ("人工智能", ["人工", "工智", "智能", "人", "工", "智", "能"]),
        ("用GPT模型", ["用", "gpt", "模型", "模", "型"]),
        ("한국어", ["한국", "국어", "한", "국", "어"]),
        ("がか", ["がか", "が", "か"]),
        ("スター・ウォ", ["スタ", "ター", "ス", "タ", "ー", "ウォ", "ウ", "ォ"]),
        ("a_b 'c' \"d\"", ["a", "b", "c", "d"]),
        ("", []),
        ("— … §7", ["7"]),
    ],
)
def test_words_are_cut_without_case_and_accents_and_chinese_in_pairs(
    text: str, words: list[str]
) -> None:
    assert words_of(text) == words


def test_markup_is_not_searched_but_its_text_is() -> None:
    words = index_words(
        title="1 < 2", author="Ada", content="<p class='intro'>Fish &amp; chips</p><br/>a < b > c"
    )

    assert words == ["1", "2", "ada", "fish", "chips", "a", "b", "c"]


@pytest.mark.parametrize(
    ("question", "terms"),
    [
        ("open source ", [Term("open"), Term("source")]),
        ("open sourc", [Term("open"), Term("sourc", is_beginning=True)]),
        ("ai", [Term("ai")]),
        ('"open" OR NOT (x*)', [Term("open"), Term("or"), Term("not"), Term("x")]),
        ("智能", [Term("智能")]),
        ("智", [Term("智")]),
        ("人工智", [Term("人工"), Term("工智")]),
        ("'; DROP TABLE --", [Term("drop"), Term("table")]),
        ("", []),
        ("\"' * -- \x00", []),
    ],
)
def test_operators_are_only_characters_and_the_last_word_may_be_unfinished(
    question: str, terms: list[Term]
) -> None:
    assert query_terms(question) == tuple(terms)


@given(CHINESE, st.data())
def test_every_part_of_a_chinese_text_finds_it(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))

    assert is_found(f"Über {text}，x", text[start:end])


@given(st.text(alphabet="abcdé ÀÖß1２-", max_size=40))
def test_a_text_is_found_by_itself(text: str) -> None:
    assert is_found(text, text)


@given(st.text(), st.text(), st.text())
def test_any_text_gives_plain_words_that_no_database_can_misread(
    title: str, author: str, content: str
) -> None:
    words = index_words(title=title, author=author, content=content)
    words += [term.word for term in query_terms(content)]

    assert all(0 < len(word) <= LONGEST_WORD for word in words)
    # Beyond ASCII neither database has a sign of its own.
    assert all(sign.isalnum() or sign > "\u3004" for word in words for sign in word)


def test_no_text_has_the_word_of_a_source() -> None:
    assert source_word(7) == "§7"
    assert source_word(7) not in words_of("§7 § 7")

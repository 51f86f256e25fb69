"""The facts a text states: its numbers as values, and the names in it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from clawfeed.digest.stories.terms import is_stop_word, is_title_case
from clawfeed.digest.stories.text_folding import fold
from clawfeed.domain.editions.story_facts import StoryFacts

# "One of them", "two days later": who counts so little says nothing that could be new.
SMALLEST_TELLING: Final = 4

_MONTHS: Final = (
    "jan|feb|mar|apr|may|jun|jul|aug|sep|sept|oct|nov|dec|january|february|march|april|june|july"
    "|august|september|october|november|december"
)
_NO_FACT = re.compile(
    rf"\b[0-9]{{1,2}}:[0-9]{{2}}\b|\b(?:{_MONTHS})\.? [0-9]{{1,2}}\b(?:st|nd|rd|th)?"
    rf"|\b[0-9]{{1,2}}(?:st|nd|rd|th)? (?:{_MONTHS})\b|[0-9]+年|[0-9]{{1,2}}[月日号时点]"
    r"|\b(?:19|20)[0-9]{2}\b(?![%.,]?[0-9])(?! ?(?:%|percent|million|billion|people))"
)
_UNITS: Final = {
    "%": "%", "percent": "%", "per cent": "%", "thousand": "1e3", "k": "1e3", "million": "1e6",
    "m": "1e6", "mn": "1e6", "billion": "1e9", "bn": "1e9", "b": "1e9", "trillion": "1e12",
    "tn": "1e12", "百万": "1e6", "千万": "1e7", "千": "1e3", "万": "1e4", "亿": "1e8",
}  # fmt: skip
_NUMBER = re.compile(
    r"(?<![\w.])(?:[a-z$€£¥]{0,3}[$€£¥])?([0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(\.[0-9]+)?"
    r"(?: ?(%|percent|per cent|thousand|million|billion|trillion|百万|千万|千|万|亿)"
    r"|(k|mn?|bn?|tn)\b)?"
    r"|(?<=[\u3400-\u9fff])([0-9]+)(\.[0-9]+)?(%|百万|千万|千|万|亿)?"
)
_COUNTING_WORDS: Final = {
    word: str(number)
    for number, word in enumerate(
        ["four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"],
        SMALLEST_TELLING,
    )
}
_WORD = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*")
_SENTENCE = re.compile(r"(?<=[.!?:;])[\"”’)]*\s+|(?<=[。！？；：])")
# A title in its brackets; of a foreign name the two characters after its dot, since nothing says
# where it ends.
_CHINESE_NAME = re.compile(r"《([^》]{2,20})》|·([\u3400-\u9fff]{2})")
_HAN = re.compile(r"[\u3400-\u9fff]")
_NEVER_NAMES: Final = frozenset(_MONTHS.split("|")) | {
    "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "reuters", "ap",
    "afp", "bbc", "cnn", "update", "breaking", "exclusive", "video", "photos", "watch", "live", "i",
}  # fmt: skip


def facts_of(text: str) -> StoryFacts:
    """What *text* newly states, if it does: whole names, and only where capitals mean something."""
    return StoryFacts(numbers=frozenset(_numbers(text)), names=frozenset(_names(text)))


def mentioned_in(text: str) -> StoryFacts:
    """Everything *text* might be said to have told: each capitalised word counts as heard of."""
    words = (word for word in _WORD.findall(text) if word[0].isupper())
    heard = {part for word in words for part in _plain(word).split()}
    return StoryFacts(
        numbers=frozenset(_numbers(text)), names=frozenset(heard | set(_chinese(text)))
    )


def _numbers(text: str) -> Iterator[str]:
    plain = _NO_FACT.sub(" ", fold(text))
    for whole, part, unit, short, han, han_part, han_unit in _NUMBER.findall(plain):
        value = Decimal((whole or han).replace(",", "") + (part or han_part))
        factor = _UNITS.get(unit or short or han_unit, "1")
        if factor == "%":
            yield f"{_shown(value)}%"
        elif (value := value * Decimal(factor)) >= SMALLEST_TELLING or part:
            yield _shown(value)
    for word in _WORD.findall(plain):
        if word in _COUNTING_WORDS:
            yield _COUNTING_WORDS[word]


def _shown(value: Decimal) -> str:
    return f"{value.normalize():f}"


def _names(text: str) -> Iterator[str]:
    yield from _chinese(text)
    if is_title_case(_WORD.findall(text)[1:]):
        return
    for sentence in _SENTENCE.split(text):
        words = [match for match in _WORD.finditer(sentence) if not _HAN.match(match[0])]
        yield from _names_in(sentence, words)


def _names_in(sentence: str, words: list[re.Match[str]]) -> Iterator[str]:
    """Runs of capitalised words; one that only begins the sentence is no name."""
    run: list[str] = []
    begins = 0
    for number, match in enumerate(words):
        goes_on = bool(run) and sentence[words[number - 1].end() : match.start()] == " "
        is_capital = match[0][0].isupper()
        if run and not (goes_on and is_capital):
            yield from _name(run, is_start=begins == 0)
            run = []
        if is_capital:
            begins = begins if run else number
            run.append(match[0])
    if run:
        yield from _name(run, is_start=begins == 0)


def _name(run: list[str], *, is_start: bool) -> Iterator[str]:
    words = [word for each in run for word in _plain(each).split()]
    if is_start and len(words) == 1:
        return
    told = [word for word in words if not is_stop_word(word) and word not in _NEVER_NAMES]
    if told and any(len(word) > 1 for word in told):
        yield " ".join(told)


def _plain(word: str) -> str:
    return re.sub("['’]s?$", "", fold(word)).replace("-", " ")


def _chinese(text: str) -> Iterator[str]:
    for title, surname in _CHINESE_NAME.findall(text):
        yield fold(title or surname).replace(" ", "")

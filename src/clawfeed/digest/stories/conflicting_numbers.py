"""Numbers that tell stories apart: version 7.1 is not version 7.2, nor are 27 % 37 %.

Nor is one repository another, whoever owns both. Counts are no such numbers: nine killed and twelve
killed are one story an hour apart.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from clawfeed.digest.stories.text_folding import fold

# "S5", "MH370", "mw-3"; "Windows 8", "iOS 7.1", "第3季"; "12th package".
_MODEL = re.compile(r"\b([a-z]{1,5})-?([0-9]{1,4})\b")
_NAMED = re.compile(
    r"\b([^\W\d_]{2,})[ -]([0-9]{1,4}(?:\.[0-9]{1,3})*)\b(?! ?(?:%|percent|million|bn))"
)
_ORDINAL = re.compile(r"\b([0-9]{1,3})(?:st|nd|rd|th) ([^\W\d_]{3,})")
_PERCENT = re.compile(r"([0-9]+(?:[.,][0-9]+)?) ?(?:%|per ?cent)")
_NUMBER = re.compile(r"[0-9]+(?:[.,][0-9]+)*")
_CHINESE = re.compile(r"第([0-9一二三四五六七八九十百]{1,4})([\u4e00-\u9fff])")
# "owner/name" and nothing else, as lists of repositories have it.
_REPOSITORY = re.compile(r"[a-z0-9][\w.-]*/[\w.-]+")
# What comes before a count, an amount or a date; the number behind it changes from hour to hour.
_BEFORE_COUNTS: Final = frozenset(
    {
        "about", "above", "after", "age", "aged", "almost", "arrest", "arrested", "at", "below",
        "between", "by", "claims", "cost", "costs", "cut", "cuts", "day", "days", "down", "dead",
        "drop", "drops", "fall", "falls", "fell", "for", "from", "gain", "gains", "hit", "hits",
        "hurt", "in", "injured", "injures", "injuring", "kill", "killed", "killing", "kills",
        "least", "leaves", "loses", "more", "nearly", "of", "on", "out", "over", "raise", "raises",
        "reaches", "rise", "rises", "sees", "since", "some", "than", "the", "these", "those", "to",
        "toll", "top", "tops", "under", "until", "up", "with", "wounds", "jan", "january", "feb",
        "february", "mar", "march", "apr", "april", "may", "jun", "june", "jul", "july", "aug",
        "august", "sep", "september", "oct", "october", "nov", "november", "dec", "december",
    }
)  # fmt: skip

Series = Mapping[str, frozenset[str]]


def series_of(title: str) -> Series:
    """The numbers of a title that name one of a row, by what they count in."""
    text = fold(title)
    found: dict[str, set[str]] = {}
    for name, number in [*_MODEL.findall(text), *_NAMED.findall(text)]:
        if name not in _BEFORE_COUNTS:
            found.setdefault(name, set()).add(number)
    for number, name in [*_ORDINAL.findall(text), *_CHINESE.findall(text)]:
        found.setdefault(name, set()).add(number)
    if shares := _PERCENT.findall(text):
        found["%"] = set(shares)
    if _REPOSITORY.fullmatch(text):
        found["/"] = {text}
    return {name: frozenset(numbers) for name, numbers in found.items()}


def numbers_of(title: str) -> frozenset[str]:
    """All numbers of a title, whatever they count."""
    return frozenset(_NUMBER.findall(fold(title)))


def contradict(one: Series, other: Series) -> bool:
    """Whether both count in the same row, and name different ones of it."""
    if len(one) > len(other):
        one, other = other, one
    return any(name in other and numbers.isdisjoint(other[name]) for name, numbers in one.items())

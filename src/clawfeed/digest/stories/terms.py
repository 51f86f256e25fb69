"""The terms two texts are compared by: word stems, pieces of words, pairs of Chinese characters."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from clawfeed.digest.stories.conflicting_numbers import Series, numbers_of, series_of
from clawfeed.digest.stories.text_folding import fold

# A lead says more than a headline, and after its first sentences less and less.
LONGEST_TITLE, LONGEST_LEAD = 300, 400
# A word in the headline counts as much as two in the lead.
TITLE_WEIGHT = 2
# Pieces of this many letters find "Ukrainian" near "Ukraine", and need no grammar of any language.
PIECES: Final = (3, 4)
SHORTEST_STEM = 3
# Whoever capitalises this share of the long words of a headline capitalises all of them.
TITLE_CASE_SHARE: Final = 0.6
LONG_WORD: Final = 4

# Han, kana and Hangul have no spaces to cut at: overlapping pairs of characters stand for words.
_PAIRED = "\u3041-\u30fa\u30fc-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
_RUN = re.compile(rf"[{_PAIRED}]+|[^\W_{_PAIRED}]+(?:\.[0-9]+)*")
_IS_PAIRED = re.compile(rf"[{_PAIRED}]")
# A word; one that begins a sentence comes with what is before it.
_SPELLED = re.compile(r"(?:^|[.!?:;]\s+|[\"“‘(])[^\W\d_]+|[^\W\d_]+")
_OWNER = re.compile("['’]s\\b")
_STOP_WORDS: Final = frozenset(
    {
        "a", "about", "above", "after", "again", "against", "all", "also", "am", "amid", "an",
        "and", "any", "are", "as", "at", "be", "because", "been", "before", "being", "below",
        "between", "both", "but", "by", "can", "could", "did", "do", "does", "doing", "down",
        "during", "each", "few", "for", "from", "further", "had", "has", "have", "having", "he",
        "her", "here", "hers", "him", "his", "how", "i", "if", "in", "into", "is", "it", "its",
        "itself", "just", "me", "more", "most", "my", "new", "no", "nor", "not", "now", "of", "off",
        "on", "once", "only", "or", "other", "our", "out", "over", "own", "same", "says", "said",
        "she", "should", "so", "some", "such", "than", "that", "the", "their", "them", "then",
        "there", "these", "they", "this", "those", "through", "to", "too", "under", "until", "up",
        "us", "very", "via", "vs", "was", "we", "were", "what", "when", "where", "which", "while",
        "who", "whom", "why", "will", "with", "would", "you", "your", "don", "doesn", "didn", "isn",
        "aren", "wasn", "weren", "couldn", "wouldn", "shouldn", "haven", "hasn", "t", "ll", "ve",
        "re",
    }
)  # fmt: skip
# What an ending becomes; the first that fits. Rough, and the same for both texts: that is enough.
_ENDINGS: Final = (
    ("sses", "ss"),
    ("ies", "y"),
    ("ing", ""),
    ("ers", "er"),
    ("ed", ""),
    ("ly", ""),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """How often each word of a text occurs, and each piece of a word of its title.

    *title* are the words of the title. *capitals* are words that are capitalised where others are
    not, *smalls* words that are not.
    """

    words: dict[str, int]
    title: frozenset[str]
    pieces: dict[str, int]
    series: Series
    numbers: frozenset[str]
    capitals: frozenset[str] = frozenset()
    smalls: frozenset[str] = frozenset()
    has_lead: bool = False


def terms_of(title: str, lead: str = "") -> Terms:
    """The terms of one item; *lead* is plain text."""
    runs = _runs(title[:LONGEST_TITLE])
    words: Counter[str] = Counter()
    for word in _words(runs):
        words[word] += TITLE_WEIGHT
    title_words = frozenset(words)
    words.update(_words(_runs(lead[:LONGEST_LEAD])))
    spelled = [*_spelled(title[:LONGEST_TITLE]), *_spelled(lead[:LONGEST_LEAD])]
    return Terms(
        words=dict(words),
        title=title_words,
        pieces=dict(Counter(_pieces(runs))),
        series=series_of(title[:LONGEST_TITLE]),
        numbers=numbers_of(title[:LONGEST_TITLE]),
        capitals=frozenset(_stem(fold(word)) for word in spelled if word[0].isupper()),
        smalls=frozenset(_stem(fold(word)) for word in spelled if word[0].islower()),
        has_lead=bool(lead),
    )


def is_title_case(words: Sequence[str]) -> bool:
    """Whether capitals say nothing, since whoever wrote these words in a row capitalises all."""
    long_words = [word for word in words if len(word) >= LONG_WORD]
    capitals = sum(word[0].isupper() for word in long_words)
    return bool(long_words) and capitals / len(long_words) >= TITLE_CASE_SHARE


def _spelled(text: str) -> list[str]:
    """Its words but those that begin a sentence; none where capitals say nothing."""
    words = _SPELLED.findall(_OWNER.sub("", text))[1:]
    inside = [word for word in words if word[0].isalpha()]
    return [] if is_title_case(inside) else inside


def folded_title(title: str) -> str:
    """The headline as its bare words: equal ones are the same headline."""
    return " ".join(_runs(title[:LONGEST_TITLE]))


def stems_of(text: str) -> list[str]:
    """Its words without endings, in their order, stop words too; pairs for Chinese."""
    return [
        part
        for run in _runs(text)
        for part in (_pairs(run) if _IS_PAIRED.match(run) else [_stem(run)])
    ]


def is_stop_word(word: str) -> bool:
    """Whether a folded word says nothing by itself."""
    return word in _STOP_WORDS


def is_paired(text: str) -> bool:
    """Whether it holds characters that stand without spaces: Chinese, Japanese, Korean."""
    return _IS_PAIRED.search(text) is not None


def _runs(text: str) -> list[str]:
    return _RUN.findall(_OWNER.sub("", fold(text)))


def _words(runs: Iterable[str]) -> Iterable[str]:
    for run in runs:
        if _IS_PAIRED.match(run):
            yield from _pairs(run)
        elif run not in _STOP_WORDS:
            yield _stem(run)


def _pieces(runs: Iterable[str]) -> Iterable[str]:
    for run in runs:
        if _IS_PAIRED.match(run):
            yield from _pairs(run)
        elif run not in _STOP_WORDS:
            word = f" {run} "
            for size in PIECES:
                for start in range(len(word) - size + 1):
                    yield word[start : start + size]


def _pairs(run: str) -> list[str]:
    return [run[at : at + 2] for at in range(len(run) - 1)] or [run]


def _stem(word: str) -> str:
    """The word without an ending; "falls" and "falling" meet."""
    if len(word) <= SHORTEST_STEM or not word.isascii():
        return word
    for ending, instead in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= SHORTEST_STEM:
            word = _undoubled(word.removesuffix(ending) + instead)
            break
    else:
        if word[-1] == "s" and word[-2] not in "siu":
            word = word[:-1]
    return word.removesuffix("e") if len(word) > SHORTEST_STEM + 1 else word


def _undoubled(word: str) -> str:
    """Let "stopp" (from "stopping") be "stop"; "fall", "miss" and "buzz" stay."""
    is_doubled = len(word) > SHORTEST_STEM and word[-1] == word[-2]
    return word[:-1] if is_doubled and word[-1] not in "lszy" else word

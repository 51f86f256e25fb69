"""The terms two texts are compared by: word stems, pieces of words, pairs of Chinese characters."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from clawfeed.digest.stories.folding import fold
from clawfeed.digest.stories.number_veto import Series, numbers_of, series_of

# A lead says more than a headline, and after its first sentences less and less.
LONGEST_TITLE, LONGEST_LEAD = 300, 400
# A word in the headline counts as much as two in the lead.
TITLE_WEIGHT = 2
# Pieces of this many letters find "Ukrainian" near "Ukraine", and need no grammar of any language.
PIECES: Final = (3, 4)
SHORTEST_STEM = 3

# Han, kana and Hangul have no spaces to cut at: overlapping pairs of characters stand for words.
_PAIRED = "\u3041-\u30fa\u30fc-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
_RUN = re.compile(rf"[{_PAIRED}]+|[^\W_{_PAIRED}]+(?:\.[0-9]+)*")
_IS_PAIRED = re.compile(rf"[{_PAIRED}]")
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
        "who", "whom", "why", "will", "with", "would", "you", "your",
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

    *title* is the headline folded to its words: equal ones are the same headline.
    """

    title: str
    words: dict[str, int]
    pieces: dict[str, int]
    series: Series
    numbers: frozenset[str]


def terms_of(title: str, lead: str = "") -> Terms:
    """The terms of one item; *lead* is plain text."""
    runs = _runs(title[:LONGEST_TITLE])
    words: Counter[str] = Counter()
    for word in _words(runs):
        words[word] += TITLE_WEIGHT
    words.update(_words(_runs(lead[:LONGEST_LEAD])))
    return Terms(
        title=" ".join(runs),
        words=dict(words),
        pieces=dict(Counter(_pieces(runs))),
        series=series_of(title[:LONGEST_TITLE]),
        numbers=numbers_of(title[:LONGEST_TITLE]),
    )


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

"""How much two texts say the same, by the words they share."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final, TypeAlias

from clawfeed.digest.stories.terms import LONGEST_TITLE, terms_of

Bag: TypeAlias = Mapping[str, float]
_NUMBER = re.compile(r"([0-9][0-9.,]*)\s?(%|[^\W\d_]+)?")
_NAME = re.compile(r"(?<=[^\s.!?:\"“‘(] )[\"“‘(]?([A-Z][\w.]{2,})")
_HAN = re.compile("[\u3041-\u30ff\u3400-\u9fff]{3,}")
# By their first six letters: they are in half of all news and tell no two stories apart.
_EVERYWHERE: Final = frozenset(
    {
        "monday", "tuesda", "wednes", "thursd", "friday", "saturd", "sunday", "januar", "februa",
        "march", "april", "june", "july", "august", "septem", "octobe", "novemb", "decemb",
        "presid", "trump", "prime", "minist", "americ", "united", "states", "europe", "u.s",
        "u.s.", "world", "govern", "the",
    }
)  # fmt: skip
_SMALL_WORDS: Final = frozenset(
    {"the", "of", "and", "in", "on", "to", "a", "at", "for", "年", "月", "日"}
)


def bag_of(text: str) -> Bag:
    """The telling words of *text*: stems, and pairs of Chinese characters, each counted once.

    Of a long text its beginning, some hundred words.
    """
    head = text[:LONGEST_TITLE].rpartition(" ")[0] if len(text) > LONGEST_TITLE else text
    head = head or text[:LONGEST_TITLE]
    return dict.fromkeys(terms_of(head, text[len(head) :]).words, 1.0)


def centroid(texts: Iterable[str]) -> Bag:
    """What *texts* are about together: a word counts by how many of them have it."""
    found: Counter[str] = Counter()
    for text in texts:
        found.update(bag_of(text).keys())
    return {word: float(count) for word, count in found.items()}


def likeness(one: Bag, other: Bag) -> float:
    """The cosine of the two, 0 to 1."""
    small, large = sorted((one, other), key=len)
    dot = sum(weight * large.get(word, 0.0) for word, weight in small.items())
    return dot / (_norm(one) * _norm(other)) if dot else 0.0


def share_in(one: Bag, other: Bag) -> float:
    """The share of the words of *one* that *other* has, 0 to 1."""
    return sum(word in other for word in one) / len(one) if one else 0.0


def names_in(text: str) -> set[str]:
    """The beginnings of capitalised words, first words of sentences aside; Chinese as triples."""
    names = {found[1][:6].lower() for found in _NAME.finditer(text)} - _EVERYWHERE
    for run in _HAN.findall(text):
        names.update(run[at : at + 3] for at in range(len(run) - 2))
    return names


def contradicts(sentence: str, told: str) -> bool:
    """Whether both count the same thing and come to different numbers: "7 dead" and "9 dead"."""
    counted = _counted(told)
    return any(
        thing in counted and not numbers & counted[thing]
        for thing, numbers in _counted(sentence).items()
    )


def _counted(text: str) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for number, thing in _NUMBER.findall(text.lower()):
        if thing and thing not in _SMALL_WORDS:
            found.setdefault(thing[:4], set()).add(number.rstrip(".,").replace(",", ""))
    return found


def _norm(bag: Bag) -> float:
    return math.sqrt(sum(weight * weight for weight in bag.values()))

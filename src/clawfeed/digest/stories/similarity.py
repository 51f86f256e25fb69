"""How alike items are, for the pairs that may be alike at all."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from heapq import nlargest
from typing import Final, TypeVar

from clawfeed.digest.stories.number_veto import contradict
from clawfeed.digest.stories.terms import Terms

Vector = Mapping[str, float]
_T = TypeVar("_T")
Similarities = dict[tuple[int, int], float]

# Words and pieces of words say the same thing in two ways; each is wrong elsewhere. On labelled
# headlines (half A of a set of 88 stories) B-cubed F1 is .834 with words, .841 with pieces, .849
# with both.
WORDS_SHARE = 0.5
# Two items that have the same neighbours are nearer than their own words say: .851 for the sixty
# nearest with far fewer wrong in it, and .86 instead of .80 where stories have dozens of items.
NEIGHBOURS_SHARE = 0.5
NEIGHBOURS = 60
# Fainter resemblance than this is chance.
FAINTEST: Final = 0.08
# A word that more items have than this brings nobody together, and whoever is near to more than
# this is a hub, not a neighbour: the work stays linear.
MOST_IN_COMMON: Final = 300
# Two items that share none of the words that say most of each are never compared.
TELLING_TERMS: Final = 12
# Both have numbers and none in common: a toll that rises, or another story. Halving costs labelled
# headlines nothing; a veto would cost 3 points of F1.
OTHER_NUMBERS: Final = 0.5
# What two items are to each other whose numbers contradict: no third one makes up for it.
VETO: Final = -1.0


def similarities(items: Sequence[Terms]) -> Similarities:
    """How alike two items are, by their numbers (the smaller first); a pair not named is unlike.

    From 0 to 1, or `VETO`.
    """
    mixed = _with_neighbours(len(items), _by_words(items))
    for one, other in mixed:
        if contradict(items[one].series, items[other].series):
            mixed[one, other] = VETO
    return mixed


def _by_words(items: Sequence[Terms]) -> Similarities:
    words = _weighed([item.words for item in items])
    pieces = _weighed([item.pieces for item in items])
    found: Similarities = {}
    for one, other in _pairs_in_common(words):
        by_words = _cosine(words[one], words[other])
        by_pieces = _cosine(pieces[one], pieces[other])
        value = WORDS_SHARE * by_words + (1 - WORDS_SHARE) * by_pieces
        if _count_differently(items[one], items[other]):
            value *= OTHER_NUMBERS
        if value >= FAINTEST:
            found[one, other] = value
    return found


def _count_differently(one: Terms, other: Terms) -> bool:
    return bool(one.numbers and other.numbers and one.numbers.isdisjoint(other.numbers))


def _weighed(counts: Sequence[Mapping[str, int]]) -> list[Vector]:
    """TF-IDF of length 1: what is rare among these items says most."""
    holders = Counter(term for each in counts for term in each)
    rarity = {term: math.log((1 + len(counts)) / (1 + n)) + 1 for term, n in holders.items()}
    return [
        _unit({term: (1 + math.log(n)) * rarity[term] for term, n in each.items()})
        for each in counts
    ]


def _unit(vector: dict[str, float]) -> Vector:
    length = math.hypot(*vector.values())
    return {term: weight / length for term, weight in vector.items()} if length else {}


def _pairs_in_common(vectors: Sequence[Vector]) -> set[tuple[int, int]]:
    """The pairs with a term in common that says much of both, and is not everybody's."""
    holders: dict[str, list[int]] = defaultdict(list)
    for number, vector in enumerate(vectors):
        for term in nlargest(TELLING_TERMS, vector, key=vector.__getitem__):
            holders[term].append(number)
    return {
        (numbers[at], other)
        for numbers in holders.values()
        if len(numbers) <= MOST_IN_COMMON
        for at in range(len(numbers))
        for other in numbers[at + 1 :]
    }


def _cosine(one: Mapping[_T, float], other: Mapping[_T, float]) -> float:
    if len(one) > len(other):
        one, other = other, one
    return sum(weight * other[term] for term, weight in one.items() if term in other)


def _with_neighbours(size: int, found: Similarities) -> Similarities:
    """Half of what two items are alike, and half of what their nearest neighbours are."""
    near: list[list[tuple[float, int]]] = [[] for _ in range(size)]
    for (one, other), value in found.items():
        near[one].append((value, other))
        near[other].append((value, one))
    around = [_around(number, nearest) for number, nearest in enumerate(near)]
    return {
        (one, other): (1 - NEIGHBOURS_SHARE) * value
        + NEIGHBOURS_SHARE * _cosine(around[one], around[other])
        for (one, other), value in found.items()
    }


def _around(number: int, near: Sequence[tuple[float, int]]) -> dict[int, float]:
    weights = {number: 1.0} | {other: value for value, other in nlargest(NEIGHBOURS, near)}
    length = math.hypot(*weights.values())
    return {other: value / length for other, value in weights.items()}

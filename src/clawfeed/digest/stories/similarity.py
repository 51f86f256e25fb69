"""How alike items are, for the pairs that may be alike at all."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from heapq import nlargest
from typing import Final, TypeAlias, TypeVar

from clawfeed.digest.stories.chance_similarity import HeadlineWords, loosen
from clawfeed.digest.stories.conflicting_numbers import Series, contradict
from clawfeed.digest.stories.terms import Terms

# Words and pieces of words say the same thing in two ways; each is wrong elsewhere. On labelled
# headlines (half A of a set of 88 stories) B-cubed F1 is .834 with words, .841 with pieces, .849
# with both.
WORDS_SHARE = 0.5
# Two items that have the same neighbours are nearer than their own words say: .851 for the sixty
# nearest with far fewer wrong in it, and .86 instead of .80 where stories have dozens of items.
NEIGHBOURS_SHARE = 0.5
NEIGHBOURS = 60
# Fainter resemblance than this is chance.
FAINTEST_LIKENESS: Final = 0.08
# A word that more items have than this brings nobody together: the work stays linear.
MOST_IN_COMMON: Final = 300
# Two items that share none of the words that say most of each are never compared.
TELLING_TERMS: Final = 12
# How many of those before it an item is compared with: the most alike by their telling words. All
# pairs together bound time and memory, a few for each item bound what a flood may cost in quality.
MOST_PAIRS: Final = 1_500_000
FEWEST_COMPARED: Final = 60
# Both have numbers and none in common: a toll that rises, or another story. Halving costs labelled
# headlines nothing; a veto would cost 3 points of F1.
OTHER_NUMBERS: Final = 0.5
# Whoever has more to say agrees more by chance, and much more if it is the same story. Of 35 pairs
# judged by people, with leads, the same are alike by .48 and more (one by .26), others by .28 and
# less (one by .44); of headlines alone half of the same are below that.
BOTH_LEADS: Final = 0.4
# Both say who and where, and name nobody in common. Headlines alone name too little to tell: there
# it would cost 1 point of F1, so it counts for items with leads only.
OTHER_NAMES: Final = 0.5
# A word that is written small says less than one that may be a name: .859 of F1 becomes .865.
LOWERCASE_WEIGHT: Final = 0.7
SPELLING_MAJORITY: Final = 2
# Rarity counts for less than its logarithm: where stories have dozens of items, a story's own words
# are not rare. F1 of 2,500 headlines at once is .83 instead of .80, of a reader's day the same.
RARITY: Final = 0.7
# What this share of the day's items have says nothing of any: .865 becomes .868.
COMMON_SHARE: Final = 0.12
FEWEST_HOLDERS: Final = 10
# "8 years" and "shell-8" have nothing in common, nor have two reviews of 2026: such a number binds
# nobody by itself.
_PLAIN_NUMBER = re.compile(r"[0-9]{1,2}|(?:19|20)[0-9]{2}")
# What two items are to each other whose numbers contradict: no third one makes up for it.
VETO: Final = -1.0

# For each item, how alike others are to it: from 0 to 1, or `VETO`. Who is not named is unlike.
Graph: TypeAlias = list[dict[int, float]]
Vector: TypeAlias = Mapping[int, float]
_T = TypeVar("_T")
MayMeet: TypeAlias = Callable[[int, int], bool]


def similarities(
    items: Iterable[Terms], may_meet: MayMeet, known: frozenset[int] = frozenset()
) -> Graph:
    """How alike items are to each other; pairs that *may_meet* refuses are not.

    *known* are the numbers of those that are no items of today, but stories of days before.
    """
    corpus = _corpus(items)
    graph = _by_words(corpus, may_meet)
    _add_neighbours(graph)
    wording = HeadlineWords(
        titles=corpus.titles, words=corpus.words, leads=corpus.leads, known=known
    )
    loosen(graph, wording)
    for one, near in enumerate(graph):
        for other in near:
            if contradict(corpus.series[one], corpus.series[other]):
                near[other] = VETO
    return graph


@dataclass(frozen=True, slots=True, kw_only=True)
class _Corpus:
    """All items as numbers of terms: a twentieth of the memory that their words would take."""

    words: list[dict[int, float]]
    # The words of each headline, without plain numbers.
    titles: list[frozenset[int]]
    pieces: list[tuple[int, ...]]
    # For each piece the square of its rarity, for each item the length of its pieces' vector.
    piece_rarity: list[float]
    piece_length: list[float]
    series: list[Series]
    numbers: list[frozenset[str]]
    leads: list[bool]
    # The names each item with a lead has; empty where there is only a headline.
    names: list[frozenset[int]]


def _corpus(items: Iterable[Terms]) -> _Corpus:
    word_numbers: dict[str, int] = {}
    piece_numbers: dict[str, int] = {}
    words: list[dict[int, float]] = []
    titles: list[frozenset[int]] = []
    pieces: list[tuple[int, ...]] = []
    series: list[Series] = []
    numbers: list[frozenset[str]] = []
    leads: list[bool] = []
    spelling = _Spelling()
    for item in items:
        words.append({_number(w, word_numbers): 1 + math.log(n) for w, n in item.words.items()})
        titles.append(
            frozenset(word_numbers[w] for w in item.title if not _PLAIN_NUMBER.fullmatch(w))
        )
        pieces.append(tuple(_number(piece, piece_numbers) for piece in item.pieces))
        series.append(item.series)
        numbers.append(item.numbers)
        leads.append(item.has_lead)
        spelling.add(item, word_numbers)
    rarity = [each * each for each in _rarity(pieces, len(piece_numbers))]
    names = spelling.names()
    return _Corpus(
        words=_weighed(words, spelling.weighed(_rarity(words, len(word_numbers)))),
        titles=titles,
        pieces=pieces,
        piece_rarity=rarity,
        piece_length=[math.sqrt(sum(map(rarity.__getitem__, each))) for each in pieces],
        series=series,
        numbers=numbers,
        leads=leads,
        names=[
            names.intersection(each) if has_lead else frozenset()
            for each, has_lead in zip(words, leads, strict=True)
        ],
    )


class _Spelling:
    """Which words are names: who writes capitals only for those tells it for all."""

    def __init__(self) -> None:
        self._capitals: Counter[int] = Counter()
        self._smalls: Counter[int] = Counter()

    def add(self, item: Terms, numbers: Mapping[str, int]) -> None:
        self._capitals.update(numbers[word] for word in item.capitals if word in numbers)
        self._smalls.update(numbers[word] for word in item.smalls if word in numbers)

    def names(self) -> frozenset[int]:
        return frozenset(
            word
            for word, count in self._capitals.items()
            if count > SPELLING_MAJORITY * self._smalls[word]
        )

    def weighed(self, rarity: list[float]) -> list[float]:
        """*rarity* of all words, less for those that are surely no names."""
        for word, count in self._smalls.items():
            if count > SPELLING_MAJORITY * self._capitals[word]:
                rarity[word] *= LOWERCASE_WEIGHT
        return rarity


def _number(term: str, numbers: dict[str, int]) -> int:
    return numbers.setdefault(term, len(numbers))


def _rarity(items: Sequence[Iterable[int]], terms: int) -> list[float]:
    """What is rare among these items says most."""
    holders = Counter(term for item in items for term in item)
    size = 1 + len(items)
    most = max(FEWEST_HOLDERS, COMMON_SHARE * size)
    return [
        (math.log(size / (1 + holders[term])) + 1) ** RARITY if holders[term] <= most else 0.0
        for term in range(terms)
    ]


def _weighed(
    items: Sequence[Mapping[int, float]], rarity: Sequence[float]
) -> list[dict[int, float]]:
    """TF-IDF of length 1, of what says anything."""
    return [
        _unit({term: weight * rarity[term] for term, weight in item.items() if rarity[term]})
        for item in items
    ]


def _unit(vector: dict[int, float]) -> dict[int, float]:
    length = math.hypot(*vector.values())
    return {term: weight / length for term, weight in vector.items()} if length else {}


def _by_words(corpus: _Corpus, may_meet: MayMeet) -> Graph:
    size = len(corpus.words)
    most = max(FEWEST_COMPARED, MOST_PAIRS // max(1, size))
    graph: Graph = [{} for _ in range(size)]
    candidates = _Candidates(corpus.words)
    for one in range(size):
        pieces = frozenset(corpus.pieces[one])
        for other in candidates.before(one, most):
            if not may_meet(one, other):
                continue
            value = _likeness(corpus, one, other, pieces)
            if value >= FAINTEST_LIKENESS:
                graph[one][other] = graph[other][one] = value
    return graph


def _likeness(corpus: _Corpus, one: int, other: int, pieces: frozenset[int]) -> float:
    common = pieces.intersection(corpus.pieces[other])
    lengths = corpus.piece_length[one] * corpus.piece_length[other]
    by_pieces = sum(map(corpus.piece_rarity.__getitem__, common)) / lengths if lengths else 0.0
    by_words = _cosine(corpus.words[one], corpus.words[other])
    value = WORDS_SHARE * by_words + (1 - WORDS_SHARE) * by_pieces
    if corpus.leads[one] and corpus.leads[other]:
        value *= BOTH_LEADS
    if _differ(corpus.numbers[one], corpus.numbers[other]):
        value *= OTHER_NUMBERS
    return value * OTHER_NAMES if _differ(corpus.names[one], corpus.names[other]) else value


def _differ(mine: frozenset[_T], yours: frozenset[_T]) -> bool:
    return bool(mine and yours and mine.isdisjoint(yours))


class _Candidates:
    """Who shares a term that says much of both, and is not everybody's."""

    def __init__(self, vectors: Sequence[Vector]) -> None:
        self._vectors = vectors
        self._telling = [
            nlargest(TELLING_TERMS, vector, key=lambda term: (vector[term], term))
            for vector in vectors
        ]
        holders = Counter(term for terms in self._telling for term in terms)
        self._common = {term for term, count in holders.items() if count > MOST_IN_COMMON}
        self._holders: defaultdict[int, list[tuple[int, float]]] = defaultdict(list)

    def before(self, one: int, most: int) -> list[int]:
        """Of the items asked about before, at most *most*, the most alike."""
        shared: defaultdict[int, float] = defaultdict(float)
        vector = self._vectors[one]
        for term in self._telling[one]:
            if term in self._common:
                continue
            mine, holders = vector[term], self._holders[term]
            for other, weight in holders:
                shared[other] += mine * weight
            holders.append((one, mine))
        if len(shared) <= most:
            return list(shared)
        return nlargest(most, shared, key=lambda other: (shared[other], other))


def _cosine(one: Vector, other: Vector) -> float:
    if len(one) > len(other):
        one, other = other, one
    return sum(weight * other[term] for term, weight in one.items() if term in other)


def _add_neighbours(graph: Graph) -> None:
    """Half of what two items are alike, and half of what their nearest neighbours are."""
    around = [_around(number, near) for number, near in enumerate(graph)]
    for one, near in enumerate(graph):
        for other in near:
            if other < one:
                value = (1 - NEIGHBOURS_SHARE) * near[other]
                value += NEIGHBOURS_SHARE * _cosine(around[one], around[other])
                near[other] = graph[other][one] = value


def _around(number: int, near: Vector) -> dict[int, float]:
    nearest = nlargest(NEIGHBOURS, near.items(), key=lambda each: (each[1], each[0]))
    return _unit({number: 1.0} | dict(nearest))

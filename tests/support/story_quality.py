"""How well found groups fit the true ones: B-cubed and the adjusted Rand index."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from math import comb


@dataclass(frozen=True, slots=True, kw_only=True)
class BCubed:
    """How much of an item's group is its story, and how much of its story is in its group."""

    precision: float
    recall: float

    @property
    def f1(self) -> float:
        return 2 * self.precision * self.recall / (self.precision + self.recall)


def b_cubed(groups: Sequence[Sequence[int]], truth: Sequence[Hashable]) -> BCubed:
    """*groups* hold the numbers of items, *truth* the true story of each."""
    sizes = Counter(truth)
    precision = recall = 0.0
    for numbers in groups:
        for story, count in Counter(truth[number] for number in numbers).items():
            precision += count * count / len(numbers)
            recall += count * count / sizes[story]
    return BCubed(precision=precision / len(truth), recall=recall / len(truth))


def adjusted_rand(groups: Sequence[Sequence[int]], truth: Sequence[Hashable]) -> float:
    """1 for the true groups, 0 for what chance would do."""
    both = sum(
        comb(count, 2)
        for numbers in groups
        for count in Counter(truth[number] for number in numbers).values()
    )
    found = sum(comb(len(numbers), 2) for numbers in groups)
    true = sum(comb(count, 2) for count in Counter(truth).values())
    expected = found * true / max(1, comb(len(truth), 2))
    return (both - expected) / ((found + true) / 2 - expected)

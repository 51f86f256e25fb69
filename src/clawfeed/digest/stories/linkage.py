"""Average linkage on a sparse graph: the closest two groups become one, again and again."""

from __future__ import annotations

from collections.abc import Mapping
from heapq import heapify, heappop, heappush

Pairs = Mapping[tuple[int, int], float]


def group(size: int, similarities: Pairs, cut: float) -> list[list[int]]:
    """The numbers below *size* in groups whose members are alike by *cut* on average or more.

    A pair that *similarities* does not name is not alike at all. The work grows with the pairs
    named, not with the square of *size*.
    """
    return _Groups(size, similarities, cut).merged()


class _Groups:
    """Sums of similarities between groups that still stand.

    Of a heap entry that is no longer true, the group is gone or the mean has changed; it is passed
    over when its turn comes.
    """

    def __init__(self, size: int, similarities: Pairs, cut: float) -> None:
        self._cut = cut
        self._members: list[list[int]] = [[number] for number in range(size)]
        self._sums: list[dict[int, float]] = [{} for _ in range(size)]
        for (one, other), value in similarities.items():
            self._sums[one][other] = self._sums[other][one] = value
        self._heap = [(-v, *pair) for pair, v in similarities.items() if v >= cut]
        heapify(self._heap)

    def merged(self) -> list[list[int]]:
        while self._heap:
            value, one, other = heappop(self._heap)
            if other in self._sums[one] and self._mean(one, other) == -value:
                self._merge(one, other)
        return [sorted(members) for members in self._members if members]

    def _mean(self, one: int, other: int) -> float:
        return self._sums[one][other] / (len(self._members[one]) * len(self._members[other]))

    def _merge(self, one: int, other: int) -> None:
        if len(self._sums[one]) < len(self._sums[other]):
            one, other = other, one
        sums, gone = self._sums[one], self._sums[other]
        self._members[one] += self._members[other]
        self._members[other], self._sums[other] = [], {}
        del sums[other], gone[one]
        for third, value in gone.items():
            total = sums[third] = sums.get(third, 0.0) + value
            self._sums[third][one] = total
            del self._sums[third][other]
        for third in sums:
            mean = self._mean(one, third)
            if mean >= self._cut:
                heappush(self._heap, (-mean, min(one, third), max(one, third)))

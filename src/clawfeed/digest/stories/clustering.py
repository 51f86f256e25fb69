"""Average linkage on a sparse graph: the closest two groups become one, again and again."""

from __future__ import annotations

from heapq import heapify, heappop, heappush


def group(graph: list[dict[int, float]], cut: float) -> list[list[int]]:
    """The numbers of *graph* in groups whose members are alike by *cut* on average or more.

    *graph* says for each number how alike others are to it, in both directions; who is not named
    is not alike at all. It is used up. The work grows with the pairs named, not with the square of
    the numbers.
    """
    return _Groups(graph, cut).merged()


class _Groups:
    """Sums of similarities between groups that still stand.

    Of a heap entry that is no longer true, the group is gone or the mean has changed; it is passed
    over when its turn comes.
    """

    def __init__(self, graph: list[dict[int, float]], cut: float) -> None:
        self._cut = cut
        self._members: list[list[int]] = [[number] for number in range(len(graph))]
        self._sums = graph
        self._heap = [
            (-value, one, other)
            for one, near in enumerate(graph)
            for other, value in near.items()
            if one < other and value >= cut
        ]
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

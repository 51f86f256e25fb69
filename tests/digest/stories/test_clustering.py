"""Average clustering: groups are as alike as their members are on average."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from clawfeed.digest.stories import clustering


def group(size: int, alike: dict[tuple[int, int], float], cut: float) -> list[list[int]]:
    graph: list[dict[int, float]] = [{} for _ in range(size)]
    for (one, other), value in alike.items():
        graph[one][other] = graph[other][one] = value
    return clustering.group(graph, cut)


def test_two_pairs_stay_two_pairs_where_only_a_bridge_joins_them() -> None:
    """Single clustering would chain them: one strong bridge among four."""
    alike = {(0, 1): 0.9, (2, 3): 0.9, (1, 2): 0.5}

    assert group(5, alike, 0.2) == [[0, 1], [2, 3], [4]]
    assert group(5, alike, 0.12) == [[0, 1, 2, 3], [4]]


def test_a_veto_outweighs_what_a_third_one_says() -> None:
    assert group(3, {(0, 1): 0.6, (1, 2): 0.6, (0, 2): -1.0}, 0.1) in ([[0, 1], [2]], [[0], [1, 2]])


pairs = st.dictionaries(
    st.sampled_from(list(combinations(range(7), 2))), st.floats(0.01, 1.0), max_size=21
)


@given(pairs, st.floats(0.05, 0.9))
def test_no_two_groups_are_left_that_are_alike_enough(
    alike: dict[tuple[int, int], float], cut: float
) -> None:
    """However the merges went: everybody is in one group, and no further merge is due."""
    groups = group(7, alike, cut)

    assert sorted(number for each in groups for number in each) == list(range(7))
    for one, other in combinations(groups, 2):
        total = sum(alike.get((min(a, b), max(a, b)), 0.0) for a in one for b in other)
        assert total / (len(one) * len(other)) < cut + 1e-9

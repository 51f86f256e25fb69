"""Likeness that may be chance, taken back: one word in common, or nobody else who says so.

How much is taken back depends on the day. Labelled headlines, of which nearly all tell what others
tell, allow one word to bind; of 1,700 entries of real feeds hardly any two tell the same, and there
171 stories had several publishers by their headlines alone, nearly all wrong. With this it is 33,
25 become 6 where there are leads, and F1 of labelled headlines stays.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

# Neighbours' likeness makes two with nobody around them half as alike again: not so here.
NOBODY_AROUND: Final = 0.67
# Two whose texts share one word of their headlines: "Practical Haskell", "Easy JSON in Haskell".
LONE_WORD: Final = 0.5
# Pairs so alike, by two words and more, make a day where stories are told by many. Of labelled
# headlines .67 to .91 have such a partner, of a day of real feeds .08 to .22.
PARTNER_LIKENESS: Final = 0.14
QUIET, BUSY = 0.3, 0.6


@dataclass(frozen=True, slots=True, kw_only=True)
class HeadlineWords:
    """For each item the words that count of its headline, all its words, and if it has a lead.

    *known* are the numbers of what was told on days before: that nobody else tells it the same way
    says nothing, for what one source tells alone goes on in that source alone.
    """

    titles: Sequence[frozenset[int]]
    words: Sequence[Mapping[int, float]]
    leads: Sequence[bool]
    known: frozenset[int] = frozenset()


def loosen(graph: list[dict[int, float]], wording: HeadlineWords) -> None:
    """Lessen the likeness in *graph* of pairs that little speaks for; none becomes more alike."""
    common = [
        {other: _common(wording, one, other) for other in near if other < one}
        for one, near in enumerate(graph)
    ]
    weak = [{other for other, count in each.items() if count <= 1} for each in common]
    for one, others in enumerate(weak):
        for other in [other for other in others if other < one]:
            weak[other].add(one)
    busy = _busyness(graph, weak)
    for one, each in enumerate(common):
        for other, count in each.items():
            has_leads = wording.leads[one] and wording.leads[other]
            thirds = graph[one].keys() & graph[other].keys()
            is_alone = not thirds and (one in wording.known) is (other in wording.known)
            if has_leads:
                trust = (NOBODY_AROUND if is_alone else 1) * (LONE_WORD if count <= 1 else 1)
            else:
                is_backed = any(t not in weak[one] or t not in weak[other] for t in thirds)
                trust = _trust_in_headlines(count, busy, is_alone=is_alone, is_backed=is_backed)
            graph[one][other] = graph[other][one] = graph[one][other] * trust


def _trust_in_headlines(count: int, busy: float, *, is_alone: bool, is_backed: bool) -> float:
    """What headlines without leads are worth that have *count* words in common."""
    if not count:
        return 0.0
    if count == 1:
        return LONE_WORD + LONE_WORD * busy if is_backed else LONE_WORD * busy
    return NOBODY_AROUND + (1 - NOBODY_AROUND) * busy if is_alone else 1.0


def _busyness(graph: list[dict[int, float]], weak: Sequence[set[int]]) -> float:
    """From 0, where everybody tells something else, to 1, where most tell what others tell."""
    partnered = sum(
        any(value >= PARTNER_LIKENESS and other not in weak[one] for other, value in near.items())
        for one, near in enumerate(graph)
    )
    share = partnered / max(1, len(graph))
    return min(1.0, max(0.0, (share - QUIET) / (BUSY - QUIET)))


def _common(wording: HeadlineWords, one: int, other: int) -> int:
    """How many words of a headline the other text has, too."""
    mine = sum(word in wording.words[other] for word in wording.titles[one])
    yours = sum(word in wording.words[one] for word in wording.titles[other])
    return max(mine, yours)

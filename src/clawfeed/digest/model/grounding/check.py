"""Holds a model's sentences against the sources they cite.

A net of spelling and arithmetic, not of understanding: it knows names and numbers, and words that
no source uses. That a true name did a thing it did not do passes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from clawfeed.digest.model.grounding.chinese_names import (
    english_names,
    unknown_in_chinese,
    unknown_in_translation,
)
from clawfeed.digest.model.grounding.names import (
    LEAST_SHARED,
    known_names,
    shared_words,
    unknown_names,
)
from clawfeed.digest.model.grounding.numbers import numbers_in
from clawfeed.digest.model.grounding.source_evidence import SourceEvidence
from clawfeed.digest.model.grounding.tokens import UNSPACED_SCRIPTS, han_of, squeezed
from clawfeed.digest.model.untrusted_text import plainly_spelled

_QUOTED = re.compile(
    r"“([^“”]{2,200})”|\"([^\"]{2,200})\"|«([^«»]{2,200})»|「([^「」]{2,200})」|『([^『』]{2,200})』|《([^《》]{1,100})》"
)
_ANY_UNSPACED = re.compile(f"[{UNSPACED_SCRIPTS}]")


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedText:
    """One source: the *id* it is cited by, all that the model was shown of it, and its date."""

    id: int
    text: str
    published_at: datetime | None = None


class CitedSources:
    """The sources of one story."""

    def __init__(self, texts: Sequence[CitedText]) -> None:
        self._texts: Mapping[int, CitedText] = {text.id: text for text in texts}
        self._bases: dict[tuple[int, ...], SourceEvidence] = {}

    def citing(self, sentence: str, cites: Sequence[int]) -> tuple[int, ...] | None:
        """The sources that a sentence stands on; None if it has what none of the story's has.

        What it cites goes first. If that is not enough, those are added that have the rest.
        """
        if cites and not self.unfounded(sentence, cites):
            return tuple(cites)
        if self.unfounded(sentence, tuple(self._texts)):
            return None
        return self._repaired(sentence, cites)

    def unfounded(self, sentence: str, ids: Iterable[int]) -> list[str]:
        """What a sentence names or counts that these sources do not; empty if it is grounded."""
        return unfounded(sentence, self._base(tuple(ids)))

    def _repaired(self, sentence: str, cites: Sequence[int]) -> tuple[int, ...]:
        kept = list(cites)
        while self.unfounded(sentence, kept):
            left = [each for each in self._texts if each not in kept]
            best = min(left, key=lambda each: len(self.unfounded(sentence, (*kept, each))))
            kept.append(best)
        return tuple(kept)

    def _base(self, ids: tuple[int, ...]) -> SourceEvidence:
        if ids not in self._bases:
            texts = [self._texts[each] for each in ids]
            dates = [text.published_at for text in texts if text.published_at is not None]
            self._bases[ids] = SourceEvidence.of([text.text for text in texts], dates)
        return self._bases[ids]


def unfounded(sentence: str, base: SourceEvidence) -> list[str]:
    """What a sentence has that its sources do not: numbers, names, quotations, or all of it."""
    sentence = plainly_spelled(sentence)
    numbers = numbers_in(sentence)
    found = [number.text for number in numbers if not base.has_number(number)]
    if _ANY_UNSPACED.search(sentence):
        return found + _in_unspaced(sentence, base, anchors=len(numbers) - len(found))
    if base.is_unspaced:
        known = english_names(base)
        found += unknown_names(sentence, base, known=known)
        words = set(re.findall(r"[a-z]+", sentence.casefold()))
        has_anchor = bool(words & known) or known_names(sentence, base) or len(numbers) > len(found)
        return found if has_anchor else [*found, sentence]
    found += unknown_names(sentence, base)
    found += [quote for quote in _quotes(sentence) if squeezed(quote) not in base.text]
    if shared_words(sentence, base) < LEAST_SHARED and (
        base.is_english or not known_names(sentence, base)
    ):
        found.append(sentence)
    return found


def _in_unspaced(sentence: str, base: SourceEvidence, *, anchors: int) -> list[str]:
    found = unknown_names(_latin_of(sentence), base)
    if base.is_unspaced:
        found += unknown_in_chinese(sentence, base)
        found += [quote for quote in _quotes(sentence) if squeezed(quote) not in base.text]
        return found
    unknown, anchored = unknown_in_translation(sentence, base)
    found += unknown
    if not (anchors or anchored or known_names(_latin_of(sentence), base)):
        found.append(sentence)
    return found


def _latin_of(sentence: str) -> str:
    """The sentence's words of other scripts: each stands by itself, none opens it."""
    for run in han_of(sentence):
        sentence = sentence.replace(run, " x ", 1)
    return sentence


def _quotes(sentence: str) -> list[str]:
    return [next(filter(None, found)) for found in _QUOTED.findall(sentence)]

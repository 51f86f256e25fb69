"""Names in sentences of cased scripts, and whether the sources have them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

from clawfeed.digest.model.grounding.numbers import COUNTING_WORDS, MONTHS
from clawfeed.digest.model.grounding.source_evidence import SourceEvidence
from clawfeed.digest.model.grounding.tokens import Token, tokens_of
from clawfeed.digest.model.grounding.word_lists import FUNCTION_WORDS, OPENERS, TITLES

# So many of a sentence's own words must be the sources'; fewer words than that say too little.
LEAST_SHARED = 0.5
ENOUGH_WORDS = 4
SHORTEST_WORD = 4
_ENDINGS = (
    "ations",
    "ation",
    "ments",
    "ment",
    "ings",
    "ing",
    "ies",
    "ied",
    "ers",
    "er",
    "est",
    "ed",
    "es",
    "ly",
    "s",
    "e",
    "y",
)
_SHORTEST_STEM = 4


def is_claim(token: Token, base: SourceEvidence, *, known: frozenset[str]) -> bool:
    """Whether a token is a name that the sources do not have."""
    if token.folded in known or token.folded in MONTHS or token.folded in COUNTING_WORDS:
        return False
    if not token.is_marked:
        if not token.is_capitalised or len(token.folded) < 2:
            return False
        if token.opens and (token.folded in OPENERS or _is_worded(token.folded, base)):
            return False
        if token.folded in FUNCTION_WORDS or token.folded in TITLES:
            return False
    return not base.has_word(token.folded)


def unknown_names(
    sentence: str, base: SourceEvidence, *, known: frozenset[str] = frozenset()
) -> list[str]:
    """The names that the sources do not have, and those put together from two of theirs."""
    tokens = list(tokens_of(sentence))
    found = [token.text for token in tokens if is_claim(token, base, known=known)]
    if not found:
        found = [
            f"{a.text} {b.text}" for a, b in _neighbours(tokens) if not _is_pair(a, b, base, known)
        ]
    return found


def known_names(sentence: str, base: SourceEvidence) -> int:
    """How many of a sentence's names stand in the sources: what holds a translation to them."""
    return sum(
        base.has_word(token.folded)
        for token in tokens_of(sentence)
        if len(token.folded) > 1 and (token.is_capitalised or token.is_marked)
        if token.folded not in FUNCTION_WORDS
    )


def shared_words(sentence: str, base: SourceEvidence) -> float:
    """Which share of a sentence's own words the sources use, in any of their forms."""
    words = [
        token.folded
        for token in tokens_of(sentence)
        if len(token.folded) >= SHORTEST_WORD and token.folded not in FUNCTION_WORDS
    ]
    if len(words) < ENOUGH_WORDS:
        return 1.0 if any(_is_worded(word, base) for word in words) or not words else 0.0
    return sum(_is_worded(word, base) for word in words) / len(words)


def _neighbours(tokens: Sequence[Token]) -> Iterable[tuple[Token, Token]]:
    for before, token in pairwise(tokens):
        is_run = token.follows and before.is_capitalised and token.is_capitalised
        if is_run and not token.is_marked and not before.is_marked:
            yield before, token


def _is_pair(first: Token, second: Token, base: SourceEvidence, known: frozenset[str]) -> bool:
    names = {first.folded, second.folded}
    if names & TITLES or names & known or names & FUNCTION_WORDS or names & MONTHS.keys():
        return True
    if not {first.folded, second.folded} <= base.words:
        return True  # another form of a name that is there: "Chinese Premier"
    return base.has_pair(first.folded, second.folded)


def _is_worded(folded: str, base: SourceEvidence) -> bool:
    if folded in base.words or base.has_word(folded):
        return True
    stem = _stem(folded)
    return any(word.startswith(stem) and _stem(word) == stem for word in base.words)


def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_STEM:
            return re.sub(r"(.)\1\Z", r"\1", word.removesuffix(ending))
    return word

"""What a story's sources say, taken apart once so that each sentence can be held against it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal

from clawfeed.digest.model.grounding.numbers import Number, liberal_numbers_in
from clawfeed.digest.model.grounding.tokens import Token, han_of, squeezed, tokens_of
from clawfeed.digest.model.grounding.word_lists import ALIASES, DEMONYMS, PARTICLES, words_of
from clawfeed.digest.model.untrusted_text import plainly_spelled

# A text is in Chinese, Japanese or Korean if this share of its letters is.
UNSPACED_SHARE = 0.3
# Below this, sources without English words are in another language than English words about them.
ENGLISH_SHARE = 0.12
_ENGLISH = words_of(
    "the of and to in a is for that on with was by as are at from it has an be this"
)
_SHORTEST_ROOT = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceEvidence:
    """*pairs* stood side by side in a name, *ends* and *starts* ended and began one."""

    words: frozenset[str]
    plain: frozenset[str]  # seen without a capital
    pairs: frozenset[tuple[str, str]]
    ends: frozenset[str]
    starts: frozenset[str]
    initials: frozenset[str]
    numbers: dict[Decimal, frozenset[str]]  # a value, and the units it stood with
    dates: frozenset[Decimal]  # years, months and days on which the sources appeared
    text: str  # letters and digits alone
    bigrams: frozenset[str]
    is_unspaced: bool
    is_english: bool

    @classmethod
    def of(cls, texts: Sequence[str], dates: Iterable[datetime] = ()) -> SourceEvidence:
        dated = [f"{day:%Y-%m-%d %B %A}" for at in dates for day in (at, at - timedelta(days=1))]
        texts = [" ".join(plainly_spelled(text).split()) for text in texts]
        tokens = [list(tokens_of(text)) for text in texts]
        words = [token for some in tokens for token in some]
        calendar = {token.folded for text in dated for token in tokens_of(text)}
        han = [run for text in texts for run in han_of(text)]
        letters = sum(each.isalpha() for text in texts for each in text) or 1
        english = sum(token.folded in _ENGLISH for token in words)
        return cls(
            words=frozenset(_parts(words)) | calendar,
            plain=frozenset(t.folded for t in words if not t.is_capitalised),
            pairs=frozenset(pair for some in tokens for pair in _pairs(some)),
            ends=frozenset(_edges(tokens, at_end=True)),
            starts=frozenset(_edges(tokens, at_end=False)),
            initials=frozenset(each for some in tokens for each in _initials(some)),
            numbers=_numbers(texts),
            dates=frozenset(_numbers(dated)),
            text=squeezed("\n".join(texts)),
            bigrams=frozenset(run[at : at + 2] for run in han for at in range(len(run) - 1)),
            is_unspaced=sum(map(len, han)) >= UNSPACED_SHARE * letters,
            is_english=english >= ENGLISH_SHARE * max(1, len(words)),
        )

    def has_number(self, number: Number) -> bool:
        if number.is_dated and number.values & self.dates:
            return True
        return any(_fits(number.unit, self.numbers.get(value)) for value in number.values)

    def has_word(self, folded: str) -> bool:
        """Whether a name, in any of its usual forms, stands in the sources."""
        if folded in self.words or folded in self.initials:
            return True
        if any(folded in group and self._has_any(group) for group in ALIASES):
            return True
        return any(_same_root(folded, word) for word in self._near(folded))

    def has_phrase(self, phrase: str) -> bool:
        return all(part in self.words for part in phrase.split())

    def has_pair(self, first: str, second: str) -> bool:
        if (first, second) in self.pairs or first in self.plain or second in self.plain:
            return True
        return first in self.ends and second in self.starts

    def _has_any(self, group: Iterable[str]) -> bool:
        return any(squeezed(each) in self.words or self.has_phrase(each) for each in group)

    def _near(self, folded: str) -> Iterable[str]:
        root = folded[:_SHORTEST_ROOT]
        return (
            (word for word in self.words if word.startswith(root))
            if len(root) == _SHORTEST_ROOT
            else ()
        )


def _parts(tokens: Iterable[Token]) -> Iterable[str]:
    for token in tokens:
        yield token.folded
        yield from (
            squeezed(part) for part in token.text.replace("’", "'").split("'") if len(part) > 1
        )
        yield from (squeezed(part) for part in re.split("[&-]", token.text) if len(part) > 1)


def _pairs(tokens: Sequence[Token]) -> Iterable[tuple[str, str]]:
    """Neighbours, and those with one word between: "Anna B. Smith" is "Anna Smith"."""
    for place, token in enumerate(tokens[1:], 1):
        if token.follows:
            yield tokens[place - 1].folded, token.folded
            if place > 1 and tokens[place - 1].follows:
                yield tokens[place - 2].folded, token.folded


def _edges(texts: Iterable[Sequence[Token]], *, at_end: bool) -> Iterable[str]:
    for tokens in texts:
        for place, token in enumerate(tokens):
            if not token.is_capitalised:
                continue
            if at_end:
                after = tokens[place + 1] if place + 1 < len(tokens) else None
                if after is None or not after.follows or not after.is_capitalised:
                    yield token.folded
            elif not token.follows or not tokens[place - 1].is_capitalised:
                yield token.folded


def _initials(tokens: Sequence[Token]) -> Iterable[str]:
    """The International Monetary Fund may be called IMF."""
    run = ""
    for token in tokens:
        if token.folded in PARTICLES and not token.is_capitalised and run:
            continue
        run = (run if token.follows else "") + token.folded[0] if token.is_capitalised else ""
        yield from (run[at:] for at in range(len(run) - 1))


def _numbers(texts: Iterable[str]) -> dict[Decimal, frozenset[str]]:
    units: dict[Decimal, set[str]] = {}
    for text in texts:
        for number in liberal_numbers_in(text):
            for value in number.values:
                units.setdefault(value, set()).add(number.unit)
    # A number is also seen bare by `liberal_numbers_in`; where it had a unit, that one counts.
    return {value: frozenset(some - {""} or some) for value, some in units.items()}


def _fits(unit: str, units: frozenset[str] | None) -> bool:
    if units is None:
        return False
    if unit == "%":
        return "%" in units
    if unit:
        return unit in units or "" in units
    return True


def _same_root(one: str, other: str) -> bool:
    """China and Chinese, Ukraine and Ukrainian, Google and Googles."""
    shared = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        shared += 1
    return any(
        one[at:] in DEMONYMS and other[at:] in DEMONYMS for at in range(_SHORTEST_ROOT, shared + 1)
    )

"""What a reader's own words and votes say about a story."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from clawfeed.digest.selection.phrase_search import PhraseSearch
from clawfeed.digest.stories.terms import is_paired, is_stop_word, stems_of
from clawfeed.digest.stories.text_folding import fold
from clawfeed.domain.editions.interests import (
    HEAVIEST_INTEREST,
    Interest,
    InterestKind,
    ReaderInterests,
)

# A word in the headline is what the story is about; in the lead it is what it touches.
IN_LEAD: Final = 0.5
# All votes together say no more than one publisher more or less would: a taste, not a filter.
MOST_BY_VOTES: Final = 1.0
_BETWEEN_WORDS = re.compile("[,;，；、\n]")


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryWording:
    """How one item of a story puts it, as plain text: *text* is all that may be put into words."""

    title: str
    lead: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class InterestMatch:
    """*score* is what it adds to a story's own; *names* are the interests it met, as written."""

    score: float = 0.0
    names: tuple[str, ...] = ()
    is_muted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wanted:
    name: str
    weight: float
    phrases: frozenset[str]


class InterestMatcher:
    """Made once for a reader, asked for each story.

    English is found by stems and whole words ("chip" finds "chips", never "chipmunk"), Chinese by
    characters. *headlines* are the day's: by them a vote knows which of its words are rare.
    """

    def __init__(self, reader: ReaderInterests, headlines: Iterable[str] = ()) -> None:
        self._muted = [_wanted(i) for i in reader.interests if i.kind is InterestKind.MUTED]
        self._wanted = [_wanted(i) for i in reader.interests if i.kind is not InterestKind.MUTED]
        self._phrases = _Phrases([*self._muted, *self._wanted])
        self._taste = _Taste(reader, headlines) if reader.votes else None

    @property
    def is_idle(self) -> bool:
        """Whether it has nothing to say about any story."""
        return not (self._muted or self._wanted or self._taste)

    def match(self, wordings: Sequence[StoryWording]) -> InterestMatch:
        """What a story told in these *wordings* is to the reader, the best telling first."""
        if self.is_idle:
            return InterestMatch()
        titles = self._phrases.found_in(each.title for each in wordings)
        leads = self._phrases.found_in(each.lead for each in wordings)
        found = [(each, each.weight * _strength(each, titles, leads)) for each in self._wanted]
        met = [(wanted, points) for wanted, points in found if points]
        by_words = max(-HEAVIEST_INTEREST, min(HEAVIEST_INTEREST, sum(points for _, points in met)))
        by_votes = self._taste.of(wordings[0].title) if self._taste else 0.0
        return InterestMatch(
            score=by_words + by_votes,
            names=tuple(wanted.name for wanted, points in met if points > 0),
            is_muted=self._is_muted(titles | leads, wordings),
        )

    def _is_muted(self, seen: set[str], wordings: Sequence[StoryWording]) -> bool:
        if not self._muted:
            return False
        whole = seen | self._phrases.found_in(each.text for each in wordings)
        return not all(whole.isdisjoint(muted.phrases) for muted in self._muted)


class _Phrases:
    """All that a reader looks for: runs of stems, or characters where words have no spaces.

    Each text is walked through once: two hundred interests of sixty words each, looked for one by
    one, took four minutes for a thousand items, of everybody's processor.
    """

    def __init__(self, wanted: Iterable[_Wanted]) -> None:
        phrases = {phrase for each in wanted for phrase in each.phrases}
        runs = {phrase: phrase.split() for phrase in phrases if phrase.startswith(" ")}
        self._stems = PhraseSearch(runs)
        self._characters = PhraseSearch({phrase: phrase for phrase in phrases - runs.keys()})

    def found_in(self, texts: Iterable[str]) -> set[str]:
        """Those that stand in any of *texts*."""
        found: set[str] = set()
        for text in filter(None, texts):
            found |= self._characters.found_in(_characters(text))
            found |= self._stems.found_in(stems_of(text))
        return found


def _characters(text: str) -> str:
    return "".join(fold(text).split())


def _phrase(text: str) -> str:
    """What is looked for: characters, or stems with a space around each; equal if it is one."""
    return _characters(text) if is_paired(text) else f" {' '.join(stems_of(text))} "


def _wanted(interest: Interest) -> _Wanted:
    """An interest's phrases: `solar, wind` is two; `Energy: solar, wind` is two with a name."""
    text = interest.text.replace("：", ":")
    name, colon, words = text.partition(":")
    is_named = interest.kind is InterestKind.TOPIC and bool(colon and words.strip())
    listed = words if is_named else text
    return _Wanted(
        name=(name if is_named else interest.text).strip(),
        weight=max(-HEAVIEST_INTEREST, min(HEAVIEST_INTEREST, interest.weight)),
        phrases=frozenset(_phrase(word) for word in _BETWEEN_WORDS.split(listed) if word.strip()),
    )


def _strength(wanted: _Wanted, titles: set[str], leads: set[str]) -> float:
    """1 where a headline has it, half where a lead has it, else 0."""
    if not wanted.phrases.isdisjoint(titles):
        return 1.0
    return 0.0 if wanted.phrases.isdisjoint(leads) else IN_LEAD


class _Taste:
    """The terms of headlines voted for, each with the sum of its votes."""

    def __init__(self, reader: ReaderInterests, headlines: Iterable[str]) -> None:
        self._holders: Counter[str] = Counter()
        self._headlines = 0
        for headline in headlines:
            self._holders.update(_telling(headline))
            self._headlines += 1
        self._weights: defaultdict[str, float] = defaultdict(float)
        for vote in reader.votes:
            for term, weight in self._vector(vote.headline).items():
                self._weights[term] += vote.vote * weight

    def of(self, headline: str) -> float:
        """From -1 to 1, damped: the tenth vote of one kind says less than the first."""
        vector = self._vector(headline)
        likeness = sum(weight * self._weights.get(term, 0.0) for term, weight in vector.items())
        return MOST_BY_VOTES * math.tanh(likeness)

    def _vector(self, headline: str) -> dict[str, float]:
        weights = {term: self._rarity(term) for term in _telling(headline)}
        length = math.hypot(*weights.values())
        return {term: weight / length for term, weight in weights.items()} if length else {}

    def _rarity(self, term: str) -> float:
        return math.log((1 + self._headlines) / (1 + self._holders[term])) + 1


def _telling(headline: str) -> set[str]:
    return {stem for stem in stems_of(headline) if not is_stop_word(stem)}

"""What a reader cares about: words with weights, muted words, and what they voted for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from unicodedata import category

from clawfeed.domain.errors import InvalidInputError, RefusalCode


class InterestKind(StrEnum):
    """Stored and shown."""

    TOPIC = "topic"  # a name for a section, and words to find
    WORD = "word"
    MUTED = "muted"  # nothing of it, whatever else speaks for a story


# How much more or less than an ordinary story: -3 to 3.
HEAVIEST_INTEREST = 3.0
LONGEST_INTEREST = 200
# Controls, lone surrogates, and what separates lines and paragraphs.
_NOT_OF_A_LINE = frozenset({"Cc", "Cs", "Zl", "Zp"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Interest:
    kind: InterestKind
    text: str
    weight: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Vote:
    """More (1) or less (-1) like the story of this headline; a mark counts as one."""

    headline: str
    vote: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderInterests:
    """Everything that makes one reader's selection their own; empty for shared editions."""

    interests: tuple[Interest, ...] = ()
    votes: tuple[Vote, ...] = ()


def with_interests(known: Sequence[Interest], new: Iterable[Interest]) -> list[Interest]:
    """*known* and *new*. Who gives the same words again changes their mind about them."""
    wanted = {each.text.casefold(): each for each in new}
    found: dict[str, Interest] = {}
    kept = list[Interest]()
    for each in known:
        words = each.text.casefold()
        if words not in wanted:
            kept.append(each)
        elif words not in found:
            found[words] = wanted[words]
            kept.append(wanted[words])
    return [*kept, *(each for words, each in wanted.items() if words not in found)]


@dataclass(frozen=True, slots=True, kw_only=True)
class InterestChange:
    """What became of a list of interests: these are in it as given here, and those are not.

    *places* are where in the list each of *put* stands; at the end if nobody says.
    """

    put: tuple[Interest, ...] = ()
    drop: tuple[Interest, ...] = ()
    places: tuple[int, ...] = ()

    def on(self, known: Sequence[Interest]) -> list[Interest]:
        gone = {(each.kind, each.text) for each in self.drop}
        put = {(each.kind, each.text): each for each in self.put}
        kept = [each for each in known if (each.kind, each.text) not in gone]
        listed = [put.pop((each.kind, each.text), each) for each in kept]
        places = {(e.kind, e.text): at for e, at in zip(self.put, self.places, strict=False)}
        for name, each in put.items():
            listed.insert(places.get(name, len(listed)), each)
        return listed


def change_between(before: Sequence[Interest], after: Sequence[Interest]) -> InterestChange:
    """What makes *after* of *before*."""
    names = {(each.kind, each.text) for each in after}
    put = [(place, each) for place, each in enumerate(after) if each not in before]
    return InterestChange(
        put=tuple(each for _, each in put),
        places=tuple(place for place, _ in put),
        drop=tuple(each for each in before if (each.kind, each.text) not in names),
    )


def require_words(text: str) -> None:
    """`InvalidInputError` unless somebody can see what it says, on one line."""
    if len(text) > LONGEST_INTEREST:
        raise InvalidInputError(
            f"this is too long; {LONGEST_INTEREST} characters at most",
            RefusalCode.INTEREST_LONG,
            most=LONGEST_INTEREST,
        )
    if not text or all(category(each)[0] in "CZ" for each in text):
        raise InvalidInputError("there is nothing to see in it", RefusalCode.INTEREST_EMPTY)
    # A browser can bring back anything; no database takes some of these, and no line others (T30).
    if any(category(each) in _NOT_OF_A_LINE for each in text):
        raise InvalidInputError(
            "control characters and line breaks are no words", RefusalCode.INTEREST_INVISIBLE
        )

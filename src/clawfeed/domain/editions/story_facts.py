"""What was said of a story, words aside: its numbers, its names, who said it, up to when.

Kept as the fingerprint of a telling, so that a later edition knows what its readers heard.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation

# A fingerprint is a row's column: what a long story says beyond this is not remembered.
MOST_REMEMBERED = 500
# Below this nobody rounds to one digit: 10 killed are not 12 killed.
SMALLEST_ROUNDED = 1_000
_FORMAT = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryFacts:
    """Numbers as plain decimals (`1200000`, `27%`); names in lower case.

    Of what was told, *names* holds single words; of what is heard, whole names.
    """

    numbers: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.numbers or self.names)

    def __or__(self, other: StoryFacts) -> StoryFacts:
        return StoryFacts(numbers=self.numbers | other.numbers, names=self.names | other.names)

    def beyond(self, known: StoryFacts) -> StoryFacts:
        """What of this *known* does not have. A rounded number says nothing new."""
        return StoryFacts(
            numbers=frozenset(n for n in self.numbers if not _is_known(n, known.numbers)),
            names=frozenset(n for n in self.names if not _is_heard_of(n, known.names)),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ToldFacts:
    """Everything an edition had to go by when it told a story."""

    facts: StoryFacts
    publishers: frozenset[str]
    newest_at: datetime


def fingerprint_of(told: ToldFacts) -> str:
    """*told* as text, for a telling's row. The same facts make the same text."""
    return json.dumps(
        {
            "v": _FORMAT,
            "numbers": sorted(told.facts.numbers)[:MOST_REMEMBERED],
            "names": sorted(told.facts.names)[:MOST_REMEMBERED],
            "publishers": sorted(told.publishers)[:MOST_REMEMBERED],
            "until": int(told.newest_at.timestamp()),
        },
        ensure_ascii=False,
        separators=(",", ":"),
    )


def read_fingerprint(text: str) -> ToldFacts | None:
    """What a telling's row remembers; None for text that is no fingerprint of ours."""
    try:
        found = json.loads(text)
        return ToldFacts(
            facts=StoryFacts(numbers=frozenset(found["numbers"]), names=frozenset(found["names"])),
            publishers=frozenset(found["publishers"]),
            newest_at=datetime.fromtimestamp(found["until"], UTC),
        )
    except (ValueError, KeyError, TypeError, OverflowError):
        return None


def _is_known(number: str, known: Iterable[str]) -> bool:
    return any(_is_rounded(number, other) or _is_rounded(other, number) for other in known)


def _is_rounded(rough: str, exact: str) -> bool:
    """Whether *rough* is what one says for *exact*: 1200 for 1234, 27% for 26.8%."""
    if rough == exact:
        return True
    if rough.endswith("%") != exact.endswith("%"):
        return False
    try:
        return _is_rounding(Decimal(rough.removesuffix("%")), Decimal(exact.removesuffix("%")))
    except InvalidOperation:  # no number, or one with more digits than anybody counts
        return False


def _is_rounding(one: Decimal, other: Decimal) -> bool:
    digits = len(one.normalize().as_tuple().digits)
    is_count = other == other.to_integral_value() and abs(other) < SMALLEST_ROUNDED
    if digits == 1 and is_count:
        return False
    return bool(other) and one == _rounded(other, digits)


def _rounded(value: Decimal, digits: int) -> Decimal:
    return value.quantize(Decimal(1).scaleb(value.adjusted() - digits + 1))


def _is_heard_of(name: str, known: frozenset[str]) -> bool:
    """Whether all its words are known, or the last one: "Ingrid Solheim" after "Solheim"."""
    words = name.split()
    return words[-1] in known or known.issuperset(words)

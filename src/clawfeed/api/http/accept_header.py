"""In which form the caller would like an answer: `Accept`, as far as we need it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

# A browser sends half a dozen; more is noise.
MOST_RANGES = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class _Range:
    kind: str
    subkind: str
    quality: float

    def specificity(self, form: str) -> int:
        """How exactly it names *form*: 3 by its name, 1 by anything, 0 not at all."""
        kind, _, subkind = form.partition("/")
        if (self.kind, self.subkind) == (kind, subkind):
            return 3
        if (self.kind, self.subkind) == (kind, "*"):
            return 2
        return int((self.kind, self.subkind) == ("*", "*"))


def choose_form(accept: str, offered: Sequence[str]) -> str | None:
    """The most wanted of *offered*, the earlier of equals; None if none is wanted.

    Who says nothing takes the first. The most exact range decides about a form (RFC 9110, 12.5.1).
    """
    if not accept.strip():
        return offered[0]
    ranges = [_range(text) for text in accept.split(",")[:MOST_RANGES]]
    wanted = [(_quality(form, ranges), -place) for place, form in enumerate(offered)]
    best, place = max(wanted)
    return offered[-place] if best > 0 else None


def _quality(form: str, ranges: Sequence[_Range]) -> float:
    fits = [(each.specificity(form), each.quality) for each in ranges]
    exactness, quality = max(fits, default=(0, 0.0))
    return quality if exactness else 0.0


def _range(text: str) -> _Range:
    name, *parameters = text.split(";")
    kind, _, subkind = name.strip().lower().partition("/")
    quality = 1.0
    for parameter in parameters:
        key, _, value = parameter.strip().partition("=")
        if key.strip().lower() == "q":
            quality = _number(value)
    return _Range(kind=kind, subkind=subkind, quality=quality)


def _number(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        return 0.0
    return min(number, 1.0) if number > 0 else 0.0

"""A text that must not be seen by accident."""

from __future__ import annotations

MASK = "***"


class Secret:
    """Holds a text that prints as `***`; only `reveal()` gives it away (T17).

    A class by hand and not a dataclass: `dataclasses.asdict` and a generated repr would show it.
    """

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def reveal(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return MASK

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and self._text == other._text

    def __hash__(self) -> int:
        return hash(self._text)

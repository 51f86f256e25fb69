"""Which of many phrases stand in a text, found in one walk through it (Aho and Corasick)."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

_START_STATE: Final = 0


class PhraseSearch:
    """Looks for all of *phrases*, each a name and its parts: words, or characters.

    The walk takes as long as the text is, however many phrases there are and however alike.
    """

    def __init__(self, phrases: Mapping[str, Sequence[str]]) -> None:
        self._next: list[dict[str, int]] = [{}]
        self._name: list[str | None] = [None]
        for name, parts in phrases.items():
            if parts:
                self._name[self._place_of(parts)] = name
        # For each place the longest other one it ends with, and the next of those with a name.
        self._shorter = [_START_STATE] * len(self._next)
        self._named = [_START_STATE] * len(self._next)
        self._link()

    def found_in(self, parts: Iterable[str]) -> set[str]:
        """The names of the phrases that stand in *parts*."""
        found: set[str] = set()
        here = _START_STATE
        for part in parts:
            here = self._step(here, part)
            ending = here if self._name[here] is not None else self._named[here]
            # What ends here was found before: then so was everything shorter.
            while (name := self._name[ending]) is not None and name not in found:
                found.add(name)
                ending = self._named[ending]
        return found

    def _place_of(self, parts: Sequence[str]) -> int:
        """Where the walk through *parts* ends; made if it is new."""
        here = _START_STATE
        for part in parts:
            if part not in self._next[here]:
                self._next[here][part] = len(self._next)
                self._next.append({})
                self._name.append(None)
            here = self._next[here][part]
        return here

    def _step(self, here: int, part: str) -> int:
        while here != _START_STATE and part not in self._next[here]:
            here = self._shorter[here]
        return self._next[here].get(part, _START_STATE)

    def _link(self) -> None:
        """Shorter places first: a place's link is one step from its parent's."""
        waiting = deque(self._next[_START_STATE].values())
        while waiting:
            here = waiting.popleft()
            for part, child in self._next[here].items():
                shorter = self._step(self._shorter[here], part)
                self._shorter[child] = shorter
                has_name = self._name[shorter] is not None
                self._named[child] = shorter if has_name else self._named[shorter]
                waiting.append(child)

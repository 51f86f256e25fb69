"""What somebody types of their interests: words and topics, and how much of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from clawfeed.domain.editions.interests import Interest, InterestKind, require_words
from clawfeed.domain.errors import InvalidInputError, RefusalCode
from clawfeed.rendering.safe_text import one_line

# How much, as people say it; nothing of it is no weight but a muted word.
WEIGHTS: Final[Mapping[str, float | None]] = {
    "much_more": 3.0,
    "more": 1.0,
    "less": -1.0,
    "much_less": -3.0,
    "none": None,
}
LONGEST_TYPED: Final = 8_000
_BETWEEN: Final = re.compile("[,;，；、]")
# `Energy: solar, wind` is a topic; `3:16` and `AC:DC` are words.
_TOPIC: Final = re.compile(r"(?P<name>[^:：]+)(?:：|:\s)(?P<words>.*\S.*)")


@dataclass(frozen=True, slots=True, kw_only=True)
class TypedInterests:
    text: str = ""
    how: str = "more"

    @classmethod
    def read(cls, given: Mapping[str, str]) -> TypedInterests:
        how = given.get("how", "")
        text = given.get("words", "")[:LONGEST_TYPED]
        return cls(text=text, how=how if how in WEIGHTS else "more")

    @property
    def is_empty(self) -> bool:
        return not self.interests

    @property
    def interests(self) -> tuple[Interest, ...]:
        """Each once, however often it was typed."""
        found = [each for line in self.text.splitlines() for each in self._of_line(line)]
        return tuple({each.text.casefold(): each for each in found}.values())

    def require_valid(self) -> None:
        """`InvalidInputError` if one of them cannot be an interest."""
        if self.is_empty:
            raise InvalidInputError("there is nothing to see in it", RefusalCode.INTEREST_EMPTY)
        for each in self.interests:
            require_words(each.text)

    def _of_line(self, line: str) -> Iterator[Interest]:
        weight, topic = WEIGHTS[self.how], _TOPIC.fullmatch(line.strip())
        if weight is None:
            # A muted topic is each of its words.
            for word in _words(topic["words"] if topic else line):
                yield Interest(kind=InterestKind.MUTED, text=word)
        elif topic:
            text = f"{one_line(topic['name'])}: {', '.join(_words(topic['words']))}"
            yield Interest(kind=InterestKind.TOPIC, text=text, weight=weight)
        else:
            for word in _words(line):
                yield Interest(kind=InterestKind.WORD, text=word, weight=weight)


def _words(text: str) -> list[str]:
    return [word for word in map(one_line, _BETWEEN.split(text)) if word]

"""How long a text is to read, in words: two Chinese characters count as one word."""

from __future__ import annotations

import re

# Han, kana and Hangul: read by character. Everything else is read by word.
_CHARACTER = re.compile("[\u3041-\u30fa\u30fc-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]")
_WORD = re.compile(
    "[^\\s\u3000-\u303f\u3041-\u30fa\u30fc-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uff00-\uffef]+"
)
_LETTER = re.compile(r"\w")
CHARACTERS_PER_WORD = 2


def count_characters(text: str) -> int:
    """How many characters of Chinese, Japanese or Korean."""
    return len(_CHARACTER.findall(text))


def count_words(text: str) -> int:
    """How many words of all the other languages."""
    return sum(1 for word in _WORD.findall(text) if _LETTER.search(word))


def length_in_words(text: str) -> float:
    """Words, and two characters as one: 60 words are as long as 120 Chinese characters."""
    return count_words(text) + count_characters(text) / CHARACTERS_PER_WORD

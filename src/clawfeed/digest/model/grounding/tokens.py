"""Words of cased scripts in a text, one by one, with what tells a name from a word."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

# Han, kana and Hangul: no cases, no spaces.
UNSPACED_SCRIPTS = "\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
_UNSPACED = re.compile(f"[{UNSPACED_SCRIPTS}]+")
_TOKEN = re.compile(r"\w+(?:[.'’&+]\w+|-\d\w*)*\+*", re.UNICODE)
_OPENS = re.compile(r"(?:\A|[.!?:;…。！？：；\n]|[“”\"«»「」『』（(\[—–•])\s*\Z")
_OWNER = re.compile(r"['’]s?\Z")
_COUNTS = re.compile(r"\d[\d.,]*(?:st|nd|rd|th|s|k|m|b|bn|mn|tn)", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """One word. *opens*: it begins a sentence. *follows*: only a space or hyphen is before it."""

    text: str
    folded: str
    opens: bool
    follows: bool

    @property
    def is_capitalised(self) -> bool:
        return self.text[0].isupper()

    @property
    def is_marked(self) -> bool:
        """A name by its spelling alone: an acronym, CamelCase, letters with digits."""
        letters = [each for each in self.text if each.isalpha()]
        has_digit = any(each.isdigit() for each in self.text)
        if has_digit:
            return bool(letters) and not _COUNTS.fullmatch(self.text)
        return len(letters) > 1 and any(each.isupper() for each in letters[1:])


def fold(text: str) -> str:
    """Without case, accents, dots and the owner's `'s`."""
    bare = unicodedata.normalize("NFKD", _OWNER.sub("", text)).casefold()
    return "".join(each for each in bare if each.isalnum() or each in "+&")


def squeezed(text: str) -> str:
    """Letters and digits alone: how quoted words are compared."""
    return "".join(
        each for each in unicodedata.normalize("NFKC", text).casefold() if each.isalnum()
    )


def tokens_of(text: str) -> Iterator[Token]:
    spaced = _UNSPACED.sub(lambda run: "。" if len(run[0]) else "", text)
    end = 0
    for found in _TOKEN.finditer(spaced):
        folded = fold(found[0])
        if not folded or not any(each.isalpha() for each in found[0]):
            continue
        between = spaced[end : found.start()]
        yield Token(
            text=found[0],
            folded=folded,
            opens=bool(_OPENS.search(spaced[: found.start()][-4:])) if found.start() else True,
            follows=end > 0 and between in {" ", "-", "\u00a0"},
        )
        end = found.end()


def han_of(text: str) -> list[str]:
    return _UNSPACED.findall(text)

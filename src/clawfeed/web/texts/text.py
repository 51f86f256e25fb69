"""One text of the pages, in every language they are written in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from clawfeed.domain.wording.because_wording import Language


@dataclass(frozen=True, slots=True)
class Text:
    """English and Chinese. Parts stand in braces; *one* is the English for `n=1`."""

    en: str
    zh: str
    one: str = ""

    def in_(self, language: Language, n: object = None) -> str:
        if language is Language.CHINESE:
            return self.zh
        return self.one if self.one and n == 1 else self.en


Texts: TypeAlias = Mapping[str, Text]

"""The language and the colours of the pages: chosen in the footer, kept by the browser."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import Self

from fastapi import Request, Response

from clawfeed.auth.cookies import SafeCookie
from clawfeed.domain.wording.because_wording import Language
from clawfeed.rendering.accept_language import choose_language, language_named

_A_YEAR = timedelta(days=365)


class Theme(StrEnum):
    """*AUTO* follows the machine."""

    AUTO = "auto"
    LIGHT = "light"
    DARK = "dark"


class LanguageCookie(SafeCookie):
    __slots__ = ()

    plain_name = "language"
    life = _A_YEAR


class ThemeCookie(SafeCookie):
    __slots__ = ()

    plain_name = "theme"
    life = _A_YEAR


@dataclass(frozen=True, slots=True, kw_only=True)
class Preferences:
    """What this browser was told."""

    language: LanguageCookie
    theme: ThemeCookie

    @classmethod
    def of(cls, base_url: str) -> Self:
        return cls(language=LanguageCookie.of(base_url), theme=ThemeCookie.of(base_url))

    def read_language(self, request: Request, wished: str | None = None) -> Language:
        """As chosen here, else as the reader *wished*, else as the browser asks."""
        chosen = language_named(self.language.read(request) or "")
        asked = request.headers.get("accept-language", "")
        return chosen or language_named(wished or "") or choose_language(asked)

    def read_theme(self, request: Request) -> Theme:
        found = self.theme.read(request)
        return Theme(found) if found in set(Theme) else Theme.AUTO

    def save_language(self, response: Response, language: Language) -> None:
        self.language.set(response, str(language))

    def save_theme(self, response: Response, theme: Theme) -> None:
        if theme is Theme.AUTO:
            self.theme.clear(response)
        else:
            self.theme.set(response, str(theme))

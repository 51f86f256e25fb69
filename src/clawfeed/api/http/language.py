"""Which of our languages the caller would like to read."""

from __future__ import annotations

from fastapi import Request

from clawfeed.domain.wording.because_wording import Language
from clawfeed.rendering.accept_language import choose_language


def language_of(request: Request) -> Language:
    """The most wanted language of `Accept-Language` that we write; English if there is none."""
    return choose_language(request.headers.get("accept-language", ""))

"""Which of our languages the caller would like to read."""

from __future__ import annotations

from fastapi import Request

from clawfeed.domain.because_wording import Language

# A browser sends a handful; more is noise.
MOST_PREFERENCES = 20


def language_of(request: Request) -> Language:
    """The most wanted language of `Accept-Language` that we write; English if there is none."""
    return choose_language(request.headers.get("accept-language", ""))


def choose_language(accepted: str) -> Language:
    """The same from the header's text: `zh-CN,zh;q=0.9,en;q=0.8` wants Chinese."""
    best, wanted = 0.0, Language.ENGLISH
    for preference in accepted.split(",")[:MOST_PREFERENCES]:
        tag, _, weight = preference.partition(";")
        name = tag.strip().lower().partition("-")[0]
        quality = _quality(weight)
        if name in _NAMES and quality > best:
            best, wanted = quality, _NAMES[name]
    return wanted


_NAMES = {str(language): language for language in Language}


def _quality(weight: str) -> float:
    name, _, number = weight.strip().partition("=")
    if not weight.strip():
        return 1.0
    try:
        return min(float(number), 1.0) if name.strip() == "q" else 0.0
    except ValueError:
        return 0.0

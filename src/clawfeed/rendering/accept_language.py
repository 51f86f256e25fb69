"""Which of our languages somebody would like to read."""

from __future__ import annotations

from clawfeed.domain.wording.because_wording import Language

# A browser sends a handful; more is noise.
MOST_PREFERENCES = 20


def choose_language(accepted: str) -> Language:
    """The most wanted that we write of an `Accept-Language`, else English.

    `zh-CN,zh;q=0.9,en;q=0.8` wants Chinese.
    """
    best, wanted = 0.0, Language.ENGLISH
    for preference in accepted.split(",")[:MOST_PREFERENCES]:
        tag, _, weight = preference.partition(";")
        language = language_named(tag.strip())
        quality = _quality(weight)
        if language is not None and quality > best:
            best, wanted = quality, language
    return wanted


def language_named(tag: str) -> Language | None:
    """The language of a tag (`zh`, `zh-CN`), if it is one of ours."""
    return _NAMES.get(tag.lower().partition("-")[0])


_NAMES = {str(language): language for language in Language}


def _quality(weight: str) -> float:
    name, _, number = weight.strip().partition("=")
    if not weight.strip():
        return 1.0
    try:
        return min(float(number), 1.0) if name.strip() == "q" else 0.0
    except ValueError:
        return 0.0

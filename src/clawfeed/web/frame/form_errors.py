"""Why somebody was refused, in their own language where the pages have words for it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from markupsafe import Markup
from starlette.exceptions import HTTPException

from clawfeed.auth.refused import RefusedError
from clawfeed.domain.errors import RefusalCode, UserError
from clawfeed.domain.wording.because_wording import Language
from clawfeed.web.frame.capitalisation import begins
from clawfeed.web.frame.page_rendering import PageView

_NO_LABELS: Final[Mapping[str, str]] = MappingProxyType({})
# One text for whatever may be wrong there: which thing it is, the error's sentence alone says.
_BROAD: Final = frozenset({RefusalCode.SOURCE_SETTINGS})
_WITH_FINE_PRINT: Final = Markup(
    '{told} <span class="meta" lang="en"><bdi class="{begins}">{sentence}.</bdi></span>'
)


def refusal(
    page: PageView,
    error: UserError | HTTPException | None,
    labels: Mapping[str, str] = _NO_LABELS,
) -> str:
    """For `ui.mistake`, which takes what is markup for the reader's own language; "" if none.

    In English the error's own sentence says more: it names what it is about. In Chinese it is the
    fine print where the text for its code is a broad one. *labels* are what a form calls its
    fields, which programs know by other names.
    """
    if error is None:
        return ""
    sentence = _sentence(error, labels)
    if (
        page.language is Language.ENGLISH
        or not isinstance(error, UserError | RefusedError)
        or not error.told
    ):
        return sentence
    told = page.say(f"refusal.{error.told}", **error.parts)
    if error.told not in _BROAD:
        return told
    return _WITH_FINE_PRINT.format(told=told, begins=begins(sentence), sentence=sentence)


def _sentence(error: UserError | HTTPException, labels: Mapping[str, str]) -> str:
    if isinstance(error, HTTPException):
        return str(error.detail).rstrip(".")
    label = labels.get(error.field)
    return (f"{label}: {error.sentence}" if label else str(error)).rstrip(".")

"""Why somebody was refused, in their own language where the pages have words for it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from starlette.exceptions import HTTPException

from clawfeed.auth.refused import RefusedError
from clawfeed.domain.errors import UserError
from clawfeed.domain.wording.because_wording import Language
from clawfeed.web.frame.page_rendering import PageView

_NO_LABELS: Final[Mapping[str, str]] = MappingProxyType({})


def refusal(
    page: PageView,
    error: UserError | HTTPException | None,
    labels: Mapping[str, str] = _NO_LABELS,
) -> str:
    """For `ui.mistake`, which takes what is markup for the reader's own language; "" if none.

    In English the error's own sentence says more: it names what it is about. *labels* are what a
    form calls its fields, which programs know by other names.
    """
    if error is None:
        return ""
    if (
        isinstance(error, UserError | RefusedError)
        and error.told
        and page.language is not Language.ENGLISH
    ):
        return page.say(f"refusal.{error.told}", **error.parts)
    if isinstance(error, HTTPException):
        return str(error.detail).rstrip(".")
    label = labels.get(error.field)
    return (f"{label}: {error.sentence}" if label else str(error)).rstrip(".")

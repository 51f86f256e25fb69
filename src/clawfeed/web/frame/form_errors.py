"""Why somebody was refused, in their own language where the pages have words for it."""

from __future__ import annotations

from starlette.exceptions import HTTPException

from clawfeed.auth.refused import RefusedError
from clawfeed.domain.errors import UserError
from clawfeed.domain.wording.because_wording import Language
from clawfeed.web.frame.page_rendering import PageView


def refusal(page: PageView, error: UserError | HTTPException | None) -> str:
    """For `ui.mistake`, which takes what is markup for the reader's own language; "" if none.

    In English the error's own sentence says more: it names what it is about.
    """
    if error is None:
        return ""
    if (
        isinstance(error, UserError | RefusedError)
        and error.told
        and page.language is not Language.ENGLISH
    ):
        return page.say(f"refusal.{error.told}", **error.parts)
    sentence = str(error.detail) if isinstance(error, HTTPException) else str(error)
    return sentence.rstrip(".")

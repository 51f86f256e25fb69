"""Why a form was refused, in its reader's language where the pages have words for it."""

from __future__ import annotations

from clawfeed.domain.errors import UserError
from clawfeed.domain.wording.because_wording import Language
from clawfeed.web.frame.site import PageView


def refusal(page: PageView, error: UserError | None) -> str:
    """For `ui.mistake`, which takes what is markup for the reader's own language; "" if none.

    In English the error's own sentence says more: it names what it is about.
    """
    if error is None:
        return ""
    if error.told is None or page.language is Language.ENGLISH:
        return str(error).rstrip(".")
    return page.say(f"refusal.{error.told}", **error.parts)

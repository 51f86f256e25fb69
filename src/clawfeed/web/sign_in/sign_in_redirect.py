"""Where people find themselves once they are in."""

from __future__ import annotations

from typing import Final

from fastapi import Request

from clawfeed.auth.return_path import HOME
from clawfeed.auth.sign_in import NewSession

WELCOME_PATH: Final = "/welcome"


def page_after(request: Request, entered: NewSession, wanted: str) -> str:
    """Where they wanted to go; who comes for the first time, and nowhere in particular, begins."""
    is_new = entered.is_first and wanted == HOME and WELCOME_PATH in request.app.state.paths
    return WELCOME_PATH if is_new else wanted

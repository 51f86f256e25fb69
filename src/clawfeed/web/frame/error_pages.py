"""Refusals as pages, for people; programs get the problem (`api.http.problems`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final
from urllib.parse import quote

from fastapi import Request, Response

from clawfeed.auth.refused import RefusedError
from clawfeed.domain.errors import UserError
from clawfeed.domain.wording.because_wording import Language
from clawfeed.web.frame.form_errors import refusal
from clawfeed.web.frame.page_rendering import FRAGMENT, HEADERS, Site

# Refusals with words of their own; the others are told in those of their family.
_WORDED: Final = frozenset({400, 403, 404, 405, 413, 422, 429, 500, 503})
# What only programs ask for, also when a person looks at it in a browser.
_FOR_PROGRAMS: Final = ("/api/", "/openapi.json", "/metrics", "/healthz", "/readyz")


class ErrorPages:
    """Makes a page of a refusal, where somebody would look at one."""

    def __init__(self, site: Site) -> None:
        self._site = site

    def __call__(
        self,
        request: Request,
        status: int,
        detail: str,
        headers: Mapping[str, str],
        error: Exception | None = None,
    ) -> Response | None:
        """The page, or the way to the sign-in page; None where a program asks."""
        if not _is_for_people(request):
            return None
        if status == 401 and request.method in {"GET", "HEAD"}:
            return _sign_in_first(request)
        page = self._site.unasked_page(request)
        if isinstance(error, UserError | RefusedError) and error.told:
            detail = refusal(page, error)
        elif page.language is not Language.ENGLISH:
            detail = ""  # a program's sentence; what went wrong is told by its family's words
        return self._site.render(
            page,
            "frame/error.html",
            {
                "words": f"error.{_worded(status)}",
                # What went wrong inside is for the log; of a wrong address there is no more to say.
                "detail": "" if status >= 500 or status == 404 else detail,
            },
            status=status,
            headers=headers,
        )


def _worded(status: int) -> int:
    if status in _WORDED:
        return status
    return 403 if status == 401 else 400 if status < 500 else 500


def _is_for_people(request: Request) -> bool:
    """Whether a browser asks for a page: it names HTML, which nobody else does by accident."""
    if request.url.path.startswith(_FOR_PROGRAMS) or FRAGMENT in request.headers:
        return False
    return "text/html" in request.headers.get("accept", "").lower()


def _sign_in_first(request: Request) -> Response:
    query = request.url.query
    wanted = f"{request.url.path}?{query}" if query else request.url.path
    return Response(
        status_code=303, headers={**HEADERS, "Location": f"/login?next={quote(wanted, safe='/')}"}
    )

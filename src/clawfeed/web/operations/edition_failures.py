"""What kept an edition from its next step, as pages show it."""

from __future__ import annotations

from clawfeed.domain.editions.edition_failure import EditionFailure
from clawfeed.rendering.safe_text import one_line


def failure_line(failure: EditionFailure | None) -> dict[str, str] | None:
    """Its code, for the page's own words, and the fine print."""
    if failure is None:
        return None
    return {"code": failure.code, "detail": one_line(failure.detail)}

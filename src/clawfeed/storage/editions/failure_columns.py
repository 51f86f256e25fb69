"""`last_error_code` and `last_error` of an edition's task, or of one of its articles."""

from __future__ import annotations

from typing import Final

from clawfeed.domain.editions.edition_failure import EditionFailure, FailureCode
from clawfeed.storage.database import Row, SqlValue

SET_FAILURE: Final = "last_error_code = :error_code, last_error = :error"


def failure_values(failure: EditionFailure | None) -> dict[str, SqlValue]:
    """For `SET_FAILURE`; None forgets what there was."""
    if failure is None:
        return {"error_code": None, "error": None}
    return {"error_code": failure.code, "error": failure.detail or None}


def to_failure(row: Row) -> EditionFailure | None:
    code = row["last_error_code"]
    if code is None:
        return None
    return EditionFailure(code=FailureCode(code), detail=row["last_error"] or "")

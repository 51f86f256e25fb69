"""What kept an edition, or one article of it, from its next step: a code with fine print."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from clawfeed.domain.errors import ClawFeedError, ModelError, StorageError

LONGEST_DETAIL = 500


class FailureCode(StrEnum):
    """Stored and shown to programs; pages have words for each."""

    DATABASE = "database"  # ours failed
    MODEL = "model"  # the language model said no, and nothing stood in for it
    STOPPED = "stopped"  # its worker was stopped before it was done
    OUR_BUG = "our_bug"
    OTHER = "other"  # something that says itself what it is, in its fine print


@dataclass(frozen=True, slots=True, kw_only=True)
class EditionFailure:
    """*detail* is the fine print: a sentence in English, or of a bug its kind alone."""

    code: FailureCode
    detail: str = ""


WORKER_STOPPED = EditionFailure(code=FailureCode.STOPPED)
_CODES: tuple[tuple[type[ClawFeedError], FailureCode], ...] = (
    (StorageError, FailureCode.DATABASE),
    (ModelError, FailureCode.MODEL),
    (ClawFeedError, FailureCode.OTHER),
)


def failure_of(error: BaseException) -> EditionFailure:
    """What we can name in its own words; of a bug only its kind: its text may hold anything."""
    for kind, code in _CODES:
        if isinstance(error, kind):
            return EditionFailure(code=code, detail=str(error)[:LONGEST_DETAIL])
    return EditionFailure(code=FailureCode.OUR_BUG, detail=type(error).__name__)

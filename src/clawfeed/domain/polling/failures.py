"""What a failure is: decided once, where it arises. All others go by its code (S004-7)."""

from __future__ import annotations

import re

from clawfeed.domain.errors import Reason, SourceError, WorldError
from clawfeed.domain.sources.source import Failed, Postponed
from clawfeed.domain.status_reasons import BY_STATUS, DECISIVE_STATUSES

# The HTTP status speaks first (settled question 8), then words: at word starts, so that "generate"
# is not "rate".
BY_WORDS: tuple[tuple[re.Pattern[str], Reason], ...] = (
    (re.compile(r"\brate|频繁", re.IGNORECASE), Reason.BUSY),
    (re.compile(r"\bexpired|过期", re.IGNORECASE), Reason.AUTH_REQUIRED),
    (re.compile(r"\bforbidden", re.IGNORECASE), Reason.REFUSED),
)
# Reasons that say no more than "it did not work": here the words may know better.
VAGUE_REASONS = frozenset({Reason.BROKEN, Reason.UNREADABLE})
# What no database, terminal or log line takes as it is: controls, lone surrogates, marks that turn
# text around.
_UNWANTED = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]+")
# A detail is a sentence or two; servers and plug-ins may have their say in it.
LONGEST_DETAIL = 1000
# Names of hosts and URLs are no words: "rates.example" says nothing about a rate.
_ADDRESS = re.compile(r"\w+://\S+|[\w-]+(?:\.[\w-]+)+\S*")
_CERTIFICATE = re.compile(r"certificate|\btls\b|\bssl\b|证书", re.IGNORECASE)


def decide_reason(reason: Reason, said: str, *, status: int | None = None) -> Reason:
    """The reason of a failure that strangers' code reports: by its status, its words, its own.

    A reason that says more than "it did not work" gives way to decisive statuses alone.

    For plug-ins alone. Our own fetchers know the reason when they fail, and what they write about
    it is for people.
    """
    is_vague = reason in VAGUE_REASONS
    by_status = BY_STATUS.get(status or 0) if is_vague or status in DECISIVE_STATUSES else None
    if by_status or not is_vague:
        return by_status or reason
    said = _ADDRESS.sub(" ", said)
    for pattern, meaning in BY_WORDS:
        if pattern.search(said) and not _is_about_certificates(meaning, said):
            return meaning
    return reason


def outcome_of(error: SourceError) -> Failed | Postponed:
    """What a poll that ended with *error* came to.

    Its detail is made one that can be stored, whoever wrote it: a failure that cannot be stored
    backs nothing off, and the source would be asked again as soon as its lease lapses.
    """
    detail = _UNWANTED.sub(" ", error.detail[:LONGEST_DETAIL])
    if error.postponed is not None:
        return Postponed(because=error.postponed, detail=detail, wait=error.wait)
    return Failed(
        reason=error.reason,
        detail=detail,
        status=error.status,
        wait=error.wait,
        is_doubtful=error.is_doubtful,
    )


def as_source_error(
    error: WorldError, *, kind: type[SourceError] = SourceError, detail: str | None = None
) -> SourceError:
    """*error* of a request as that of the source it was made for: all of it, told as *detail*."""
    return kind(
        error.reason,
        error.detail if detail is None else detail,
        status=error.status,
        wait=error.wait,
        postponed=error.postponed,
        refused=error.refused,
        is_doubtful=error.is_doubtful,
    )


def _is_about_certificates(reason: Reason, said: str) -> bool:
    """An expired certificate is not an expired login (settled question 8)."""
    return reason is Reason.AUTH_REQUIRED and bool(_CERTIFICATE.search(said))

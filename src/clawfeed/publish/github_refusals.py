"""What GitHub's no means for a file: which it says by status, headers and English sentences."""

from __future__ import annotations

import json
from datetime import datetime, timedelta

from clawfeed.domain.errors import Reason
from clawfeed.domain.status_reasons import reason_of_status
from clawfeed.egress.request_and_response import Response
from clawfeed.egress.retry_after import parse_reset, parse_retry_after
from clawfeed.publish.message import RetryVerdict, SendError
from clawfeed.rendering.safe_text import one_line

# "Wait for at least one minute", where a secondary limit does not say how long.
SECONDARY_WAIT = timedelta(minutes=1)
# Rules of a branch are told as conflicts, and no new look will help.
_RULES = ("rule violation", "protected branch", "pull request")


def is_conflict(response: Response) -> bool:
    """Whether something else lies there than we thought; nothing was written then."""
    said = sentence(response).lower()
    if response.status == 409:
        return not any(each in said for each in _RULES)
    return response.status == 422 and '"sha"' in said


def refusal(response: Response, *, repository: str, branch: str, now: datetime) -> SendError:
    status, said = response.status, sentence(response)
    limit = _limit(response, said, now)
    if limit is not None:
        what = "GitHub asks us to wait: this token has used up its requests."
        return SendError(Reason.BUSY, what, status=status, wait=limit, is_place_resting=True)
    if status >= 500:
        reason = reason_of_status(status, otherwise=Reason.UNREADABLE)
        return SendError(reason, f"GitHub answered with status {status}.", status=status)
    reason, what, verdict = _meaning(status, said.lower(), repository, branch)
    quoted = f" (GitHub: {one_line(said)[:200]})" if said else ""
    return SendError(reason, f"{what}{quoted}", status=status, verdict=verdict)


def sentence(response: Response) -> str:
    """GitHub's own words."""
    try:
        said = json.loads(response.body)
    except (ValueError, RecursionError):
        return ""
    message = said.get("message") if isinstance(said, dict) else None
    return message if isinstance(message, str) else ""


def _limit(response: Response, said: str, now: datetime) -> timedelta | None:
    """How long to stay away; None if this is not about limits."""
    if response.status not in (403, 429):
        return None
    headers = response.headers
    asked = parse_retry_after(headers.get("retry-after"), now)
    if asked is not None:
        return asked
    if headers.get("x-ratelimit-remaining") == "0":
        return parse_reset(headers.get("x-ratelimit-reset"), now) or SECONDARY_WAIT
    is_limit = response.status == 429 or "rate limit" in said.lower()
    return SECONDARY_WAIT if is_limit else None


def _meaning(
    status: int, said: str, repository: str, branch: str
) -> tuple[Reason, str, RetryVerdict]:
    if status == 401:
        what = f"GitHub does not take the token: give the channel one that may write {repository}."
        return Reason.AUTH_REQUIRED, what, RetryVerdict.PAUSE
    if status == 403 and "archived" in said:
        what = f"{repository} is archived: unarchive it, or choose another repository."
        return Reason.REFUSED, what, RetryVerdict.PAUSE
    if status == 403:
        what = f"The token may not write to {repository}: it needs `Contents: read and write`."
        return Reason.REFUSED, what, RetryVerdict.PAUSE
    if status in (404, 410, 451):
        where = f"{repository} with a branch {branch}" if branch else repository
        what = f"GitHub shows no repository {where} to this token: check names and token."
        return Reason.GONE, what, RetryVerdict.PAUSE
    if status == 409:
        what = f"The rules of {repository} let nobody write to this branch: choose another branch."
        return Reason.REFUSED, what, RetryVerdict.PAUSE
    return Reason.REFUSED, "GitHub does not take this file.", RetryVerdict.GIVE_UP

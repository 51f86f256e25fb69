"""One POST of JSON to a secret address, and what its answer means for the message."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from math import isfinite
from typing import Any, Final

from clawfeed.domain.errors import EgressError, Reason
from clawfeed.domain.schedule.longest_wait import LONGEST_WAIT
from clawfeed.domain.status_reasons import OF_WHAT_WE_SEND, reason_of_status
from clawfeed.egress.politeness import Manners
from clawfeed.egress.request_and_response import Request, Response
from clawfeed.egress.response_limits import Limits
from clawfeed.egress.retry_after import parse_retry_after
from clawfeed.publish.channel_type import SendingTools
from clawfeed.publish.message import Message, Receipt, RetryVerdict, SendError, Target, lost

# Answers are a word or a small object; the largest is Discord's, which repeats the message.
LIMITS: Final = Limits(total=timedelta(seconds=20), body=100_000, redirects=0)
# A 429 that does not say for how long.
DEFAULT_REST: Final = timedelta(minutes=1)
# The webhook is gone, or does not want us: only its owner can do something about it.
PAUSING_STATUSES: Final = frozenset({401, 403, 404, 405, 410})


@dataclass(frozen=True, slots=True, kw_only=True)
class Post:
    """What leaves: *url* and *headers* hold secrets."""

    url: str = field(repr=False)
    body: bytes = field(repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)


# Makes the post of a message, at the moment it leaves.
Write = Callable[[Target, Message, datetime], Post]
# Reads an answer below 500: a receipt if it was taken, a `SendError` if the body says more than
# the status, None to go by the status.
Read = Callable[[Response], Receipt | None]


def taken(response: Response) -> Receipt | None:
    """The rule of most: any 2xx."""
    return Receipt() if 200 <= response.status < 300 else None


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookSender:
    """A `Sender` for webhooks. *name* is how people call the service: errors begin with it."""

    tools: SendingTools
    name: str
    write: Write
    read: Read = taken
    pausing: frozenset[int] = PAUSING_STATUSES

    async def send(self, target: Target, message: Message) -> Receipt:
        now = self.tools.clock()
        post = self.write(target, message, now)
        request = Request(
            url=post.url,
            method="POST",
            headers={"Content-Type": "application/json; charset=utf-8", **post.headers},
            body=post.body,
            limits=LIMITS,
            manners=_manners(target),
            is_once=True,
        )
        try:
            response = await self.tools.egress.request(request)
        except EgressError as error:
            raise unanswered(error) from None
        receipt = self.read(response) if response.status < 500 else None
        if receipt is None:
            raise refusal(self.name, response, now, self.pausing)
        return receipt


def refusal(
    name: str, response: Response, now: datetime, pausing: frozenset[int] = PAUSING_STATUSES
) -> SendError:
    """What a status that is no success means. Of the body nothing is told: it may repeat ours."""
    status = response.status
    wait = parse_retry_after(response.headers.get("retry-after"), now)
    if status == 429:
        return too_often(name, wait)
    is_theirs = status >= 500
    # Who says when to come back has not done it; of any other crash nobody knows.
    is_put_off = status == 503 and wait is not None
    if is_theirs or status == 408:
        verdict = RetryVerdict.RETRY
    else:
        verdict = RetryVerdict.PAUSE if status in pausing else RetryVerdict.GIVE_UP
    return SendError(
        reason_of_status(status, otherwise=Reason.UNREADABLE, overrides=OF_WHAT_WE_SEND),
        f"{name} answers with status {status}.",
        verdict=verdict,
        may_have_arrived=is_theirs and not is_put_off,
        status=status,
        wait=wait,
        is_place_resting=is_put_off,
    )


def too_often(name: str, wait: timedelta | None = None) -> SendError:
    return SendError(
        Reason.BUSY,
        f"{name} says that we come too often.",
        status=429,
        wait=wait or DEFAULT_REST,
        is_place_resting=True,
    )


def seconds(value: object) -> timedelta | None:
    """A wait that an answer's JSON asks for: a number of seconds, within a day."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
        return None
    return timedelta(seconds=min(max(value, 0), LONGEST_WAIT.total_seconds()))


def json_object(response: Response) -> dict[str, Any]:
    """The answer's object; an empty one if it is none."""
    try:
        found = json.loads(response.body)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def as_payload(value: object) -> str:
    """JSON as it is stored and sent: characters as they are, which is what limits count.

    Half a character, which only a stranger's JSON can bring, can be neither stored nor sent.
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.encode(errors="replace").decode()


def _manners(target: Target) -> Manners:
    # The worker paces places and lets them rest; the queue of a feed's host is none of ours.
    return Manners(
        key=f"webhook {target.address}",
        at_once=8,
        spacing=timedelta(0),
        obeys_cooldown=False,
        notes_cooldown=False,
    )


def unanswered(error: EgressError) -> SendError:
    """What a request without an answer means for its message; a redirect counts as none."""
    if error.status is None or not 300 <= error.status < 400:
        return lost(error)
    # Who sends us elsewhere has taken nothing; and we do not carry a secret's message elsewhere.
    return SendError(
        Reason.MISCONFIGURED,
        f"{error.detail} Give the channel the address that it leads to.",
        verdict=RetryVerdict.PAUSE,
        status=error.status,
    )

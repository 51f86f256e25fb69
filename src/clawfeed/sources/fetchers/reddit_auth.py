"""How we may ask Reddit: the pace without an account, and the token of an application."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

import orjson

from clawfeed.domain.errors import Reason, SourceError
from clawfeed.domain.secret import Secret
from clawfeed.egress.basic_auth import client_auth
from clawfeed.egress.client import Egress
from clawfeed.egress.request_and_response import Request
from clawfeed.egress.response_limits import Limits
from clawfeed.sources.documents.json_values import count_of, object_of, text_of
from clawfeed.sources.fetchers.response_outcomes import ask

# A token's answer is some 200 bytes; so small a body needs no worker to be read safely.
LARGEST_TOKEN = 16_384
# Renewed this long before its end, so that none expires on its way.
RENEW_BEFORE = timedelta(minutes=1)
DEFAULT_LIFE = timedelta(hours=1)
LONGEST_LIFE = timedelta(days=1)
LONGEST_PROMISE = timedelta(hours=1)
_TOKEN = re.compile(r"[\x21-\x7e]{1,4096}")


class Pacer:
    """Lets one request through per *gap*; whoever comes too early is told when to come back.

    Each of those gets a later time than the one before, so that they do not all return at once.
    """

    def __init__(self, gap: timedelta, monotonic: Callable[[], float]) -> None:
        self._gap = gap.total_seconds()
        self._monotonic = monotonic
        self._free_at = float("-inf")
        self._promised = float("-inf")

    def enter(self) -> timedelta | None:
        """None if the request may go now, else how long to wait before trying again."""
        now = self._monotonic()
        if now >= self._free_at:
            self._free_at = now + self._gap
            return None
        self._promised = max(self._promised + self._gap, self._free_at)
        self._promised = min(self._promised, now + LONGEST_PROMISE.total_seconds())
        return timedelta(seconds=self._promised - now)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Token:
    text: Secret = field(repr=False)
    ends_at: datetime


class AppTokens:
    """The bearer token of a Reddit application, asked for when needed and kept in memory."""

    def __init__(
        self,
        *,
        egress: Egress,
        clock: Callable[[], datetime],
        url: str,
        client_id: str,
        client_secret: Secret,
        limits: Limits,
    ) -> None:
        self._egress = egress
        self._clock = clock
        self._url = url
        self._limits = replace(limits, body=min(limits.body, LARGEST_TOKEN))
        self._client_id, self._client_secret = client_id, client_secret
        self._token: _Token | None = None
        self._asking = asyncio.Lock()

    async def get(self) -> Secret:
        """A token that is valid for a while yet; `SourceError` if Reddit gives none."""
        async with self._asking:
            if self._token is None or self._token.ends_at <= self._clock():
                self._token = await self._ask()
            return self._token.text

    def forget(self, token: Secret) -> None:
        """Reddit refused *token*; a newer one, got by somebody else meanwhile, stays."""
        if self._token is not None and self._token.text == token:
            self._token = None

    async def _ask(self) -> _Token:
        now = self._clock()
        request = Request(
            url=self._url,
            method="POST",
            headers={
                **client_auth(self._client_id, self._client_secret.reveal()),
                "Content-Type": "application/x-www-form-urlencoded",
            },
            body=b"grant_type=client_credentials",
            limits=self._limits,
        )
        return _read_token((await ask(self._egress, request, now=now)).body, now)


def _read_token(body: bytes, now: datetime) -> _Token:
    try:
        answer = object_of(orjson.loads(body))
    except orjson.JSONDecodeError:
        answer = {}
    text = text_of(answer.get("access_token"))
    if not _TOKEN.fullmatch(text):
        raise SourceError(Reason.UNREADABLE, "Reddit's answer holds no access token")
    seconds = count_of(answer.get("expires_in"))
    life = DEFAULT_LIFE if seconds is None else timedelta(seconds=max(0, min(seconds, 10**6)))
    return _Token(text=Secret(text), ends_at=now + min(life, LONGEST_LIFE) - RENEW_BEFORE)

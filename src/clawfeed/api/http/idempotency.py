"""`Idempotency-Key` on POST: asked twice, done once, answered the same."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from datetime import datetime
from typing import Final, assert_never

from fastapi import HTTPException, Request, Response

from clawfeed.api.http.problems import ProblemError, ProblemType
from clawfeed.auth.authorization import Handler
from clawfeed.domain.people.users import Caller
from clawfeed.storage.dead_workers import IsDead
from clawfeed.storage.idempotency import (
    AnotherRequest,
    Answered,
    Attempt,
    First,
    IdempotencyStore,
    Standing,
    StillRunning,
)
from clawfeed.storage.lease_renewal import held_on

HEADER: Final = "Idempotency-Key"
LONGEST_KEY: Final = 200
# Larger answers are not worth keeping for a day; their requests only read.
LARGEST_BODY: Final = 65_536
# Before the body of a kept answer that tells where the new thing is. No JSON begins like this.
PLACE: Final = b"Location: "


class StoredReplays:
    """Remembers answers in the database, so that any process may repeat them.

    *is_dead* knows whether a worker of this machine is gone: what it was asked may be asked again.
    """

    def __init__(
        self, store: IdempotencyStore, clock: Callable[[], datetime], is_dead: IsDead
    ) -> None:
        self._store, self._clock, self._is_dead = store, clock, is_dead

    async def once(self, request: Request, caller: Caller, handle: Handler) -> Response:
        """Handle the request, unless the same was handled before: then repeat its answer."""
        key = request.headers.get(HEADER)
        if key is None:
            return await handle(request)
        attempt = Attempt(
            user=caller.user.id, key=_checked(key), fingerprint=await _fingerprint(request)
        )
        match await self._begin(attempt):
            case First() as first:
                return await self._handle(first, request, handle)
            case StillRunning():
                headers = {"Retry-After": "1"}
                text = "the first request with this key still runs"
                raise ProblemError(409, ProblemType.STILL_RUNNING, text, headers)
            case AnotherRequest():
                text = f"{HEADER}: this key was used for another request; choose a new one"
                raise ProblemError(422, ProblemType.KEY_REUSED, text)
            case Answered(status=status, body=body):
                return _repeated(status, body)
            case unknown:
                assert_never(unknown)

    async def _begin(self, attempt: Attempt) -> Standing:
        standing = await self._store.begin(attempt, now=self._clock())
        if isinstance(standing, StillRunning) and await self._store.take_back_from_dead(
            self._is_dead
        ):
            standing = await self._store.begin(attempt, now=self._clock())
        return standing

    async def _handle(self, first: First, request: Request, handle: Handler) -> Response:
        """Handle it, however long that takes. An answer that comes late is given, not kept."""
        try:
            async with held_on(self._store.lease, lambda: self._store.hold(first)):
                response = await handle(request)
        except BaseException:
            await self._store.forget(first)
            raise
        if response.status_code < 400:
            await self._store.keep(first, response.status_code, _kept_body(response))
        else:
            await self._store.forget(first)
        return response


def _checked(key: str) -> str:
    if not key or len(key) > LONGEST_KEY or not key.isascii() or not key.isprintable():
        raise HTTPException(
            422, f"{HEADER}: give 1 to {LONGEST_KEY} printable ASCII characters, such as a UUID"
        )
    return key


async def _fingerprint(request: Request) -> str:
    asked = f"{request.method} {request.url.path}?{request.url.query}\n".encode()
    return hashlib.sha256(asked + await request.body()).hexdigest()


def _kept_body(response: Response) -> bytes | None:
    """The answer's body, after the place it names; None for one that must not be kept (T17).

    One that holds a secret says so by `no-store`.
    """
    if "no-store" in response.headers.get("cache-control", ""):
        return None
    body, place = bytes(response.body), response.headers.get("location")
    if place:
        body = PLACE + place.encode("latin-1") + b"\n" + body
    return body if len(body) <= LARGEST_BODY else None


def _repeated(status: int, body: bytes | None) -> Response:
    if body is None:
        text = "this was done and answered already; its answer was not kept"
        raise ProblemError(409, ProblemType.ANSWER_NOT_KEPT, text)
    headers = {"Idempotency-Replayed": "true"}
    if body.startswith(PLACE):
        place, _, body = body.removeprefix(PLACE).partition(b"\n")
        headers["Location"] = place.decode("latin-1")
    return Response(body, status, headers, "application/json" if body else None)

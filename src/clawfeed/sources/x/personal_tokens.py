"""Whose token reads what belongs to one person, kept fresh (S001-20).

X takes a refresh token once and gives another one with each renewal. So one collector renews, the
others wait for what it stores; nobody is interrupted between X's answer and the database. Whoever
is killed there loses the only key: X takes the old one no more, and the person authorises again.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from clawfeed.domain.because import Because, Rule
from clawfeed.domain.errors import Reason, SourceError, StorageError
from clawfeed.domain.ids import UserId
from clawfeed.domain.moments import iso
from clawfeed.domain.secret import Secret
from clawfeed.runtime.async_resource import AsyncResource
from clawfeed.runtime.retry import growing, retried
from clawfeed.runtime.single_flight import SingleFlight
from clawfeed.sources.personal_tokens import PersonalToken
from clawfeed.sources.x.oauth import GrantRefusedError, XOAuth
from clawfeed.storage.dead_workers import IsDead
from clawfeed.storage.leases import Held, Holder
from clawfeed.storage.people.x_authorisations import (
    EXPIRED,
    REFUSED,
    TokenPair,
    XAuthorisation,
    XAuthorisations,
)

log = logging.getLogger(__name__)

# None may expire on its way, nor in a clock that is a little wrong.
RENEW_BEFORE: Final = timedelta(minutes=5)
# Longer than a request to X and the tries to store its answer take together.
LEASE: Final = timedelta(seconds=60)
STORE_TRIES: Final = 6
FIRST_RETRY: Final = timedelta(seconds=0.5)
# How long somebody waits for another's renewal before the poll is postponed.
RENEWAL_PATIENCE: Final = timedelta(seconds=5)
LOOK_EVERY: Final = timedelta(seconds=0.1)

_HOW = "authorise ClawFeed at X (POST /api/x/authorisation, or clawfeed x authorise)"


@dataclass(slots=True, kw_only=True)
class XTokens(AsyncResource):
    """Every person's token, renewed before it ends. *house* is `X_USER_TOKEN`.

    *is_dead* knows whether a worker of this machine is gone: what it renewed is freed at once.

    Leave it as a context manager: it waits for renewals that are under way.
    """

    store: XAuthorisations
    oauth: XOAuth | None
    clock: Callable[[], datetime]
    worker: str
    is_dead: IsDead
    house: Secret | None = None
    # A poll that is given up does not interrupt the renewal it waits for.
    _renewals: SingleFlight[UserId, XAuthorisation] = field(
        default_factory=lambda: SingleFlight(lands_alone=True)
    )

    async def close(self) -> None:
        await self._renewals.landed()

    async def token_for(self, owner: UserId | None) -> PersonalToken:
        authorisation = None if owner is None else await self.store.find(owner)
        if authorisation:
            return _token(await self._fresh(authorisation))
        if self.house and await self.is_house_of(owner):
            return PersonalToken(token=self.house)
        raise SourceError(Reason.AUTH_REQUIRED, f"this is somebody's own at X: {_HOW}")

    async def replaced(self, owner: UserId | None, used: PersonalToken) -> PersonalToken:
        authorisation = None if owner is None else await self.store.find(owner)
        if authorisation is None:
            raise SourceError(Reason.AUTH_REQUIRED, f"X takes this token no more: {_HOW}")
        if authorisation.pair.access != used.token:
            return _token(await self._fresh(authorisation))
        return _token(await self._renewed(authorisation))

    async def is_house_of(self, owner: UserId | None) -> bool:
        """Whether they are the only person with an account that works."""
        return await self.store.others(owner) <= (1 if owner is None else 0)

    async def _fresh(self, authorisation: XAuthorisation) -> XAuthorisation:
        if authorisation.ended_because:
            raise _ended(authorisation)
        if self.clock() < authorisation.pair.expires_at - RENEW_BEFORE:
            return authorisation
        return await self._renewed(authorisation)

    async def _renewed(self, authorisation: XAuthorisation) -> XAuthorisation:
        """One renewal at a time here."""
        name = f"X renewal {authorisation.user_id}"
        return await self._renewals.run(
            authorisation.user_id, lambda: self._renew(authorisation), name=name
        )

    async def _renew(self, old: XAuthorisation) -> XAuthorisation:
        if old.pair.refresh is None:
            await self.store.end(old, EXPIRED, now=self.clock())
            raise _ended(old)
        if self.oauth is None:
            raise SourceError(Reason.MISCONFIGURED, "X_CLIENT_ID is not set: no token is renewed")
        held = await self._begin(old)
        if held is None:
            return await self._awaited(old)
        try:
            pair = await self.oauth.renew(old.pair.refresh)
        except GrantRefusedError:
            return await self._refused(old)
        except SourceError:
            await self.store.leave_renewal(old, held)
            raise
        return await self._stored(old, pair)

    async def _begin(self, old: XAuthorisation) -> Held | None:
        """The right to renew it, unless somebody who is alive has that."""
        holder = Holder(worker=self.worker, lease=LEASE)
        held = await self.store.begin_renewal(old, holder)
        if held is None and await self.store.take_back_from_dead(self.is_dead):
            held = await self.store.begin_renewal(old, holder)
        return held

    async def _stored(self, old: XAuthorisation, pair: TokenPair) -> XAuthorisation:
        """The new pair exists here alone: a database that is away for a moment is waited for."""

        def tell(error: StorageError) -> None:
            why = {"user": old.user_id, "why": str(error)}
            log.warning("could not store an X token; trying again", extra=why)

        is_stored = await retried(
            lambda: self.store.end_renewal(old, pair, now=self.clock()),
            errors=StorageError,
            wait_after=growing(FIRST_RETRY, tries=STORE_TRIES),
            on_failure=tell,
        )
        now_there = await self.store.find(old.user_id)
        if not is_stored and self.oauth:
            # Revoked or authorised anew meanwhile: nobody wants this pair.
            await self.oauth.revoke(pair.refresh or pair.access)
        if now_there is None:
            raise SourceError(Reason.AUTH_REQUIRED, f"the authorisation was revoked: {_HOW}")
        return now_there

    async def _refused(self, old: XAuthorisation) -> XAuthorisation:
        """The end, unless somebody stored a newer pair while we asked with the old one."""
        await self.store.end(old, REFUSED, now=self.clock())
        found = await self.store.find(old.user_id)
        if found is None or found.ended_because or found.pair.access == old.pair.access:
            log.warning("X refused an authorisation", extra={"user": old.user_id})
            raise _ended(old)
        return found

    async def _awaited(self, old: XAuthorisation) -> XAuthorisation:
        """What another collector's renewal brings."""
        for _ in range(RENEWAL_PATIENCE // LOOK_EVERY):
            found = await self.store.find(old.user_id)
            if found is None or found.ended_because:
                raise _ended(old)
            if found.pair.access != old.pair.access:
                return found
            await asyncio.sleep(LOOK_EVERY.total_seconds())
        until = self.clock() + LEASE
        rests = Because(Rule.API_RESTS, {"api": "X", "until": iso(until)})
        why = "another collector renews this authorisation"
        raise SourceError(Reason.BUSY, why, wait=LEASE, postponed=rests)


def _token(authorisation: XAuthorisation) -> PersonalToken:
    return PersonalToken(token=authorisation.pair.access, account=authorisation.x_user_id)


def _ended(authorisation: XAuthorisation) -> SourceError:
    name = f"@{authorisation.handle}" if authorisation.handle else "this account"
    why = f"X no longer accepts the authorisation of {name}: {_HOW}"
    return SourceError(Reason.AUTH_REQUIRED, why)

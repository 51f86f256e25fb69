"""A person lets us read their own X, and takes it back (S001-20).

The state of a flow is known to the person's own session alone, works once and for ten minutes; the
code that comes back is worth nothing without the verifier, which never leaves us.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from urllib.parse import parse_qsl, urlsplit

from clawfeed.auth.client_address import COMMAND_LINE
from clawfeed.auth.oidc.oidc import LONGEST_CODE, code_challenge
from clawfeed.auth.tokens import hash_of, is_same, new_token
from clawfeed.domain.errors import (
    InvalidInputError,
    NotFoundError,
    RefusalCode,
    SourceError,
    UserError,
)
from clawfeed.domain.ids import SessionId, UserId
from clawfeed.domain.sources.type_facts import KnownTypes, TypeFacts
from clawfeed.sources.x.oauth import GrantRefusedError, XOAuth
from clawfeed.storage.audit import Action, AuditLog
from clawfeed.storage.database import Database
from clawfeed.storage.people.x_authorisations import (
    FLOW_LIFETIME,
    XAuthorisation,
    XAuthorisations,
    XFlow,
)

STALE = "this authorisation is unknown, was used before or is older than ten minutes: begin again"
ELSEWHERE = "this authorisation was begun by somebody else or in another browser: begin again"
DENIED = "X was not allowed to let ClawFeed in; nothing was changed"
NOT_SET_UP = "X_CLIENT_ID is not set: ask whoever runs this ClawFeed to set up an X application"


@dataclass(frozen=True, slots=True, kw_only=True)
class Begun:
    """Where to go, until when, and what to compare what comes back with."""

    url: str = field(repr=False)
    ends_at: datetime
    state: str = field(repr=False)
    flow: XFlow = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Revocation:
    """*at_x*: X confirmed it. Here it is gone in any case."""

    handle: str
    at_x: bool


class XAuthorisationFlow:
    """Takes a person to X and back."""

    def __init__(
        self,
        database: Database,
        clock: Callable[[], datetime],
        oauth: XOAuth | None,
        types: KnownTypes[TypeFacts],
    ) -> None:
        self._store, self._audit = XAuthorisations(database), AuditLog(database)
        self._clock, self._oauth, self._types = clock, oauth, types

    @property
    def is_set_up(self) -> bool:
        """Whether we are an application at X, which is the operator's to set up."""
        return self._oauth is not None

    async def status(self, user: UserId) -> XAuthorisation | None:
        return await self._store.find(user)

    async def begin(self, user: UserId, session: SessionId | None) -> Begun:
        """A flow that this person's session may finish."""
        begun = self.begin_here(user, session)
        await self._store.begin(begun.flow, now=self._clock())
        return begun

    def begin_here(self, user: UserId, session: SessionId | None = None) -> Begun:
        """A flow that only whoever holds the answer can finish: a command keeps it in memory."""
        state, verifier = new_token(), new_token()
        flow = XFlow(
            state_hash=hash_of(state), user_id=user, session=session, code_verifier=verifier
        )
        url = self._doors().url(state=state, challenge=code_challenge(verifier))
        return Begun(url=url, ends_at=self._clock() + FLOW_LIFETIME, state=state, flow=flow)

    async def finish(
        self,
        parameters: Sequence[tuple[str, str]],
        user: UserId,
        session: SessionId,
        *,
        client: str = "",
    ) -> XAuthorisation:
        """Store what the person allowed; a sentence for them if it cannot be."""
        flow = await self._store.take(hash_of(_one(parameters, "state")), now=self._clock())
        if flow is None:
            raise InvalidInputError(STALE, RefusalCode.X_STALE)
        if flow.user_id != user or flow.session not in (None, session):
            raise InvalidInputError(ELSEWHERE, RefusalCode.X_ELSEWHERE)
        return await self._redeem(flow, parameters, client)

    async def finish_here(self, begun: Begun, address: str) -> XAuthorisation:
        """The same with the address that a person copied from their browser."""
        parameters = parse_qsl(urlsplit(address.strip()).query)
        if self._clock() >= begun.ends_at or not is_same(_one(parameters, "state"), begun.state):
            raise InvalidInputError(STALE, RefusalCode.X_STALE)
        return await self._redeem(begun.flow, parameters, str(COMMAND_LINE))

    async def revoke(self, user: UserId, *, client: str = "") -> Revocation:
        """Forget the tokens, and end them at X; `NotFoundError` if there are none."""
        removed = await self._store.remove(user)
        if removed is None:
            raise NotFoundError(
                "ClawFeed is not authorised to read your X", RefusalCode.X_NOT_CONNECTED
            )
        await self._note(Action.X_REVOKED, user, removed.handle, client)
        tokens = [token for token in (removed.pair.refresh, removed.pair.access) if token]
        told = [await self._oauth.revoke(token) for token in tokens] if self._oauth else []
        return Revocation(handle=removed.handle, at_x=bool(told) and all(told))

    async def _redeem(
        self, flow: XFlow, parameters: Sequence[tuple[str, str]], client: str
    ) -> XAuthorisation:
        if any(name == "error" for name, _ in parameters):
            raise InvalidInputError(DENIED, RefusalCode.X_DENIED)
        code = _one(parameters, "code")
        try:
            pair = await self._doors().redeem(code, flow.code_verifier)
            person = await self._doors().who(pair.access)
        except GrantRefusedError:
            raise InvalidInputError(
                "X did not take its own code: begin again", RefusalCode.X_CODE
            ) from None
        except SourceError as error:
            raise UserError(
                f"X could not be asked: {error.detail}", RefusalCode.X_UNREACHABLE
            ) from error
        granted = XAuthorisation(
            user_id=flow.user_id,
            x_user_id=person.id,
            handle=person.handle,
            pair=pair,
            authorised_at=self._clock(),
        )
        await self._store.save(granted, self._types, now=self._clock())
        await self._note(Action.X_AUTHORISED, flow.user_id, person.handle, client)
        return granted

    async def _note(self, action: Action, user: UserId, handle: str, client: str) -> None:
        await self._audit.add(
            action, user_id=user, detail=f"@{handle}", client=client, now=self._clock()
        )

    def _doors(self) -> XOAuth:
        if self._oauth is None:
            raise UserError(NOT_SET_UP, RefusalCode.X_NOT_SET_UP)
        return self._oauth


def _one(parameters: Sequence[tuple[str, str]], name: str) -> str:
    """The only value of a parameter; two readers would choose two."""
    values = [value for key, value in parameters if key == name]
    if len(values) != 1 or not 0 < len(values[0]) <= LONGEST_CODE:
        raise InvalidInputError(STALE, RefusalCode.X_STALE)
    return values[0]

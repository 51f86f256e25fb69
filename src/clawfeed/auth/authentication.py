"""The door: who is behind a request, known by a key or by a session, and by nothing else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from fastapi import Request

from clawfeed.auth.authorization import unauthorized
from clawfeed.auth.cookies import SessionCookie
from clawfeed.auth.limits.login_throttle import too_many
from clawfeed.auth.limits.request_rate_limit import RequestRate
from clawfeed.auth.origin_check import OwnOrigin
from clawfeed.auth.refused import RefusedError
from clawfeed.auth.tokens import hash_of, is_same, key_id_of
from clawfeed.domain.errors import RefusalCode
from clawfeed.domain.people.login_throttle import NO_WAIT
from clawfeed.domain.people.users import Caller, Scope, UsedKey
from clawfeed.domain.secret import Secret
from clawfeed.storage.database import Database
from clawfeed.storage.people.api_keys import ApiKeys
from clawfeed.storage.people.sessions import Sessions
from clawfeed.storage.people.users import UserStore

# By these names keys are sent in addresses elsewhere; addresses end up in logs and histories.
_KEY_PARAMETERS = frozenset({"api_key", "apikey", "api-key", "access_token"})
_WRONG_KEY = "the API key is wrong, expired or revoked"


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthenticatorConfig:
    """*api_key* is the operator's own; *requests_per_minute* is per person, 0 for no limit."""

    base_url: str
    api_key: Secret | None = None
    requests_per_minute: int = 0


class AccountAuthenticator:
    """Knows callers by the `Authorization` header, else by the session's cookie.

    With both, the header counts and the cookie is not looked at. A wrong key is 401; a cookie
    that means nothing (any more) is a stranger's, so that people can still see the login page.
    """

    def __init__(
        self, config: AuthenticatorConfig, database: Database, clock: Callable[[], datetime]
    ) -> None:
        self._config, self._clock = config, clock
        self._own = OwnOrigin.of(config.base_url)
        self._cookie = SessionCookie.of(config.base_url)
        self._people, self._sessions = UserStore(database), Sessions(database)
        self._keys = ApiKeys(database)
        operators = config.api_key.reveal() if config.api_key else ""
        self._operator_hash = hash_of(operators) if operators else None
        self._rate = RequestRate(config.requests_per_minute)

    async def recognise(self, request: Request) -> Caller | None:
        """The caller or None; raises 400, 401, 403 or 429 for requests that go no further."""
        authorization = request.headers.get("authorization")
        token = None if authorization is not None else self._cookie.read(request)
        self._own.check(request, has_cookie=token is not None)
        _refuse_keys_in_addresses(request)
        if authorization is not None:
            caller: Caller | None = await self._by_key(authorization)
        else:
            caller = await self._by_session(token) if token else None
        if caller:
            waiting = self._rate.take(caller.user.id, self._clock())
            if waiting > NO_WAIT:
                raise too_many(waiting, "too many requests")
        return caller

    async def _by_key(self, authorization: str) -> Caller:
        """No brake: nobody guesses 256 random bits, and `API_KEY` must be as hard to guess.

        Whoever has the right one is never made to wait for others' wrong ones.
        """
        scheme, _, text = authorization.partition(" ")
        text = text.strip()
        if scheme.lower() != "bearer" or not text:
            raise unauthorized("give the API key as `Authorization: Bearer KEY`")
        caller = await self._by_own_key(text) or await self._operator(text)
        if caller is None:
            raise unauthorized(_WRONG_KEY)
        return caller

    async def _by_own_key(self, text: str) -> Caller | None:
        key_id = key_id_of(text)
        key = await self._keys.find(key_id) if key_id else None
        now = self._clock()
        if key is None or not is_same(key.key_hash, hash_of(text)) or not key.is_valid(now):
            return None
        if key.operator_hash not in (None, self._operator_hash):
            return None  # it goes back to an operator's key that was changed since
        await self._keys.use(key, now=now)
        used = UsedKey(id=key.id, expires_at=key.expires_at, operator_hash=key.operator_hash)
        return Caller(user=key.user, scope=key.scope, key=used)

    async def _operator(self, text: str) -> Caller | None:
        if self._operator_hash is None or not is_same(self._operator_hash, hash_of(text)):
            return None
        admin = await self._people.local_admin(now=self._clock())
        used = UsedKey(operator_hash=self._operator_hash)
        return Caller(user=admin, scope=Scope.ADMIN, key=used)

    async def _by_session(self, token: str) -> Caller | None:
        now = self._clock()
        session = await self._sessions.find(hash_of(token), now=now)
        if session is None:
            return None
        await self._sessions.see(session, now=now)
        return Caller(
            user=session.user,
            scope=Scope.ADMIN if session.user.is_admin else Scope.WRITE,
            session=session.id,
            signed_in_at=session.created_at,
        )


def _refuse_keys_in_addresses(request: Request) -> None:
    for name, value in request.query_params.multi_items():
        # By name and shape alone: comparing with the operator's key would confirm guesses.
        if name.lower() in _KEY_PARAMETERS or key_id_of(value):
            raise RefusedError(
                400,
                "a key does not belong into an address, where it is logged: "
                "revoke it, and send a new one as `Authorization: Bearer`",
                RefusalCode.KEY_IN_ADDRESS,
            )

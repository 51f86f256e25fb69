"""Asking X for tokens: OAuth 2.0 with PKCE, as X speaks it (docs.x.com, "OAuth 2.0").

X's codes live half a minute, access tokens two hours, refresh tokens until they are used.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final
from urllib.parse import quote, urlencode

from clawfeed.domain.errors import EgressError, Reason, SourceError
from clawfeed.domain.polling.failures import as_source_error
from clawfeed.domain.secret import Secret
from clawfeed.egress.basic_auth import client_auth
from clawfeed.egress.client import Egress
from clawfeed.egress.politeness import Manners
from clawfeed.egress.request_and_response import Request, Response
from clawfeed.egress.response_limits import Limits
from clawfeed.sources.fetchers.response_outcomes import failure
from clawfeed.sources.x.posts import read_json, read_user_id
from clawfeed.storage.people.x_authorisations import TokenPair

# `offline.access` is what makes X give a refresh token.
SCOPES: Final = ("tweet.read", "users.read", "bookmark.read", "like.read", "offline.access")
# None of these answers redirects, or is long. Shorter than the lease of a renewal.
LIMITS: Final = Limits(total=timedelta(seconds=10), body=100_000, redirects=0)
# Doors of their own: a used-up window of the API must not let a code of half a minute go by.
MANNERS: Final = Manners(obeys_cooldown=False)
SHORTEST_LIFE, LONGEST_LIFE = timedelta(minutes=1), timedelta(days=1)
# It is our application that X does not take; the person's grant is as good as before.
_OURS: Final = frozenset({"invalid_client", "unauthorized_client"})


class GrantRefusedError(SourceError):
    """X takes this code or token no more: the person has to authorise us again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class XApplication:
    """Our application at X. With a secret it is a confidential client."""

    client_id: str
    client_secret: Secret | None
    redirect_uri: str
    api_base_url: str = "https://api.x.com"
    authorize_url: str = "https://x.com/i/oauth2/authorize"


@dataclass(frozen=True, slots=True, kw_only=True)
class XPerson:
    id: str
    handle: str


class XOAuth:
    """X's doors for tokens. Raises `GrantRefusedError` for a final no, else `SourceError`."""

    def __init__(
        self, application: XApplication, *, egress: Egress, clock: Callable[[], datetime]
    ) -> None:
        self._application = application
        self._egress = egress
        self._clock = clock

    def url(self, *, state: str, challenge: str) -> str:
        """Where a person lets us in."""
        question = {
            "response_type": "code",
            "client_id": self._application.client_id,
            "redirect_uri": self._application.redirect_uri,
            "scope": " ".join(SCOPES),
            "state": state,
            "code_challenge": challenge,
            "code_challenge_method": "S256",
        }
        return f"{self._application.authorize_url}?{urlencode(question, quote_via=quote)}"

    async def redeem(self, code: str, verifier: str) -> TokenPair:
        """What a code is worth."""
        return await self._pair(
            {
                "grant_type": "authorization_code",
                "code": code,
                "redirect_uri": self._application.redirect_uri,
                "code_verifier": verifier,
            }
        )

    async def renew(self, refresh: Secret) -> TokenPair:
        """A new pair for a refresh token, which X takes no second time."""
        return await self._pair({"grant_type": "refresh_token", "refresh_token": refresh.reveal()})

    async def revoke(self, token: Secret) -> bool:
        """End a token at X; whether X said that it did."""
        try:
            answer = await self._post("revoke", {"token": token.reveal()})
        except SourceError:
            return False
        return answer.status == 200

    async def who(self, access: Secret) -> XPerson:
        """Whose token this is."""
        request = Request(
            url=f"{self._application.api_base_url}/2/users/me",
            headers={"Authorization": f"Bearer {access.reveal()}", "Accept": "application/json"},
            limits=LIMITS,
            manners=MANNERS,
        )
        answer = await self._ask(request)
        if answer.status != 200:
            raise failure(answer, now=self._clock())
        value = read_json(answer.body)
        number = read_user_id(value)
        return XPerson(id=number, handle=str(value["data"].get("username") or "")[:50])

    async def _pair(self, fields: Mapping[str, str]) -> TokenPair:
        answer = await self._post("token", fields)
        if answer.status == 200:
            return self._read(read_json(answer.body))
        raise self._refusal(answer)

    async def _post(self, door: str, fields: Mapping[str, str]) -> Response:
        ours = self._application
        headers = {
            "Accept": "application/json",
            "Content-Type": "application/x-www-form-urlencoded",
        }
        if ours.client_secret:
            headers |= client_auth(ours.client_id, ours.client_secret.reveal())
        else:
            fields = {**fields, "client_id": ours.client_id}
        return await self._ask(
            Request(
                url=f"{ours.api_base_url}/2/oauth2/{door}",
                method="POST",
                headers=headers,
                body=urlencode(fields).encode(),
                limits=LIMITS,
                manners=MANNERS,
            )
        )

    async def _ask(self, request: Request) -> Response:
        try:
            return await self._egress.request(request)
        except EgressError as error:
            raise as_source_error(error) from error

    def _refusal(self, answer: Response) -> SourceError:
        """X says `invalid_request` where the standard says `invalid_grant`."""
        if answer.status not in (400, 401, 403):
            return failure(answer, now=self._clock())
        try:
            code = read_json(answer.body).get("error")
        except SourceError:
            return failure(answer, now=self._clock())
        if code in _OURS:
            why = "X does not take our application: X_CLIENT_ID or X_CLIENT_SECRET is wrong"
            return SourceError(Reason.MISCONFIGURED, why, status=answer.status)
        why = "X takes this authorisation no more"
        return GrantRefusedError(Reason.AUTH_REQUIRED, why, status=answer.status)

    def _read(self, value: Mapping[str, Any]) -> TokenPair:
        access, refresh, life = (
            value.get(name) for name in ("access_token", "refresh_token", "expires_in")
        )
        if not isinstance(access, str) or not access:
            raise SourceError(Reason.UNREADABLE, "X gave no access token")
        seconds = life if isinstance(life, int) and 0 < life < 10**9 else 7200
        lasts = min(max(timedelta(seconds=seconds), SHORTEST_LIFE), LONGEST_LIFE)
        return TokenPair(
            access=Secret(access),
            refresh=Secret(refresh) if isinstance(refresh, str) and refresh else None,
            expires_at=self._clock() + lasts,
            scopes=tuple(str(value.get("scope") or "").split()),
        )

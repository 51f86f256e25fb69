"""X's OAuth 2.0 with PKCE, as X keeps it: codes for half a minute, refresh tokens for one use.

The person says yes at once. `reader` in the address chooses who they are, `deny` makes them say no.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from urllib.parse import parse_qsl, urlencode

from clawfeed.simulator.news.deterministic_random import roll
from clawfeed.simulator.serving.http import Request
from clawfeed.simulator.serving.responses import Answer, as_json, text

CLIENT_ID, CONFIDENTIAL_ID = "simulated-client", "simulated-confidential-client"
CLIENT_SECRET = "simulated-client-secret"  # noqa: S105 -- opens nothing but this simulator
FIRST_READER = 1000000000000000001
CODE_LIFE, ACCESS_LIFE = timedelta(seconds=30), timedelta(hours=2)
BAD_TOKEN = "Value passed for the token was invalid."  # noqa: S105 -- what X says
BAD_CODE = "Value passed for the authorization code was invalid."


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """What one person allowed once; all its tokens end with it."""

    family: int
    reader: str
    client: str
    scope: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Code:
    grant: Grant
    challenge: str
    redirect_uri: str
    ends_at: datetime


class OAuth:
    """Below `/x/i/oauth2/` for people, below `/x/2/oauth2/` for programs."""

    def __init__(self, clock: Callable[[], datetime]) -> None:
        self._clock = clock
        self._codes: dict[str, _Code] = {}
        self._access: dict[str, tuple[Grant, datetime]] = {}
        self._refresh: dict[str, Grant] = {}
        self._used: dict[str, Grant] = {}
        self._ended: set[int] = set()
        self._count = 0

    def reader_of(self, token: str) -> str | None:
        """Whose access token this is, while it is good."""
        grant, ends_at = self._access.get(token, (None, self._clock()))
        is_good = grant and grant.family not in self._ended and self._clock() < ends_at
        return grant.reader if grant and is_good else None

    def authorise(self, request: Request) -> Answer:
        """The page where a person lets an application in; they are sent back at once."""
        asked = dict(parse_qsl(request.query))
        known = asked.get("client_id") in (CLIENT_ID, CONFIDENTIAL_ID)
        if not known or asked.get("response_type") != "code" or "redirect_uri" not in asked:
            return text("Something went wrong\n", "text/plain; charset=utf-8", status=400)
        if asked.get("code_challenge_method") != "S256" or not asked.get("code_challenge"):
            return _back(asked, {"error": "invalid_request"})
        if "deny" in asked:
            return _back(asked, {"error": "access_denied"})
        self._count += 1
        grant = Grant(
            family=self._count,
            reader=str(FIRST_READER + int(asked.get("reader", "0"))),
            client=asked["client_id"],
            scope=asked.get("scope", ""),
        )
        code = self._text("code")
        self._codes[code] = _Code(
            grant=grant,
            challenge=asked["code_challenge"],
            redirect_uri=asked["redirect_uri"],
            ends_at=self._clock() + CODE_LIFE,
        )
        return _back(asked, {"code": code})

    def answer(self, request: Request) -> Answer:
        fields = dict(parse_qsl(request.body.decode()))
        client = _client(request, fields)
        if client is None:
            return _refusal("unauthorized_client", "Missing valid authorization header", 401)
        match request.method, request.path.rpartition("/")[2], fields.get("grant_type"):
            case "POST", "token", "authorization_code":
                return self._redeem(fields, client)
            case "POST", "token", "refresh_token":
                return self._renew(fields.get("refresh_token", ""), client)
            case "POST", "revoke", _:
                return self._revoke(fields.get("token", ""))
        return _refusal("unsupported_grant_type", "What is this?")

    def _redeem(self, fields: dict[str, str], client: str) -> Answer:
        code = self._codes.pop(fields.get("code", ""), None)
        if (
            code is None
            or code.grant.client != client
            or self._clock() >= code.ends_at
            or code.redirect_uri != fields.get("redirect_uri")
        ):
            return _refusal("invalid_request", BAD_CODE)
        if code.challenge != _challenge(fields.get("code_verifier", "")):
            return _refusal("invalid_request", "Value passed for the code verifier did not match.")
        return self._give(code.grant)

    def _renew(self, token: str, client: str) -> Answer:
        if token in self._used:
            # One that was used before is in the wrong hands: all of its family ends.
            self._ended.add(self._used[token].family)
        grant = self._refresh.pop(token, None)
        if grant is None or grant.family in self._ended or grant.client != client:
            return _refusal("invalid_request", BAD_TOKEN)
        self._used[token] = grant
        return self._give(grant)

    def _revoke(self, token: str) -> Answer:
        grant = self._refresh.get(token) or self._access.get(token, (None,))[0]
        if grant:
            self._ended.add(grant.family)
        return as_json({"revoked": True})

    def _give(self, grant: Grant) -> Answer:
        access = self._text("access")
        self._access[access] = (grant, self._clock() + ACCESS_LIFE)
        given = {
            "token_type": "bearer",
            "expires_in": int(ACCESS_LIFE.total_seconds()),
            "access_token": access,
            "scope": grant.scope,
        }
        if "offline.access" in grant.scope.split():
            given["refresh_token"] = self._text("refresh")
            self._refresh[str(given["refresh_token"])] = grant
        return as_json(given)

    def _text(self, kind: str) -> str:
        self._count += 1
        return f"simulated-{kind}-{self._count}-{roll('x oauth', kind, self._count):016x}"


def _client(request: Request, fields: dict[str, str]) -> str | None:
    """Who asks; a confidential client must prove it, a public one only says it."""
    given = request.headers.get("authorization", "")
    if not given:
        return CLIENT_ID if fields.get("client_id") == CLIENT_ID else None
    pair = f"{CONFIDENTIAL_ID}:{CLIENT_SECRET}"
    is_right = given == f"Basic {base64.b64encode(pair.encode()).decode()}"
    return CONFIDENTIAL_ID if is_right else None


def _challenge(verifier: str) -> str:
    digest = hashlib.sha256(verifier.encode()).digest()
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()


def _back(asked: dict[str, str], more: dict[str, str]) -> Answer:
    question = urlencode({"state": asked.get("state", ""), **more})
    where = f"{asked['redirect_uri']}?{question}"
    answer = text("", "text/plain; charset=utf-8", status=302)
    return replace(answer, headers=(("Location", where),))


def _refusal(code: str, detail: str, status: int = 400) -> Answer:
    return as_json({"error": code, "error_description": detail}, status=status)

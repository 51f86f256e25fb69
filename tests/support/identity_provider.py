"""An identity provider on loopback: honest by default, and hostile in any way a test wants."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import secrets
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cache
from typing import Any
from urllib.parse import unquote, urlencode

from aiohttp import web
from joserfc import jwt
from joserfc.jwk import ECKey, RSAKey

CLIENT_ID = "clawfeed at home"
CLIENT_SECRET = "s:ecret/ä"  # noqa: S105 -- nobody's; with what must be encoded
Claims = dict[str, Any]


@cache
def rsa_key(name: str = "rsa-1") -> RSAKey:
    return RSAKey.generate_key(2048, {"kid": name, "use": "sig"})


@cache
def ec_key(name: str = "ec-1") -> ECKey:
    return ECKey.generate_key("P-256", {"kid": name, "use": "sig"})


def sign_rs256(claims: Claims) -> str:
    return jwt.encode({"alg": "RS256", "kid": "rsa-1"}, claims, rsa_key())


def sign_es256(claims: Claims) -> str:
    return jwt.encode({"alg": "ES256", "kid": "ec-1"}, claims, ec_key())


def sign_with_none(claims: Claims) -> str:
    return _unsigned({"alg": "none", "kid": "rsa-1"}, claims) + "."


def sign_with_public_key(claims: Claims) -> str:
    """HS256 with the RSA key everybody can read as its secret."""
    signed = _unsigned({"alg": "HS256", "kid": "rsa-1"}, claims)
    secret = rsa_key().as_pem(private=False)
    return f"{signed}.{_b64(hmac.digest(secret, signed.encode(), 'sha256'))}"


def sign_with_unknown_key(claims: Claims) -> str:
    return jwt.encode({"alg": "RS256", "kid": "rsa-9"}, claims, rsa_key("rsa-9"))


def sign_with_another_key_of_that_name(claims: Claims) -> str:
    return jwt.encode({"alg": "RS256", "kid": "rsa-1"}, claims, rsa_key("rsa-9"))


def sign_with_own_key_in_header(claims: Claims) -> str:
    """The token brings the key it wants to be checked with."""
    own = ec_key("ec-9")
    header = {"alg": "ES256", "kid": "ec-1", "jwk": own.as_dict(private=False)}
    return jwt.encode(header, claims, own)


def sign_and_spoil(claims: Claims) -> str:
    """A good signature under other claims."""
    head, _, signature = sign_rs256(claims).split(".")
    other = _b64(json.dumps(claims | {"sub": "somebody else"}).encode())
    return f"{head}.{other}.{signature}"


@dataclass(kw_only=True)
class Grant:
    """What a code stands for."""

    nonce: str
    redirect_uri: str
    challenge: str


@dataclass(kw_only=True)
class IdentityProvider:
    """What it says of the person in front of it, and how it misbehaves."""

    clock: Callable[[], datetime]
    port: int = 0
    subject: str = "248289761001"
    person: Claims = field(default_factory=lambda: {"email": "anna@example.org"})
    is_public_client: bool = False
    # Hostile switches.
    claims: Claims = field(default_factory=dict)  # over the honest ones; None removes
    sign: Callable[[Claims], str] = sign_rs256
    discovery: Claims = field(default_factory=dict)
    discovery_redirect: str | None = None
    keys: bytes | None = None
    token_answer: bytes | None = None
    says_iss: str | None = None
    ignores_pkce: bool = False
    # What was asked.
    asked: list[str] = field(default_factory=list)
    grants: dict[str, Grant] = field(default_factory=dict)

    @property
    def issuer(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def honest_keys(self) -> list[Any]:
        return [rsa_key().as_dict(private=False), ec_key().as_dict(private=False)]

    def seconds_after(self, wait: timedelta) -> int:
        return int((self.clock() + wait).timestamp())

    async def discover(self, _request: web.Request) -> web.Response:
        if self.discovery_redirect:
            return web.Response(status=302, headers={"Location": self.discovery_redirect})
        document = {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize?tenant=1",
            "token_endpoint": f"{self.issuer}/token",
            "jwks_uri": f"{self.issuer}/keys",
            "id_token_signing_alg_values_supported": ["RS256", "ES256"],
        }
        return web.json_response(document | self.discovery)

    async def show_keys(self, _request: web.Request) -> web.Response:
        body = json.dumps({"keys": self.honest_keys}).encode() if self.keys is None else self.keys
        return web.Response(body=body, content_type="application/json")

    async def authorize(self, request: web.Request) -> web.Response:
        """Everybody who comes here is signed in and agrees."""
        asked = request.query
        assert asked["client_id"] == CLIENT_ID
        assert asked["tenant"] == "1"
        assert (asked["response_type"], asked["code_challenge_method"]) == ("code", "S256")
        code = secrets.token_urlsafe(16)
        self.grants[code] = Grant(
            nonce=asked["nonce"],
            redirect_uri=asked["redirect_uri"],
            challenge=asked["code_challenge"],
        )
        answer = {"code": code, "state": asked["state"]}
        if self.says_iss is not None:
            answer["iss"] = self.says_iss
        place = f"{asked['redirect_uri']}?{urlencode(answer)}"
        return web.Response(status=302, headers={"Location": place})

    async def redeem(self, request: web.Request) -> web.Response:
        given = await request.post()
        grant = self.grants.pop(str(given["code"]), None)
        verifier = str(given["code_verifier"]).encode()
        is_proven = grant and _b64(hashlib.sha256(verifier).digest()) == grant.challenge
        is_ours = grant and given["redirect_uri"] == grant.redirect_uri
        if not self._knows(request, given.get("client_id")):
            return web.json_response({"error": "invalid_client"}, status=401)
        if grant is None or not is_ours or not (is_proven or self.ignores_pkce):
            return web.json_response({"error": "invalid_grant"}, status=400)
        if self.token_answer is not None:
            return web.Response(body=self.token_answer, content_type="application/json")
        token = self.sign(self._claims(grant))
        return web.json_response({"access_token": "x", "token_type": "Bearer", "id_token": token})

    def _claims(self, grant: Grant) -> Claims:
        honest = {
            "iss": self.issuer,
            "aud": CLIENT_ID,
            "sub": self.subject,
            "nonce": grant.nonce,
            "iat": int(self.clock().timestamp()),
            "exp": int((self.clock() + timedelta(minutes=5)).timestamp()),
        }
        told = honest | self.person | self.claims
        return {name: value for name, value in told.items() if value is not None}

    def _knows(self, request: web.Request, client_id: object) -> bool:
        if self.is_public_client:
            return client_id == CLIENT_ID and "Authorization" not in request.headers
        scheme, _, pair = request.headers.get("Authorization", "").partition(" ")
        name, _, secret = base64.b64decode(pair).decode().partition(":")
        return (scheme, unquote(name), unquote(secret)) == ("Basic", CLIENT_ID, CLIENT_SECRET)


@asynccontextmanager
async def identity_provider(clock: Callable[[], datetime]) -> AsyncIterator[IdentityProvider]:
    """A running provider; it tells in *asked* which of its doors were used."""
    provider = IdentityProvider(clock=clock)

    @web.middleware
    async def note(request: web.Request, handler: Any) -> web.StreamResponse:
        provider.asked.append(request.path)
        answer: web.StreamResponse = await handler(request)
        return answer

    app = web.Application(middlewares=[note])
    app.router.add_get("/.well-known/openid-configuration", provider.discover)
    app.router.add_get("/keys", provider.show_keys)
    app.router.add_get("/authorize", provider.authorize)
    app.router.add_post("/token", provider.redeem)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    provider.port = runner.addresses[0][1]
    try:
        yield provider
    finally:
        await runner.cleanup()


def _unsigned(header: Claims, claims: Claims) -> str:
    return ".".join(_b64(json.dumps(part).encode()) for part in (header, claims))


def _b64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()

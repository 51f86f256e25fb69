"""Asking a provider, through the house's only door: its doors, its keys, a code's worth."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from urllib.parse import quote, urlencode

from clawfeed.auth.oidc.errors import OidcRefusedError, unproven
from clawfeed.auth.oidc.metadata import (
    Metadata,
    PublishedKey,
    read_json,
    read_keys,
    read_metadata,
)
from clawfeed.auth.oidc.provider import Provider
from clawfeed.domain.errors import EgressError, RefusalCode
from clawfeed.egress.client import Egress
from clawfeed.egress.request_and_response import Request, Response
from clawfeed.egress.response_limits import Limits

# Google's discovery document and keys are 2 KB each. None of these answers redirects (ASVS 15.3.2).
LIMITS = Limits(total=timedelta(seconds=10), body=100_000, redirects=0)
METADATA_LIFETIME = timedelta(hours=1)
# Anybody can make up a key's name; that must not make us ask the provider each time.
UNKNOWN_KEY_PAUSE = timedelta(minutes=1)
_LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(slots=True, kw_only=True)
class _Known:
    """What we remember of one provider, and since when."""

    metadata: Metadata | None = None
    metadata_at: datetime = _LONG_AGO
    keys: tuple[PublishedKey, ...] = ()
    keys_at: datetime = _LONG_AGO
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)


class OidcClient:
    """Knows the providers; asks them no more often than needed.

    Raises `OidcRefusedError` when one does not answer, or not as it should.
    """

    def __init__(self, egress: Egress, clock: Callable[[], datetime]) -> None:
        self._egress, self._clock = egress, clock
        self._known: dict[str, _Known] = {}

    async def metadata(self, provider: Provider) -> Metadata:
        known = self._of(provider)
        async with known.lock:
            if known.metadata is None or self._age(known.metadata_at) >= METADATA_LIFETIME:
                known.metadata = await self._discover(provider)
                known.metadata_at = self._clock()
            return known.metadata

    async def key(self, provider: Provider, kid: str | None, algorithm: str) -> PublishedKey:
        """The key a token says it was signed with; asks again if it is new, once a minute."""
        metadata = await self.metadata(provider)
        known = self._of(provider)
        async with known.lock:
            found = _pick(known.keys, kid, algorithm)
            age = self._age(known.keys_at)
            if age >= METADATA_LIFETIME or (found is None and age >= UNKNOWN_KEY_PAUSE):
                # Noted first: a provider that fails is not asked more often than one that answers.
                known.keys, known.keys_at = (), self._clock()
                known.keys = read_keys(await self._get(metadata.jwks_uri))
                found = _pick(known.keys, kid, algorithm)
        if found is None:
            raise unproven("the token is signed with an unknown key")
        return found

    async def redeem(
        self, provider: Provider, *, code: str, code_verifier: str, redirect_uri: str
    ) -> str:
        """The id_token a code is worth."""
        metadata = await self.metadata(provider)
        fields = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": redirect_uri,
            "code_verifier": code_verifier,
            **({} if provider.client_secret else {"client_id": provider.client_id}),
        }
        answer = await self._ask(
            Request(
                url=metadata.token_endpoint,
                method="POST",
                headers=_headers(provider),
                body=urlencode(fields).encode(),
                limits=LIMITS,
            )
        )
        token = read_json(answer.body).get("id_token")
        if not isinstance(token, str):
            raise unproven("the token endpoint gave no id_token")
        return token

    async def _discover(self, provider: Provider) -> Metadata:
        address = f"{provider.issuer.rstrip('/')}/.well-known/openid-configuration"
        return read_metadata(provider, await self._get(address), self._egress.guard.check_url)

    async def _get(self, url: str) -> Mapping[str, object]:
        request = Request(url=url, headers={"Accept": "application/json"}, limits=LIMITS)
        return read_json((await self._ask(request)).body)

    async def _ask(self, request: Request) -> Response:
        try:
            answer = await self._egress.request(request)
        except EgressError as error:
            why = f"the provider did not answer: {error.reason}"
            raise OidcRefusedError(RefusalCode.PROVIDER_UNREACHABLE, why) from None
        if answer.status != 200:
            raise unproven(f"the provider answered with status {answer.status}")
        return answer

    def _of(self, provider: Provider) -> _Known:
        return self._known.setdefault(provider.slug, _Known())

    def _age(self, moment: datetime) -> timedelta:
        # A clock set back must not keep keys for longer than the rule itself.
        return abs(self._clock() - moment)


def _headers(provider: Provider) -> dict[str, str]:
    headers = {
        "Accept": "application/json",
        "Content-Type": "application/x-www-form-urlencoded",
    }
    if provider.client_secret:
        # RFC 6749, 2.3.1: both parts are form-encoded before they are joined.
        pair = f"{quote(provider.client_id, '')}:{quote(provider.client_secret.reveal(), '')}"
        headers["Authorization"] = f"Basic {base64.b64encode(pair.encode()).decode()}"
    return headers


def _pick(keys: tuple[PublishedKey, ...], kid: str | None, algorithm: str) -> PublishedKey | None:
    fitting = [key for key in keys if key.algorithm == algorithm and kid in (None, key.kid)]
    # A token need not name its key where there is only one it could mean (OpenID Connect, 10.1).
    return fitting[0] if len(fitting) == 1 or (fitting and kid is not None) else None

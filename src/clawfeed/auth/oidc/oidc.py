"""Signing in by OpenID Connect: the code flow with PKCE, and nothing looser (T16).

1. `start` makes state, nonce and verifier, binds them to this browser and sends it away.
2. The provider sends the browser back with a code; `finish` takes the sign-in off the list,
   redeems the code, checks the token and opens a session, or nobody gets in.
"""

from __future__ import annotations

import base64
import hashlib
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeVar
from urllib.parse import urlencode

from clawfeed.auth.client_address import Client
from clawfeed.auth.limits.login_throttle import LoginThrottle
from clawfeed.auth.oidc.accounts import AccountPolicy, ProviderAccounts
from clawfeed.auth.oidc.client import OidcClient
from clawfeed.auth.oidc.errors import OidcRefusedError, stale, unproven
from clawfeed.auth.oidc.id_token import read_header, verify
from clawfeed.auth.oidc.metadata import Metadata
from clawfeed.auth.oidc.provider import Provider
from clawfeed.auth.return_path import next_path
from clawfeed.auth.sign_in import NewSession, SignIn
from clawfeed.auth.tokens import hash_of, is_same, new_token
from clawfeed.domain.errors import NotFoundError, RefusalCode
from clawfeed.domain.people.users import User
from clawfeed.egress.client import Egress
from clawfeed.storage.audit import Action, AuditLog
from clawfeed.storage.database import Database
from clawfeed.storage.people.login_throttles import ThrottleCounter, Throttles, address_counter
from clawfeed.storage.people.oidc_flows import OidcFlow, OidcFlows

log = logging.getLogger(__name__)

SCOPE = "openid email profile"
LONGEST_CODE = 4096
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class OidcConfig:
    """What the operator set. Addresses of ours are made from *base_url* alone."""

    base_url: str
    providers: tuple[Provider, ...] = ()
    policy: AccountPolicy = field(default_factory=AccountPolicy)


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthorizationRequest:
    """Where to send a browser, and the token for its cookie."""

    url: str = field(repr=False)
    browser_token: str = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedIn:
    """Somebody is in; *next_path* is a page of ours."""

    session: NewSession
    next_path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthorizationResponse:
    """What a browser brought back in its address.

    That there is an error counts, what it says does not: whoever made the link wrote it.
    """

    state: str | None = field(repr=False)
    code: str | None = field(repr=False)
    issuer: str | None
    is_error: bool

    @classmethod
    def of(cls, parameters: Sequence[tuple[str, str]]) -> AuthorizationResponse:
        """Refuses a parameter that came twice: two readers would choose two."""
        names = [name for name, _ in parameters]
        if any(names.count(name) > 1 for name in ("state", "code", "iss", "error")):
            raise stale("a parameter came twice")
        given = dict(parameters)
        return cls(
            state=given.get("state"),
            code=given.get("code"),
            issuer=given.get("iss"),
            is_error="error" in given,
        )


class OidcSignIn:
    """Takes people to a provider and back."""

    def __init__(
        self,
        config: OidcConfig,
        database: Database,
        clock: Callable[[], datetime],
        egress: Egress,
        signing_in: SignIn,
    ) -> None:
        self._base_url, self._clock = config.base_url, clock
        self._providers = {provider.slug: provider for provider in config.providers}
        self._desk, self._signing_in = OidcClient(egress, clock), signing_in
        self._accounts = ProviderAccounts(config.policy, database, clock)
        self._flows, self._audit = OidcFlows(database), AuditLog(database)
        self._guesses = LoginThrottle(throttles=Throttles(database), clock=clock)

    async def start(self, slug: str, wanted: str | None, client: Client) -> AuthorizationRequest:
        """Begin a sign-in; `NotFoundError`, `OidcRefusedError`, or 429 when braked."""
        # Counted, and given back by whoever comes back in: each start costs a row and a request.
        await self._guesses.enter(_counter(client))
        provider = self._provider(slug)
        metadata = await self._noting(self._desk.metadata(provider), provider, client)
        state, nonce, verifier, browser = (new_token() for _ in range(4))
        flow = OidcFlow(
            state_hash=hash_of(state),
            browser_hash=hash_of(browser),
            nonce_hash=hash_of(nonce),
            provider=slug,
            code_verifier=verifier,
            next_path=next_path(wanted),
        )
        await self._flows.begin(flow, now=self._clock())
        url = self._authorization_url(provider, metadata, state, nonce, verifier)
        return AuthorizationRequest(url=url, browser_token=browser)

    async def finish(
        self,
        slug: str,
        parameters: Sequence[tuple[str, str]],
        browser_token: str | None,
        client: Client,
        *,
        old_token: str | None = None,
        device: str | None = None,
    ) -> SignedIn:
        """Open a session; `NotFoundError`, `OidcRefusedError`, or 429 when braked."""
        await self._guesses.enter(_counter(client))
        provider = self._provider(slug)
        proving = self._prove(provider, parameters, browser_token, client)
        user, flow = await self._noting(proving, provider, client)
        session = await self._signing_in.sign_in_known(
            user, client, old_token=old_token, device=device
        )
        for _ in ("the start", "the way back"):
            await self._guesses.succeed(_counter(client))
        return SignedIn(session=session, next_path=next_path(flow.next_path))

    async def _prove(
        self,
        provider: Provider,
        parameters: Sequence[tuple[str, str]],
        browser_token: str | None,
        client: Client,
    ) -> tuple[User, OidcFlow]:
        """Who came back, by everything we can check; the order is the promise of the module."""
        returned = AuthorizationResponse.of(parameters)
        flow = await self._take(provider, returned, browser_token)
        _check_issuer(returned, provider, await self._desk.metadata(provider))
        if returned.is_error or not returned.code or len(returned.code) > LONGEST_CODE:
            raise unproven("the provider gave no code")
        token = await self._desk.redeem(
            provider,
            code=returned.code,
            code_verifier=flow.code_verifier,
            redirect_uri=provider.redirect_uri(self._base_url),
        )
        header = read_header(token)
        key = await self._desk.key(provider, header.kid, header.algorithm)
        identity = verify(token, key, provider, nonce_hash=flow.nonce_hash, now=self._clock())
        return await self._accounts.account_of(identity, client), flow

    async def _take(
        self, provider: Provider, returned: AuthorizationResponse, browser_token: str | None
    ) -> OidcFlow:
        if not returned.state:
            raise stale("the state is missing")
        flow = await self._flows.take(hash_of(returned.state), now=self._clock())
        if flow is None:
            raise stale("the state is unknown, used or too old")
        if not browser_token or not is_same(hash_of(browser_token), flow.browser_hash):
            raise stale("the sign-in began in another browser")
        if flow.provider != provider.slug:
            raise stale("the sign-in began at another provider")
        return flow

    def _provider(self, slug: str) -> Provider:
        provider = self._providers.get(slug)
        if provider is None:
            raise NotFoundError(
                "there is no such provider to sign in with", RefusalCode.PROVIDER_MISSING
            )
        return provider

    def _authorization_url(
        self, provider: Provider, metadata: Metadata, state: str, nonce: str, verifier: str
    ) -> str:
        question = {
            "response_type": "code",
            "client_id": provider.client_id,
            "redirect_uri": provider.redirect_uri(self._base_url),
            "scope": SCOPE,
            "state": state,
            "nonce": nonce,
            "code_challenge": code_challenge(verifier),
            "code_challenge_method": "S256",
        }
        endpoint = metadata.authorization_endpoint
        return f"{endpoint}{'&' if '?' in endpoint else '?'}{urlencode(question)}"

    async def _noting(self, trying: Awaitable[T], provider: Provider, client: Client) -> T:
        """What was awaited; a refusal is written down on its way out."""
        try:
            return await trying
        except OidcRefusedError as error:
            await self._audit.add(
                Action.SIGN_IN_FAILED,
                user_id=None,
                detail=f"{provider.slug}: {error.why}",
                client=str(client),
                now=self._clock(),
            )
            log.info(
                "sign-in by a provider refused",
                extra={"provider": provider.slug, "why": error.why, "from": client.address},
            )
            raise


def code_challenge(verifier: str) -> str:
    """The S256 challenge of a verifier (RFC 7636, 4.2)."""
    digest = hashlib.sha256(verifier.encode("ascii")).digest()
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode("ascii")


def _check_issuer(returned: AuthorizationResponse, provider: Provider, metadata: Metadata) -> None:
    """RFC 9207: an answer that says whose it is must be this provider's; some must say."""
    if returned.issuer is None and metadata.names_itself:
        raise unproven("the answer does not say whose it is")
    if returned.issuer not in (None, provider.issuer):
        raise unproven("the answer is another provider's")


def _counter(client: Client) -> ThrottleCounter:
    """Of its own: wrong passwords at an address keep nobody there from their provider."""
    return address_counter(client.address, "provider")

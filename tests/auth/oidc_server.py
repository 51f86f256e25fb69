"""Sign-in beside a real identity provider, and browsers that go to it and come back."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from http.cookies import SimpleCookie
from urllib.parse import parse_qs, quote, urlsplit

import aiohttp

from clawfeed.api.http.application import RequestGuards, build_application
from clawfeed.auth.authentication import AccountAuthenticator, AuthenticatorConfig
from clawfeed.auth.cookies import BrowserCookies
from clawfeed.auth.oidc.accounts import AccountPolicy
from clawfeed.auth.oidc.cookie import PendingCookie
from clawfeed.auth.oidc.oidc import OidcConfig, OidcSignIn
from clawfeed.auth.oidc.provider import Provider
from clawfeed.auth.password_hashing import Passwords
from clawfeed.auth.sign_in import SignIn, SignInConfig
from clawfeed.domain.people.users import Role, User
from clawfeed.domain.secret import Secret
from clawfeed.egress.client import Egress, EgressConfig
from clawfeed.egress.politeness import Manners
from clawfeed.storage.audit import Action, AuditLog
from clawfeed.storage.database import Database
from clawfeed.storage.people.oidc_identities import Identities
from clawfeed.storage.people.users import IdentityKey, NewUser, UserStore
from clawfeed.web.sign_in.oidc import OidcPages, oidc_routes
from tests.egress.loopback_servers import HURRIED
from tests.support.api_callers import EveryTimeAnew
from tests.support.clocks import NOON, FakeClock
from tests.support.identity_provider import (
    CLIENT_ID,
    CLIENT_SECRET,
    IdentityProvider,
    identity_provider,
)
from tests.support.pages import a_site
from tests.support.socket_server import Answer, Client, served, set_cookies

SITE = "https://feeds.example"
START, CALLBACK = "/auth/oidc/sso/start", "/auth/oidc/sso/callback"
SESSION, PENDING = "__Host-sid", "__Host-oidc"


@dataclass(kw_only=True)
class OidcServer:
    """An open house, its providers, and what a test wants to look at."""

    database: Database
    clock: FakeClock
    idp: IdentityProvider
    second_idp: IdentityProvider
    policy: AccountPolicy = field(default_factory=AccountPolicy)
    manners: Manners = HURRIED

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Client]:
        ports = (self.idp.port, self.second_idp.port)
        allow = ",".join(f"127.0.0.1:{port}" for port in ports)
        config = EgressConfig(allow=allow, manners=self.manners)
        async with Egress(config, clock=self.clock, dice=lambda: 0.5) as egress:
            door = AccountAuthenticator(
                AuthenticatorConfig(base_url=SITE), self.database, self.clock
            )
            guards = RequestGuards(door=door, replays=EveryTimeAnew())
            app = build_application("9.9", [oidc_routes(self._pages(egress))], guards)
            async with served(app) as client:
                yield client

    def _pages(self, egress: Egress) -> OidcPages:
        quick = Passwords(memory_kib=64)
        signing_in = SignIn(SignInConfig(base_url=SITE), self.database, self.clock, quick)
        config = OidcConfig(
            base_url=SITE,
            providers=(_provider("sso", self.idp), _provider("second", self.second_idp)),
            policy=self.policy,
        )
        return OidcPages(
            site=a_site(self.database, SITE, self.clock),
            sign_in=OidcSignIn(config, self.database, self.clock, egress, signing_in),
            cookies=BrowserCookies.of(SITE),
            pending=PendingCookie.of(SITE),
        )

    async def add(self, name: str, role: Role = Role.USER) -> User:
        new = NewUser(email=f"{name}@example.org", name=name, role=role)
        return await UserStore(self.database).add(new, now=NOON)

    async def add_known(self, name: str = "anna", subject: str | None = None) -> User:
        """Somebody whom the first provider has brought before."""
        key = IdentityKey(issuer=self.idp.issuer, subject=subject or self.idp.subject)
        new = NewUser(email=f"{name}@example.org", name=name)
        return await Identities(self.database).add(new, key, now=NOON)

    async def sessions(self) -> list[int]:
        """Whose sessions there are."""
        rows = await self.database.read("SELECT user_id FROM sessions ORDER BY id")
        return [int(row["user_id"]) for row in rows]

    async def last_reason(self) -> str:
        """Why the last sign-in failed; fails if it did not."""
        action, detail = await self.last_event()
        assert action == Action.SIGN_IN_FAILED
        return detail

    async def last_event(self) -> tuple[str, str]:
        event = (await AuditLog(self.database).list(limit=1))[0]
        return event.action, event.detail


@asynccontextmanager
async def house_with_providers(database: Database) -> AsyncIterator[OidcServer]:
    clock = FakeClock()
    async with identity_provider(clock) as first, identity_provider(clock) as second:
        yield OidcServer(database=database, clock=clock, idp=first, second_idp=second)


class Traveller:
    """A browser: keeps our cookies, goes where it is sent, and comes back to our address."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self.cookies: dict[str, str] = {}

    async def get(self, path: str, **headers: str) -> Answer:
        if self.cookies:
            headers["Cookie"] = "; ".join(f"{name}={text}" for name, text in self.cookies.items())
        answer = await self._client.get(path, headers)
        for line in set_cookies(answer):
            for name, morsel in SimpleCookie(line).items():
                self.cookies.pop(name, None)
                if morsel["max-age"] != "0":
                    self.cookies[name] = morsel.value
        return answer

    async def depart(self, wanted: str = "/", slug: str = "sso") -> str:
        """The address at the provider we are sent to."""
        answer = await self.get(f"/auth/oidc/{slug}/start?next={quote(wanted, '')}")
        assert answer.status == 302, answer.text
        return answer.headers["Location"]

    async def come_back(self, address: str) -> str:
        """The path at our own address the provider sends us back to."""
        async with (
            aiohttp.ClientSession() as session,
            session.get(address, allow_redirects=False) as answer,
        ):
            assert answer.status == 302
            back = answer.headers["Location"]
        assert back.startswith(SITE)
        return back.removeprefix(SITE)

    async def sign_in(self, wanted: str = "/", slug: str = "sso") -> Answer:
        """The whole way; if we are refused at the start, that answer."""
        started = await self.get(f"/auth/oidc/{slug}/start?next={quote(wanted, '')}")
        if started.status != 302:
            return started
        return await self.get(await self.come_back(started.headers["Location"]))


async def assert_nobody_got_in(house: OidcServer, traveller: Traveller, answer: Answer) -> None:
    assert answer.status in {400, 403}
    assert SESSION not in traveller.cookies
    assert not any(line.startswith(SESSION) for line in set_cookies(answer))
    assert await house.sessions() == []


def question(address: str) -> dict[str, str]:
    """The parameters of an address, one of each."""
    return {name: value for name, [value] in parse_qs(urlsplit(address).query).items()}


def _provider(slug: str, idp: IdentityProvider) -> Provider:
    return Provider(
        slug=slug,
        name=slug,
        issuer=idp.issuer,
        client_id=CLIENT_ID,
        client_secret=None if idp.is_public_client else Secret(CLIENT_SECRET),
    )

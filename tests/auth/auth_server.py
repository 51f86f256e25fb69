"""Sign-in and guards on a real database behind a real socket, and browsers that go in and out."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from http.cookies import SimpleCookie
from urllib.parse import urlencode

from clawfeed.api.http.application import RequestGuards, build_application
from clawfeed.api.people.accounts import Accounts, account_routes
from clawfeed.api.people.keys import key_routes
from clawfeed.api.people.users import people_routes
from clawfeed.app.wiring.pages import account_routers
from clawfeed.auth.authentication import AccountAuthenticator, AuthenticatorConfig
from clawfeed.auth.client_address import TrustedProxies
from clawfeed.auth.cookies import BrowserCookies
from clawfeed.auth.password_hashing import Passwords
from clawfeed.auth.sign_in import SignIn, SignInConfig
from clawfeed.domain.people.users import Role, User
from clawfeed.domain.secret import Secret
from clawfeed.storage.database import Database
from clawfeed.storage.people.users import NewUser, UserStore
from clawfeed.web.account.account_context import AccountPages
from clawfeed.web.sign_in.sign_in import SignInPages, sign_in_routes
from tests.support.api_callers import EveryTimeAnew
from tests.support.clocks import NOON, FakeClock
from tests.support.pages import a_site, reading_room
from tests.support.socket_server import Answer, Client, served, set_cookies

SITE = "https://feeds.example"
OPERATORS_KEY = "operator-key-with-many-letters"
PASSWORD = "four unrelated words here"  # noqa: S105 -- nobody's
# Argon2 as the product uses it takes 100 ms; what it costs is not what these tests are about.
QUICK = Passwords(memory_kib=64)


@dataclass(kw_only=True)
class AuthServer:
    """What a test can turn, and look at."""

    database: Database
    clock: FakeClock = field(default_factory=FakeClock)
    welcomed: list[User] = field(default_factory=list)
    may_register: bool = False
    requests_per_minute: int = 0
    trusted_proxies: TrustedProxies = ()
    passwords: Passwords = QUICK
    api_key: str = OPERATORS_KEY
    welcome: Callable[[User], Awaitable[None]] | None = None  # instead of being put on that list

    def signing_in(self) -> SignIn:
        async def welcome(user: User) -> None:
            self.welcomed.append(user)

        config = SignInConfig(base_url=SITE, may_register=self.may_register)
        return SignIn(config, self.database, self.clock, self.passwords, self.welcome or welcome)

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Client]:
        signing_in, cookies = self.signing_in(), BrowserCookies.of(SITE)
        config = AuthenticatorConfig(
            base_url=SITE,
            api_key=Secret(self.api_key),
            requests_per_minute=self.requests_per_minute,
        )
        accounts = Accounts(
            database=self.database,
            clock=self.clock,
            signing_in=signing_in,
            cookies=cookies,
            trusted_proxies=self.trusted_proxies,
        )
        site = a_site(self.database, SITE, self.clock)
        pages = SignInPages(
            site=site,
            signing_in=signing_in,
            cookies=cookies,
            trusted_proxies=self.trusted_proxies,
        )
        door = AccountAuthenticator(config, self.database, self.clock)
        app = build_application(
            "9.9",
            [
                account_routes(accounts),
                key_routes(accounts),
                people_routes(accounts),
                sign_in_routes(pages),
                *account_routers(
                    AccountPages(
                        site=site,
                        database=self.database,
                        signing_in=signing_in,
                        cookies=cookies,
                        base_url=SITE,
                    )
                ),
                *reading_room(site, self.database),
            ],
            RequestGuards(door=door, replays=EveryTimeAnew()),
        )
        async with served(app) as client:
            yield client

    async def add(self, name: str, role: Role = Role.USER) -> User:
        """`NAME@example.org` with `PASSWORD`."""
        new = NewUser(
            email=f"{name}@example.org",
            name=name,
            role=role,
            password_hash=self.passwords.hash_now(PASSWORD),
        )
        return await UserStore(self.database).add(new, now=NOON)


class Browser:
    """Keeps its cookies and says its Origin, as browsers do."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self.cookies: dict[str, str] = {}

    async def ask(
        self,
        method: str,
        path: str,
        body: object = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        sent = {"Origin": SITE, "Sec-Fetch-Site": "same-origin", **(headers or {})}
        if self.cookies:
            sent["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        answer = await self._client.ask(method, path, sent, body)
        for line in set_cookies(answer):
            for name, morsel in SimpleCookie(line).items():
                self.cookies[name] = morsel.value
        return answer

    async def get(self, path: str) -> Answer:
        return await self.ask("GET", path)

    async def post(self, path: str, body: object = None) -> Answer:
        return await self.ask("POST", path, body)

    async def submit(self, path: str, **fields: str) -> Answer:
        """Send a form."""
        kind = {"Content-Type": "application/x-www-form-urlencoded"}
        return await self.ask("POST", path, urlencode(fields).encode(), kind)

    async def login(self, name: str, password: str = PASSWORD) -> Answer:
        given = {"email": f"{name}@example.org", "password": password}
        return await self.post("/api/auth/login", given)


def bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}

"""The whole application as `clawfeed serve` wires it, with an admin, Anna and Ben in it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from fastapi.routing import APIRoute

from clawfeed.api.http.application import RequestGuards, build_application
from clawfeed.app.clock import system_clock
from clawfeed.app.settings.config_loading import load_config
from clawfeed.app.wiring.fetching import opened_sources
from clawfeed.app.wiring.pages import site_of
from clawfeed.app.wiring.people import authenticator_of, signing_in_of
from clawfeed.app.wiring.server import replays_of, routers
from clawfeed.auth.authorization import Access, access_of
from clawfeed.auth.tokens import new_key
from clawfeed.domain.people.users import Role, Scope
from clawfeed.runtime.stop import Stop
from clawfeed.sources.source_types.built_in import BUILT_IN
from clawfeed.sources.source_types.source_type import SourceTypes
from clawfeed.storage.database import Database, execute
from clawfeed.storage.people.api_keys import ApiKeys, NewKey
from clawfeed.storage.people.users import NewUser, UserStore
from clawfeed.web.frame.error_pages import ErrorPages
from tests.support.channel_kinds import Loft, kinds_sending_to
from tests.support.hands import a_hand
from tests.support.socket_server import Client, served

SITE = "http://127.0.0.1:8767"
KEY = "0123456789abcdef0123456789abcdef"
Headers = dict[str, str]


_NUMBERS = (
    "source_id", "session_id", "key_id", "user_id", "mark_id", "digest_id", "story_id", "vote_id",
    "token_id", "channel_id", "message_id", "task_id",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Door:
    """One way into the house: a method and a path."""

    method: str
    path: str
    access: Access

    @property
    def is_safe(self) -> bool:
        return self.method in {"GET", "HEAD"}

    def at(self, **values: object) -> str:
        """The path with *values* in its places; a one where none is given."""
        path = self.path.replace(":number", "")
        for name in _NUMBERS:
            path = path.replace(f"{{{name}}}", str(values.get(name, 1)))
        for name in ("slug", "key", "token", "provider"):
            path = path.replace(f"{{{name}}}", str(values.get(name, "a")))
        return path


@dataclass(frozen=True, slots=True, kw_only=True)
class WholeServer:
    """Every door, and three people with keys of every reach."""

    client: Client
    database: Database
    doors: list[Door]
    keys: dict[tuple[str, Scope], Headers]

    def as_(self, name: str, scope: Scope = Scope.WRITE) -> Headers:
        """With a key of this reach, or of as much as this person may."""
        return self.keys.get((name, scope)) or self.keys[name, Scope.WRITE]


@asynccontextmanager
async def whole_house(
    database: Database,
    folder: Path,
    *,
    types: SourceTypes = BUILT_IN,
    settings: Mapping[str, str] | None = None,
) -> AsyncIterator[WholeServer]:
    usual = {"STARTER_PACK": "false", "API_REQUESTS_PER_MINUTE": "0", "SECRETS_KEY": KEY}
    config = load_config({**usual, **(settings or {})}, directory=folder, types=types)
    async with opened_sources(config, database) as tools:
        channel_types = kinds_sending_to(Loft())  # nothing leaves
        signing_in = signing_in_of(config, database)
        site = site_of(config, database)
        closing = Stop()
        closing.ask()  # answers that last end at once: whoever opens every door reads them whole
        routes = routers(
            config, database, tools, signing_in, site, channel_types=channel_types, closing=closing
        )
        guards = RequestGuards(
            door=authenticator_of(config, database),
            replays=replays_of(database),
        )
        keys = await _add_people(database)
        app = build_application("9.9", routes, guards, error_page=ErrorPages(site))
        async with served(app) as client:
            yield WholeServer(
                client=client,
                database=database,
                keys=keys,
                doors=[
                    Door(method=method, path=route.path, access=access_of(route.endpoint))
                    for room in routes
                    for route in room.routes
                    if isinstance(route, APIRoute)
                    for method in sorted(route.methods or ())
                ],
            )


async def _add_people(database: Database) -> dict[tuple[str, Scope], Headers]:
    people, store, now = UserStore(database), ApiKeys(database), system_clock()
    found: dict[tuple[str, Scope], Headers] = {}
    for name in ("admin", "anna", "ben"):
        role = Role.ADMIN if name == "admin" else Role.USER
        user = await people.add(NewUser(email=f"{name}@example.org", name=name, role=role), now=now)
        for scope in Scope if user.is_admin else (Scope.READ, Scope.WRITE):
            key = new_key()
            new = NewKey(
                user_id=user.id,
                name=str(scope),
                key_id=key.key_id,
                key_hash=key.key_hash,
                last4=key.last4,
                scope=scope,
                expires_at=now + timedelta(days=1),
            )
            await store.add(new, a_hand(now))
            found[name, scope] = {"Authorization": f"Bearer {key.text}"}
    # What a test finds written down, it did.
    await execute(database, "DELETE FROM audit_log", {})
    return found

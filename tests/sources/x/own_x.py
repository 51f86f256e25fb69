"""People who let us read their own X: the simulated X, a real database, and collectors."""

from __future__ import annotations

from collections.abc import Callable

import aiohttp

from clawfeed.auth.x_authorisation import XAuthorisationFlow
from clawfeed.domain.ids import UserId
from clawfeed.domain.secret import Secret
from clawfeed.simulator.services.x_oauth import CLIENT_ID, CLIENT_SECRET, CONFIDENTIAL_ID
from clawfeed.sources.parsing.pool import ParseConfig, ParsePool
from clawfeed.sources.source_types.built_in import BUILT_IN
from clawfeed.sources.x.fetcher import Twitter
from clawfeed.sources.x.oauth import XApplication, XOAuth
from clawfeed.sources.x.personal_tokens import XTokens
from clawfeed.storage.database import Database
from clawfeed.storage.people.x_authorisations import XAuthorisation, XAuthorisations
from tests.sources.simulated_world import Stage
from tests.sources.x.simulated_x import Purse, endpoint_of, settings

CALLBACK = "https://feeds.example/auth/x/callback"


def application(stage: Stage, *, secret: str | None = None) -> XApplication:
    """Ours at the simulated X: a public client, or with a *secret* a confidential one."""
    return XApplication(
        client_id=CLIENT_ID if secret is None else CONFIDENTIAL_ID,
        client_secret=None if secret is None else Secret(secret),
        redirect_uri=CALLBACK,
        api_base_url=f"{stage.url}/x",
        authorize_url=f"{stage.url}/x/i/oauth2/authorize",
    )


def oauth(stage: Stage, *, secret: str | None = CLIENT_SECRET) -> XOAuth:
    return XOAuth(application(stage, secret=secret), egress=stage.egress, clock=stage.clock)


def authorising(database: Database, stage: Stage) -> XAuthorisationFlow:
    return XAuthorisationFlow(database, stage.clock, oauth(stage), BUILT_IN)


def x_tokens(
    database: Database,
    stage: Stage,
    *,
    house: str | None = None,
    secret: str | None = CLIENT_SECRET,
    is_dead: Callable[[str], bool] = lambda _worker: False,
) -> XTokens:
    """What one collector knows of tokens."""
    return XTokens(
        store=XAuthorisations(database),
        oauth=oauth(stage, secret=secret),
        clock=stage.clock,
        worker="w",
        is_dead=is_dead,
        house=Secret(house) if house else None,
    )


def fetcher(
    stage: Stage,
    tokens: XTokens,
    kind: str = "twitter_bookmarks",
    *,
    purse: Purse | None = None,
    bridges: tuple[str, ...] = (),
    parse: ParsePool | None = None,
) -> Twitter:
    return Twitter(
        endpoint_of(kind),
        egress=stage.egress,
        parse=parse or ParsePool(ParseConfig()),
        clock=stage.clock,
        settings=settings(stage, bridges=bridges),
        budget=purse or Purse(),
        personal=tokens,
    )


async def visit(url: str) -> str:
    """Where a browser is sent from *url*."""
    async with (
        aiohttp.ClientSession() as session,
        session.get(url, allow_redirects=False) as answer,
    ):
        return answer.headers.get("Location", "")


async def authorise(
    database: Database, stage: Stage, user: UserId, *, reader: int = 0
) -> XAuthorisation:
    """Let us in as one of the simulated people."""
    desk = authorising(database, stage)
    begun = desk.begin_here(user)
    return await desk.finish_here(begun, await visit(f"{begun.url}&reader={reader}"))

"""Letting ClawFeed read one's own X: begin, look, take back (S001-20). No token is ever shown."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from fastapi import APIRouter, Request, Response
from pydantic import ConfigDict

from clawfeed.api.http.responses import MISSING_RESPONSE, NO_STORE, REFUSALS, json_answer
from clawfeed.api.sources.source_schemas import Schema
from clawfeed.auth.authorization import Access, SignedIn, guarded_router, open_to
from clawfeed.auth.client_address import TrustedProxies
from clawfeed.auth.limits.action_rate_limits import RateLimit
from clawfeed.auth.request_actor import Doorkeeper
from clawfeed.auth.x_authorisation import XAuthorisationFlow
from clawfeed.domain.moments import iso
from clawfeed.storage.people.x_authorisations import XAuthorisation


@dataclass(frozen=True, slots=True, kw_only=True)
class XAuthorisationApi(Doorkeeper):
    """What these endpoints need."""

    authorising: XAuthorisationFlow
    beginnings: RateLimit
    trusted_proxies: TrustedProxies = ()


class XStatusSchema(Schema):
    """*status* is `none`, `active` or `auth_required`: X takes it no more, so begin anew."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "example": {
                "status": "active",
                "handle": "ana",
                "scopes": ["tweet.read", "offline.access"],
                "authorised_at": "2026-11-15T12:00:00Z",
            }
        },
    )

    status: Literal["none", "active", "auth_required"]
    handle: str | None
    scopes: list[str]
    authorised_at: datetime | None


class XBegunSchema(Schema):
    """*url* is for a browser in which you are signed in here, until *expires_at*."""

    url: str
    expires_at: datetime


class XRevokedSchema(Schema):
    """*revoked_at_x* is false if X did not confirm it: end it in X's own settings too."""

    handle: str
    revoked_at_x: bool


def x_routes(api: XAuthorisationApi) -> APIRouter:
    router = guarded_router("/api/x/authorisation", tag="x")

    @router.get(
        "",
        summary="Whether ClawFeed may read your own X",
        response_model=XStatusSchema,
        responses=REFUSALS,
    )
    @open_to(Access.READ)
    async def status(caller: SignedIn) -> Response:
        found = await api.authorising.status(caller.user.id)
        return json_answer(status_as_json(found), headers=NO_STORE)

    @router.post(
        "",
        summary="Begin: the address at X where you let ClawFeed in",
        status_code=201,
        response_model=XBegunSchema,
        responses=REFUSALS,
    )
    @open_to(Access.WRITE)
    async def begin(caller: SignedIn) -> Response:
        api.beginnings.take(caller.user.id)
        begun = await api.authorising.begin(caller.user.id, caller.session)
        # Nobody keeps the state, our memory for repeated requests neither.
        return json_answer({"url": begun.url, "expires_at": iso(begun.ends_at)}, 201, NO_STORE)

    @router.delete(
        "",
        summary="Take it back, here and at X",
        response_model=XRevokedSchema,
        responses={**REFUSALS, **MISSING_RESPONSE},
    )
    @open_to(Access.WRITE)
    async def revoke(request: Request, caller: SignedIn) -> Response:
        client = str(api.client(request))
        done = await api.authorising.revoke(caller.user.id, client=client)
        return json_answer({"handle": done.handle, "revoked_at_x": done.at_x})

    return router


def status_as_json(found: XAuthorisation | None) -> dict[str, object]:
    """What may be told of an authorisation: whose it is and whether it works."""
    if found is None:
        return {"status": "none", "handle": None, "scopes": [], "authorised_at": None}
    return {
        "status": "auth_required" if found.ended_because else "active",
        "handle": found.handle,
        "scopes": list(found.pair.scopes),
        "authorised_at": iso(found.authorised_at),
    }

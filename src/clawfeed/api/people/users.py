"""People as an admin sees them: who has an account, who administers, who did what."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from clawfeed.api.http.request_fields import Cursor, Limit, PathId
from clawfeed.api.http.responses import CONFLICT_RESPONSE, MISSING_RESPONSE
from clawfeed.api.people.account_schemas import (
    EventsSchema,
    Invitation,
    InvitedSchema,
    PeopleSchema,
    UserChange,
    UserSchema,
    account_as_json,
    event_as_json,
    user_as_json,
)
from clawfeed.api.people.accounts import Accounts, answers, private
from clawfeed.auth.authorization import Access, SignedIn, guarded_router, open_to
from clawfeed.auth.people_admin import PeopleAdmin
from clawfeed.domain.ids import UserId
from clawfeed.domain.pagination import id_in, page_of
from clawfeed.storage.audit import AuditLog
from clawfeed.storage.people.users import UserStore


def people_routes(accounts: Accounts) -> APIRouter:
    router = guarded_router("/api", tag="people")
    _add_people(router, accounts)
    _add_audit(router, accounts)
    return router


def _add_people(router: APIRouter, accounts: Accounts) -> None:
    people = PeopleAdmin(
        database=accounts.database, signing_in=accounts.signing_in, clock=accounts.clock
    )

    @router.get("/users", summary="Everybody with an account", **answers(PeopleSchema))
    @open_to(Access.ADMIN)
    async def list_users(limit: Limit = 100, cursor: Cursor = "") -> Response:
        found = await UserStore(accounts.database).list(after=id_in(cursor) or 0, limit=limit + 1)
        page, more = page_of(found, limit, lambda account: (account.user.id,))
        return private({"users": [account_as_json(each) for each in page], "next_cursor": more})

    @router.post(
        "/users",
        summary="Make an account; its one-time link is shown once",
        **answers(InvitedSchema, 201, conflict=CONFLICT_RESPONSE),
    )
    @open_to(Access.ADMIN)
    async def add_user(request: Request, caller: SignedIn, given: Invitation) -> Response:
        invited = await people.add(caller, given.email, given.name, accounts.client(request))
        return private({"user": user_as_json(invited.user), "link": invited.link}, 201)

    @router.put(
        "/users/{user_id}",
        summary="Change somebody's role, or let them in no more; their sessions end",
        **answers(UserSchema, missing=MISSING_RESPONSE),
    )
    @open_to(Access.ADMIN)
    async def change_user(
        request: Request, caller: SignedIn, user_id: PathId, given: UserChange
    ) -> Response:
        user = await people.change(
            caller,
            UserId(user_id),
            accounts.client(request),
            role=given.role,
            is_disabled=given.is_disabled,
        )
        return private(user_as_json(user))


def _add_audit(router: APIRouter, accounts: Accounts) -> None:
    audit = AuditLog(accounts.database)

    @router.get("/audit", summary="Who did what, the newest first", **answers(EventsSchema))
    @open_to(Access.ADMIN)
    async def list_events(limit: Limit = 50, cursor: Cursor = "") -> Response:
        events = await audit.list(limit=limit + 1, before=id_in(cursor))
        page, more = page_of(events, limit, lambda event: (event.id,))
        return private({"events": [event_as_json(each) for each in page], "next_cursor": more})

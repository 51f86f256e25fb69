"""People as an admin sees them: who has an account, who administers, who did what."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from clawfeed.api.account_schemas import (
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
from clawfeed.api.accounts import Accounts, answers, private
from clawfeed.api.request_fields import Cursor, Limit, PathId
from clawfeed.api.responses import CONFLICT, MISSING
from clawfeed.auth.authorization import Access, SignedIn, guarded_router, open_to
from clawfeed.domain.errors import NotAllowedError
from clawfeed.domain.ids import UserId
from clawfeed.domain.pagination import id_in, page_of
from clawfeed.domain.people import Caller, Role
from clawfeed.domain.user_names import normal_email, normal_name
from clawfeed.storage.audit import Action, AuditLog
from clawfeed.storage.users import NewUser, UserStore


def people_routes(accounts: Accounts) -> APIRouter:
    router = guarded_router("/api", tag="people")
    _add_people(router, accounts)
    _add_audit(router, accounts)
    return router


def _add_people(router: APIRouter, accounts: Accounts) -> None:
    people = UserStore(accounts.database)

    @router.get("/users", summary="Everybody with an account", **answers(PeopleSchema))
    @open_to(Access.ADMIN)
    async def list_users(limit: Limit = 100, cursor: Cursor = "") -> Response:
        found = await people.list(after=id_in(cursor) or 0, limit=limit + 1)
        page, more = page_of(found, limit, lambda account: (account.user.id,))
        return private({"users": [account_as_json(each) for each in page], "next_cursor": more})

    @router.post(
        "/users",
        summary="Make an account; its one-time link is shown once",
        **answers(InvitedSchema, 201, conflict=CONFLICT),
    )
    @open_to(Access.ADMIN)
    async def add_user(request: Request, caller: SignedIn, given: Invitation) -> Response:
        accounts.insist_on_freshness(caller)
        email = normal_email(given.email)
        name = normal_name(given.name or email.partition("@")[0])
        user = await people.add(NewUser(email=email, name=name), now=accounts.clock())
        await accounts.note(request, caller, Action.USER_ADDED, f"user {user.id}")
        link = await accounts.signing_in.link_for(user)
        return private({"user": user_as_json(user), "link": link}, 201)

    @router.put(
        "/users/{user_id}",
        summary="Change somebody's role, or let them in no more; their sessions end",
        **answers(UserSchema, missing=MISSING),
    )
    @open_to(Access.ADMIN)
    async def change_user(
        request: Request, caller: SignedIn, user_id: PathId, given: UserChange
    ) -> Response:
        accounts.insist_on_freshness(caller)
        if user_id == caller.user.id:
            raise NotAllowedError("this is your own account: another admin has to change it")
        _insist_on_a_person(caller, given)
        user = await people.change(
            UserId(user_id), role=given.role, is_disabled=given.is_disabled, now=accounts.clock()
        )
        what = f"user {user_id}: {user.role}{', disabled' if user.is_disabled else ''}"
        await accounts.note(request, caller, Action.USER_CHANGED, what)
        return private(user_as_json(user))


def _insist_on_a_person(caller: Caller, given: UserChange) -> None:
    """A key makes no admin: it would live on in whoever it let in, with all rights and no end.

    The operator's own may, who could do it by command.
    """
    makes_admin = given.role is Role.ADMIN or given.is_disabled is False
    if makes_admin and caller.key is not None and caller.key.id is not None:
        raise NotAllowedError("a key lets nobody in again and makes nobody an admin: sign in")


def _add_audit(router: APIRouter, accounts: Accounts) -> None:
    audit = AuditLog(accounts.database)

    @router.get("/audit", summary="Who did what, the newest first", **answers(EventsSchema))
    @open_to(Access.ADMIN)
    async def list_events(limit: Limit = 50, cursor: Cursor = "") -> Response:
        events = await audit.list(limit=limit + 1, before=id_in(cursor))
        page, more = page_of(events, limit, lambda event: (event.id,))
        return private({"events": [event_as_json(each) for each in page], "next_cursor": more})

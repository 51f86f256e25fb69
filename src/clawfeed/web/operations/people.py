"""`/operations/people`: everybody with an account, the way in for somebody new, who did what."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Final

from fastapi import APIRouter, Request, Response

from clawfeed.auth.authorization import Access, SignedIn, guarded_router, open_to
from clawfeed.auth.people_admin import InvitedUser, PeopleAdmin
from clawfeed.domain.errors import SignInAgainError, UserError
from clawfeed.domain.ids import UserId
from clawfeed.domain.people.users import Caller, Role
from clawfeed.rendering.safe_text import one_line
from clawfeed.storage.audit import Action, AuditEvent, AuditLog
from clawfeed.storage.people.people_overview import PersonOverview, names_of, people_overview
from clawfeed.web.frame.address_numbers import number_or_none
from clawfeed.web.frame.form_errors import refusal
from clawfeed.web.frame.page_rendering import PageView
from clawfeed.web.operations.admin_context import PAGE, AdminPages, status_of

PAGE_PATH: Final = "/operations/people"
EVENTS: Final = 30
_ACTIONS: Final = frozenset(map(str, Action))


def people_routes(pages: AdminPages, people: PeopleAdmin) -> APIRouter:
    router = guarded_router(PAGE_PATH, tag="pages", in_schema=False)
    site, audit = pages.site, AuditLog(pages.database)

    async def listed(
        request: Request,
        caller: Caller,
        given: Mapping[str, str],
        *,
        mistake: UserError | None = None,
        invited: InvitedUser | None = None,
    ) -> Response:
        by, before = number_or_none(given.get("by", "")), number_or_none(given.get("before", ""))
        after = number_or_none(given.get("after", "")) or 0
        page, found, events = await asyncio.gather(
            site.page(request, caller),
            people_overview(pages.database, after=after, limit=PAGE + 1),
            audit.list(limit=EVENTS + 1, before=before, by=UserId(by) if by else None),
        )
        values = {
            "people": [person_line(page, each) for each in found[:PAGE]],
            "more": f"{PAGE_PATH}?after={found[PAGE - 1].user.id}" if len(found) > PAGE else None,
            "first": PAGE_PATH if after else None,
            **await told(pages, page, events),
            "by": by,
            "older": _older(events, by),
            "newest": (f"{PAGE_PATH}?by={by}#log" if by else f"{PAGE_PATH}#log")
            if before
            else None,
            "given": given,
            "mistake": refusal(page, mistake),
            **freshness(page, mistake),
            "invited": invited,
        }
        status = status_of(mistake) if mistake else 201 if invited else 200
        return site.render(page, "operations/people.html", values, status=status)

    @router.get("")
    @open_to(Access.ADMIN)
    async def everybody(request: Request, caller: SignedIn) -> Response:
        return await listed(request, caller, request.query_params)

    @router.post("")
    @open_to(Access.ADMIN)
    async def add(request: Request, caller: SignedIn) -> Response:
        """Their one-time link is on the answer, and nowhere else afterwards."""
        given = await site.form(request)
        wanted = {name: given.get(name, "").strip() for name in ("email", "name")}
        try:
            invited = await people.add(
                caller, wanted["email"], wanted["name"] or None, pages.client(request)
            )
        except UserError as error:
            return await listed(request, caller, wanted, mistake=error)
        return await listed(request, caller, {}, invited=invited)

    return router


def _older(events: list[AuditEvent], by: int | None) -> str | None:
    if len(events) <= EVENTS:
        return None
    return f"{PAGE_PATH}?{f'by={by}&' if by else ''}before={events[EVENTS - 1].id}#log"


def person_line(page: PageView, found: PersonOverview) -> dict[str, object]:
    user = found.user
    return {
        "id": user.id,
        "name": one_line(user.name),
        "email": one_line(user.email),
        "is_admin": user.role is Role.ADMIN,
        "is_disabled": user.is_disabled,
        "is_waited_for": not found.can_sign_in,
        "is_me": page.caller is not None and page.caller.user.id == user.id,
        "seen": page.when(found.last_seen_at) if found.last_seen_at else "",
        "since": page.when(found.created_at),
        "sessions": found.sessions,
        "key_count": found.keys,
        "follows": found.follows,
        "own_sources": found.own_sources,
        "channels": found.channels,
    }


async def told(pages: AdminPages, page: PageView, events: list[AuditEvent]) -> dict[str, object]:
    """The lines of the log, with the names of who acted."""
    shown = events[:EVENTS]
    names = await names_of(pages.database, [each.user_id for each in shown if each.user_id])
    return {"events": [_event(page, each, names) for each in shown]}


def _event(page: PageView, event: AuditEvent, names: Mapping[UserId, str]) -> dict[str, object]:
    return {
        "at": page.when(event.at),
        "by": event.user_id,
        "name": one_line(names.get(event.user_id, "")) if event.user_id else "",
        "action": f"audit.{event.action}" if event.action in _ACTIONS else "",
        "written": event.action,
        "detail": one_line(event.detail),
        "client": one_line(event.client),
    }


def freshness(page: PageView, mistake: UserError | None) -> dict[str, object]:
    """Whether people may be changed now, or a password is asked for first.

    A refusal for that reason needs no sentence of its own: the page says what to do.
    """
    caller = page.caller
    is_fresh = caller is not None and caller.is_fresh(page.now)
    needs = not is_fresh or isinstance(mistake, SignInAgainError)
    found: dict[str, object] = {"must_sign_in": needs}
    return found | ({"mistake": ""} if isinstance(mistake, SignInAgainError) else {})

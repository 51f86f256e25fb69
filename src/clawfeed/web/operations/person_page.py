"""`/operations/people/{id}`: one person: their rights, where they are signed in, their keys."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Final

from fastapi import APIRouter, Request, Response

from clawfeed.auth.authorization import Access, SignedIn, guarded_router, open_to
from clawfeed.auth.client_address import Client
from clawfeed.auth.people_admin import InvitedUser, PeopleAdmin
from clawfeed.domain.errors import InvalidInputError, NotFoundError, RefusalCode, UserError
from clawfeed.domain.ids import ApiKeyId, UserId
from clawfeed.domain.people.users import Caller, Role
from clawfeed.rendering.safe_text import one_line
from clawfeed.storage.audit import AuditLog
from clawfeed.storage.people.api_keys import ApiKey, ApiKeys
from clawfeed.storage.people.people_overview import person_overview
from clawfeed.web.frame.address_numbers import number_in
from clawfeed.web.frame.flash import Done, Flash
from clawfeed.web.frame.form_errors import refusal
from clawfeed.web.frame.page_rendering import PageView
from clawfeed.web.operations.admin_context import AdminPages, status_of
from clawfeed.web.operations.people import EVENTS, PAGE_PATH, freshness, person_line, told

MOST_KEYS: Final = 100
# What is done to somebody, with the field that says more, and what is told afterwards.
_Deed = Callable[[Caller, UserId, Client, Mapping[str, str]], Awaitable[Done | InvitedUser]]


def person_routes(pages: AdminPages, people: PeopleAdmin) -> APIRouter:
    router = guarded_router(PAGE_PATH, tag="pages", in_schema=False)
    site, deeds = pages.site, _deeds(people)

    async def shown(
        request: Request,
        caller: Caller,
        user: UserId,
        *,
        mistake: UserError | None = None,
        invited: InvitedUser | None = None,
    ) -> Response:
        page, found, keys, events = await asyncio.gather(
            site.page(request, caller),
            person_overview(pages.database, user),
            ApiKeys(pages.database).list(user, limit=MOST_KEYS),
            AuditLog(pages.database).list(limit=EVENTS, by=user),
        )
        values = {
            "person": person_line(page, found),
            "keys": [_key(page, each) for each in keys],
            **await told(pages, page, events),
            "mistake": refusal(page, mistake),
            **freshness(page, mistake),
            "invited": invited,
        }
        status = status_of(mistake) if mistake else 201 if invited else 200
        return site.render(page, "operations/person.html", values, status=status)

    @router.get("/{user_id}")
    @open_to(Access.ADMIN)
    async def person(request: Request, caller: SignedIn, user_id: str) -> Response:
        return await shown(request, caller, _user_in(user_id))

    @router.post("/{user_id}")
    @open_to(Access.ADMIN)
    async def change(request: Request, caller: SignedIn, user_id: str) -> Response:
        given, user = await site.form(request), _user_in(user_id)
        deed = deeds.get(given.get("do", ""))
        try:
            if deed is None:
                raise InvalidInputError(
                    "there is nothing to be done like this", RefusalCode.CHOICE_MISSING
                )
            done = await deed(caller, user, pages.client(request), given)
        except NotFoundError:
            raise
        except UserError as error:
            return await shown(request, caller, user, mistake=error)
        if isinstance(done, InvitedUser):
            return await shown(request, caller, user, invited=done)
        return site.go(f"{PAGE_PATH}/{user}", Flash(done=done))

    return router


def _deeds(people: PeopleAdmin) -> Mapping[str, _Deed]:
    """What can be done to somebody, by the name the form has for it."""

    def set_to(role: Role | None = None, *, is_disabled: bool | None = None) -> _Deed:
        async def change(by: Caller, user: UserId, client: Client, _: Mapping[str, str]) -> Done:
            await people.change(by, user, client, role=role, is_disabled=is_disabled)
            return Done.PERSON_CHANGED

        return change

    async def sign_out(by: Caller, user: UserId, client: Client, _: Mapping[str, str]) -> Done:
        await people.sign_out(by, user, client)
        return Done.PERSON_SIGNED_OUT

    async def revoke(by: Caller, user: UserId, client: Client, given: Mapping[str, str]) -> Done:
        key = ApiKeyId(number_in(given.get("key", ""), "API key"))
        await people.revoke_key(by, user, key, client)
        return Done.PERSONS_KEY_REVOKED

    async def link(by: Caller, user: UserId, client: Client, _: Mapping[str, str]) -> InvitedUser:
        return await people.link_anew(by, user, client)

    return {
        "make_admin": set_to(Role.ADMIN),
        "make_user": set_to(Role.USER),
        "disable": set_to(is_disabled=True),
        "enable": set_to(is_disabled=False),
        "sign_out": sign_out,
        "revoke": revoke,
        "new_link": link,
    }


def _user_in(text: str) -> UserId:
    return UserId(number_in(text, "person"))


def _key(page: PageView, key: ApiKey) -> dict[str, object]:
    is_over = key.expires_at is not None and key.expires_at <= page.now
    return {
        "id": key.id,
        "name": one_line(key.name),
        "shown": f"cf_{key.key_id}…{key.last4}",
        "scope": key.scope,
        "is_over": is_over,
        "made": page.when(key.created_at),
        "expires": page.when(key.expires_at) if key.expires_at else "",
        "used": page.when(key.last_used_at) if key.last_used_at else "",
    }

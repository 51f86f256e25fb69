"""Who may ask for what: nobody, unless a route says so.

Every route is a `GuardedRoute`: the door is asked before the body is read. A route without a mark
is for admins alone, so that a forgotten mark locks people out instead of letting them in.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine
from enum import StrEnum
from http import HTTPStatus
from typing import Annotated, Any, Protocol, TypeVar

from fastapi import APIRouter, Depends, HTTPException, Request, Response
from fastapi.routing import APIRoute

from clawfeed.auth.refused import RefusedError
from clawfeed.auth.request_validation import query_names, refuse_unknown_parameters, require_json
from clawfeed.domain.errors import RefusalCode, StorageError
from clawfeed.domain.people.users import Caller, Scope

Endpoint = TypeVar("Endpoint", bound=Callable[..., Any])
Handler = Callable[[Request], Awaitable[Response]]
_MARK = "__clawfeed_access__"


class Access(StrEnum):
    """For whom a route is. *EVERYONE* includes strangers; *UNASKED* does not even look at them."""

    UNASKED = "unasked"
    EVERYONE = "everyone"
    READ = "read"
    WRITE = "write"
    ADMIN = "admin"


SECURITY_SCHEMES = {
    "key": {"type": "http", "scheme": "bearer", "description": "An API key, or API_KEY"},
    "session": {
        "type": "apiKey",
        "in": "cookie",
        "name": "sid",
        "description": "A signed-in browser; by https the cookie is `__Host-sid`",
    },
}
# The names are those of `SECURITY_SCHEMES`; an empty one means that nothing is needed.
_KEY_OR_SESSION: list[dict[str, list[str]]] = [{"key": []}, {"session": []}]
_SECURITY: dict[Access, list[dict[str, list[str]]]] = {
    Access.UNASKED: [],
    Access.EVERYONE: [{}, *_KEY_OR_SESSION],
    Access.READ: _KEY_OR_SESSION,
    Access.WRITE: _KEY_OR_SESSION,
    Access.ADMIN: _KEY_OR_SESSION,
}


class Authenticator(Protocol):
    """Knows callers by their credentials."""

    async def recognise(self, request: Request) -> Caller | None:
        """The caller, or None for a stranger. 401 if credentials were given and are wrong."""
        ...


class Replays(Protocol):
    """Answers a repeated POST as its first was answered (`Idempotency-Key`)."""

    async def once(self, request: Request, caller: Caller, handle: Handler) -> Response: ...


def open_to(access: Access) -> Callable[[Endpoint], Endpoint]:
    """Mark a route's function with whom it is for."""

    def mark(endpoint: Endpoint) -> Endpoint:
        setattr(endpoint, _MARK, access)
        return endpoint

    return mark


def access_of(endpoint: object) -> Access:
    """Whom a route's function is for: admins, unless it is marked."""
    found = getattr(endpoint, _MARK, Access.ADMIN)
    return found if isinstance(found, Access) else Access.ADMIN


class GuardedRoute(APIRoute):
    """A route that asks the application's door first, and says so in the OpenAPI document."""

    def __init__(self, path: str, endpoint: Callable[..., Any], **options: Any) -> None:  # noqa: ANN401 -- FastAPI's own
        options["openapi_extra"] = {
            **(options.get("openapi_extra") or {}),
            "security": _SECURITY[access_of(endpoint)],
        }
        super().__init__(path, endpoint, **options)

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()
        access = access_of(self.endpoint)
        # Pages are visited with whatever somebody appended to a link; programs mean what they send.
        is_for_programs = self.include_in_schema
        names, reads_json = query_names(self), self.body_field is not None

        async def guarded(request: Request) -> Response:
            if access is Access.UNASKED:
                return await handle(request)
            caller = await request.app.state.door.recognise(request)
            check(caller, access)
            request.state.caller = caller
            if is_for_programs:
                refuse_unknown_parameters(request, names)
            if reads_json:
                require_json(request)
            # Keys belong to people, so the doors at which people come in know none.
            if caller is None or access is Access.EVERYONE or request.method != "POST":
                return await handle(request)
            replays: Replays = request.app.state.replays
            return await replays.once(request, caller, handle)

        return guarded


def guarded_router(prefix: str = "", *, tag: str, in_schema: bool = True) -> APIRouter:
    """A router whose routes all ask the door."""
    return APIRouter(
        prefix=prefix, tags=[tag], route_class=GuardedRoute, include_in_schema=in_schema
    )


def check(caller: Caller | None, access: Access) -> None:
    """Raise 401 for a stranger and 403 for a caller who may not."""
    if access is Access.EVERYONE:
        return
    if caller is None:
        raise unauthorized("sign in, or give an API key as a Bearer token")
    if not caller.may(Scope(access)):
        raise RefusedError(
            403, f"this needs the right to {_RIGHTS[access]}", RefusalCode.RIGHT_MISSING
        )


async def may_still(request: Request, access: Access) -> bool:
    """Whether whoever sent *request* might send it again now: for answers that last.

    False once they signed out, were shut out or lost the right. A database that cannot tell now,
    and a brake on their requests, are no reason to end what is under way.
    """
    try:
        check(await request.app.state.door.recognise(request), access)
    except HTTPException as refusal:
        return refusal.status_code == HTTPStatus.TOO_MANY_REQUESTS
    except StorageError:
        return True
    return True


_RIGHTS = {Access.READ: "read", Access.WRITE: "write", Access.ADMIN: "administer"}


def unauthorized(detail: str, told: RefusalCode = RefusalCode.SIGN_IN_FIRST) -> HTTPException:
    return RefusedError(401, detail, told, headers={"WWW-Authenticate": "Bearer"})


def _caller(request: Request) -> Caller:
    caller: Caller | None = request.state.caller
    if caller is None:
        raise unauthorized("sign in, or give an API key as a Bearer token")
    return caller


def _maybe_caller(request: Request) -> Caller | None:
    caller: Caller | None = request.state.caller
    return caller


# What a route's function asks for: the caller, or the caller if there is one.
SignedIn = Annotated[Caller, Depends(_caller)]
Anyone = Annotated[Caller | None, Depends(_maybe_caller)]

"""The HTTP application: what it serves, and how it refuses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter, FastAPI
from fastapi.routing import APIRoute
from starlette.types import ASGIApp

from clawfeed.api.http.body_limit import BodyLimit
from clawfeed.api.http.head_requests import HeadRequests
from clawfeed.api.http.openapi import completed, methods_at
from clawfeed.api.http.problems import ErrorPage, add_problem_handlers
from clawfeed.api.http.security_headers import SecurityHeaders
from clawfeed.auth.authorization import Authenticator, GuardedRoute, Replays


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestGuards:
    """Who comes in, and how their repeated requests are told."""

    door: Authenticator
    replays: Replays


def build_application(
    version: str,
    routers: Sequence[APIRouter],
    guards: RequestGuards,
    *,
    is_https: bool = False,
    error_page: ErrorPage | None = None,
) -> ASGIApp:
    """The application with *routers*, problems for errors and headers on everything.

    With an *error_page* people get pages where programs get problems.
    """
    routes = build_routes(version, routers, guards, error_page=error_page)
    return SecurityHeaders(HeadRequests(BodyLimit(routes)), is_https=is_https)


class Application(FastAPI):
    """FastAPI with a document that tells the whole truth."""

    def openapi(self) -> dict[str, Any]:
        if not self.openapi_schema:
            self.openapi_schema = completed(super().openapi())
        return self.openapi_schema

    def allowed_at(self, path: str) -> str | None:
        """`Allow` for a 405. The framework only knows the first of several routes at a path."""
        return ", ".join(methods_at(self.openapi(), path)) or None


def build_routes(
    version: str,
    routers: Sequence[APIRouter],
    guards: RequestGuards,
    *,
    error_page: ErrorPage | None = None,
) -> FastAPI:
    """The application's inside. A route that does not ask the door is refused here."""
    app = Application(
        title="ClawFeed",
        version=version,
        summary="Follow many sources, read one short edition a day.",
        docs_url=None,  # the usual page loads scripts from elsewhere
        redoc_url=None,
        # `/login/` would be sent to `/login` at whatever host the request names, which may be
        # anybody's; without it there is no page there.
        redirect_slashes=False,
        generate_unique_id_function=_method_name,
    )
    app.state.door, app.state.replays = guards.door, guards.replays
    # What is served, for who links to it: the framework keeps no flat list of it.
    app.state.paths = frozenset(
        route.path for each in routers for route in each.routes if isinstance(route, APIRoute)
    )
    add_problem_handlers(app, error_page)
    for router in routers:
        _require_guards(router)
        app.include_router(router)
    return app


def _method_name(route: APIRoute) -> str:
    """What a generated client calls it: `sources_add`, whatever its path."""
    return "_".join([*map(str, route.tags[:1]), route.name])


def _require_guards(router: APIRouter) -> None:
    for route in router.routes:
        if isinstance(route, APIRoute) and not isinstance(route, GuardedRoute):
            raise TypeError(
                f"{route.path} does not ask the door; make its router with guarded_router"
            )

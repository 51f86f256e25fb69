"""The HTTP application: what it serves, and how it refuses."""

from __future__ import annotations

from collections.abc import Sequence

from fastapi import APIRouter, FastAPI
from starlette.types import ASGIApp

from clawfeed.api.headers import SecurityHeaders
from clawfeed.api.problems import add_problem_handlers


def build_application(version: str, routers: Sequence[APIRouter]) -> ASGIApp:
    """The application with *routers*, problems for errors and headers on everything."""
    app = FastAPI(
        title="ClawFeed",
        version=version,
        summary="Follow many sources, read one short edition a day.",
        docs_url=None,  # the usual page loads scripts from elsewhere
        redoc_url=None,
    )
    add_problem_handlers(app)
    for router in routers:
        app.include_router(router)
    return SecurityHeaders(app)

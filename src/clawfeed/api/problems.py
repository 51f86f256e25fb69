"""Errors as RFC 9457 problems: one shape for every refusal, without a traceback."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

import orjson
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ConfigDict
from starlette.exceptions import HTTPException

from clawfeed.domain.errors import (
    AlreadyExistsError,
    InvalidInputError,
    NotAllowedError,
    NotFoundError,
    StorageError,
    UserError,
)

log = logging.getLogger(__name__)

STATUS = {
    NotFoundError: HTTPStatus.NOT_FOUND,
    AlreadyExistsError: HTTPStatus.CONFLICT,
    NotAllowedError: HTTPStatus.FORBIDDEN,
    InvalidInputError: HTTPStatus.UNPROCESSABLE_ENTITY,
    StorageError: HTTPStatus.SERVICE_UNAVAILABLE,
}


class Problem(BaseModel):
    """A refusal (RFC 9457). *detail* is one sentence for people; scripts look at *status*."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "type": "about:blank",
                "title": "Not Found",
                "status": 404,
                "detail": "there is no source 7",
            }
        }
    )

    type: str
    title: str
    status: int
    detail: str


def problem(
    status: int,
    detail: str,
    headers: dict[str, str] | None = None,
    more: Mapping[str, object] | None = None,
) -> Response:
    """A refusal as `application/problem+json`; *more* are members of its own (RFC 9457, 3.2)."""
    body = {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": int(status),
        # What was sent may be quoted, and half a character fits into no answer.
        "detail": detail.encode("utf-8", "replace").decode(),
        **(more or {}),
    }
    return Response(orjson.dumps(body), status, headers, "application/problem+json")


def add_problem_handlers(app: FastAPI) -> None:
    """Turn every error this application can raise into a problem."""
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(UserError, _ours)
    app.add_exception_handler(StorageError, _storage)
    app.add_exception_handler(Exception, _bug)


async def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101 -- registered for this type
    headers = dict(error.headers or {})
    if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        allowed = request.app.allowed_at(request.url.path)
        headers |= {"Allow": allowed} if allowed else {}
    return problem(error.status_code, str(error.detail), headers)


async def _invalid(_request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)  # noqa: S101
    return problem(HTTPStatus.UNPROCESSABLE_ENTITY, "; ".join(map(_told, error.errors())))


def _told(wrong: Mapping[str, Any]) -> str:
    """One mistake in words: where it is, and what is wrong there."""
    if wrong["type"] == "json_invalid":
        return "the body is not valid JSON"
    # Ours are raised as `ValueError`, and pydantic says so before the sentence.
    return f"{'.'.join(map(str, wrong['loc']))}: {wrong['msg'].removeprefix('Value error, ')}"


async def _ours(_request: Request, error: Exception) -> Response:
    status = next(
        (status for kind, status in STATUS.items() if isinstance(error, kind)),
        HTTPStatus.BAD_REQUEST,
    )
    return problem(status, str(error))


async def _storage(request: Request, error: Exception) -> Response:
    log.error("storage failed", extra={"path": request.url.path, "why": str(error)})
    return problem(HTTPStatus.SERVICE_UNAVAILABLE, "the database cannot answer now; try again")


async def _bug(request: Request, error: Exception) -> Response:
    log.error("request crashed", exc_info=error, extra={"path": request.url.path})
    return problem(HTTPStatus.INTERNAL_SERVER_ERROR, "this is a bug in ClawFeed; it was logged")

"""Errors as RFC 9457 problems: one shape for every refusal, without a traceback."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from enum import StrEnum
from http import HTTPStatus
from typing import Any, TypeAlias

import orjson
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ConfigDict
from starlette.exceptions import HTTPException

from clawfeed.domain.errors import (
    AlreadyExistsError,
    ChangedMeanwhileError,
    InvalidInputError,
    NotAllowedError,
    NotFoundError,
    QuotaError,
    SignInAgainError,
    StorageError,
    UserError,
)

log = logging.getLogger(__name__)


class ProblemType(StrEnum):
    """What programs tell refusals apart by. Once given out, a value keeps its meaning."""

    BAD_REQUEST = "bad-request"
    UNAUTHENTICATED = "unauthenticated"
    NOT_ALLOWED = "not-allowed"
    QUOTA_EXCEEDED = "quota-exceeded"
    SIGN_IN_AGAIN = "sign-in-again"
    NOT_FOUND = "not-found"
    METHOD_NOT_ALLOWED = "method-not-allowed"
    NOT_ACCEPTABLE = "not-acceptable"
    ALREADY_EXISTS = "already-exists"
    CHANGED_MEANWHILE = "changed-meanwhile"
    STILL_RUNNING = "still-running"
    ANSWER_NOT_KEPT = "answer-not-kept"
    TOO_LARGE = "too-large"
    NOT_JSON = "not-json"
    INVALID_INPUT = "invalid-input"
    KEY_REUSED = "idempotency-key-reused"
    TOO_MANY_REQUESTS = "too-many-requests"
    BUG = "bug"
    UNAVAILABLE = "unavailable"
    NO_COLLECTOR = "no-collector"
    NO_EDITION_TRIGGER = "no-edition-trigger"
    NO_DELIVERY = "no-delivery"

    @property
    def uri(self) -> str:
        """As `type` has it: a name, and no address that would have to be kept alive."""
        return f"urn:clawfeed:problem:{self}"


# The usual kind of each status; a refusal that means another says so.
USUAL_PROBLEMS = {
    400: ProblemType.BAD_REQUEST,
    401: ProblemType.UNAUTHENTICATED,
    403: ProblemType.NOT_ALLOWED,
    404: ProblemType.NOT_FOUND,
    405: ProblemType.METHOD_NOT_ALLOWED,
    406: ProblemType.NOT_ACCEPTABLE,
    409: ProblemType.ALREADY_EXISTS,
    413: ProblemType.TOO_LARGE,
    415: ProblemType.NOT_JSON,
    422: ProblemType.INVALID_INPUT,
    429: ProblemType.TOO_MANY_REQUESTS,
    500: ProblemType.BUG,
    503: ProblemType.UNAVAILABLE,
}
# The first that fits decides, so the special come before the general.
STATUS: dict[type[UserError], tuple[HTTPStatus, ProblemType]] = {
    NotFoundError: (HTTPStatus.NOT_FOUND, ProblemType.NOT_FOUND),
    AlreadyExistsError: (HTTPStatus.CONFLICT, ProblemType.ALREADY_EXISTS),
    ChangedMeanwhileError: (HTTPStatus.CONFLICT, ProblemType.CHANGED_MEANWHILE),
    QuotaError: (HTTPStatus.FORBIDDEN, ProblemType.QUOTA_EXCEEDED),
    SignInAgainError: (HTTPStatus.FORBIDDEN, ProblemType.SIGN_IN_AGAIN),
    NotAllowedError: (HTTPStatus.FORBIDDEN, ProblemType.NOT_ALLOWED),
    InvalidInputError: (HTTPStatus.UNPROCESSABLE_ENTITY, ProblemType.INVALID_INPUT),
    UserError: (HTTPStatus.BAD_REQUEST, ProblemType.BAD_REQUEST),
}


# Mistakes that the framework tells in the words of its own inside.
_SENTENCES = {
    "missing": "it is missing",
    "extra_forbidden": "there is no such field",
    "too_short": "it is too short; give {min_length} or more",
    "too_long": "it is too long; {max_length} at most",
    "string_too_short": "it is too short; give {min_length} or more characters",
    "string_too_long": "it is too long; {max_length} characters at most",
    "string_pattern_mismatch": "it does not have the form {pattern}",
    "string_type": "it must be text",
    "int_type": "it must be a whole number",
    "int_parsing": "it must be a whole number",
    "int_from_float": "it must be a whole number",
    "bool_type": "it must be true or false",
    "dict_type": "it must be an object",
    "model_attributes_type": "it must be an object",
    "model_type": "it must be an object",
    "tuple_type": "it must be a list",
    "greater_than_equal": "it must be {ge} or more",
    "less_than_equal": "it must be {le} or less",
    "enum": "it must be {expected}",
    "literal_error": "it must be {expected}",
}


class Problem(BaseModel):
    """A refusal (RFC 9457). *detail* is one sentence for people; programs look at *type*."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "type": ProblemType.NOT_FOUND.uri,
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


class ProblemError(HTTPException):
    """A refusal of another kind than its status usually is."""

    def __init__(
        self,
        status: int,
        kind: ProblemType,
        detail: str,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(status, detail, headers)
        self.kind = kind


def problem(
    status: int,
    detail: str,
    headers: dict[str, str] | None = None,
    more: Mapping[str, object] | None = None,
    *,
    kind: ProblemType | None = None,
) -> Response:
    """A refusal as `application/problem+json`; *more* are members of its own (RFC 9457, 3.2)."""
    meant = kind or USUAL_PROBLEMS.get(int(status))
    body = {
        "type": meant.uri if meant else "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": int(status),
        # What was sent may be quoted, and half a character fits into no answer.
        "detail": detail.encode("utf-8", "replace").decode(),
        **(more or {}),
    }
    return Response(orjson.dumps(body), status, headers, "application/problem+json")


# A page for a refusal, for who would look at one: request, status, detail, headers, and the error
# where its reader may have it in their own language. None for programs, and without pages.
ErrorPage: TypeAlias = Callable[
    [Request, int, str, Mapping[str, str], Exception | None], Response | None
]


def add_problem_handlers(app: FastAPI, error_page: ErrorPage | None = None) -> None:
    """Turn every error this application can raise into a problem, or into a page for people."""
    app.state.error_page = error_page
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(UserError, _ours)
    app.add_exception_handler(StorageError, _storage)
    app.add_exception_handler(Exception, _bug)


def _refused(
    request: Request,
    status: int,
    detail: str,
    headers: dict[str, str] | None = None,
    *,
    kind: ProblemType | None = None,
    error: Exception | None = None,
) -> Response:
    """The page for a person, the problem for a program."""
    error_page: ErrorPage | None = request.app.state.error_page
    page = error_page(request, status, detail, headers or {}, error) if error_page else None
    return page or problem(status, detail, headers, kind=kind)


async def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101 -- registered for this type
    headers = dict(error.headers or {})
    if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        allowed = request.app.allowed_at(request.url.path)
        headers |= {"Allow": allowed} if allowed else {}
    kind = error.kind if isinstance(error, ProblemError) else None
    return _refused(request, error.status_code, str(error.detail), headers, kind=kind, error=error)


async def _invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)  # noqa: S101
    said = "; ".join(map(_told, error.errors()))
    return _refused(request, HTTPStatus.UNPROCESSABLE_ENTITY, said)


def _told(wrong: Mapping[str, Any]) -> str:
    """One mistake in words: where it is, and what is wrong there."""
    if wrong["type"] == "json_invalid":
        return "the body is not valid JSON"
    # Ours are raised as `ValueError`, and pydantic says so before the sentence.
    sentence = _SENTENCES.get(wrong["type"], "").format_map(wrong.get("ctx", {}))
    said = sentence or wrong["msg"].removeprefix("Value error, ")
    return f"{'.'.join(map(str, wrong['loc']))}: {said}"


async def _ours(request: Request, error: Exception) -> Response:
    status, kind = next(STATUS[each] for each in STATUS if isinstance(error, each))
    return _refused(request, status, str(error), kind=kind, error=error)


async def _storage(request: Request, error: Exception) -> Response:
    log.error("storage failed", extra={"path": request.url.path, "why": str(error)})
    said = "the database cannot answer now; try again"
    return _refused(request, HTTPStatus.SERVICE_UNAVAILABLE, said)


async def _bug(request: Request, error: Exception) -> Response:
    log.error("request crashed", exc_info=error, extra={"path": request.url.path})
    said = "this is a bug in ClawFeed; it was logged"
    return _refused(request, HTTPStatus.INTERNAL_SERVER_ERROR, said)

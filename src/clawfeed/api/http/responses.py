"""Answers made from bytes; what may come back, for the OpenAPI document."""

from __future__ import annotations

import hashlib
from typing import Any

import orjson
from fastapi import Request, Response

from clawfeed.api.http.problems import Problem
from clawfeed.domain.wording.because_wording import Language

# What may be refused at nearly every door; for the OpenAPI document.
REFUSALS: dict[int | str, dict[str, Any]] = {
    401: {"model": Problem, "description": "Nobody is signed in, or the key is wrong"},
    403: {
        "model": Problem,
        "description": "The caller may not do this, or a browser sent it from another site",
    },
    413: {"model": Problem, "description": "The request's body is over 1 MiB"},
    422: {"model": Problem, "description": "A value is wrong; `detail` names it"},
    429: {"model": Problem, "description": "Too many requests; `Retry-After` says how long"},
    503: {"model": Problem, "description": "The database cannot answer now"},
}
MISSING_RESPONSE: dict[int | str, dict[str, Any]] = {
    404: {"model": Problem, "description": "There is no such thing, or it is not yours to see"}
}
CONFLICT_RESPONSE: dict[int | str, dict[str, Any]] = {
    409: {"model": Problem, "description": "It is there already"}
}
# Of every answer that `listed` makes; the OpenAPI document gets the headers from it.
NOT_MODIFIED: dict[int | str, dict[str, Any]] = {
    304: {"description": "The caller has this very answer already"}
}
# For what nobody on the way may keep: secrets that are shown once, and who is signed in where.
NO_STORE = {"Cache-Control": "no-store"}

# Of every answer that `worded` makes; the OpenAPI document gets `Accept-Language` from it.
WORDED_RESPONSE: dict[str, Any] = {
    "headers": {
        "Content-Language": {
            "description": "The language of its sentences for people",
            "schema": {"type": "string", "enum": [str(each) for each in Language]},
        }
    }
}
_PRIVATE = {"Cache-Control": "private, no-cache"}


def json_answer(body: object, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """*body* as JSON, straight from bytes: a response model would cost four times as much."""
    return Response(orjson.dumps(body), status, headers, "application/json")


def worded(body: object, language: Language, status: int = 200) -> Response:
    """An answer with sentences for people, which a cache keeps for readers of *language* only."""
    vary = "Authorization, Cookie, Accept-Language"
    return json_answer(body, status, {**_PRIVATE, "Content-Language": language, "Vary": vary})


def listed(request: Request, body: object) -> Response:
    """A list with an ETag; 304 if the caller has this very answer already."""
    return tagged(request, orjson.dumps(body), "application/json", "Authorization, Cookie")


def tagged(request: Request, content: bytes, form: str, vary: str) -> Response:
    """*content* with an ETag; 304 if the caller has this very answer already."""
    # SHA-256 is in hardware: half the time of BLAKE2 on 400 KB.
    etag = f'"{hashlib.sha256(content).hexdigest()[:24]}"'
    headers = {**_PRIVATE, "ETag": etag, "Vary": vary}
    known = request.headers.get("if-none-match", "")
    if {"*", etag} & {tag.strip().removeprefix("W/") for tag in known.split(",")}:
        return Response(status_code=304, headers=headers)
    return Response(content, headers=headers, media_type=form)

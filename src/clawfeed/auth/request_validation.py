"""What a request may look like before anything of it is used.

JSON where JSON is read, and no parameter that nobody asked for.
"""

from __future__ import annotations

from collections import Counter

from fastapi import HTTPException, Request
from fastapi.routing import APIRoute
from pydantic import BaseModel

from clawfeed.auth.refused import RefusedError
from clawfeed.domain.errors import RefusalCode


def query_names(route: APIRoute) -> frozenset[str]:
    """The query parameters *route* understands."""
    names: set[str] = set()
    for field in route.dependant.query_params:
        kind = field.field_info.annotation
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            names |= {each.alias or name for name, each in kind.model_fields.items()}
        else:
            names.add(field.alias)
    return frozenset(names)


def refuse_unknown_parameters(request: Request, known: frozenset[str]) -> None:
    """422 for a parameter that would be ignored: who misspells `limit` should hear of it.

    One that is given twice is ignored once, and a proxy may have looked at the other.
    """
    # In one pass: a stranger's address has room for thousands of them.
    given = Counter(name for name, _ in request.query_params.multi_items())
    unknown = sorted(given.keys() - known)
    repeated = sorted(name for name, times in given.items() if times > 1)
    if unknown:
        there_are = f"there are {', '.join(sorted(known))}" if known else "there are none here"
        raise RefusedError(
            422,
            f"query.{unknown[0][:100]}: no such parameter; {there_are}",
            RefusalCode.PARAMETER_UNKNOWN,
        )
    if repeated:
        raise RefusedError(
            422,
            f"query.{repeated[0]}: this is given twice; send it once",
            RefusalCode.PARAMETER_UNKNOWN,
        )


def require_json(request: Request) -> None:
    """415 for a body that does not say it is JSON; `curl -d` says it is a form."""
    has_body = request.headers.get("content-length", "0") != "0" or (
        "transfer-encoding" in request.headers
    )
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    is_json = kind == "application/json" or (
        kind.startswith("application/") and kind.endswith("+json")
    )
    if has_body and not is_json:
        raise HTTPException(415, "send the body as JSON, with `Content-Type: application/json`")

"""The OpenAPI document, completed: how callers prove who they are, and what every refusal is."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from clawfeed.api.http.problems import Problem
from clawfeed.api.http.responses import REFUSALS
from clawfeed.auth.authorization import SECURITY_SCHEMES

_TYPE: Final = "application/problem+json"
_PLAIN: Final = {"$ref": "#/components/schemas/Problem"}
# Whatever is asked, these may be answered: also a wrong value where nothing may be asked for, since
# a parameter nobody knows is one.
_ALWAYS: Final = {
    "400": "The request cannot be read",
    **{str(status): str(answer["description"]) for status, answer in REFUSALS.items()},
}
_TEXT: Final = {"schema": {"type": "string"}}
_SECONDS: Final = {"schema": {"type": "integer"}}
_ETAG: Final = {"ETag": {"description": "For `If-None-Match`", **_TEXT}}
_IF_NONE_MATCH: Final = {
    "name": "If-None-Match",
    "in": "header",
    "description": "The `ETag` of the answer before: 304 while nothing changed",
    "schema": {"type": "string"},
}
_ACCEPT_LANGUAGE: Final = {
    "name": "Accept-Language",
    "in": "header",
    "description": "The language of sentences for people: `zh`, else English",
    "schema": {"type": "string"},
}
_IDEMPOTENCY_KEY: Final = {
    "name": "Idempotency-Key",
    "in": "header",
    "description": "Sent again with the same key within a day, it is done once and answered alike",
    "schema": {"type": "string", "pattern": "^[ -~]{1,200}$"},
}
_REPEATED: Final = {
    "Idempotency-Replayed": {"description": "`true` on an answer that was given before", **_TEXT}
}
_HEADERS: Final = {
    "201": {"Location": {"description": "Where the new thing is, if it has an address", **_TEXT}},
    "401": {"WWW-Authenticate": {"description": "`Bearer`", **_TEXT}},
    "405": {"Allow": {"description": "The methods there are", **_TEXT}},
    "409": {"Retry-After": {"description": "Of `still-running`: seconds to wait", **_SECONDS}},
    "429": {"Retry-After": {"description": "Seconds to wait", **_SECONDS}},
}
_PLACEHOLDER: Final = re.compile(r"\{[^}]*\}")
_OLD_SHAPES: Final = ("HTTPValidationError", "ValidationError")


def completed(document: dict[str, Any]) -> dict[str, Any]:
    """*document* with security schemes, and every refusal as the problem it really is."""
    components = document.setdefault("components", {})
    components["securitySchemes"] = SECURITY_SCHEMES
    schemas = components.setdefault("schemas", {})
    for name in _OLD_SHAPES:
        schemas.pop(name, None)
    schemas["Problem"] = Problem.model_json_schema()
    for schema in schemas.values():
        if "example" in schema:
            schema["example"] = _with_nulls(schema["example"], schema, schemas)
    for methods in document["paths"].values():
        for method, operation in methods.items():
            _complete(method, operation)
    return document


def _with_nulls(example: object, schema: Mapping[str, Any], schemas: Mapping[str, Any]) -> object:
    """*example* with its nulls: the framework leaves out what is null, also what must be there."""
    schema = _meant(schema, schemas)
    if isinstance(example, list):
        return [_with_nulls(each, schema.get("items", {}), schemas) for each in example]
    if not isinstance(example, dict):
        return example
    shapes = schema.get("properties", {})
    missing = {name: None for name in schema.get("required", ()) if name not in example}
    given = {
        name: _with_nulls(value, shapes.get(name, {}), schemas) for name, value in example.items()
    }
    return {**given, **missing}


def _meant(schema: Mapping[str, Any], schemas: Mapping[str, Any]) -> Mapping[str, Any]:
    """What *schema* refers to, or the first of its alternatives does."""
    for alternative in schema.get("anyOf", ())[:1]:
        return _meant(alternative, schemas)
    name = schema.get("$ref", "").rpartition("/")[2]
    return schemas[name] if name else schema


def _complete(method: str, operation: dict[str, Any]) -> None:
    responses = operation["responses"]
    if operation["security"]:  # else nobody is asked, and nobody refused
        for status, text in _refusals(operation).items():
            responses.setdefault(status, {"description": text})
        if method == "post" and {} not in operation["security"]:  # strangers have no keys
            _add_idempotency(operation)
    if "304" in responses:
        operation.setdefault("parameters", []).append(_IF_NONE_MATCH)
        for status in ("200", "304"):
            responses[status].setdefault("headers", {}).update(_ETAG)
    if any("Content-Language" in answer.get("headers", {}) for answer in responses.values()):
        operation.setdefault("parameters", []).append(_ACCEPT_LANGUAGE)
    for status, answer in responses.items():
        answer.setdefault("headers", {}).update(_HEADERS.get(status, {}))
        if status >= "400":
            answer["content"] = {_TYPE: {"schema": _schema_of(answer)}}


def _add_idempotency(operation: dict[str, Any]) -> None:
    operation.setdefault("parameters", []).append(_IDEMPOTENCY_KEY)
    text = "The first request with this `Idempotency-Key` still runs, or its answer was not kept"
    for status, answer in operation["responses"].items():
        if status < "300":
            answer.setdefault("headers", {}).update(_REPEATED)
    operation["responses"].setdefault("409", {"description": text})


def _schema_of(answer: Mapping[str, Any]) -> Mapping[str, Any]:
    """What a refusal says: a plain problem, or one with members of its own."""
    told = answer.get("content", {}).get("application/json", {}).get("schema", _PLAIN)
    is_old = told.get("$ref", "").endswith(_OLD_SHAPES)
    return _PLAIN if is_old else told


def _refusals(operation: dict[str, Any]) -> dict[str, str]:
    if "requestBody" in operation:
        return {**_ALWAYS, "415": "The body does not say that it is JSON"}
    return _ALWAYS


def methods_at(document: Mapping[str, Any], path: str) -> list[str]:
    """What may be done at *path*; [] if the document does not know it."""
    for template, methods in document["paths"].items():
        pattern = "[^/]+".join(map(re.escape, _PLACEHOLDER.split(template)))
        if re.fullmatch(pattern, path):
            names = {name.upper() for name in methods}
            return sorted(names | {"HEAD"} if "GET" in names else names)
    return []

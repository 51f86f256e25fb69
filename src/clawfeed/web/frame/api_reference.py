"""`/docs`: the API's own document as a page, from our own origin."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from fastapi import APIRouter, Request, Response

from clawfeed.auth.authorization import Access, Anyone, guarded_router, open_to
from clawfeed.web.frame.page_rendering import Site

METHODS = ("get", "post", "put", "delete")


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    name: str
    place: str
    is_required: bool
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One endpoint as people read it."""

    method: str
    path: str
    summary: str
    needs: str
    parameters: tuple[Parameter, ...]
    example: str
    answers: tuple[tuple[str, str], ...]

    @property
    def anchor(self) -> str:
        return f"{self.method}{self.path}".replace("/", "-").replace("{", "").replace("}", "")


def reference_routes(site: Site) -> APIRouter:
    router = guarded_router(tag="pages", in_schema=False)

    @cache  # the document does not change while the process runs
    def chapters(document: str) -> dict[str, list[Operation]]:
        return chapters_of(json.loads(document))

    @router.get("/docs")
    @open_to(Access.EVERYONE)
    async def docs(request: Request, caller: Anyone) -> Response:
        page = await site.page(request, caller)
        found = chapters(json.dumps(request.app.openapi()))
        return site.render(page, "frame/api_reference.html", {"chapters": found})

    return router


def chapters_of(document: Mapping[str, Any]) -> dict[str, list[Operation]]:
    """Every operation of an OpenAPI document, by its first tag."""
    chapters: dict[str, list[Operation]] = {}
    for path, item in document["paths"].items():
        for method in METHODS:
            if method in item:
                [chapter] = item[method].get("tags", ["other"])[:1]
                found = _operation(document, method, path, item[method])
                chapters.setdefault(chapter, []).append(found)
    return chapters


def _operation(
    document: Mapping[str, Any], method: str, path: str, raw: Mapping[str, Any]
) -> Operation:
    return Operation(
        method=method.upper(),
        path=path,
        summary=raw.get("summary", ""),
        needs=_needs(raw.get("security", [])),
        parameters=tuple(_parameters(raw.get("parameters", []))),
        example=_example(document, raw.get("requestBody", {})),
        answers=tuple(
            (status, answer.get("description", ""))
            for status, answer in sorted(raw["responses"].items())
        ),
    )


def _needs(security: list[Mapping[str, Any]]) -> str:
    if not security:
        return "open to everybody"
    return "open; more for those signed in" if {} in security else "an API key or a session"


def _parameters(raw: list[Mapping[str, Any]]) -> Iterator[Parameter]:
    for each in raw:
        yield Parameter(
            name=each["name"],
            place=each["in"],
            is_required=each.get("required", False),
            text=each.get("description") or _kind(each.get("schema", {})),
        )


def _kind(schema: Mapping[str, Any]) -> str:
    if "enum" in schema:
        return "one of " + ", ".join(map(str, schema["enum"]))
    options = [option.get("type", "") for option in schema.get("anyOf", [schema])]
    return " or ".join(option for option in options if option and option != "null")


def _example(document: Mapping[str, Any], body: Mapping[str, Any]) -> str:
    schema = body.get("content", {}).get("application/json", {}).get("schema", {})
    name = schema.get("$ref", "").rpartition("/")[2]
    found = document.get("components", {}).get("schemas", {}).get(name, {}).get("example")
    return json.dumps(found, ensure_ascii=False, indent=2) if found else ""

"""Packs: sets of sources to share by a short name and to install."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, ConfigDict, Field, StrictBool

from clawfeed.api.http.request_fields import Cursor, Id, Input, Limit, Line, Slug, Text
from clawfeed.api.http.responses import (
    CONFLICT_RESPONSE,
    MISSING_RESPONSE,
    NOT_MODIFIED,
    REFUSALS,
    json_answer,
    listed,
)
from clawfeed.auth.authorization import Access, Anyone, SignedIn, guarded_router, open_to
from clawfeed.auth.permissions.pack_permissions import changeable
from clawfeed.domain.errors import InvalidInputError
from clawfeed.domain.ids import SourceId
from clawfeed.domain.moments import iso
from clawfeed.domain.pagination import id_in, page_of
from clawfeed.domain.people.users import Caller
from clawfeed.domain.slugs import slug_of
from clawfeed.storage.sources.packs import MOST_PACKED, Pack, PackContent, PackStore

Ids = Annotated[tuple[Id, ...], Field(max_length=MOST_PACKED, fail_fast=True)]


@dataclass(frozen=True, slots=True, kw_only=True)
class PacksApi:
    """What these endpoints need."""

    store: PackStore
    clock: Callable[[], datetime]


class NewPack(Input):
    """A pack as its owner describes it. A public pack holds public sources only.

    Without a *slug* its short name is made from the name.
    """

    model_config = ConfigDict(
        json_schema_extra={
            "example": {"name": "Databases", "description": "Three I read", "source_ids": [1, 2, 3]}
        }
    )

    name: Line
    description: Text = ""
    is_public: StrictBool = True
    source_ids: Ids = ()
    slug: Annotated[str, Field(pattern=r"^$|^[a-z0-9][a-z0-9-]{0,63}$")] = ""

    def content(self) -> PackContent:
        return PackContent(
            name=self.name,
            description=self.description,
            is_public=self.is_public,
            source_ids=_source_ids(self.source_ids),
        )


class PackChange(Input):
    """What shall be different; the rest stays."""

    model_config = ConfigDict(
        json_schema_extra={"example": {"description": "Two I read", "source_ids": [1, 2]}}
    )

    name: Line | None = None
    description: Text | None = None
    is_public: StrictBool | None = None
    source_ids: Ids | None = None

    def content(self, pack: Pack) -> PackContent:
        """*pack* with what was sent."""
        stays = tuple(each.id for each in pack.sources)
        return PackContent(
            name=pack.name if self.name is None else self.name,
            description=pack.description if self.description is None else self.description,
            is_public=pack.is_public if self.is_public is None else self.is_public,
            source_ids=stays if self.source_ids is None else _source_ids(self.source_ids),
        )


class PackedSourceSchema(BaseModel):
    id: int
    name: str
    type: str


class PackLineSchema(BaseModel):
    """A pack in a list; *source_count* counts those of its sources the caller may know of."""

    id: int
    slug: str
    name: str
    description: str
    is_public: bool
    is_own: bool
    created_at: datetime
    updated_at: datetime
    source_count: int


class PackSchema(PackLineSchema):
    """A pack, with those of its sources the caller may know of."""

    sources: list[PackedSourceSchema]


class PackList(BaseModel):
    packs: list[PackLineSchema]
    next_cursor: str | None


class Installed(BaseModel):
    """How many sources of the pack are new to the caller."""

    subscribed: int


def pack_routes(api: PacksApi) -> APIRouter:
    router = guarded_router("/api/packs", tag="packs")
    _add_reading(router, api)
    _add_writing(router, api)
    return router


def _add_reading(router: APIRouter, api: PacksApi) -> None:
    @router.get(
        "",
        summary="Public packs and your own",
        response_model=PackList,
        responses={**REFUSALS, **NOT_MODIFIED},
    )
    @open_to(Access.EVERYONE)
    async def packs(
        request: Request, caller: Anyone, limit: Limit = 50, cursor: Cursor = ""
    ) -> Response:
        viewer = caller.user.id if caller else None
        found = await api.store.list(viewer, after=id_in(cursor) or 0, limit=limit + 1)
        page, more = page_of(found, limit, lambda pack: (pack.id,))
        shown = [_line_as_json(each, caller) for each in page]
        return listed(request, {"packs": shown, "next_cursor": more})

    @router.get(
        "/{slug}",
        summary="One pack",
        response_model=PackSchema,
        responses={**REFUSALS, **MISSING_RESPONSE, **NOT_MODIFIED},
    )
    @open_to(Access.EVERYONE)
    async def pack(request: Request, caller: Anyone, slug: Slug) -> Response:
        found = await api.store.get(caller.user.id if caller else None, slug)
        return listed(request, _as_json(found, caller))

    @router.post(
        "/{slug}/install",
        summary="Follow all sources of a pack",
        response_model=Installed,
        responses={**REFUSALS, **MISSING_RESPONSE},
    )
    @open_to(Access.WRITE)
    async def install(caller: SignedIn, slug: Slug) -> Response:
        found = await api.store.get(caller.user.id, slug)
        added = await api.store.install(caller.user.id, found, now=api.clock())
        return json_answer({"subscribed": added})


def _add_writing(router: APIRouter, api: PacksApi) -> None:
    @router.post(
        "",
        summary="Make a pack",
        status_code=201,
        response_model=PackSchema,
        responses={**REFUSALS, **MISSING_RESPONSE, **CONFLICT_RESPONSE},
    )
    @open_to(Access.WRITE)
    async def add(caller: SignedIn, new: NewPack) -> Response:
        slug = new.slug or _slug_of(new.name)
        made = await api.store.add(caller.user.id, slug, new.content(), now=api.clock())
        return json_answer(_as_json(made, caller), 201, {"Location": f"/api/packs/{slug}"})

    @router.put(
        "/{slug}",
        summary="Change what a pack of yours says and holds; what is not sent stays",
        response_model=PackSchema,
        responses={**REFUSALS, **MISSING_RESPONSE},
    )
    @open_to(Access.WRITE)
    async def save(caller: SignedIn, slug: Slug, change: PackChange) -> Response:
        pack = await changeable(api.store, caller, slug)
        content = change.content(pack)
        saved = await api.store.save(caller.user.id, pack, content, now=api.clock())
        return json_answer(_as_json(saved, caller))

    @router.delete(
        "/{slug}",
        summary="Remove a pack of yours; its sources stay",
        status_code=204,
        responses={**REFUSALS, **MISSING_RESPONSE},
    )
    @open_to(Access.WRITE)
    async def remove(caller: SignedIn, slug: Slug) -> Response:
        await api.store.remove(await changeable(api.store, caller, slug))
        return Response(status_code=204)


def _source_ids(ids: tuple[int, ...]) -> tuple[SourceId, ...]:
    return tuple(SourceId(each) for each in ids)


def _slug_of(name: str) -> str:
    slug = slug_of(name)
    if not slug:
        raise InvalidInputError("slug: this name has no letters a-z to make one of; give a slug")
    return slug


def _as_json(pack: Pack, caller: Caller | None) -> dict[str, object]:
    sources = [{"id": each.id, "name": each.name, "type": each.type} for each in pack.sources]
    return {**_line_as_json(pack, caller), "sources": sources}


def _line_as_json(pack: Pack, caller: Caller | None) -> dict[str, object]:
    return {
        "id": pack.id,
        "slug": pack.slug,
        "name": pack.name,
        "description": pack.description,
        "is_public": pack.is_public,
        "is_own": pack.is_of(caller.user.id if caller else None),
        "created_at": iso(pack.created_at),
        "updated_at": iso(pack.updated_at),
        "source_count": pack.source_count,
    }

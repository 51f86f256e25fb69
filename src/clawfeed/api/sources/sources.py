"""Sources over HTTP: find them, follow new ones, change, pause and give up one's own."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response

from clawfeed.api.http.language import language_of
from clawfeed.api.http.request_fields import Cursor, Limit, PathId, Text
from clawfeed.api.http.responses import (
    MISSING_RESPONSE,
    NO_STORE,
    NOT_MODIFIED,
    REFUSALS,
    WORDED_RESPONSE,
    json_answer,
    listed,
    worded,
)
from clawfeed.api.http.status_json import because_as_json
from clawfeed.api.sources.source_context import SourcesApi, SourceService
from clawfeed.api.sources.source_json import poll_as_json, preview_as_json
from clawfeed.api.sources.source_requests import NewSourceInput, ResolveInput, SourceChange
from clawfeed.api.sources.source_schemas import (
    EXISTS_RESPONSE,
    LogSchema,
    OneSourceSchema,
    ResolvedSchema,
    ResumedSchema,
    SoonSchema,
    SourceListSchema,
)
from clawfeed.auth.authorization import (
    Access,
    Anyone,
    SignedIn,
    guarded_router,
    open_to,
    unauthorized,
)
from clawfeed.auth.permissions.source_edit_rules import planned
from clawfeed.auth.permissions.source_permissions import (
    require_changing,
    require_no_secret,
    require_polling,
    require_shareable,
)
from clawfeed.domain.ids import SourceId
from clawfeed.domain.moments import iso
from clawfeed.domain.pagination import id_in, page_of, place_in
from clawfeed.sources.config.unmasking import unmasked
from clawfeed.sources.discovery.new_source import SourceRequest, prepare
from clawfeed.sources.discovery.resolution import ResolvedSource, resolve
from clawfeed.storage.polling.poll_history import latest_polls
from clawfeed.storage.source_changes.source_changes import identities
from clawfeed.storage.sources.visible_sources import SourceFilter, SourceScope

Searched = Annotated[Text, Query(max_length=200, description="In the name, type and host")]
Typed = Annotated[Text, Query(alias="type", max_length=200, description="Only of this type")]
Scoped = Annotated[SourceScope, Query(description="Which of the sources you may see")]


def source_routes(api: SourcesApi) -> APIRouter:
    """Sources as a whole and one by one; `guarded_router` asks who is there."""
    router = guarded_router("/api/sources", tag="sources")
    service = SourceService(api)
    _add_list(router, service)
    _add_adding(router, service)
    _add_resolving(router, service)
    _add_single(router, service)
    _add_pausing(router, service)
    _add_polls(router, service)
    return router


def _add_list(router: APIRouter, service: SourceService) -> None:
    @router.get(
        "",
        summary="The sources you may see",
        response_model=SourceListSchema,
        responses={**REFUSALS, **NOT_MODIFIED},
    )
    @open_to(Access.EVERYONE)
    async def sources(
        request: Request,
        caller: Anyone,
        *,
        q: Searched = "",
        kind: Typed = "",
        scope: Scoped = SourceScope.ALL,
        limit: Limit = 100,
        cursor: Cursor = "",
    ) -> Response:
        if caller is None and scope in (SourceScope.OWN, SourceScope.SUBSCRIBED):
            raise unauthorized("sign in to see what is yours")
        after = id_in(cursor) or 0
        source_filter = SourceFilter(
            which=scope, text=q.strip(), type=kind, limit=limit + 1, after=after
        )
        found = await service.reads.list(caller.user.id if caller else None, source_filter)
        page, more = page_of(found, limit, lambda row: (row.id,))
        view = service.view_of(page[0], caller) if page else None
        shown = [view.source(row) for row in page] if view else []
        return listed(request, {"sources": shown, "next_cursor": more})


def _add_adding(router: APIRouter, service: SourceService) -> None:
    @router.post(
        "",
        summary="Add a source of your own, and follow it",
        status_code=201,
        response_model=OneSourceSchema,
        responses={**REFUSALS, **EXISTS_RESPONSE},
    )
    @open_to(Access.WRITE)
    async def add(caller: SignedIn, wanted: NewSourceInput) -> Response:
        config = unmasked(wanted.config, {})
        if wanted.is_public:
            require_shareable(service.api.fetchers.types.facts(wanted.type))
        new = prepare(
            service.api.fetchers,
            SourceRequest(
                type=wanted.type,
                config=config,
                name=wanted.name or "",
                is_public=wanted.is_public,
            ),
        )
        if wanted.is_public:
            # As it will be stored: only there is every password in its own key.
            require_no_secret(new.config)
        result = await service.changes.add(
            new, caller.user.id, most=service.api.most_sources, now=service.api.clock()
        )
        return await service.answer(result, caller, is_new=True)


def _add_resolving(router: APIRouter, service: SourceService) -> None:
    @router.post(
        "/resolve",
        summary="What would this address be? With a preview; nothing is stored",
        response_model=ResolvedSchema,
        responses=REFUSALS,
    )
    @open_to(Access.WRITE)
    async def resolved(caller: SignedIn, asked: ResolveInput) -> Response:
        service.limits.resolving.take(caller.user.id)
        with service.limits.resolving_now.held(caller.user.id):
            found = await resolve(
                asked.url, service.api.discoverer, service.api.fetchers, owner=caller.user.id
            )
        twin = await service.reads.find(
            identities(found.new, service.api.fetchers.types), caller.user.id
        )
        view = await service.view(caller)
        body = _resolved_as_json(found, view.source(twin) if twin else None)
        # The config is as they wrote it, tokens included: nobody keeps it, our memory for
        # repeated requests neither.
        return json_answer(body, headers=NO_STORE)


def _resolved_as_json(
    resolved: ResolvedSource, existing: dict[str, object] | None
) -> dict[str, object]:
    return {
        "type": resolved.new.type,
        "name": resolved.new.name,
        "config": dict(resolved.new.config),
        "feeds": [{"url": feed.url, "title": feed.title} for feed in resolved.found.feeds],
        "preview": preview_as_json(resolved.preview),
        "existing": existing,
        "note": resolved.note,
    }


def _add_single(router: APIRouter, service: SourceService) -> None:
    @router.get(
        "/{source_id:number}",
        summary="One source",
        response_model=OneSourceSchema,
        responses={**REFUSALS, **MISSING_RESPONSE, **NOT_MODIFIED},
    )
    @open_to(Access.EVERYONE)
    async def source(request: Request, caller: Anyone, source_id: PathId) -> Response:
        viewer = caller.user.id if caller else None
        row = await service.reads.get(SourceId(source_id), viewer)
        return listed(request, await service.one(row, caller))

    @router.put(
        "/{source_id:number}",
        summary="Change its name, its config, its cadence, or who may see it",
        response_model=OneSourceSchema,
        responses={**REFUSALS, **MISSING_RESPONSE, **EXISTS_RESPONSE},
    )
    @open_to(Access.WRITE)
    async def change(caller: SignedIn, source_id: PathId, change: SourceChange) -> Response:
        result = await service.changes.update(
            SourceId(source_id),
            caller.user.id,
            lambda row: planned(service.api.fetchers, row, change.edit(), caller),
            now=service.api.clock(),
            cadence=change.cadence,
        )
        return await service.answer(result, caller)

    @router.delete(
        "/{source_id:number}",
        summary="Give a source up, for everybody",
        status_code=204,
        responses={**REFUSALS, **MISSING_RESPONSE},
    )
    @open_to(Access.WRITE)
    async def delete(caller: SignedIn, source_id: PathId) -> Response:
        await service.changes.delete(
            SourceId(source_id),
            caller.user.id,
            lambda row: require_changing(row, caller),
            now=service.api.clock(),
        )
        return Response(status_code=204)


def _add_pausing(router: APIRouter, service: SourceService) -> None:
    @router.post(
        "/{source_id:number}/pause",
        summary="Poll no more, until somebody resumes it",
        response_model=OneSourceSchema,
        responses={**REFUSALS, **MISSING_RESPONSE},
    )
    @open_to(Access.WRITE)
    async def pause(caller: SignedIn, source_id: PathId) -> Response:
        row = await service.changes.pause(
            SourceId(source_id),
            caller.user.id,
            lambda row: require_changing(row, caller),
            now=service.api.clock(),
        )
        return json_answer(await service.one(row, caller))

    @router.post(
        "/{source_id:number}/resume",
        summary="Forget its failures and poll again, at once",
        response_model=OneSourceSchema | ResumedSchema,
        responses={**REFUSALS, **MISSING_RESPONSE},
    )
    @open_to(Access.WRITE)
    async def resume(caller: SignedIn, source_id: PathId) -> Response:
        return json_answer(await service.resumed(SourceId(source_id), caller))


def _add_polls(router: APIRouter, service: SourceService) -> None:
    @router.post(
        "/{source_id:number}/fetch",
        summary="Poll now, or as soon as its host allows",
        status_code=202,
        response_model=SoonSchema,
        responses={**REFUSALS, **MISSING_RESPONSE, 202: WORDED_RESPONSE},
    )
    @open_to(Access.WRITE)
    async def fetch(request: Request, caller: SignedIn, source_id: PathId) -> Response:
        service.limits.polling.take(caller.user.id)
        soon = await service.changes.poll_soon(
            SourceId(source_id),
            caller.user.id,
            lambda row: require_polling(row, caller),
            now=service.api.clock(),
        )
        language = language_of(request)
        why = because_as_json(soon.because, language)
        return worded({"id": source_id, "next_fetch_at": iso(soon.at), **why}, language, 202)

    @router.get(
        "/{source_id:number}/log",
        summary="The latest polls of a source, newest first",
        response_model=LogSchema,
        responses={**REFUSALS, **MISSING_RESPONSE, **NOT_MODIFIED},
    )
    @open_to(Access.READ)
    async def polls(
        request: Request,
        caller: SignedIn,
        source_id: PathId,
        limit: Limit = 50,
        cursor: Cursor = "",
    ) -> Response:
        row = await service.reads.get(SourceId(source_id), caller.user.id)
        found = await latest_polls(
            service.api.database, row.id, limit=limit + 1, before=place_in(cursor)
        )
        page, more = page_of(found, limit, lambda poll: (poll.started_at, poll.id))
        shown = [poll_as_json(each) for each in page]
        return listed(request, {"polls": shown, "next_cursor": more})

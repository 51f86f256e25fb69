"""Finished editions: everybody's and one's own, as JSON, Markdown, HTML or plain text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Final

import orjson
from fastapi import APIRouter, Query, Request, Response

from clawfeed.api.editions.digest_json import Json, digest_as_json, head_as_json, telling_as_json
from clawfeed.api.editions.digest_schemas import DigestList, DigestSchema, StoryReportSchema
from clawfeed.api.http.accept_header import choose_form
from clawfeed.api.http.problems import Problem, ProblemError, ProblemType
from clawfeed.api.http.request_fields import Cursor, Limit, PathId
from clawfeed.api.http.responses import (
    MISSING_RESPONSE,
    NOT_MODIFIED,
    REFUSALS,
    json_answer,
    listed,
    tagged,
)
from clawfeed.auth.authorization import Access, Anyone, guarded_router, open_to
from clawfeed.domain.editions.digest import DigestContent, DigestStory
from clawfeed.domain.editions.edition_period import EditionType
from clawfeed.domain.errors import NotFoundError
from clawfeed.domain.ids import DigestId, StoryId, UserId
from clawfeed.domain.moments import iso
from clawfeed.domain.pagination import id_in, page_of
from clawfeed.domain.people.users import Caller
from clawfeed.rendering.html_edition import render_html_page
from clawfeed.rendering.json_edition import because_in, score_as_json
from clawfeed.rendering.markdown import render_markdown
from clawfeed.rendering.plain_text import render_text
from clawfeed.rendering.wording import wording_of
from clawfeed.storage.database import Database
from clawfeed.storage.digests.digests import DigestStore, StoredDigest
from clawfeed.storage.digests.newest_digest import newest_digest
from clawfeed.storage.digests.story_outcomes import StoryReport, story_report
from clawfeed.storage.editions.stories import read_timeline

JSON: Final = "application/json"
_RENDERED: Final[dict[str, Callable[[DigestContent], str]]] = {
    "text/markdown": render_markdown,
    "text/html": render_html_page,
    "text/plain": render_text,
}
FORMS: Final = (JSON, *_RENDERED)
_VARY: Final = "Accept, Authorization, Cookie"
NOT_ACCEPTABLE: dict[int | str, dict[str, Any]] = {
    406: {"model": Problem, "description": "None of the forms in `Accept` is one we have"}
}
_IN_EVERY_FORM: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The edition, in the form that `Accept` asks for",
        "content": {form: {"schema": {"type": "string"}} for form in _RENDERED},
    },
    **REFUSALS,
    **MISSING_RESPONSE,
    **NOT_MODIFIED,
    **NOT_ACCEPTABLE,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class DigestsApi:
    """What these endpoints need."""

    database: Database
    clock: Callable[[], datetime]

    @property
    def store(self) -> DigestStore:
        return DigestStore(self.database)


Kind = Annotated[EditionType | None, Query(alias="type", description="Only these; all without")]
LatestKind = Annotated[EditionType, Query(alias="type")]


def digest_routes(api: DigestsApi) -> APIRouter:
    router = guarded_router("/api/digests", tag="digests")
    _add_list(router, api)
    _add_latest(router, api)
    _add_single(router, api)
    return router


def _add_list(router: APIRouter, api: DigestsApi) -> None:
    @router.get(
        "",
        summary="Editions, newest first: everybody's, and your own if you are signed in",
        response_model=DigestList,
        responses={**REFUSALS, **NOT_MODIFIED},
    )
    @open_to(Access.EVERYONE)
    async def digests(
        request: Request,
        caller: Anyone,
        kind: Kind = None,
        limit: Limit = 50,
        cursor: Cursor = "",
    ) -> Response:
        before = id_in(cursor)
        found = await api.store.list(
            _reader(caller),
            kind=kind,
            before=None if before is None else DigestId(before),
            limit=limit + 1,
        )
        page, more = page_of(found, limit, lambda head: (head.id,))
        return listed(request, {"digests": [head_as_json(each) for each in page],
                                "next_cursor": more})  # fmt: skip


def _add_latest(router: APIRouter, api: DigestsApi) -> None:
    @router.get(
        "/latest",
        summary="The newest edition: your own if there is a current one, else everybody's",
        response_model=DigestSchema,
        responses=_IN_EVERY_FORM,
    )
    @open_to(Access.EVERYONE)
    async def latest(
        request: Request, caller: Anyone, kind: LatestKind = EditionType.DAILY
    ) -> Response:
        found = await newest_digest(api.store, _reader(caller), kind, now=api.clock())
        if found is None:
            raise NotFoundError(f"there is no {kind} edition yet")
        return in_form(request, found)


def _add_single(router: APIRouter, api: DigestsApi) -> None:
    @router.get(
        "/{digest_id:number}",
        summary="One edition, as JSON, Markdown, HTML or plain text",
        response_model=DigestSchema,
        responses=_IN_EVERY_FORM,
    )
    @open_to(Access.EVERYONE)
    async def digest(request: Request, caller: Anyone, digest_id: PathId) -> Response:
        return in_form(request, await readable(api, caller, digest_id))

    @router.get(
        "/{digest_id:number}/stories/{story_id}",
        summary="Why a story is in an edition or was left out, and when it was told",
        response_model=StoryReportSchema,
        responses={**REFUSALS, **MISSING_RESPONSE},
    )
    @open_to(Access.EVERYONE)
    async def story(caller: Anyone, digest_id: PathId, story_id: PathId) -> Response:
        found = await readable(api, caller, digest_id)
        return json_answer(await _report(api, found, StoryId(story_id)))


def _reader(caller: Caller | None) -> UserId | None:
    return caller.user.id if caller else None


async def readable(api: DigestsApi, caller: Caller | None, digest_id: int) -> StoredDigest:
    """The edition; 404 if it is not theirs, as if it were not there (T13)."""
    found = await api.store.get(DigestId(digest_id), _reader(caller))
    if found is None:
        raise NotFoundError(f"there is no edition {digest_id}")
    return found


def in_form(request: Request, digest: StoredDigest) -> Response:
    """*digest* as `Accept` asks for it; 406 if we have no such form."""
    form = choose_form(request.headers.get("accept", ""), FORMS)
    if form is None:
        wanted = ", ".join(FORMS)
        raise ProblemError(406, ProblemType.NOT_ACCEPTABLE, f"an edition is given as {wanted}")
    if form == JSON:
        return tagged(request, orjson.dumps(digest_as_json(digest)), JSON, _VARY)
    return tagged(request, _RENDERED[form](digest.content).encode(), form, _VARY)


async def _report(api: DigestsApi, digest: StoredDigest, story_id: StoryId) -> Json:
    told = next((each for each in digest.content.stories if each.story_id == story_id), None)
    timeline = await read_timeline(api.database, story_id)
    found = await story_report(api.database, story_id, digest.id)
    about = _told(told, digest.content) if told else _left_out(digest.content, story_id, found)
    if about is None:
        raise NotFoundError(f"edition {digest.id} has no story {story_id}")
    return {
        "digest_id": digest.id,
        "story_id": story_id,
        **about,
        "timeline": [telling_as_json(each) for each in timeline],
    }


def _told(story: DigestStory, content: DigestContent) -> Json:
    return {
        "headline": story.words.headline,
        "is_in": True,
        "section": str(story.section),
        "dropped": None,
        "because": because_in(story, content),
        "score": score_as_json(story.reason.score),
        "first_seen_at": iso(story.first_seen_at),
    }


def _left_out(content: DigestContent, story_id: StoryId, report: StoryReport | None) -> Json | None:
    """From what the choosing left; after two weeks only the edition itself knows."""
    named = next((each for each in content.left_out if each.story_id == story_id), None)
    dropped = report.dropped if report else None
    dropped = named.because if named and dropped is None else dropped
    if dropped is None:
        return None
    headline = named.headline if named else report.story.title if report else ""
    return {
        "headline": headline,
        "is_in": False,
        "section": None,
        "dropped": str(dropped),
        "because": wording_of(content.language).dropped[dropped],
        "score": score_as_json(report.score) if report else None,
        "first_seen_at": iso(report.story.first_seen_at) if report else None,
    }

"""One's own edition, made when asked for; and what it would tell, without making one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated, Any

from fastapi import APIRouter, Query, Response
from pydantic import ConfigDict

from clawfeed.api.editions.digest_json import digest_as_json, preview_as_json, task_as_json
from clawfeed.api.editions.digest_schemas import DigestInput, EditionPreviewSchema, MadeDigestSchema
from clawfeed.api.editions.interests import Interests, to_interests
from clawfeed.api.http.request_fields import Input
from clawfeed.api.http.responses import MISSING_RESPONSE, REFUSALS, json_answer
from clawfeed.auth.authorization import Access, SignedIn, guarded_router, open_to
from clawfeed.auth.limits.action_rate_limits import PreviewTurns
from clawfeed.digest.on_demand_editions import EditionsOnDemand, MadeEdition
from clawfeed.digest.preview import EditionPreviewer
from clawfeed.domain.editions.edition_period import EditionType
from clawfeed.domain.editions.interests import Interest
from clawfeed.domain.errors import NotFoundError
from clawfeed.domain.ids import UserId

MOST_HOURS = 168
NOTHING_YET = (
    "there is nothing to make an edition from: follow sources (POST /api/subscriptions) and wait "
    "until they were polled"
)
NOTHING_TO_TELL = "nothing came in that this edition could tell; the next one is made in its time"


@dataclass(frozen=True, slots=True, kw_only=True)
class DigestMakingApi:
    """What these endpoints need."""

    editions: EditionsOnDemand
    previewer: EditionPreviewer
    turns: PreviewTurns


class PreviewInput(Input):
    """Interests to try instead of your own; your own without."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {"interests": [{"kind": "word", "text": "rust", "weight": 2}]}
        }
    )

    interests: Interests | None = None


Hours = Annotated[
    int, Query(ge=1, le=MOST_HOURS, description="From what came in within so many hours")
]
_PREVIEW: dict[str, Any] = {"response_model": EditionPreviewSchema, "responses": {**REFUSALS}}


def digest_making_routes(api: DigestMakingApi) -> APIRouter:
    router = guarded_router("/api/digests", tag="digests")

    @router.post(
        "",
        summary="Make your edition of now; once per period, however often you ask",
        status_code=201,
        response_model=MadeDigestSchema,
        responses={
            200: {"model": MadeDigestSchema, "description": "It was made before"},
            202: {"model": MadeDigestSchema, "description": "It is in the making; ask again"},
            **REFUSALS,
            **MISSING_RESPONSE,
        },
    )
    @open_to(Access.WRITE)
    async def make(caller: SignedIn, wanted: DigestInput | None = None) -> Response:
        kind = wanted.type if wanted else EditionType.DAILY
        made = await api.editions.make(caller.user.id, kind)
        if made is None:
            raise NotFoundError(NOTHING_YET)
        return _made(made)

    @router.get(
        "/preview",
        summary="What your edition would tell now, with scores; nothing is saved",
        **_PREVIEW,
    )
    @open_to(Access.READ)
    async def preview(caller: SignedIn, hours: Hours = 24) -> Response:
        return await _preview(api, caller.user.id, hours, None)

    @router.post(
        "/preview",
        summary="The same with interests to try out",
        **_PREVIEW,
    )
    @open_to(Access.READ)
    async def try_interests(
        caller: SignedIn, wanted: PreviewInput | None = None, hours: Hours = 24
    ) -> Response:
        given = wanted.interests if wanted else None
        tried = None if given is None else to_interests(given)
        return await _preview(api, caller.user.id, hours, tried)

    return router


def _made(made: MadeEdition) -> Response:
    task, digest = made.task, made.digest
    if digest is None and task.is_over:
        raise NotFoundError(NOTHING_TO_TELL)
    body = {"task": task_as_json(task), "digest": digest_as_json(digest) if digest else None}
    if digest is None:
        return json_answer(body, 202)
    headers = {} if made.was_over else {"Location": f"/api/digests/{digest.id}"}
    return json_answer(body, 200 if made.was_over else 201, headers)


async def _preview(
    api: DigestMakingApi, reader: UserId, hours: int, tried: Sequence[Interest] | None
) -> Response:
    async with api.turns.held(reader):
        found = await api.previewer.preview(reader, timedelta(hours=hours), tried)
    return json_answer(preview_as_json(found))

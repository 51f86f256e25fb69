"""One's own edition, made when asked for; and what it would tell, without making one."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Annotated, Any, Protocol

from fastapi import APIRouter, Query, Response
from pydantic import ConfigDict

from clawfeed.api.digest_json import digest_as_json, preview_as_json, task_as_json
from clawfeed.api.digest_schemas import DigestInput, EditionPreviewSchema, MadeDigestSchema
from clawfeed.api.interests import Interests, to_interests
from clawfeed.api.request_fields import Input
from clawfeed.api.responses import MISSING, REFUSALS, json_answer
from clawfeed.auth.authorization import Access, SignedIn, guarded_router, open_to
from clawfeed.auth.rate_limits import AtOnce
from clawfeed.digest.preview import EditionPreviewer
from clawfeed.domain.edition import EditionTask
from clawfeed.domain.edition_period import EditionType
from clawfeed.domain.errors import NotFoundError
from clawfeed.domain.ids import TaskId, UserId
from clawfeed.domain.interests import ReaderInterests
from clawfeed.storage.digests import DigestStore
from clawfeed.storage.editions import EditionStore

# Without a model an edition takes about two seconds; whoever waits longer is told to ask again.
PATIENCE = timedelta(seconds=10)
MOST_HOURS = 168
NOTHING_YET = (
    "there is nothing to make an edition from: follow sources (POST /api/subscriptions) and wait "
    "until they were polled"
)
NOTHING_TO_TELL = "nothing came in that this edition could tell; the next one is made in its time"


class ReadersEditions(Protocol):
    """Makes readers' own editions, one of each scope and period."""

    async def begin(self, reader: UserId, kind: EditionType) -> EditionTask | None:
        """The reader's edition of now, begun; None while there is nothing to make it from."""
        ...

    async def finish(self, task: TaskId) -> None:
        """Take it to its end; whoever is on it already goes on."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class DigestMakingApi:
    """What these endpoints need; they hold what they began, so that nothing drops it."""

    editions: ReadersEditions
    previewer: EditionPreviewer
    digests: DigestStore
    tasks: EditionStore
    patience: timedelta = PATIENCE
    running: set[asyncio.Task[None]] = field(default_factory=set)
    # Selection is all processor: one preview at a time, whoever asks, and nobody stands in the
    # queue twice: whoever asked a hundred times would keep all others waiting (T26).
    turn: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(1))
    places: AtOnce = field(default_factory=lambda: AtOnce(1, "preview"))


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
            **MISSING,
        },
    )
    @open_to(Access.WRITE)
    async def make(caller: SignedIn, wanted: DigestInput | None = None) -> Response:
        kind = wanted.type if wanted else EditionType.DAILY
        task = await api.editions.begin(caller.user.id, kind)
        if task is None:
            raise NotFoundError(NOTHING_YET)
        was_over = task.is_over
        if not was_over:
            await _wait(api, api.editions.finish(task.id))
        return await _made(api, task.id, was_over=was_over)

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
        tried = None if given is None else ReaderInterests(interests=to_interests(given))
        return await _preview(api, caller.user.id, hours, tried)

    return router


async def _wait(api: DigestMakingApi, making: Coroutine[Any, Any, None]) -> None:
    """Until it is made or patience ends; it goes on either way."""
    running = asyncio.create_task(making)
    api.running.add(running)
    running.add_done_callback(api.running.discard)
    done, _ = await asyncio.wait({running}, timeout=api.patience.total_seconds())
    for each in done:
        each.result()


async def _made(api: DigestMakingApi, task_id: TaskId, *, was_over: bool) -> Response:
    task = await api.tasks.get(task_id)
    digest = await api.digests.of_task(task_id)
    if digest is None and task.is_over:
        raise NotFoundError(NOTHING_TO_TELL)
    body = {"task": task_as_json(task), "digest": digest_as_json(digest) if digest else None}
    if digest is None:
        return json_answer(body, 202)
    headers = {} if was_over else {"Location": f"/api/digests/{digest.id}"}
    return json_answer(body, 200 if was_over else 201, headers)


async def _preview(
    api: DigestMakingApi, reader: UserId, hours: int, tried: ReaderInterests | None
) -> Response:
    with api.places.held(reader):
        async with api.turn:
            found = await api.previewer.preview(reader, timedelta(hours=hours), tried)
    return json_answer(preview_as_json(found))

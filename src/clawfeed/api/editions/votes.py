"""More or less like this: the caller's votes on stories of editions they may read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Literal

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, BeforeValidator, ConfigDict

from clawfeed.api.http.request_fields import Cursor, Id, Input, Limit, PathId
from clawfeed.api.http.responses import (
    MISSING_RESPONSE,
    NOT_MODIFIED,
    REFUSALS,
    json_answer,
    listed,
)
from clawfeed.auth.authorization import Access, SignedIn, guarded_router, open_to
from clawfeed.domain.ids import DigestId, StoryId, VoteId
from clawfeed.domain.moments import iso
from clawfeed.domain.pagination import id_in, page_of
from clawfeed.storage.readers.votes import StoryVote, VoteStore


@dataclass(frozen=True, slots=True, kw_only=True)
class VotesApi:
    """What these endpoints need."""

    store: VoteStore
    clock: Callable[[], datetime]


def _whole(value: object) -> object:
    if isinstance(value, bool):  # which counts as 1 here, and is none in JSON
        raise ValueError("it must be 1 or -1")  # noqa: TRY004 -- told as a wrong value
    return value


Direction = Annotated[Literal[-1, 1], BeforeValidator(_whole)]


class VoteInput(Input):
    """1 for more like this story, -1 for less."""

    model_config = ConfigDict(
        json_schema_extra={"example": {"digest_id": 1, "story_id": 1, "vote": 1}}
    )

    digest_id: Id
    story_id: Id
    vote: Direction


class VoteSchema(BaseModel):
    """*story_id* is null once the story is forgotten; the vote goes on by its *headline*."""

    id: int
    story_id: int | None
    headline: str
    vote: int
    created_at: datetime


class VoteList(BaseModel):
    votes: list[VoteSchema]
    next_cursor: str | None


def vote_routes(api: VotesApi) -> APIRouter:
    router = guarded_router("/api/votes", tag="votes")

    @router.get(
        "",
        summary="Your votes, newest first",
        response_model=VoteList,
        responses={**REFUSALS, **NOT_MODIFIED},
    )
    @open_to(Access.READ)
    async def votes(
        request: Request, caller: SignedIn, limit: Limit = 50, cursor: Cursor = ""
    ) -> Response:
        before = id_in(cursor)
        found = await api.store.list(
            caller.user.id, before=None if before is None else VoteId(before), limit=limit + 1
        )
        page, more = page_of(found, limit, lambda vote: (vote.id,))
        return listed(request, {"votes": [_as_json(each) for each in page], "next_cursor": more})

    @router.post(
        "",
        summary="More or less like this story; again changes the vote",
        status_code=201,
        response_model=VoteSchema,
        responses={**REFUSALS, **MISSING_RESPONSE},
    )
    @open_to(Access.WRITE)
    async def vote(caller: SignedIn, new: VoteInput) -> Response:
        saved = await api.store.save(
            caller.user.id,
            DigestId(new.digest_id),
            StoryId(new.story_id),
            new.vote,
            now=api.clock(),
        )
        return json_answer(_as_json(saved), 201)

    @router.delete(
        "/{vote_id}",
        summary="Take a vote back",
        status_code=204,
        responses={**REFUSALS, **MISSING_RESPONSE},
    )
    @open_to(Access.WRITE)
    async def forget(caller: SignedIn, vote_id: PathId) -> Response:
        await api.store.remove(caller.user.id, VoteId(vote_id))
        return Response(status_code=204)

    return router


def _as_json(vote: StoryVote) -> dict[str, object]:
    return {
        "id": vote.id,
        "story_id": vote.story_id,
        "headline": vote.headline,
        "vote": vote.vote,
        "created_at": iso(vote.created_at),
    }

"""What the caller wants more of, less of, and nothing of."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from clawfeed.api.http.request_fields import Input, Line
from clawfeed.api.http.responses import NOT_MODIFIED, REFUSALS, json_answer, listed
from clawfeed.auth.authorization import Access, SignedIn, guarded_router, open_to
from clawfeed.domain.editions.interests import HEAVIEST_INTEREST, Interest, InterestKind
from clawfeed.storage.editions.interests import MOST_INTERESTS, InterestStore


@dataclass(frozen=True, slots=True, kw_only=True)
class InterestsApi:
    """What these endpoints need."""

    store: InterestStore
    clock: Callable[[], datetime]


class InterestInput(Input):
    """A word, a topic (`Energy: solar, wind`), or a muted word.

    *weight*: how much more, or less, than an ordinary story; a muted word needs none.
    """

    model_config = ConfigDict(
        json_schema_extra={"example": {"kind": "word", "text": "rust", "weight": 2}}
    )

    kind: InterestKind
    text: Line
    weight: Annotated[
        float, Field(strict=True, ge=-HEAVIEST_INTEREST, le=HEAVIEST_INTEREST, allow_inf_nan=False)
    ] = 1.0


Interests = Annotated[tuple[InterestInput, ...], Field(max_length=MOST_INTERESTS, fail_fast=True)]


class InterestListInput(Input):
    """The whole list: what is not in it is forgotten."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "interests": [
                    {"kind": "word", "text": "rust", "weight": 2},
                    {"kind": "topic", "text": "Energy: solar, wind", "weight": 1},
                    {"kind": "muted", "text": "lottery"},
                ]
            }
        }
    )

    interests: Interests


class InterestSchema(BaseModel):
    kind: InterestKind
    text: str
    weight: float


class InterestListSchema(BaseModel):
    interests: list[InterestSchema]


def interest_routes(api: InterestsApi) -> APIRouter:
    router = guarded_router("/api/interests", tag="interests")

    @router.get(
        "",
        summary="What you want more of, less of and nothing of",
        response_model=InterestListSchema,
        responses={**REFUSALS, **NOT_MODIFIED},
    )
    @open_to(Access.READ)
    async def interests(request: Request, caller: SignedIn) -> Response:
        return listed(request, _as_json(await api.store.list(caller.user.id)))

    @router.put(
        "",
        summary="Replace your interests; your editions are your own as soon as there are any",
        response_model=InterestListSchema,
        responses={**REFUSALS},
    )
    @open_to(Access.WRITE)
    async def save(caller: SignedIn, wanted: InterestListInput) -> Response:
        await api.store.replace(caller.user.id, to_interests(wanted.interests), now=api.clock())
        return json_answer(_as_json(await api.store.list(caller.user.id)))

    return router


def to_interests(given: Iterable[InterestInput]) -> tuple[Interest, ...]:
    return tuple(Interest(kind=each.kind, text=each.text, weight=each.weight) for each in given)


def _as_json(interests: Sequence[Interest]) -> dict[str, object]:
    return {
        "interests": [
            {"kind": str(each.kind), "text": each.text, "weight": each.weight} for each in interests
        ]
    }

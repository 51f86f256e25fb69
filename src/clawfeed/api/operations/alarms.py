"""What is wrong and what was, for admins."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from pydantic import BaseModel

from clawfeed.api.http.language import language_of
from clawfeed.api.http.request_fields import Cursor, Limit
from clawfeed.api.http.responses import WORDED_RESPONSE, worded
from clawfeed.api.http.status_json import trouble_as_json
from clawfeed.api.operations.status_schemas import TroubleSchema
from clawfeed.auth.authorization import Access, guarded_router, open_to
from clawfeed.domain.alarm import Alarm
from clawfeed.domain.moments import iso
from clawfeed.domain.pagination import page_of, place_in
from clawfeed.domain.wording.because_wording import Language
from clawfeed.storage.operations.alarms import AlarmStore
from clawfeed.storage.timestamps import seconds


class AlarmState(StrEnum):
    """Which alarms are asked for."""

    RAISED = "raised"
    ALL = "all"


class AlarmSchema(TroubleSchema):
    """Of one that is raised, *cleared_at* is null. *is_personal*: it rang for one person only."""

    id: int
    is_personal: bool
    raised_at: datetime
    cleared_at: datetime | None


class AlarmsSchema(BaseModel):
    alarms: list[AlarmSchema]
    next_cursor: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AlarmsApi:
    store: AlarmStore


def alarm_routes(api: AlarmsApi) -> APIRouter:
    router = guarded_router("/api", tag="operations")

    @router.get(
        "/alarms",
        summary="What is wrong and what was, the newest first",
        response_model=AlarmsSchema,
        responses={200: WORDED_RESPONSE},
    )
    @open_to(Access.ADMIN)
    async def alarms(
        request: Request,
        state: Annotated[
            AlarmState, Query(description="`raised`: only what is wrong now")
        ] = AlarmState.ALL,
        limit: Limit = 100,
        cursor: Cursor = "",
    ) -> Response:
        found = await api.store.list(
            is_raised=state is AlarmState.RAISED,
            limit=limit + 1,
            before=place_in(cursor),
        )
        page, more = page_of(found, limit, lambda alarm: (seconds(alarm.raised_at), alarm.id))
        language = language_of(request)
        shown = [alarm_as_json(alarm, language) for alarm in page]
        return worded({"alarms": shown, "next_cursor": more}, language)

    return router


def alarm_as_json(alarm: Alarm, language: Language = Language.ENGLISH) -> dict[str, object]:
    """One line of `GET /api/alarms`."""
    return {
        "id": alarm.id,
        **trouble_as_json(alarm.trouble, language),
        "is_personal": alarm.trouble.owner_id is not None,
        "raised_at": iso(alarm.raised_at),
        "cleared_at": iso(alarm.cleared_at),
    }

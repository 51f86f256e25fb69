"""How the caller wants their editions: language, zone, hour, and which of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, time
from typing import Annotated

from fastapi import APIRouter, Request, Response
from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from clawfeed.api.http.request_fields import Input
from clawfeed.api.http.responses import NOT_MODIFIED, REFUSALS, json_answer, listed
from clawfeed.auth.authorization import Access, SignedIn, guarded_router, open_to
from clawfeed.domain.editions.edition_period import EditionType
from clawfeed.domain.editions.edition_scope import ReaderSettings
from clawfeed.domain.moments import iso
from clawfeed.domain.wall_clock import TIME_OF_DAY, is_zone
from clawfeed.domain.wording.because_wording import Language
from clawfeed.storage.readers.reader_settings import ReaderSettingsStore, SavedReaderSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderSettingsApi:
    """What these endpoints need."""

    store: ReaderSettingsStore
    clock: Callable[[], datetime]


def _known_zone(name: str) -> str:
    if not is_zone(name):
        raise ValueError("there is no such time zone: write it like Europe/Berlin")
    return name


def _each_once(types: tuple[EditionType, ...]) -> tuple[EditionType, ...]:
    return tuple(kind for kind in EditionType if kind in types)


Zone = Annotated[str, Field(min_length=1, max_length=64), AfterValidator(_known_zone)]
Types = Annotated[
    tuple[EditionType, ...], Field(max_length=10, fail_fast=True), AfterValidator(_each_once)
]

TimeOfDay = Annotated[str, Field(pattern=TIME_OF_DAY)]


class ReaderSettingsInput(Input):
    """What shall be different; the rest stays. *edition_time* is when your edition is there."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "language": "en",
                "zone": "Europe/Berlin",
                "edition_time": "07:30",
                "types": ["daily", "weekly"],
            }
        }
    )

    language: Language | None = None
    zone: Zone | None = None
    edition_time: TimeOfDay | None = None
    types: Types | None = None

    def applied_to(self, known: SavedReaderSettings) -> SavedReaderSettings:
        """*known* with what was sent."""
        hour = self.edition_time
        settings = known.settings
        return SavedReaderSettings(
            settings=ReaderSettings(
                language=str(self.language or settings.language),
                zone=self.zone or settings.zone,
                edition_time=time.fromisoformat(hour) if hour else settings.edition_time,
            ),
            types=known.types if self.types is None else self.types,
        )


class ReaderSettingsSchema(BaseModel):
    """*next_edition_at*: when your next one is begun; null while none is planned."""

    language: str
    zone: str
    edition_time: str
    types: list[EditionType]
    next_edition_at: datetime | None


def reader_settings_routes(api: ReaderSettingsApi) -> APIRouter:
    router = guarded_router("/api/reader-settings", tag="reader settings")

    @router.get(
        "",
        summary="How you want your editions",
        response_model=ReaderSettingsSchema,
        responses={**REFUSALS, **NOT_MODIFIED},
    )
    @open_to(Access.READ)
    async def settings(request: Request, caller: SignedIn) -> Response:
        return listed(request, _as_json(await api.store.get(caller.user.id)))

    @router.put(
        "",
        summary="Change it; what is not sent stays",
        response_model=ReaderSettingsSchema,
        responses={**REFUSALS},
    )
    @open_to(Access.WRITE)
    async def save(caller: SignedIn, wanted: ReaderSettingsInput) -> Response:
        known = await api.store.get(caller.user.id)
        saved = await api.store.save(caller.user.id, wanted.applied_to(known), now=api.clock())
        return json_answer(_as_json(saved))

    return router


def _as_json(saved: SavedReaderSettings) -> dict[str, object]:
    settings = saved.settings
    return {
        "language": settings.language,
        "zone": settings.zone,
        "edition_time": f"{settings.edition_time:%H:%M}",
        "types": [str(kind) for kind in saved.types],
        "next_edition_at": iso(saved.next_due_at),
    }

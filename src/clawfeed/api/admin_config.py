"""What an admin may set while the product runs: intervals by type, and what new readers get."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Path, Request, Response
from pydantic import BaseModel, ConfigDict

from clawfeed.api.request_fields import Input, Line
from clawfeed.api.responses import MISSING, NOT_MODIFIED, REFUSALS, json_answer, listed
from clawfeed.auth.authorization import Access, guarded_router, open_to
from clawfeed.domain.errors import InvalidInputError, NotFoundError, QuotaError
from clawfeed.domain.interval import OVERRIDE_PREFIX, positive_minutes
from clawfeed.storage.config_table import ConfigTable
from clawfeed.storage.packs import PackStore

DEFAULT_PACK = "DEFAULT_PACK"
Key = Annotated[str, Path(pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,63}$")]

# Every list of sources reads them (T26); there are not so many types.
MOST_ROWS = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigurationApi:
    """What these endpoints need."""

    table: ConfigTable
    packs: PackStore
    clock: Callable[[], datetime]


class Value(Input):
    """The new value, as text."""

    model_config = ConfigDict(json_schema_extra={"example": {"value": "60"}})

    value: Line


class ConfigSchema(BaseModel):
    """What is set here. The environment wins over it."""

    config: dict[str, str]


def configuration_routes(api: ConfigurationApi) -> APIRouter:
    router = guarded_router("/api/config", tag="operations")

    @router.get(
        "",
        summary="What is set here",
        response_model=ConfigSchema,
        responses={**REFUSALS, **NOT_MODIFIED},
    )
    @open_to(Access.ADMIN)
    async def config(request: Request) -> Response:
        return listed(request, await _shown(api.table))

    @router.put(
        "/{key}",
        summary="Set one: FETCH_INTERVAL_<TYPE> in minutes, or DEFAULT_PACK",
        response_model=ConfigSchema,
        responses={**REFUSALS, **MISSING},
    )
    @open_to(Access.ADMIN)
    async def save(key: Key, value: Value) -> Response:
        name = key.upper()
        await _check(api.packs, name, value.value)
        rows = await api.table.all()
        if name not in rows and len(rows) >= MOST_ROWS:
            raise QuotaError(f"{MOST_ROWS} settings are the most; remove one first")
        await api.table.save(name, value.value, now=api.clock())
        return json_answer(await _shown(api.table))

    @router.delete(
        "/{key}", summary="Forget one", status_code=204, responses={**REFUSALS, **MISSING}
    )
    @open_to(Access.ADMIN)
    async def forget(key: Key) -> Response:
        if not _is_ours(key.upper()):
            raise NotFoundError(f"{key.upper()} is not set")
        await api.table.remove(key.upper())
        return Response(status_code=204)

    return router


async def _shown(table: ConfigTable) -> dict[str, object]:
    rows = await table.all()
    return {"config": {key: rows[key] for key in rows if _is_ours(key)}}


def _is_ours(key: str) -> bool:
    """The table also holds what the product remembers by itself; that is nobody's to set."""
    return key == DEFAULT_PACK or key.startswith(OVERRIDE_PREFIX)


async def _check(packs: PackStore, key: str, value: str) -> None:
    if key == DEFAULT_PACK:
        await packs.get(None, value)  # strangers must be able to see it
    elif key.startswith(OVERRIDE_PREFIX) and key != OVERRIDE_PREFIX:
        if positive_minutes(value) is None:
            raise InvalidInputError(f"{key}: give a whole number of minutes, 1 or more")
    else:
        raise InvalidInputError(
            f"{key} cannot be set here: only {OVERRIDE_PREFIX}<TYPE> and {DEFAULT_PACK}"
        )

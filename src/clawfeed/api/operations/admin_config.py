"""What an admin may set while the product runs: intervals by type, and what new readers get."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Path, Request, Response
from pydantic import BaseModel, ConfigDict

from clawfeed.api.http.request_fields import Input, Line
from clawfeed.api.http.responses import (
    MISSING_RESPONSE,
    NOT_MODIFIED,
    REFUSALS,
    json_answer,
    listed,
)
from clawfeed.auth.authorization import Access, SignedIn, guarded_router, open_to
from clawfeed.auth.client_address import TrustedProxies
from clawfeed.auth.request_actor import Doorkeeper
from clawfeed.storage.operations.runtime_settings import LiveSettings

Key = Annotated[str, Path(pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,63}$")]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigurationApi(Doorkeeper):
    """What these endpoints need."""

    settings: LiveSettings
    clock: Callable[[], datetime]
    trusted_proxies: TrustedProxies = ()


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
        return listed(request, {"config": await api.settings.all()})

    @router.put(
        "/{key}",
        summary="Set one: FETCH_INTERVAL_<TYPE> in minutes, or DEFAULT_PACK",
        response_model=ConfigSchema,
        responses={**REFUSALS, **MISSING_RESPONSE},
    )
    @open_to(Access.ADMIN)
    async def save(request: Request, caller: SignedIn, key: Key, value: Value) -> Response:
        await api.settings.save(key, value.value, api.hand(request, caller, api.clock()))
        return json_answer({"config": await api.settings.all()})

    @router.delete(
        "/{key}", summary="Forget one", status_code=204, responses={**REFUSALS, **MISSING_RESPONSE}
    )
    @open_to(Access.ADMIN)
    async def forget(request: Request, caller: SignedIn, key: Key) -> Response:
        await api.settings.forget(key, api.hand(request, caller, api.clock()))
        return Response(status_code=204)

    return router

"""What the language model has cost, month by month: for admins."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from fastapi import APIRouter, Response
from pydantic import BaseModel

from clawfeed.api.http.responses import json_answer
from clawfeed.auth.authorization import Access, guarded_router, open_to
from clawfeed.domain.money import in_money
from clawfeed.storage.database import Database
from clawfeed.storage.spending.model_spend import MonthSpend, SpendCap, month_of, spend_by_month

# Single calls are kept for a year and a month.
MOST_MONTHS = 13


class MonthSpendSchema(BaseModel):
    """A month (UTC). *tokens* and *cost* hold what calls under way may yet cost."""

    month: str
    calls: int
    remembered: int
    under_way: int
    lost: int
    tokens: int
    cost: float
    capped_at: datetime | None


class ModelCapSchema(BaseModel):
    """What a month may cost; null means no limit."""

    tokens: int | None
    cost: float | None


class ModelSpendSchema(BaseModel):
    model: str | None
    cap: ModelCapSchema
    this_month: MonthSpendSchema
    months: list[MonthSpendSchema]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSpendApi:
    """*model* is the one that is asked now, None if there is none."""

    database: Database
    clock: Callable[[], datetime]
    model: str | None
    cap: SpendCap


def model_spend_routes(api: ModelSpendApi) -> APIRouter:
    router = guarded_router("/api", tag="operations")

    @router.get(
        "/model/spend",
        summary="What the language model has cost, this month and before",
        response_model=ModelSpendSchema,
    )
    @open_to(Access.ADMIN)
    async def model_spend() -> Response:
        now = api.clock()
        months = (await spend_by_month(api.database, at=now))[:MOST_MONTHS]
        current = [each for each in months if each.month == month_of(now)]
        return json_answer(
            {
                "model": api.model,
                "cap": {
                    "tokens": api.cap.tokens or None,
                    "cost": in_money(api.cap.cost_micros) if api.cap.cost_micros else None,
                },
                "this_month": _as_json(current[0] if current else MonthSpend(month=month_of(now))),
                "months": [_as_json(each) for each in months],
            }
        )

    return router


def _as_json(spend: MonthSpend) -> dict[str, object]:
    return {
        "month": spend.month,
        "calls": spend.calls,
        "remembered": spend.remembered,
        "under_way": spend.under_way,
        "lost": spend.lost,
        "tokens": spend.tokens,
        "cost": in_money(spend.cost_micros),
        "capped_at": spend.capped_at,
    }

"""What the language model has cost, over HTTP."""

from __future__ import annotations

import pytest

from clawfeed.api.http.application import build_application
from clawfeed.api.operations.model_spend import ModelSpendApi, model_spend_routes
from clawfeed.storage.database import Database
from clawfeed.storage.spending.model_spend import Charge, ModelSpend, Reservation, SpendCap
from tests.support.api_callers import ADMIN, ANNA, NAME_TAGS, as_user
from tests.support.clocks import NOON
from tests.support.socket_server import served

pytestmark = pytest.mark.one_database

CAP = SpendCap(tokens=1000, cost_micros=2_500_000)


async def spent(database: Database, cap: SpendCap) -> None:
    spend = ModelSpend(database, cap, model="m")
    call = await spend.reserve(Charge(tokens=900, cost_micros=10), task_id=None, at=NOON)
    assert isinstance(call, Reservation)
    await spend.settle(call, Charge(tokens=700, cost_micros=310_000))
    await spend.note_remembered(None, at=NOON)
    await spend.reserve(Charge(tokens=900, cost_micros=10), task_id=None, at=NOON)


@pytest.mark.parametrize(("caller", "status"), [({}, 401), (as_user(ANNA), 403)])
async def test_only_an_admin_is_told(
    database: Database, caller: dict[str, str], status: int
) -> None:
    api = ModelSpendApi(database=database, clock=lambda: NOON, model=None, cap=SpendCap())
    app = build_application("9.9", [model_spend_routes(api)], NAME_TAGS)
    async with served(app) as session:
        answer = await session.get("/api/model/spend", caller)

    assert answer.status == status


async def test_an_admin_sees_the_month_and_its_cap(database: Database) -> None:
    await spent(database, CAP)
    api = ModelSpendApi(database=database, clock=lambda: NOON, model="m", cap=CAP)
    app = build_application("9.9", [model_spend_routes(api)], NAME_TAGS)
    async with served(app) as session:
        answer = (await session.get("/api/model/spend", as_user(ADMIN))).json()

    assert (answer["model"], answer["cap"]) == ("m", {"tokens": 1000, "cost": 2.5})
    assert answer["this_month"] == {
        "month": "2026-11",
        "calls": 1,
        "remembered": 1,
        "under_way": 0,
        "lost": 0,
        "tokens": 700,
        "cost": 0.31,
        "capped_at": "2026-11-15T12:00:00+00:00",
    }
    assert answer["months"] == [answer["this_month"]]


async def test_without_a_model_everything_is_nothing(database: Database) -> None:
    api = ModelSpendApi(database=database, clock=lambda: NOON, model=None, cap=SpendCap())
    app = build_application("9.9", [model_spend_routes(api)], NAME_TAGS)
    async with served(app) as session:
        answer = (await session.get("/api/model/spend", as_user(ADMIN))).json()

    assert answer["cap"] == {"tokens": None, "cost": None}
    assert (answer["this_month"]["tokens"], answer["months"]) == (0, [])

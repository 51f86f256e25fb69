"""`GET /api/alarms`, and the command that lists the same."""

from __future__ import annotations

from clawfeed.api.http.application import build_application
from clawfeed.api.operations.alarms import AlarmsApi, alarm_routes
from clawfeed.domain.alarm import AlarmCode, Trouble
from clawfeed.storage.database import Database
from clawfeed.storage.operations.alarms import AlarmStore
from tests.support.api_callers import ADMIN, ANNA, NAME_TAGS, add_people, as_user
from tests.support.broken_installations import MINUTE
from tests.support.clocks import NOON
from tests.support.socket_server import served


async def test_admins_page_through_alarms_and_may_ask_for_what_is_wrong_now(
    database: Database,
) -> None:
    await add_people(database)
    store = AlarmStore(database)
    stale = Trouble(code=AlarmCode.SOURCE_STALE, subject="7", parameters={"source": 7})
    capped = Trouble(code=AlarmCode.MODEL_CAP_REACHED, parameters={"month": "2026-11"})
    nobody = lambda *_: None  # noqa: E731
    await store.settle([stale], nobody, now=NOON)
    await store.settle([capped], nobody, now=NOON + MINUTE)
    app = build_application("9.9", [alarm_routes(AlarmsApi(store=store))], NAME_TAGS)

    async with served(app) as client:
        refused = await client.get("/api/alarms", as_user(ANNA))
        first = (await client.get("/api/alarms?limit=1", as_user(ADMIN))).json()
        more = first["next_cursor"]
        second = await client.get(f"/api/alarms?limit=1&cursor={more}", as_user(ADMIN))
        chinese = {**as_user(ADMIN), "Accept-Language": "zh"}
        raised = await client.get("/api/alarms?state=raised", chinese)
        wrong = await client.get("/api/alarms?state=loud", as_user(ADMIN))

    assert (refused.status, wrong.status) == (403, 422)
    assert [alarm["code"] for alarm in first["alarms"]] == ["model_cap_reached"]
    assert second.json()["next_cursor"] is None
    [over] = second.json()["alarms"]
    assert (over["code"], over["parameters"], over["is_personal"]) == (
        "source_stale",
        {"source": 7},
        False,
    )
    assert (over["raised_at"], over["cleared_at"]) == (
        "2026-11-15T12:00:00Z",
        "2026-11-15T12:01:00Z",
    )
    [alarm] = raised.json()["alarms"]
    assert (alarm["text"], alarm["cleared_at"]) == ("2026-11 的语言模型额度已用完", None)

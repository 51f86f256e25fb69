"""The pages for who runs the house, by forms alone: right figures, every button once, all audited.

That nobody but an admin comes in is what `tests/app/test_every_route.py` sees.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from urllib.parse import urlencode

import pytest

from clawfeed.app.clock import system_clock
from clawfeed.app.settings.setting_table import SettingTable
from clawfeed.auth.csrf_token import FIELD, csrf_token
from clawfeed.auth.tokens import hash_of
from clawfeed.digest.edition_admin import NOTHING_COLLECTED
from clawfeed.domain.editions.edition import EditionTask
from clawfeed.domain.editions.edition_decision import IdleReason
from clawfeed.domain.editions.edition_failure import FailureCode
from clawfeed.domain.editions.edition_period import EditionType
from clawfeed.domain.errors import Reason
from clawfeed.domain.ids import JsonValue, UserId
from clawfeed.domain.people.users import Scope
from clawfeed.sources.source_types.built_in import BUILT_IN
from clawfeed.storage.audit import Action, AuditLog
from clawfeed.storage.database import Database, SqlValue, execute
from clawfeed.storage.editions.edition_json import to_text
from clawfeed.storage.editions.editions import EditionStore
from clawfeed.storage.json_columns import to_json
from clawfeed.storage.people.sessions import Sessions
from clawfeed.web.texts.all_texts import TEXTS
from tests.app.whole_server import WholeServer, whole_house
from tests.support.clocks import NOON
from tests.support.digests import a_story, an_edition
from tests.support.editions import NEW, Rows
from tests.support.html_pages import HtmlPage
from tests.support.items import add_item, add_source
from tests.support.socket_server import Answer

FORM = {"Content-Type": "application/x-www-form-urlencoded"}
HOSTILE = "<img src=x onerror=alert(1)>"
CANARY = "canary7f3a9c2e5d1b8064"
# No secret setting by its own name, so that no net for exact secrets catches it.
ACCESS = "bridge-8c1d0e"

pytestmark = pytest.mark.slow


async def send(house: WholeServer, path: str, **fields: str) -> Answer:
    headers = {**house.as_("admin", Scope.ADMIN), **FORM}
    return await house.client.ask("POST", path, headers, urlencode(fields).encode())


async def why_in_chinese(house: WholeServer, path: str, **fields: str) -> str:
    """What a refused form says on a Chinese page."""
    headers = {**house.as_("admin", Scope.ADMIN), **FORM, "Accept-Language": "zh"}
    answer = await house.client.ask("POST", path, headers, urlencode(fields).encode())
    page = HtmlPage(answer.text)
    assert page.values("#mistake", "lang") == [None], "it is told as English"
    return page.texts("#mistake")[0]


async def look(house: WholeServer, path: str, language: str = "en") -> HtmlPage:
    headers = {**house.as_("admin", Scope.ADMIN), "Accept-Language": language}
    answer = await house.client.get(path, headers)
    assert answer.status == 200, (path, answer.text)
    return HtmlPage(answer.text)


async def deeds(database: Database) -> list[str]:
    """What was written down, the oldest first."""
    return [event.detail for event in reversed(await AuditLog(database).list(limit=50))]


def said(answer: Answer) -> tuple[int, str]:
    """A refusal on the page itself."""
    return answer.status, HtmlPage(answer.text).texts("#mistake")[0]


async def a_task(database: Database, period: str, state: str, **values: SqlValue) -> EditionTask:
    kind = EditionType.WEEKLY if "W" in period else EditionType.DAILY
    new = replace(NEW, type=kind, period=period, scope=str(values.pop("scope", NEW.scope)))
    task = await EditionStore(database).get_or_add(new, now=NOON)
    sets = "".join(f", {name} = :{name}" for name in values)
    await execute(
        database,
        f"UPDATE edition_tasks SET state = :state{sets} WHERE id = :id",
        {"state": state, "id": task.id, **values},
    )
    return await EditionStore(database).get(task.id)


WRITTEN: dict[str, dict[str, SqlValue]] = {
    "completed": {"result": "{}"},
    "failed": {"retry_count": 1, "last_error_code": "our_bug", "last_error": "KeyError"},
    "pending": {},
}


def failures_on(page: HtmlPage) -> list[str]:
    """What the page of an edition says went wrong: with it, and with its articles."""
    return [" ".join(text.split()) for text in page.texts("main > .notice.bad p")]


def failures_in(language: str) -> list[str]:
    def said(key: str) -> str:
        return str(getattr(TEXTS[key], language))

    model, articles = said("making_failure.model"), said("making.articles_failed").format(n=3)
    return [f"{model} {HOSTILE}", f"{articles} {said('making_failure.our_bug')} KeyError"]


async def test_editions_are_seen_in_figures_and_taken_in_hand(
    database: Database, tmp_path: Path
) -> None:
    """(S002-11, S002-13, S002-16): batches, retries, plan; each button once, or why not."""
    rows = Rows(database)
    archived = await a_task(
        database, "2026-11-14", "archived", archived_from="init", archived_because="expired"
    )
    done = await a_task(
        database, "2026-11-13", "published", scope="reader-2", published_at=NOON.timestamp()
    )
    digest = await rows.digest(done, content=to_text(an_edition(a_story())), language="en")
    await rows.message(digest, await rows.channel(HOSTILE), state="dead", last_error=HOSTILE)
    task = await a_task(
        database, "2026-W46", "processing", last_error_code="model", last_error=HOSTILE
    )
    for position, state in enumerate(["completed", "failed", "pending"] * 3):
        written = WRITTEN[state]
        await rows.article(task, position, state=state, **written)
    await rows.batch(task, 1, 6, outcome="partial", duration_seconds=12.5)
    here = f"/operations/editions/{task.id}"
    async with whole_house(database, tmp_path) as house:
        listed = await look(house, "/operations/editions")
        one, chinese = await look(house, here), await look(house, here, "zh")
        theirs = await look(house, f"/operations/editions/{done.id}")
        idle = await send(house, f"/operations/editions/{done.id}", move="trigger")
        why = await look(house, idle.headers["location"])
        begun = await send(house, "/operations/editions/today")
        retried = await send(house, here, move="retry_failed")
        again = await send(house, here, move="retry_failed")
        forced = await why_in_chinese(
            house, f"/operations/editions/{done.id}", move="force_publish"
        )
        reset = await send(house, here, move="reset")
        reopened = await send(house, "/operations/editions/reopen", date="2026-11-14")
        twice = await send(house, "/operations/editions/reopen", date="2026-11-14")
        no_date = await send(house, "/operations/editions/reopen", date="2026-13-45")
        odd = await send(house, here, move="eat")
        missing = [await send(house, f"/operations/editions/{n}", move="reset") for n in "9x"]

    lines = [" ".join(text.split()) for text in listed.texts("tbody tr")]
    assert "1 of 2 planned 20 min" in lines[0]
    assert "3 of 9 3 failed 3 retries" in lines[0]
    assert f"{TEXTS['making_failure.model'].en} {HOSTILE}" in lines[0]
    assert failures_on(one) == failures_in("en")
    assert failures_on(chinese) == failures_in("zh")
    assert "1 not delivered" in " ".join(lines[1:])
    assert one.texts(".figures dd") == ["1/2", "20", "3", "3", "0", "3", "3"]
    assert "12.5 s" in one.texts("tbody tr")[0]
    assert one.texts("button.main") == [TEXTS["making.trigger"].en]
    assert TEXTS["making_state.processing"].zh in chinese.texts("main .badge")[0]
    assert HOSTILE in theirs.texts("tbody tr")[0]
    assert f"?said={IdleReason.PUBLISHED}" in idle.headers["location"]
    assert why.texts(".notice") == [TEXTS[f"idle.{IdleReason.PUBLISHED}"].en]
    assert said(begun) == (404, f"{NOTHING_COLLECTED}.")
    assert (retried.status, reset.status, reopened.status) == (303, 303, 303)
    assert reopened.headers["location"] == f"/operations/editions/{archived.id}"
    assert "has no failed article to retry" in said(again)[1]
    assert forced == TEXTS["refusal.edition_published"].zh
    assert (said(again)[0], said(twice)[0], said(no_date)[0], said(odd)[0]) == (422,) * 4
    assert {each.status for each in missing} == {404}
    assert (await EditionStore(database).get(task.id)).state == "init"
    assert await deeds(database) == [
        f"trigger {done.title}",
        f"retry_failed {task.title}",
        f"reset {task.title}",
        f"reopen {archived.title}",
    ]


async def test_what_was_never_begun_is_refused_in_the_readers_language(
    database: Database, tmp_path: Path
) -> None:
    async with whole_house(database, tmp_path) as house:
        todays = await why_in_chinese(house, "/operations/editions/today")
        earlier = await why_in_chinese(house, "/operations/editions/reopen", date="2026-11-12")

    assert todays == TEXTS["refusal.nothing_collected"].zh
    assert earlier == TEXTS["refusal.edition_not_begun"].zh.format(date="2026-11-12")


async def test_who_begins_todays_edition_and_triggers_it_is_written_down(
    database: Database, tmp_path: Path
) -> None:
    """(S002-14): once; a second time it is there already."""
    await add_item(database, await add_source(database, "a"), "first", at=system_clock())
    async with whole_house(database, tmp_path) as house:
        begun = [await send(house, "/operations/editions/today") for _ in range(2)]
        place = str(begun[0].headers["location"])
        triggered = await send(house, place, move="trigger")

    [task] = await EditionStore(database).recent(limit=9)
    assert [each.status for each in (*begun, triggered)] == [303] * 3
    assert task.state == "list_fetched"
    assert await deeds(database) == [f"begin {task.title}", f"trigger {task.title}"]


async def test_messages_are_found_sent_again_and_dropped_where_one_is(
    database: Database, tmp_path: Path
) -> None:
    rows = Rows(database)
    digest = await rows.digest(await a_task(database, "2026-11-15", "aggregating"))
    first, other = await rows.channel(HOSTILE), await rows.channel("other")
    failed = {"last_error_code": str(Reason.TIMED_OUT), "last_error": "the answer was lost"}
    unsure = await rows.message(digest, first, 1, state="uncertain", parts=2, **failed)
    waits = await rows.message(digest, first, 2, state="pending", parts=2)
    await rows.message(digest, other, 1, state="sent", parts=1, sent_at=NOON.timestamp())
    place = {"state": "uncertain", "channel": str(first)}
    here = f"/operations/outbox?{urlencode(place)}"
    async with whole_house(database, tmp_path) as house:
        everything = await look(house, "/operations/outbox?state=nonsense&channel=x&before=-1")
        filtered, chinese = await look(house, here), await look(house, here, "zh")
        resent = await send(house, f"/operations/outbox/{unsure}", move="resend", **place)
        again = await send(house, f"/operations/outbox/{unsure}", move="resend", **place)
        why = await why_in_chinese(house, f"/operations/outbox/{unsure}", move="resend", **place)
        dropped = await send(house, f"/operations/outbox/{waits}", move="drop")
        odd = await send(house, f"/operations/outbox/{waits}", move="burn")
        missing = [await send(house, f"/operations/outbox/{n}", move="drop") for n in "9x"]
        now = await look(house, "/operations/outbox?state=waiting")

    assert everything.texts(".tabs a")[-6:] == [
        "All 3", "Waiting 1", "Sending 0", "Uncertain 1", "Given up 0", "Sent 1",
    ]  # fmt: skip
    assert len(everything.texts("li .title")) == 3
    [message] = filtered.texts("main li")
    assert HOSTILE in message
    assert "the answer was lost" in message
    assert TEXTS["sending.timed_out"].en in message
    assert TEXTS["outbox.uncertain_text"].en in message
    assert TEXTS["sending.timed_out"].zh in chinese.texts("main li")[0]
    assert resent.headers["location"] == f"{here}#message-{unsure}"
    assert said(again)[0] == 422
    assert "resend is for messages" in said(again)[1]
    assert why == TEXTS["refusal.message_not_resent"].zh
    assert (dropped.status, odd.status) == (303, 422)
    assert {each.status for each in missing} == {404}
    assert len(now.texts("li .title")) == 1
    states = await database.read("SELECT state FROM outbox ORDER BY id")
    assert [row["state"] for row in states] == ["retry", "dead", "sent"]
    assert await deeds(database) == [
        f"resend message {unsure} to channel {first}",
        f"drop message {waits} to channel {first}",
    ]


async def test_alarms_are_told_with_what_helps_and_who_was_told(
    database: Database, tmp_path: Path
) -> None:
    """What is one reader's alone is not named to admins, who resume it all the same (S001-9)."""
    rows = Rows(database)
    raise_one = (
        "INSERT INTO alarms (code, subject, owner_id, parameters, raised_at, cleared_at) "
        "VALUES (:code, :subject, :owner, :parameters, :raised, :cleared) RETURNING id"
    )
    state = "SELECT is_active FROM sources WHERE id = :id"
    async with whole_house(database, tmp_path) as house:
        now = system_clock().timestamp()
        at: dict[str, SqlValue] = {"raised": now - 7200, "cleared": None, "owner": None}
        paused = {"code": "source_paused", "subject": "3"}
        named = {**at, **paused, "parameters": '{"source": 3, "name": "' + HOSTILE + '"}'}
        [raised] = await execute(database, raise_one, named)
        private: dict[str, SqlValue] = {
            **named,
            "subject": "4",
            "owner": 2,
            "parameters": '{"source": 4, "name": "' + CANARY + '"}',
        }
        await execute(database, raise_one, private)
        hers = await add_source(database, CANARY, owner=UserId(3), is_public=False)
        theirs = await add_source(database, "c", owner=UserId(3), is_public=False)
        paused_by = "UPDATE sources SET is_active = 0, paused_because = :why WHERE id = :id"
        await execute(database, paused_by, {"id": hers, "why": "errors"})
        await execute(database, paused_by, {"id": theirs, "why": "person"})
        several: dict[str, JsonValue] = {"count": 2, "subjects": [str(hers), str(theirs)]}
        await execute(
            database, raise_one, {**at, **paused, "subject": "", "parameters": to_json(several)}
        )
        over: dict[str, SqlValue] = {"raised": now - 9000, "cleared": now - 1800}
        quiet = {"code": "no_collector", "subject": "", "parameters": "{}"}
        await execute(database, raise_one, {**at, **over, **quiet})
        channel = await rows.channel("the team")
        about = {"alarm_id": raised["id"], "notice": "raised", "idempotency_key": "a", "parts": 1}
        await rows.message(None, channel, state="sent", **about)  # type: ignore[arg-type] # no digest
        found = await look(house, "/operations/alarms?before=nonsense")
        chinese = await look(house, "/operations/alarms", "zh")
        [button] = found.values("main li form", "action")
        headers = {**house.as_("anna"), **FORM}
        others = await house.client.ask("POST", str(button), headers, b"")
        [still] = await database.read(state, {"id": hers})
        back = await send(house, str(button), next="/operations/alarms")
        [resumed] = await database.read(state, {"id": hers})
        [stays] = await database.read(state, {"id": theirs})
        after = await look(house, "/operations/alarms")

    ringing = found.texts("main li")
    assert len(ringing) == 3
    assert f"source {HOSTILE} (3) is paused" in ringing[2]
    assert "the team" in ringing[2]
    assert "clawfeed source resume" in found.texts("main li code")
    assert found.values("main li a", "href") == ["/sources", "/sources/3"]
    assert (others.status, back.headers["location"]) == (404, "/operations/alarms")
    assert (still["is_active"], resumed["is_active"], stays["is_active"]) == (0, 1, 0)
    assert after.values("main li form", "action") == []
    assert CANARY not in "".join(ringing)
    [past] = [" ".join(text.split()) for text in found.texts("tbody tr")]
    assert "no collector gives a sign of life" in past
    assert past.endswith(f"2 h {TEXTS['alarms.nobody'].en}")
    told = chinese.texts("main li")
    assert ["有源因失败被暂停" in told[1], "已暂停" in told[2]] == [True, True]


async def test_people_are_let_in_changed_and_signed_out(database: Database, tmp_path: Path) -> None:
    """(T13): nobody changes their own rights, and a browser left open changes nobody's."""
    async with whole_house(database, tmp_path) as house:
        anna, me = "/operations/people/2", "/operations/people/1"
        [key] = await database.read("SELECT max(id) AS id FROM api_keys WHERE user_id = 2")
        await Sessions(database).add(UserId(2), b"annas", client="phone", now=system_clock())
        invited = await send(house, "/operations/people", email="Cleo@Example.org", name=HOSTILE)
        taken = await send(house, "/operations/people", email="cleo@example.org")
        wrong = await send(house, "/operations/people", email="nobody", name="N")
        [link] = HtmlPage(invited.text).texts("code.secret")
        opened = await house.client.get(link.removeprefix("http://127.0.0.1:8767"))
        listed, chinese = await look(house, "/operations/people"), await look(house, anna, "zh")
        revoked = await send(house, anna, do="revoke", key=str(key["id"]))
        gone = await send(house, anna, do="revoke", key=str(key["id"]))
        out = await send(house, anna, do="sign_out")
        disabled = await send(house, anna, do="disable")
        by_key = await send(house, anna, do="make_admin")  # a key makes nobody an admin
        own = await send(house, me, do="make_user")
        odd = await send(house, anna, do="adopt")
        missing = await send(house, "/operations/people/99", do="disable")
        after = await look(house, anna)
        filtered = await look(house, "/operations/people?by=2")
        stale, refused = await _from_a_browser_left_open(house, anna)
        again = await house.client.get("/login?again=1", await _session(house, minutes=60))

    assert invited.status == 201
    assert HtmlPage(invited.text).texts(".notice h2") == [f"The link for {HOSTILE}"]
    assert opened.status == 200
    assert "has an account already" in said(taken)[1]
    assert HtmlPage(wrong.text).values("#email", "value") == ["nobody"]
    assert (taken.status, wrong.status) == (409, 422)
    names = [" ".join(text.split()) for text in listed.texts("tbody .title")]
    assert names[:4] == ["admin", "anna", "ben", HOSTILE]
    assert link not in "".join(listed.texts("main"))
    assert TEXTS["people.make_admin"].zh in chinese.texts("summary")
    assert (revoked.status, gone.status, out.status, disabled.status) == (303, 404, 303, 303)
    assert (by_key.status, own.status, odd.status, missing.status) == (403, 403, 422, 404)
    assert "your own account" in said(own)[1]
    assert TEXTS["people.disabled"].en in after.texts(".badge")
    assert after.texts(".figures dd")[-2:] == ["0", "1"]
    assert filtered.texts("main")[0].count("person added") == 0
    assert await database.read("SELECT id FROM sessions WHERE user_id = 2") == []
    assert await deeds(database) == [
        "user 4", f"key {key['id']} of user 2", "user 2", "user 2: user, disabled",
    ]  # fmt: skip
    assert (stale, refused.status) == (["/login?again=1&next=/operations/people/2"], 403)
    assert HtmlPage(again.text).count("input[name=password]") == 1


async def _session(house: WholeServer, *, minutes: int) -> dict[str, str]:
    """The cookie of the admin who signed in so long ago."""
    token = f"token-of-{minutes}"
    at = system_clock() - timedelta(minutes=minutes)
    await Sessions(house.database).add(UserId(1), hash_of(token), client="desk", now=at)
    return {"Cookie": f"sid={token}"}


async def _from_a_browser_left_open(
    house: WholeServer, path: str
) -> tuple[list[str | None], Answer]:
    """Where the page sends who signed in an hour ago, and what a form does all the same."""
    cookie = await _session(house, minutes=61)
    page = await house.client.get(path, cookie)
    token = csrf_token(cookie["Cookie"].removeprefix("sid="))
    body = urlencode({FIELD: token, "do": "enable"}).encode()
    answer = await house.client.ask("POST", path, {**cookie, **FORM}, body)
    return HtmlPage(page.text).values("main .notice a", "href"), answer


async def test_the_configuration_shows_everything_but_secrets_and_changes_what_may_change(
    database: Database, tmp_path: Path
) -> None:
    """(S000-2, T17): every secret is the canary; the environment wins over what is set here."""
    special = {
        "SMTP_URL": f"smtp://me:{CANARY}@mail.example",
        "SLACK_WEBHOOK_URL": f"https://hooks.example/{CANARY}",
        "DATABASE_URL": f"postgresql://me:{CANARY}@db.example/feeds",
        "X_BRIDGES": f"https://rss.example/{{handle}}?key={ACCESS}, "
        f"https://bridge.example/{ACCESS}/{{handle}}?code={ACCESS}",
    }
    known = SettingTable(BUILT_IN).all
    secrets = {each.name: special.get(each.name, CANARY) for each in known if each.secret}
    settings = {
        **secrets,
        **special,
        "CUSTOM_API_ACME": CANARY,
        "EMAIL_FROM": "news@example.org",
        "GOOGLE_CLIENT_ID": "g",
        "OIDC_ISSUER": "https://id.example",
        "OIDC_CLIENT_ID": "o",
        "FETCH_INTERVAL_REDDIT": "45",
        "TIMEZONE": "Asia/Shanghai",
    }
    here = "/operations/configuration"
    async with whole_house(database, tmp_path, settings=settings) as house:
        before = await house.client.get(here, house.as_("admin", Scope.ADMIN))
        saved = await send(house, here, key="FETCH_INTERVAL_RSS", value="60")
        wrong = await send(house, here, key="FETCH_INTERVAL_RSS", value="soon")
        pack = await send(house, here, key="DEFAULT_PACK", value="nowhere")
        odd = await send(house, here, key="API_KEY", value="mine")
        after, chinese = await look(house, here), await look(house, here, "zh")
        forgotten = await send(house, here, key="FETCH_INTERVAL_RSS", value="")
        last = await look(house, here)

    assert CANARY not in before.text
    assert ACCESS not in before.text
    page = HtmlPage(before.text)
    shown = {" ".join(text.split()) for text in page.texts(".settings tbody tr")}
    assert {each.name for each in known} <= {line.split()[0] for line in shown}
    assert any(
        line.startswith("TIMEZONE") and "Asia/Shanghai environment" in line for line in shown
    )
    assert all(
        any(line.startswith(f"{name} ") and line.endswith("set environment") for line in shown)
        for name in secrets
    )
    assert any(
        line.startswith("X_BRIDGES") and "rss.example, bridge.example" in line for line in shown
    )
    assert (saved.status, forgotten.status) == (303, 303)
    assert (said(wrong)[0], said(pack)[0], said(odd)[0]) == (422, 404, 422)
    assert "whole number of minutes" in said(wrong)[1]
    assert _interval(after, "rss") == "rss FETCH_INTERVAL_RSS 60 set here Set"
    assert _interval(after, "reddit") == "reddit FETCH_INTERVAL_REDDIT 45 environment"
    assert _interval(last, "rss") == "rss FETCH_INTERVAL_RSS 240 default Set"
    assert TEXTS["origin.table"].zh in _interval(chinese, "rss")
    assert await deeds(database) == [
        "FETCH_INTERVAL_RSS: 60", "FETCH_INTERVAL_RSS: not set here any more",
    ]  # fmt: skip


def _interval(page: HtmlPage, name: str) -> str:
    lines = [" ".join(text.split()) for text in page.texts("table:not(.settings) tbody tr")]
    return next(line for line in lines if line.startswith(f"{name} "))


def test_whatever_is_written_down_has_words() -> None:
    assert {f"audit.{action}" for action in Action} <= set(TEXTS)
    assert {f"making_failure.{code}" for code in FailureCode} <= set(TEXTS)
    assert {f"sending.{reason}" for reason in Reason} <= set(TEXTS)
    assert {f"idle.{reason}" for reason in IdleReason} <= set(TEXTS)

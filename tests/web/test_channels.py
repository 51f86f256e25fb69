"""The pages of channels: a form of each kind's fields, a real test, and what became of editions."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urlencode

import pytest

from clawfeed.api.http.application import build_application
from clawfeed.app.settings.config_loading import load_config
from clawfeed.app.wiring.channel_routers import channel_page_routers
from clawfeed.app.wiring.channels import channels_of
from clawfeed.auth.limits.action_rate_limits import ChannelLimits
from clawfeed.domain.channels.channel import NOT_SET
from clawfeed.domain.errors import Reason
from clawfeed.publish.channel_targets import channels_of_the_house
from clawfeed.publish.channel_types.built_in import BUILT_IN
from clawfeed.simulator import World
from clawfeed.simulator.services.telegram import BOT_TOKEN, MISSING_CHAT
from clawfeed.storage.database import Database
from clawfeed.storage.outbox.outbox import SENDER_STOPPED, TOO_OLD
from clawfeed.web.channels.channel_context import ChannelPages
from clawfeed.web.texts.all_texts import TEXTS
from tests.support.api_callers import ADMIN, ANNA, BEN, NAME_TAGS, add_people, as_user
from tests.support.clocks import NOON, FakeClock
from tests.support.digests import an_edition
from tests.support.editions import Rows
from tests.support.html_pages import HtmlPage
from tests.support.origin import door, on_stage
from tests.support.pages import a_site
from tests.support.published_digests import publish
from tests.support.socket_server import Answer, Client, served

FORM = {"Content-Type": "application/x-www-form-urlencoded"}
OTHER_TOKEN = "987654321:another-token-of-the-same-make-abcdef"  # noqa: S105 -- opens nothing
LINES = ".list > li"
HOSTILE = "<img src=x onerror=alert(1)>"
WISHES = {"type_daily": "1", "zone": "Europe/Berlin", "language": "en"}
TELEGRAM = {"kind": "telegram", "address": "@anna_reads", "secret_bot_token": BOT_TOKEN, **WISHES}


@dataclass(frozen=True, slots=True, kw_only=True)
class House:
    """The pages on a real database, their Telegram the simulated one."""

    client: Client
    world: World
    clock: FakeClock
    reads: str = "en"

    async def look(self, who: int, path: str, language: str = "en", status: int = 200) -> HtmlPage:
        answer = await self.client.get(path, {**as_user(who), "Accept-Language": language})
        assert answer.status == status, (path, answer.text)
        assert BOT_TOKEN not in answer.text
        return HtmlPage(answer.text)

    async def send(self, who: int, path: str, **fields: str) -> Answer:
        headers = {**as_user(who), **FORM, "Accept-Language": self.reads}
        answer = await self.client.ask("POST", path, headers, urlencode(fields).encode())
        assert BOT_TOKEN not in answer.text
        return answer

    def arrived(self, chat: str) -> list[str]:
        return [each.content for each in self.world.effects.of("telegram", chat)]


@asynccontextmanager
async def opened(database: Database, folder: Path) -> AsyncIterator[House]:
    """With a channel of the house that the settings make (1)."""
    await add_people(database)
    clock = FakeClock()
    world = World([], seed=1, clock=clock)
    async with on_stage(world, folder / "journal") as stage, door(stage.url, clock=clock) as egress:
        settings = {
            "SECRETS_KEY": "0123456789abcdef0123456789abcdef",
            "TELEGRAM_API_BASE_URL": f"{stage.url}/telegram",
            "TELEGRAM_BOT_TOKEN": BOT_TOKEN,
            "TELEGRAM_CHANNEL_ID": "@house_news",
        }
        channels = channels_of(load_config(settings, directory=folder), database)
        drafts = channels_of_the_house(BUILT_IN, channels.config)
        await channels.admin.store.sync_environment(drafts, now=NOON)
        pages = ChannelPages(
            site=a_site(database, clock=clock),
            database=database,
            admin=channels.admin,
            trial=channels.trial(egress),
            limits=ChannelLimits(clock),
        )
        app = build_application("9.9", channel_page_routers(pages), NAME_TAGS)
        async with served(app) as client:
            yield House(client=client, world=world, clock=clock)


@pytest.mark.slow
async def test_a_channel_is_chosen_filled_in_tested_changed_and_removed_by_forms(
    database: Database, tmp_path: Path
) -> None:
    """Whatever is refused stands on the form with what was typed, but for the secret (T13)."""
    async with opened(database, tmp_path) as house:
        kinds = await house.look(ANNA, "/channels/new")
        odd = await house.send(ANNA, "/channels/new", **{**TELEGRAM, "address": HOSTILE})
        lost = await house.send(ANNA, "/channels/new", **{**TELEGRAM, "zone": "Mars/Olympus"})
        in_chinese = replace(house, reads="zh")
        chinese = await in_chinese.send(ANNA, "/channels/new", **{**TELEGRAM, "zone": "Mars"})
        bare = await house.send(ANNA, "/channels/new", **{**TELEGRAM, "secret_bot_token": ""})
        strayed = await house.send(
            ANNA, "/channels/new", kind="github", address="demo/news", secret_token="x" * 40,
            option_folder="..", **WISHES,
        )  # fmt: skip
        grab = await house.send(ANNA, "/channels/new", **TELEGRAM, for_everybody="1")
        added = await house.send(
            ANNA, "/channels/new", **TELEGRAM, deliver_at="07:30", quiet_from="22:00",
            quiet_until="06:00",
        )  # fmt: skip
        here = added.headers["Location"]
        lists = [await house.look(ANNA, "/channels", each) for each in ("en", "zh")]
        tested = await house.send(ANNA, f"{here}/test")
        form = await house.look(ANNA, f"{here}/edit")
        moved = await house.send(
            ANNA, f"{here}/edit", **{**TELEGRAM, "address": MISSING_CHAT, "secret_bot_token": ""}
        )
        failed = [
            HtmlPage((await house.send(ANNA, f"{here}/test")).text),
            HtmlPage(
                (
                    await house.client.ask(
                        "POST", f"{here}/test", {**as_user(ANNA), "Accept-Language": "zh"}, b""
                    )
                ).text
            ),
        ]
        limited = [await house.send(ANNA, f"{here}/test") for _ in range(3)][-1]
        paused = await house.send(ANNA, f"{here}/pause")
        still = await house.look(ANNA, here)
        resumed = await house.send(ANNA, f"{here}/resume")
        foreign = {
            (await house.client.ask(method, f"{here}{path}", {**as_user(who), **FORM}, b"")).status
            for who in (BEN, ADMIN)
            for method, path in (
                ("GET", ""), ("GET", "/edit"), ("POST", "/edit"), ("POST", "/test"),
                ("POST", "/pause"), ("POST", "/resume"), ("POST", "/remove"), ("POST", "/resend"),
            )
        }  # fmt: skip
        removed = await house.send(ANNA, f"{here}/remove")
        after = await house.look(ANNA, "/channels")

    assert kinds.count(".kind a") == len(list(BUILT_IN)) - len(kinds.texts(".kind .badge"))
    assert (odd.status, lost.status, bare.status, grab.status) == (422, 422, 422, 403)
    assert "is not a chat of Telegram" in HtmlPage(odd.text).texts("[role=alert]")[0]
    assert HtmlPage(odd.text).values("#address", "value") == [HOSTILE]
    assert HtmlPage(lost.text).values("#zone", "value") == ["Mars/Olympus"]
    assert HtmlPage(lost.text).values("#mistake", "lang") == ["en"]
    assert HtmlPage(lost.text).texts("#mistake")[0].startswith("Time zone: there is no such")
    assert HtmlPage(chinese.text).texts("#mistake") == [TEXTS["refusal.wrong_zone"].zh]
    assert HtmlPage(chinese.text).values("#mistake", "lang") == [None]
    assert "Token of your bot: it is needed" in HtmlPage(bare.text).texts("[role=alert]")[0]
    assert HtmlPage(strayed.text).texts("#mistake")[0].startswith("Folder: it is made of letters")
    assert added.status == 303
    assert "not before 07:30, quiet from 22:00 until 06:00" in lists[0].texts(LINES)[0]
    assert "22:00 至 06:00 免打扰" in lists[1].texts(LINES)[0]
    assert TEXTS["test.arrived"].en in HtmlPage(tested.text).texts(".notice.good")[0]
    assert [each.split("\n")[0] for each in house.arrived("@anna_reads")] == [
        "ClawFeed can reach this channel"
    ]
    assert form.values("#secret_bot_token", "type") == ["password"]
    assert form.values("#secret_bot_token", "value") == [None]
    assert form.values("#secret_bot_token", "required") == [None]
    assert (moved.status, paused.status, resumed.status, removed.status) == (303, 303, 303, 303)
    assert TEXTS["send_cause.gone"].en in failed[0].texts("#trial .notice")[0]
    assert TEXTS["send_advice.gone"].zh in failed[1].texts("#trial .notice")[0]
    assert TEXTS["test.too_often"].en in HtmlPage(limited.text).texts("#trial .notice")[0]
    assert TEXTS["channels.paused_do"].en in still.texts(".notice")[0]
    assert foreign == {404}
    assert (after.count(LINES), after.count(".empty")) == (0, 1)


@pytest.mark.slow
async def test_what_became_of_each_edition_is_told_and_sent_again_when_asked(
    database: Database, tmp_path: Path
) -> None:
    """The owner decides about what may have arrived; nobody reaches another channel's message."""
    rows = Rows(database)
    async with opened(database, tmp_path) as house:
        here = (await house.send(ANNA, "/channels/new", **TELEGRAM)).headers["Location"]
        mine = int(here.rpartition("/")[2])
        digests = [
            await publish(database, an_edition(title=title, period=f"2026-11-1{day}"))
            for day, title in enumerate(("Sent", "Lost", "Waits", HOSTILE))
        ]
        await rows.message(digests[0], mine, state="sent", sent_at=NOON.timestamp())
        await rows.message(digests[1], mine, state="sent", sent_at=NOON.timestamp())
        doubtful = await rows.message(
            digests[1], mine, part=2, parts=2, state="uncertain", last_error_code="broken",
            last_error=HOSTILE,
        )  # fmt: skip
        await rows.message(digests[2], mine, not_before=NOON.timestamp() + 3_600)
        await rows.message(digests[3], mine, state="dead", last_error_code=TOO_OLD)
        theirs = await rows.message(digests[0], 1, state="dead", last_error_code="gone")
        pages = [await house.look(ANNA, here, each) for each in ("en", "zh")]
        older = await house.look(ANNA, f"{here}?before={digests[1]}")
        in_house = await house.look(ADMIN, "/channels/1")
        refused = [
            (await house.send(ANNA, f"{here}/resend", message=str(each))).status
            for each in (theirs, 999, "x")
        ]
        again = await house.send(ANNA, f"{here}/resend", message=str(doubtful))
        twice = await house.send(ANNA, f"{here}/resend", message=str(doubtful))
        after = await house.look(ANNA, "/channels")
        fixed = await house.look(ADMIN, "/channels/1/edit", status=403)
        admins = await house.look(ADMIN, "/channels")

    words = [pages[0].texts(f"{LINES} .badge"), pages[1].texts(f"{LINES} .badge")]
    assert words[0] == ["not delivered", "waiting", "may have arrived", "arrived"]
    assert words[1] == ["未送达", "等待发送", "可能已送达", "已送达"]
    assert pages[0].texts(f"{LINES} > a") == [HOSTILE, "Waits", "Lost", "Sent"]
    assert "until 15 Nov 13:00" in pages[0].texts(LINES)[1]
    assert "1 of 2 parts arrived" in pages[0].texts(LINES)[2]
    assert TEXTS["send_cause.too_old"].en in pages[0].texts(".trouble")[0]
    assert TEXTS["delivery.look"].zh in pages[1].texts(".trouble")[1]
    assert pages[0].values("[name=message]", "value")[1] == str(doubtful)
    assert older.texts(f"{LINES} > a") == ["Sent"]
    assert refused == [404] * 3
    assert (again.status, twice.status) == (303, 422)
    [moved] = await database.read("SELECT state FROM outbox WHERE id = :id", {"id": doubtful})
    [noted] = await database.read("SELECT user_id, action FROM audit_log")
    assert (moved["state"], noted["user_id"], noted["action"]) == ("retry", ANNA, "message_moved")
    assert after.count(LINES) == 1
    assert admins.texts(LINES)[0].split()[0] == "Telegram"
    assert TEXTS["channels.from_settings"].en in admins.texts(".badge")
    assert in_house.count("a[href='/channels/1/edit'], .asking") == 0
    assert in_house.texts(f"{LINES} .badge") == ["not delivered"]
    assert fixed.count("form[action='/channels/1/edit']") == 0


def test_every_answer_of_a_channel_and_every_kind_has_plain_words() -> None:
    """What became wrong, what to do; what a kind needs, and the names of its fields."""
    codes = {*Reason, TOO_OLD, SENDER_STOPPED, NOT_SET, "unknown"}
    wanted = {f"send_{what}.{code}" for code in codes for what in ("cause", "advice")}
    for kind in BUILT_IN:
        wanted |= {f"channel_{what}.{kind.kind}" for what in ("kind", "needs")}
        names = (*kind.secrets, *kind.optional_secrets, *kind.options)
        wanted |= {f"channel_field.{name}" for name in names}
        wanted |= {f"channel_help.{name}" for name in names}
        if not kind.is_own_address_only:
            wanted.add(f"channel_how.{kind.kind}")

    assert wanted - set(TEXTS) <= {"channel_how.apprise"}

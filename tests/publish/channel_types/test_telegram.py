"""Telegram as a channel: what its answers mean, and that nothing is posted twice (F19, I7)."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from clawfeed.domain.channels.channel import ChannelDraft
from clawfeed.domain.editions.edition_period import EditionType
from clawfeed.domain.errors import ConfigError, Reason
from clawfeed.domain.secret import Secret
from clawfeed.publish.channel_type import Notice, PublishConfig, SendingTools
from clawfeed.publish.channel_types.telegram import TYPE
from clawfeed.publish.message import RetryVerdict
from clawfeed.simulator import Fault, Misbehaviour
from clawfeed.simulator.services.telegram import (
    BLOCKING_CHAT,
    BOT_TOKEN,
    LEFT_GROUP,
    MISSING_CHAT,
    NEW_GROUP,
    OLD_GROUP,
)
from tests.publish.simulated_services import (
    PAGE,
    Service,
    a_message,
    payloads_of,
    refused_text,
    says,
    staged,
)
from tests.support.clocks import FakeClock
from tests.support.digests import an_edition
from tests.support.origin import door
from tests.support.ports import free_port

EVERY_REQUEST = "/telegram/*"
[EDITION] = payloads_of(TYPE, an_edition())
CANNOT_PARSE = says(
    400,
    {"ok": False, "error_code": 400, "description": "Bad Request: can't parse entities: oh"},
)
TOO_MANY = {
    "ok": False,
    "error_code": 429,
    "description": "Too Many Requests: retry after 7",
    "parameters": {"retry_after": 7},
}


@pytest.fixture
async def telegram(tmp_path: Path) -> AsyncIterator[Service]:
    secrets = {"bot_token": BOT_TOKEN}
    async with staged(TYPE, tmp_path, address="@demo_news", secrets=secrets) as service:
        yield service


async def test_an_edition_is_posted_as_people_will_read_it(telegram: Service) -> None:
    receipt = await telegram.send(a_message(EDITION))

    [posted] = telegram.effects("@demo_news")
    assert receipt.remote_id == "1"
    assert receipt.moved_to is None
    assert posted.content.startswith("Rust, chips and the weather\n")
    assert "\n[1] Announcing Rust 1.90 (news.example), Rust Blog" in posted.content
    assert posted.content.endswith(PAGE)  # and no preview of a page below it
    assert "<" not in posted.content


@pytest.mark.parametrize(
    ("fault", "reason", "verdict", "wait"),
    [
        (says(429, TOO_MANY), Reason.BUSY, RetryVerdict.RETRY, timedelta(seconds=7)),
        (says(429, "<html>"), Reason.BUSY, RetryVerdict.RETRY, None),
        (says(429, "<html>", retry_after="9"), Reason.BUSY, RetryVerdict.RETRY,
         timedelta(seconds=9)),
        (says(429, TOO_MANY | {"parameters": {"retry_after": 10**30}}),
         Reason.BUSY, RetryVerdict.RETRY, timedelta(hours=24)),
        (says(429, TOO_MANY | {"parameters": {"retry_after": True}}),
         Reason.BUSY, RetryVerdict.RETRY, None),
        (says(429, {"ok": False, "parameters": "soon"}), Reason.BUSY, RetryVerdict.RETRY, None),
        (says(401, {"ok": False}), Reason.AUTH_REQUIRED, RetryVerdict.PAUSE, None),
        (says(404, {"ok": False}), Reason.AUTH_REQUIRED, RetryVerdict.PAUSE, None),
        (says(403, {"ok": False, "description": "Forbidden: bot was blocked by the user"}),
         Reason.REFUSED, RetryVerdict.PAUSE, None),
        (says(400, {"ok": False, "description": f"Bad Request: {BOT_TOKEN} is too long"}),
         Reason.REFUSED, RetryVerdict.GIVE_UP, None),
        (says(413), Reason.REFUSED, RetryVerdict.GIVE_UP, None),
    ],
)  # fmt: skip
async def test_a_no_of_telegram_is_certain(
    telegram: Service,
    fault: Misbehaviour,
    reason: Reason,
    verdict: RetryVerdict,
    wait: timedelta | None,
) -> None:
    """Nothing was posted, and the row that waits is the same."""
    telegram.world.misbehave(EVERY_REQUEST, fault, times=1)

    error = await telegram.fails(a_message(EDITION))

    assert (error.reason, error.verdict, error.wait) == (reason, verdict, wait)
    assert not error.may_have_arrived
    assert error.is_place_resting is (reason is Reason.BUSY)
    assert telegram.effects() == []
    if verdict is RetryVerdict.RETRY:
        await telegram.send(a_message(EDITION))
        assert len(telegram.effects()) == 1


@pytest.mark.parametrize(
    ("fault", "effects"),
    [
        (Misbehaviour(fault=Fault.RESET, after_bytes=0), 1),
        (Misbehaviour(fault=Fault.RESET, after_bytes=40), 1),
        (Misbehaviour(fault=Fault.TRUNCATED), 1),
        (Misbehaviour(fault=Fault.HTML_INSTEAD), 1),
        (Misbehaviour(fault=Fault.EMPTY_BODY), 1),
        (Misbehaviour(fault=Fault.GARBAGE), 1),
        (says(502), 0),
        (says(500, {"ok": False, "error_code": 500, "description": "Internal Server Error"}), 0),
    ],
)
async def test_what_got_no_answer_of_telegram_may_have_arrived(
    telegram: Service, fault: Misbehaviour, effects: int
) -> None:
    """A gateway's 502 has been seen after messages that were posted: it proves nothing either."""
    telegram.world.misbehave(EVERY_REQUEST, fault, times=1)

    error = await telegram.fails(a_message(EDITION))

    assert error.may_have_arrived
    assert error.verdict is RetryVerdict.RETRY  # whether at all is for the channel's way to recover
    assert len(telegram.effects()) == effects


async def test_what_never_left_has_not_arrived(telegram: Service) -> None:
    clock, url = FakeClock(), f"http://127.0.0.1:{free_port()}"
    config = PublishConfig(base_url=url, telegram_api_base_url=url)
    async with door(url, clock=clock) as egress:
        tools = SendingTools(egress=egress, config=config, clock=clock, unsubscribe_link=str)
        alone = replace(telegram, sender=TYPE.sender(tools))

        error = await alone.fails(a_message(EDITION))

    assert (error.verdict, error.may_have_arrived) == (RetryVerdict.RETRY, False)
    assert error.reason is Reason.UNREACHABLE


async def test_markup_that_is_not_taken_goes_once_as_plain_text(telegram: Service) -> None:
    telegram.world.misbehave(EVERY_REQUEST, CANNOT_PARSE, times=1)

    await telegram.send(a_message("<b>R&amp;D</b> &lt;b&gt; &amp;lt;"))

    assert [each.content for each in telegram.effects()] == ["R&D <b> &lt;"]


async def test_what_is_not_taken_as_plain_text_either_is_given_up(telegram: Service) -> None:
    telegram.world.misbehave(EVERY_REQUEST, CANNOT_PARSE, times=2)

    error = await telegram.fails(a_message(EDITION))

    assert (error.verdict, error.may_have_arrived) == (RetryVerdict.GIVE_UP, False)
    assert telegram.effects() == []


async def test_a_group_that_moved_is_followed_once(telegram: Service) -> None:
    receipt = await telegram.send(a_message(EDITION), telegram.to(OLD_GROUP))

    assert receipt.moved_to == NEW_GROUP
    assert [each.place for each in telegram.effects()] == [NEW_GROUP]


async def test_a_group_that_moves_for_ever_is_given_up(telegram: Service) -> None:
    moves = {"ok": False, "description": "upgraded", "parameters": {"migrate_to_chat_id": -1001}}
    telegram.world.misbehave(EVERY_REQUEST, says(400, moves))

    async with asyncio.timeout(30):
        error = await telegram.fails(a_message(EDITION))

    assert error.verdict is RetryVerdict.GIVE_UP


@pytest.mark.parametrize(
    ("chat", "way_out"),
    [
        (MISSING_CHAT, "check the name"),
        (BLOCKING_CHAT, "unblock it"),
        (LEFT_GROUP, "add it again"),
    ],
)
async def test_a_chat_that_is_shut_is_left_alone_and_its_owner_told(
    telegram: Service, chat: str, way_out: str
) -> None:
    error = await telegram.fails(a_message(EDITION), telegram.to(chat))

    assert (error.verdict, error.may_have_arrived) == (RetryVerdict.PAUSE, False)
    assert chat in error.detail
    assert way_out in error.detail
    assert telegram.effects() == []


async def test_a_token_is_in_no_log(telegram: Service, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    wrong = replace(telegram.target, secrets={"bot_token": Secret("12345:" + "x" * 35)})
    none = replace(telegram.target, secrets={})
    odd = replace(telegram.target, secrets={"bot_token": Secret("1/../../2")})

    verdicts = [(await telegram.fails(a_message("x"), each)).verdict for each in (wrong, none, odd)]

    assert verdicts == [RetryVerdict.PAUSE] * 3
    assert "x" * 35 not in caplog.text


async def test_a_notice_is_one_short_message(telegram: Service) -> None:
    lines = ("R&D <b>News</b> of @anna", "x" * 5000, *["line"] * 2000)
    word = Notice(title="A source is paused", lines=lines, link=PAGE)

    await telegram.send(a_message(TYPE.notice(word, {})))

    [posted] = telegram.effects()
    assert posted.content.startswith("A source is paused\nR&D <b>News</b> of @\u2060anna\nxxx")
    assert posted.content.endswith(f"\n{PAGE}")


@pytest.mark.parametrize(
    ("given", "stored"),
    [
        ("@Demo_News", "@demo_news"),
        (" https://t.me/Demo_News/ ", "@demo_news"),
        ("t.me/demo", "@demo"),
        ("-1001234567890", "-1001234567890"),
        ("42", "42"),
    ],
)
def test_a_chat_has_one_spelling(given: str, stored: str) -> None:
    assert TYPE.check(ChannelDraft(kind="telegram", address=given)).address == stored
    assert TYPE.place(stored, {}) == f"telegram:{stored}"


@pytest.mark.parametrize(
    "address",
    ["", "@", "@ab", "@a b", "demo", "0", "-", "1.5", "@demo\nx", "@déjà", "٣٤", "@1name",
     "https://evil.example/@demo", "tg://resolve?domain=demo", "9" * 30],
)  # fmt: skip
def test_what_is_no_chat_is_told_with_the_way_out(address: str) -> None:
    sentence = refused_text(TYPE.check, ChannelDraft(kind="telegram", address=address))

    assert "write @name, or its number" in sentence
    assert "\n" not in sentence


def test_a_token_of_another_shape_is_told_without_being_shown() -> None:
    token = {"bot_token": Secret("hunter2hunter2")}
    draft = ChannelDraft(kind="telegram", address="@demo", secrets=token)

    assert "hunter2" not in refused_text(TYPE.check, draft)


def test_only_the_house_uses_the_house_s_bot() -> None:
    """Its bot may write in the house's public channel: a reader's channel brings a token."""
    house = PublishConfig(
        base_url="https://clawfeed.example",
        telegram_bot_token=Secret(BOT_TOKEN),
        telegram_channel_id="@Demo_News",
        alarm_telegram_chat_id="42",
        edition_types=("daily", "weekly"),
    )

    editions, alarms = TYPE.of_the_house(house)

    assert TYPE.secrets == ("bot_token",)  # asked of everybody
    assert (editions.address, editions.gets_alarms) == ("@demo_news", False)
    assert editions.edition_types == (EditionType.DAILY, EditionType.WEEKLY)
    assert editions.secrets == {"bot_token": Secret(BOT_TOKEN)}
    assert (alarms.address, alarms.gets_alarms, alarms.edition_types) == ("42", True, ())
    assert list(TYPE.of_the_house(PublishConfig(base_url="https://clawfeed.example"))) == []


@pytest.mark.parametrize(
    ("token", "chat", "named"),
    [(None, "@demo", "TELEGRAM_BOT_TOKEN"), (BOT_TOKEN, "demo", "TELEGRAM_CHANNEL_ID")],
)
def test_half_a_setting_is_told_to_the_operator(token: str | None, chat: str, named: str) -> None:
    config = PublishConfig(
        base_url="https://clawfeed.example",
        telegram_bot_token=Secret(token) if token else None,
        telegram_channel_id=chat,
    )

    with pytest.raises(ConfigError, match=named):
        TYPE.of_the_house(config)

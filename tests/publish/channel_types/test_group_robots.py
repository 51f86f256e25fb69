"""Feishu, DingTalk and WeCom: robots of a group, which say no in an answer of 200."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest

from clawfeed.domain.channels.channel import ChannelDraft
from clawfeed.domain.errors import InvalidInputError, Reason
from clawfeed.publish.channel_types.built_in import BUILT_IN
from clawfeed.publish.message import RetryVerdict, SendError
from clawfeed.simulator import Fault, Misbehaviour
from clawfeed.simulator.services.webhook_services import SIGNING_SECRET
from tests.publish.webhook_services import fault_path, notice, payloads, webhooks
from tests.support.digests import an_edition

# An answer of 200 says no, too; the codes are those of the manual.
CODED = [
    ("feishu", "code", 19024, RetryVerdict.PAUSE, None),
    ("feishu", "code", 11232, RetryVerdict.RETRY, timedelta(minutes=1)),
    ("feishu", "code", 9499, RetryVerdict.RETRY, None),
    ("feishu", "code", 19002, RetryVerdict.GIVE_UP, None),
    ("dingtalk", "errcode", 310000, RetryVerdict.PAUSE, None),
    ("dingtalk", "errcode", 130101, RetryVerdict.RETRY, timedelta(minutes=10)),
    ("dingtalk", "errcode", -1, RetryVerdict.RETRY, None),
    ("dingtalk", "errcode", 400105, RetryVerdict.GIVE_UP, None),
    ("wecom", "errcode", 93000, RetryVerdict.PAUSE, None),
    ("wecom", "errcode", 45009, RetryVerdict.RETRY, timedelta(minutes=1)),
    ("wecom", "errcode", 40008, RetryVerdict.GIVE_UP, None),
]


@pytest.mark.parametrize(("kind", "key", "code", "verdict", "wait"), CODED)
async def test_a_code_in_the_answer_decides(
    kind: str, key: str, code: int, verdict: RetryVerdict, wait: timedelta | None
) -> None:
    refusal = Misbehaviour(fault=Fault.OTHER_BODY, body=json.dumps({key: code, "msg": "no"}))
    async with webhooks() as stage:
        stage.world.misbehave(fault_path(kind), refusal)
        with pytest.raises(SendError) as caught:
            await stage.send(stage.target(kind), kind, notice(kind, "hello"))

    error = caught.value
    assert (error.verdict, error.wait) == (verdict, wait)
    assert error.is_place_resting == (wait is not None)
    assert not error.may_have_arrived


@pytest.mark.parametrize("kind", ["feishu", "dingtalk", "wecom"])
@pytest.mark.parametrize("body", ["", "<html>", "[0]", '{"x":0}', '{"code":"0","errcode":true}'])
async def test_an_answer_without_a_code_is_no_success(kind: str, body: str) -> None:
    async with webhooks() as stage:
        stage.world.misbehave(fault_path(kind), Misbehaviour(fault=Fault.OTHER_BODY, body=body))
        with pytest.raises(SendError) as caught:
            await stage.send(stage.target(kind), kind, notice(kind, "hello"))

    assert (caught.value.reason, caught.value.may_have_arrived) == (Reason.UNREADABLE, True)


@pytest.mark.parametrize("kind", ["feishu", "dingtalk"])
async def test_a_robot_that_wants_a_signature_gets_one(kind: str) -> None:
    async with webhooks() as stage:
        signed = stage.target(kind, "signed", signing_secret=SIGNING_SECRET)
        await stage.send(signed, kind, notice(kind, "hello"))
        wrong = stage.target(kind, "signed", signing_secret="another")  # noqa: S106
        with pytest.raises(SendError) as caught:
            await stage.send(wrong, kind, notice(kind, "hello"))

        assert len(stage.effects(kind, "signed")) == 1
    assert caught.value.verdict is RetryVerdict.PAUSE


@pytest.mark.parametrize("kind", ["feishu", "dingtalk"])
async def test_a_robots_keyword_stands_in_every_message(kind: str) -> None:
    check = BUILT_IN[kind].check
    config = check(ChannelDraft(kind=kind, address="a", config={"keyword": "日报"})).config
    async with webhooks() as stage:
        for payload in (*payloads(kind, an_edition(), **config), notice(kind, "x", **config)):
            await stage.send(stage.target(kind), kind, payload)
        seen = [effect.content for effect in stage.effects(kind)]

    assert seen
    assert all(content.endswith("日报") for content in seen)
    with pytest.raises(InvalidInputError, match=r"^config\.keyword: "):
        check(ChannelDraft(kind=kind, address="a", config={"keyword": 7}))

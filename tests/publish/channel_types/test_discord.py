"""Discord: what differs from other webhooks."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest

from clawfeed.publish.message import SendError
from clawfeed.simulator import Fault, Misbehaviour
from tests.publish.webhook_services import fault_path, notice, payloads, webhooks
from tests.support.digests import an_edition


@pytest.mark.parametrize(
    ("said", "seconds"),
    [("0.35", 0.35), ("64.57", 64.57), ("1e300", 86_400), ("-3", 60), ("null", 60), ('"9"', 60),
     ("true", 60), ("NaN", 60), ("Infinity", 60)],
)  # fmt: skip
async def test_the_wait_is_what_its_json_says(said: str, seconds: float) -> None:
    body = f'{{"message": "You are being rate limited.", "retry_after": {said}, "global": false}}'
    async with webhooks() as stage:
        limited = Misbehaviour(fault=Fault.STATUS, status=429, body=body)
        stage.world.misbehave(fault_path("discord"), limited)
        with pytest.raises(SendError) as caught:
            await stage.send(stage.target("discord"), "discord", notice("discord", "hello"))

    assert caught.value.wait == timedelta(seconds=seconds)
    assert caught.value.is_place_resting


def test_nobody_is_pinged_and_no_page_is_previewed() -> None:
    [payload] = payloads("discord", an_edition())
    body = json.loads(payload)

    assert body["allowed_mentions"] == {"parse": []}
    assert body["flags"] == 4
    assert "**1\\. Rust 1\\.90 is out**" in body["content"]
    assert "[Rust Blog](<https://news.example/1>)" in body["content"]


async def test_a_thread_of_a_channel_keeps_its_parameter() -> None:
    """`?thread_id=` is part of the address people paste; ours is added to it."""
    async with webhooks() as stage:
        target = stage.target("discord", "token?thread_id=7")
        receipt = await stage.send(target, "discord", notice("discord", "hello"))

        assert receipt.remote_id == "1"
        assert len(stage.effects("discord", "token")) == 1

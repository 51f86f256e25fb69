"""ntfy: what differs from other webhooks."""

from __future__ import annotations

import json

import pytest

from clawfeed.domain.channels.channel import ChannelDraft
from clawfeed.domain.errors import InvalidInputError
from clawfeed.domain.secret import Secret
from clawfeed.publish.channel_types.built_in import BUILT_IN
from clawfeed.publish.message import RetryVerdict, SendError
from clawfeed.simulator.services.webhook_services import NTFY_TOKEN
from tests.publish.webhook_services import PAGE, notice, payloads, webhooks
from tests.support.digests import a_story, an_edition

NTFY = BUILT_IN["ntfy"]


def test_an_edition_is_one_notification_with_its_headlines() -> None:
    stories = [a_story(f"Story {number}") for number in range(12)]
    [payload] = payloads("ntfy", an_edition(*stories))
    body = json.loads(payload)

    assert body["title"] == "Rust, chips and the weather"
    assert body["message"].splitlines()[2:] == [f"{n + 1}. Story {n}" for n in range(12)]
    assert body["click"] == PAGE
    assert "markdown" not in body


async def test_a_guarded_topic_takes_the_access_token() -> None:
    async with webhooks() as stage:
        inside = stage.target("ntfy", "signed", token=NTFY_TOKEN)
        await stage.send(inside, "ntfy", notice("ntfy", "hello"))
        with pytest.raises(SendError) as caught:
            await stage.send(stage.target("ntfy", "signed"), "ntfy", notice("ntfy", "hello"))

        assert len(stage.effects("ntfy", "signed")) == 1
    assert caught.value.verdict is RetryVerdict.PAUSE


async def test_who_sends_again_by_hand_replaces_the_first() -> None:
    """The same key is the same sequence; another message is another."""
    async with webhooks() as stage:
        for key in ("7-1-1", "7-1-1", "8-1-1"):
            await stage.send(stage.target("ntfy"), "ntfy", notice("ntfy", "hello"), key)
        first, second, third = (effect.key for effect in stage.effects("ntfy"))

    assert first == second != third


@pytest.mark.parametrize(
    "url", ["https://ntfy.sh", "https://ntfy.sh/a b", "https://ntfy.sh/t?x=1", "https://ntfy.sh/ä"]
)
def test_an_address_without_a_topic_is_refused(url: str) -> None:
    with pytest.raises(InvalidInputError, match=r"^secrets\.url: the server and the topic"):
        NTFY.check(ChannelDraft(kind="ntfy", address="", secrets={"url": Secret(url)}))


@pytest.mark.parametrize("token", ["", "a b", "tk_1\r\nX: y", "tk_ä"])
def test_a_token_is_one_word(token: str) -> None:
    """T23: nothing in it can end a header."""
    secrets = {"url": Secret("https://ntfy.sh/topic"), "token": Secret(token)}
    with pytest.raises(InvalidInputError, match=r"^secrets\.token: "):
        NTFY.check(ChannelDraft(kind="ntfy", address="", secrets=secrets))

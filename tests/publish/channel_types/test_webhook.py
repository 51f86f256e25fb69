"""A webhook of one's own: signed, recognisable, and the same JSON as the API's (T23, I7)."""

from __future__ import annotations

import json

import pytest

from clawfeed.domain.channels.channel import ChannelDraft
from clawfeed.domain.errors import InvalidInputError
from clawfeed.domain.secret import Secret
from clawfeed.publish.channel_types.built_in import BUILT_IN
from clawfeed.publish.channel_types.webhook import signature
from clawfeed.publish.message import RetryVerdict, SendError
from clawfeed.rendering.json_edition import edition_as_json
from clawfeed.simulator import Fault, Misbehaviour
from clawfeed.simulator.faults import status
from clawfeed.simulator.services.webhook_services import WEBHOOK_SECRET
from tests.publish.webhook_services import PAGE, fault_path, notice, payloads, webhooks
from tests.support.digests import an_edition

WEBHOOK = BUILT_IN["webhook"]


def test_the_signature_is_that_of_the_specifications_example() -> None:
    secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"  # noqa: S105 - public
    told = signature(secret, "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", b'{"test": 2432232314}')

    assert told == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


async def test_a_repetition_is_recognised_and_done_once() -> None:
    """I7: the first answer is lost, the second try has the same id and changes nothing."""
    async with webhooks() as stage:
        target = stage.target("webhook", "signed", signing_secret=WEBHOOK_SECRET)
        lost = Misbehaviour(fault=Fault.RESET, after_bytes=0)
        stage.world.misbehave(fault_path("webhook", "signed"), lost, times=1)
        with pytest.raises(SendError) as caught:
            await stage.send(target, "webhook", notice("webhook", "hello"), key="7-1-1")
        await stage.send(target, "webhook", notice("webhook", "hello"), key="7-1-1")
        once = len(stage.effects("webhook", "signed"))
        await stage.send(target, "webhook", notice("webhook", "hello"), key="8-1-1")

        assert caught.value.may_have_arrived
        assert (once, len(stage.effects("webhook", "signed"))) == (1, 2)


async def test_a_wrong_signature_costs_the_message_not_the_channel() -> None:
    async with webhooks() as stage:
        target = stage.target("webhook", "signed", signing_secret="whsec_" + "A" * 40)
        with pytest.raises(SendError) as caught:
            await stage.send(target, "webhook", notice("webhook", "hello"))

    assert (caught.value.status, caught.value.verdict) == (401, RetryVerdict.GIVE_UP)


@pytest.mark.parametrize("code", [400, 401, 403, 404, 405, 413, 422])
async def test_every_refusal_but_gone_is_a_dead_letter(code: int) -> None:
    async with webhooks() as stage:
        stage.world.misbehave(fault_path("webhook"), status(code))
        with pytest.raises(SendError) as caught:
            await stage.send(stage.target("webhook"), "webhook", notice("webhook", "hello"))

    assert (caught.value.verdict, caught.value.may_have_arrived) == (RetryVerdict.GIVE_UP, False)


def test_the_body_tells_the_edition_as_the_api_does() -> None:
    content = an_edition()
    [payload] = payloads("webhook", content)
    event = json.loads(payload)

    assert (event["type"], event["timestamp"]) == ("edition.published", "2026-11-15T12:00:00Z")
    told = json.loads(json.dumps(edition_as_json(content)))
    assert {key: event["data"][key] for key in told} == told
    assert event["data"].keys() - told.keys() == {
        "id", "type", "period", "title", "language", "link",
    }  # fmt: skip
    assert (event["data"]["id"], event["data"]["link"]) == (7, PAGE)


@pytest.mark.parametrize("secret", ["", "abc", "whsec_", "whsec_!!!!", "whsec_" + "A" * 20])
def test_a_signing_secret_is_a_key_of_the_specification(secret: str) -> None:
    secrets = {"url": Secret("https://a.example/x"), "signing_secret": Secret(secret)}
    with pytest.raises(InvalidInputError, match=r"^secrets\.signing_secret: ") as caught:
        WEBHOOK.check(ChannelDraft(kind="webhook", address="", secrets=secrets))

    assert not secret or secret not in str(caught.value).replace("whsec_ and", "")

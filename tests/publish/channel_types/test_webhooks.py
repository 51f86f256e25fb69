"""What is the same for all webhooks: answers obeyed, nothing told, texts that stay texts (T21)."""

from __future__ import annotations

import json
import logging
import re
import traceback
from dataclasses import replace
from datetime import timedelta

import pytest

from clawfeed.domain.channels.channel import ChannelDraft
from clawfeed.domain.editions.delivery import Recovery
from clawfeed.domain.editions.digest import DigestContent, Sentence
from clawfeed.domain.errors import InvalidInputError, Reason
from clawfeed.domain.ids import ChannelId
from clawfeed.domain.secret import Secret
from clawfeed.publish.channel_types.built_in import BUILT_IN
from clawfeed.publish.message import RetryVerdict, SendError, Target
from clawfeed.rendering.safe_text import one_line
from clawfeed.simulator import Fault, Misbehaviour
from clawfeed.simulator.faults import busy, moved, status
from clawfeed.simulator.services.received_messages import READERS, Seen
from tests.publish.webhook_services import (
    KINDS,
    PAGE,
    TOKEN,
    WORDED,
    WebhookStage,
    fault_path,
    message,
    notice,
    payloads,
    webhook_url,
    webhooks,
)
from tests.support.digests import a_story, an_edition, told_by
from tests.support.hostile_text import header_injections, markup_texts, odd_texts
from tests.support.ports import free_port

every_kind = pytest.mark.parametrize("kind", KINDS)
every_worded_kind = pytest.mark.parametrize("kind", WORDED)
LOST = Misbehaviour(fault=Fault.RESET, after_bytes=0)
SMUGGLED = (
    "<!channel> <!here> <@U024BE7LH> <!subteam^S1>", "@everyone @here <@&123> <#123> <@!123>",
    '<at user_id="all">all</at> <at id=all></at>', "<@zhangsan> <@all> @13800001111",
    "# h\n> q\n- l\n1. n\n**b** _i_ ~~s~~ ||x|| `c` [t](https://evil.example)",
    "<https://evil.example|news.example> &lt;b&gt; &amp; :smile: <:x:1> <t:1>", "=1+1", "-1", "+x",
    "${{ github.token }} {{7*7}} {% x %}", "\u202egnp.exe", "a\x00\x1b[31mb",
)  # fmt: skip
# One text of each kind; their pairs would say the same again.
HOSTILE = [text for text in (*SMUGGLED, *markup_texts(), *odd_texts()[:64]) if one_line(text)]
HOSTILE += [text for text in header_injections() if one_line(text) and len(text) < 400]


async def _failed(stage: WebhookStage, kind: str, target: Target | None = None) -> SendError:
    with pytest.raises(SendError) as caught:
        await stage.send(target or stage.target(kind), kind, notice(kind, "hello"))
    return caught.value


def _seen(kind: str, payload: str) -> Seen:
    body = json.loads(payload)
    return READERS[kind]({"topic": "t", **body} if kind == "ntfy" else body)


@every_kind
async def test_an_edition_arrives_whole_and_in_order(kind: str) -> None:
    stories = [a_story(f"Story number {number}", story_id=number) for number in range(1, 8)]
    async with webhooks() as stage:
        for part, payload in enumerate(payloads(kind, an_edition(*stories))):
            await stage.send(stage.target(kind), kind, payload, key=f"part {part}")
        arrived = "\n".join(effect.content for effect in stage.effects(kind))

    places = [arrived.find(f"Story number {number}") for number in range(1, 8)]
    assert -1 not in places
    assert places == sorted(places)


@every_kind
async def test_who_is_asked_to_wait_waits_that_long_and_the_place_rests(kind: str) -> None:
    async with webhooks() as stage:
        stage.world.misbehave(fault_path(kind), busy(77))
        error = await _failed(stage, kind)

    assert (error.verdict, error.reason, error.status) == (RetryVerdict.RETRY, Reason.BUSY, 429)
    assert error.is_place_resting
    assert not error.may_have_arrived
    # Discord says it in its JSON, which is not here.
    assert error.wait == timedelta(seconds=60 if kind == "discord" else 77)


@every_kind
async def test_of_a_crash_over_there_nobody_knows_and_of_a_put_off_one_does(kind: str) -> None:
    async with webhooks() as stage:
        stage.world.misbehave(fault_path(kind), status(502))
        crash = await _failed(stage, kind)
        stage.world.misbehave(fault_path(kind), busy(30, code=503))
        put_off = await _failed(stage, kind)

    assert (crash.verdict, crash.may_have_arrived) == (RetryVerdict.RETRY, True)
    assert (put_off.verdict, put_off.may_have_arrived) == (RetryVerdict.RETRY, False)
    assert (put_off.is_place_resting, put_off.wait) == (True, timedelta(seconds=30))
    assert (crash.reason, put_off.reason) == (Reason.BROKEN, Reason.BUSY)


@every_kind
async def test_a_lost_answer_may_have_been_carried_out(kind: str) -> None:
    """I7: the service did it, and its answer never came; it was sent exactly once."""
    async with webhooks() as stage:
        stage.world.misbehave(fault_path(kind), LOST)
        error = await _failed(stage, kind)
        done = stage.effects(kind)

    assert (error.verdict, error.may_have_arrived) == (RetryVerdict.RETRY, True)
    assert len(done) == 1


@every_kind
async def test_a_refused_connection_has_certainly_sent_nothing(kind: str) -> None:
    place = f"127.0.0.1:{free_port()}"
    async with webhooks(allow=place) as stage:
        target = replace(
            stage.target(kind), secrets={"url": Secret(webhook_url(f"http://{place}", kind))}
        )
        error = await _failed(stage, kind, target)

    assert (error.verdict, error.reason) == (RetryVerdict.RETRY, Reason.UNREACHABLE)
    assert not error.may_have_arrived


@every_kind
async def test_our_own_guard_pauses_a_hook_that_leads_into_the_house(kind: str) -> None:
    async with webhooks(allow="") as stage:
        error = await _failed(stage, kind)

    assert (error.verdict, error.reason) == (RetryVerdict.PAUSE, Reason.BLOCKED)
    assert not error.may_have_arrived


@every_kind
async def test_no_redirect_is_followed(kind: str) -> None:
    async with webhooks() as stage:
        stage.world.misbehave(fault_path(kind), moved(webhook_url(stage.url, kind, "other")))
        error = await _failed(stage, kind)
        elsewhere = stage.effects(kind, "other")

    assert (error.verdict, error.may_have_arrived) == (RetryVerdict.PAUSE, False)
    assert elsewhere == []


@every_kind
async def test_a_hook_that_is_gone_pauses_its_channel(kind: str) -> None:
    async with webhooks() as stage:
        error = await _failed(stage, kind, stage.target(kind, "gone"))

    assert (error.verdict, error.may_have_arrived) == (RetryVerdict.PAUSE, False)


@every_kind
async def test_a_message_that_is_not_wanted_is_given_up(kind: str) -> None:
    async with webhooks() as stage:
        stage.world.misbehave(fault_path(kind), status(400))
        error = await _failed(stage, kind)

    assert (error.verdict, error.may_have_arrived) == (RetryVerdict.GIVE_UP, False)


@every_kind
@pytest.mark.parametrize(
    "fault",
    [busy(5), status(500), status(404), LOST, moved(f"/hooks/{TOKEN}"),
     Misbehaviour(fault=Fault.OTHER_BODY, body=f'{{"errcode":93000,"code":19001,"m":"{TOKEN}"}}')],
    ids=["429", "500", "404", "reset", "redirect", "code"],
)  # fmt: skip
async def test_the_address_is_told_to_nobody(
    kind: str, fault: Misbehaviour, caplog: pytest.LogCaptureFixture
) -> None:
    """T17: not in the error, its causes or its traceback, not in a log line, not in a `repr`."""
    caplog.set_level(logging.DEBUG)
    async with webhooks() as stage:
        stage.world.misbehave(fault_path(kind), fault)
        target = stage.target(kind)
        told = [repr(target)]
        try:
            told.append(repr(await stage.send(target, kind, notice(kind, "hello"))))
        except SendError as error:
            told += [*traceback.format_exception(error), repr(error), repr(vars(error))]

    assert TOKEN not in "".join([*told, caplog.text])


@every_kind
async def test_a_channel_that_lost_its_secret_is_paused(kind: str) -> None:
    async with webhooks() as stage:
        bare = Target(channel_id=ChannelId(1), address="a #1")
        error = await _failed(stage, kind, bare)

    assert (error.verdict, error.reason) == (RetryVerdict.PAUSE, Reason.MISCONFIGURED)


@every_kind
def test_the_address_that_is_shown_has_the_host_and_a_fingerprint_of_the_secret(kind: str) -> None:
    check = BUILT_IN[kind].check
    url = f"https://Hooks.Example/services/{TOKEN}"
    drafts = [
        check(ChannelDraft(kind=kind, address="", secrets={"url": Secret(spelled)}))
        for spelled in (url, f" {url} ", url + "2")
    ]

    shown = [draft.address for draft in drafts]
    assert shown[0] == shown[1] != shown[2]
    assert (
        drafts[0].secrets
        == drafts[1].secrets
        == {"url": Secret(url.lower().replace(TOKEN.lower(), TOKEN))}
    )
    assert all(address.startswith("hooks.example #") for address in shown)
    assert TOKEN not in repr(drafts)
    # Who changes something else keeps the secret, and with it the address.
    assert check(ChannelDraft(kind=kind, address=shown[0])).address == shown[0]


@every_kind
@pytest.mark.parametrize("url", [None, "", "hooks.example/x", "ftp://hooks.example/x", "https://"])
def test_what_is_no_address_is_one_sentence_that_does_not_quote_it(
    kind: str, url: str | None
) -> None:
    secrets = {} if url is None else {"url": Secret(url)}
    with pytest.raises(InvalidInputError, match=r"^secrets\.url: ") as caught:
        BUILT_IN[kind].check(ChannelDraft(kind=kind, address="", secrets=secrets))

    assert not url or url not in str(caught.value)


@every_kind
def test_an_option_nobody_knows_is_refused(kind: str) -> None:
    with pytest.raises(InvalidInputError, match="'colour'"):
        BUILT_IN[kind].check(ChannelDraft(kind=kind, address="a", config={"colour": "red"}))


def test_only_those_who_recognise_a_repetition_are_sent_it_again() -> None:
    resent = {kind for kind in KINDS if BUILT_IN[kind].recovery is Recovery.RESEND}

    assert resent == {"webhook"}


def _hostile(text: str) -> DigestContent:
    """One that has *text* wherever a stranger's text can be."""
    story = a_story(text, sources=(told_by(1, text, text), told_by(2, "Plain", text)))
    words = replace(story.words, sentences=(Sentence(text=text, cites=(1,)),))
    return an_edition(replace(story, words=words), title=text, summary=(text,))


@every_worded_kind
def test_hostile_texts_arrive_as_the_texts_they_are(kind: str) -> None:
    """T21: seen as written, no link but ours, nobody mentioned."""
    for text in HOSTILE:
        line = one_line(text)
        seen = [_seen(kind, payload) for payload in payloads(kind, _hostile(text))]
        whole = "\n".join(each.text for each in seen)

        wanted = 2 if kind == "ntfy" else 5
        assert whole.count(line) >= wanted, text
        links = {link for each in seen for link in each.links}
        assert links <= {PAGE, "https://news.example/1", "https://news.example/2"} | _own(line), (
            text
        )
        assert not any(each.mentions for each in seen), text


def _own(line: str) -> set[str]:
    """Where a service makes a link of whatever looks like an address, it leads where it says."""
    return set(re.findall(r"https?://[!-~]+", line))


@every_worded_kind
def test_a_notice_is_escaped_like_any_text(kind: str) -> None:
    for text in SMUGGLED:
        seen = _seen(kind, notice(kind, text, text))

        assert seen.text.count(one_line(text)) == 2
        assert not seen.mentions


@every_kind
async def test_what_is_too_long_for_one_message_becomes_several_that_are_taken(kind: str) -> None:
    """Torn between stories; a single text that fits nowhere is cut, not refused."""
    long = Sentence(text="很长的一句话 *& " * 3000, cites=(1,))
    stories = [a_story(f"Headline {number}", story_id=number) for number in range(40)]
    huge = a_story("Huge")
    stories[3] = replace(huge, words=replace(huge.words, sentences=(long,)))
    async with webhooks() as stage:
        parts = payloads(kind, an_edition(*stories))
        for number, payload in enumerate(parts):
            await stage.send(stage.target(kind), kind, payload, key=str(number))
        taken = stage.effects(kind)

    assert len(taken) == len(parts)
    assert all(f"Headline {number}" in "".join(e.content for e in taken) for number in (0, 39))
    assert notice(kind, "x" * 30_000)


@every_kind
async def test_a_test_message_is_sent_as_it_was_made(kind: str) -> None:
    async with webhooks() as stage:
        receipt = await stage.send(stage.target(kind), kind, notice(kind, "A test", "It works."))
        [effect] = stage.effects(kind)

    assert "A test" in effect.content
    assert "It works." in effect.content
    assert (receipt.remote_id != "") == (kind in {"discord", "ntfy"})


def test_a_message_shows_neither_payload_nor_secret() -> None:
    assert "hello" not in repr(message("hello"))

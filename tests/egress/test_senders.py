"""Requests that are not like a feed's: limits and manners of their own, and nothing told."""

from __future__ import annotations

import asyncio
import json
import logging
import traceback
from datetime import timedelta
from time import monotonic

import pytest

from clawfeed.domain.errors import EgressError, Reason
from clawfeed.egress.politeness import DEFAULT_MANNERS, Manners
from clawfeed.egress.request_and_response import Request
from clawfeed.egress.response_limits import DEFAULT_LIMITS, Limits
from tests.egress.loopback_servers import (
    NOON,
    Asked,
    Exchange,
    Handler,
    answering,
    new_egress,
    reply,
    serving,
)

TOKEN = "110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw"  # noqa: S105 - the manual's example
TELEGRAM = f"http://telegram.example/bot{TOKEN}/sendMessage"
LARGE = b"x" * 1_000_000
UNSPACED = Manners(spacing=timedelta(0))
REST = timedelta(minutes=10)


def test_a_request_that_says_nothing_is_asked_like_a_feed() -> None:
    """S001-12: 10 s, 500 KB, three redirects; two at once and spaced (S001-10)."""
    request = Request(url="http://public.example/")

    assert (request.limits, request.manners) == (DEFAULT_LIMITS, None)
    assert Limits(total=timedelta(seconds=10), body=500_000, redirects=3) == DEFAULT_LIMITS
    assert (DEFAULT_MANNERS.at_once, DEFAULT_MANNERS.key) == (2, "")
    assert DEFAULT_MANNERS.obeys_cooldown
    assert DEFAULT_MANNERS.notes_cooldown


async def test_a_model_may_answer_at_length_beside_a_feed_that_may_not() -> None:
    async with (
        serving(answering(200, LARGE)) as server,
        new_egress(dial=Exchange(server)) as egress,
    ):
        model = Request(
            url="http://model.example/", method="POST", body=b"{}", limits=Limits(body=10_000_000)
        )
        answer = await egress.request(model)
        with pytest.raises(EgressError) as caught:
            await egress.request(Request(url="http://model.example/"))

    assert answer.body == LARGE
    assert caught.value.reason is Reason.TOO_LARGE


async def test_no_redirect_is_followed_where_none_is_allowed() -> None:
    async with (
        serving(answering(307, location="/elsewhere")) as server,
        new_egress(dial=Exchange(server)) as egress,
    ):
        hook = Request(
            url="http://hook.example/", method="POST", body=b"x", limits=Limits(redirects=0)
        )
        with pytest.raises(EgressError) as caught:
            await egress.request(hook)

    assert (caught.value.status, caught.value.was_sent) == (307, True)
    assert caught.value.detail == "http://hook.example redirects where it may not."
    assert len(server.seen) == 1


@pytest.mark.parametrize("status", [400, 403, 429, 500])
async def test_a_sender_sees_the_body_of_a_refusal(status: int) -> None:
    """Telegram says in the body how long to wait (F19)."""
    body = json.dumps({"ok": False, "parameters": {"retry_after": 7}}).encode()
    async with (
        serving(answering(status, body)) as server,
        new_egress(dial=Exchange(server)) as egress,
    ):
        answer = await egress.request(Request(url=TELEGRAM, method="POST", body=b"{}"))

    assert (answer.status, answer.body) == (status, body)


async def test_a_sender_may_keep_cooldowns_by_itself() -> None:
    """One chat's 429 neither silences the others nor is written down for the whole host."""
    own = Manners(spacing=timedelta(0), obeys_cooldown=False, notes_cooldown=False)
    async with (
        serving(answering(429, retry_after="600")) as server,
        new_egress(dial=Exchange(server)) as egress,
    ):
        await egress.request(Request(url=TELEGRAM, manners=own))
        noted = dict(egress.cooldowns())
        egress.impose("telegram.example", NOON + REST)
        again = await egress.request(Request(url=TELEGRAM, manners=own))
        with pytest.raises(EgressError) as caught:
            await egress.request(Request(url=TELEGRAM, manners=UNSPACED))

    assert noted == {}
    assert again.status == 429
    assert (caught.value.reason, caught.value.wait) == (Reason.BUSY, REST)


async def test_those_with_a_key_of_their_own_obey_and_write_the_hosts_cooldown() -> None:
    keyed = Manners(key="chat 1", spacing=timedelta(0))
    async with (
        serving(answering(429, retry_after="600")) as server,
        new_egress(dial=Exchange(server)) as egress,
    ):
        await egress.request(Request(url=TELEGRAM, manners=keyed))
        refused = []
        for manners in (None, keyed):
            with pytest.raises(EgressError) as caught:
                await egress.request(Request(url=TELEGRAM, manners=manners))
            refused.append(caught.value.wait)
        noted = dict(egress.cooldowns())

    assert refused == [REST, REST]
    assert noted == {"telegram.example": NOON + REST}


async def test_each_chat_has_its_own_queue_and_overlaps_with_the_others() -> None:
    """Two at once, each of another chat: never two of the same."""
    inside: list[str] = []
    most: dict[str, int] = {}
    both_inside = asyncio.Event()

    async def handler(asked: Asked, writer: asyncio.StreamWriter) -> None:
        inside.append(asked.path)
        most[asked.path] = max(most.get(asked.path, 0), inside.count(asked.path))
        if len(set(inside)) == 2:
            both_inside.set()
        await both_inside.wait()
        inside.remove(asked.path)
        writer.write(reply(200))

    async with serving(handler) as server, new_egress(dial=Exchange(server)) as egress:
        await asyncio.gather(
            *(
                egress.request(
                    Request(
                        url=f"http://telegram.example/{chat}",
                        method="POST",
                        manners=Manners(key=f"chat {chat}", at_once=1, spacing=timedelta(0)),
                    )
                )
                for _ in range(3)
                for chat in (1, 2)
            )
        )

    assert most == {"/1": 1, "/2": 1}


async def test_a_keys_spacing_is_its_own() -> None:
    """One a second per chat, while feeds of the same door are not spaced at all."""
    starts: list[float] = []

    async def handler(_: Asked, writer: asyncio.StreamWriter) -> None:
        starts.append(monotonic())
        writer.write(reply(200))

    chat = Manners(key="chat", at_once=1, spacing=timedelta(milliseconds=60))
    async with serving(handler) as server, new_egress(dial=Exchange(server)) as egress:
        began = monotonic()
        for _ in range(3):
            await egress.request(Request(url=TELEGRAM, manners=chat))

    # A busy machine may be late, never early.
    for turn, start in enumerate(starts):
        assert start - began > turn * 0.06 - 0.002


async def _slow(_: Asked, __: asyncio.StreamWriter) -> None:
    await asyncio.sleep(3600)


async def _hang_up(_: Asked, writer: asyncio.StreamWriter) -> None:
    writer.close()


FAILURES: dict[str, Handler] = {
    "time-out": _slow,
    "hang-up": _hang_up,
    "too large": answering(200, b"x" * 2000),
    "redirect": answering(302, location=f"/bot{TOKEN}/again"),
    "redirect away": answering(302, location=f"http://10.0.0.1/bot{TOKEN}/"),
}


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize("name", FAILURES)
async def test_a_token_in_the_url_is_told_to_nobody(
    name: str, method: str, caplog: pytest.LogCaptureFixture
) -> None:
    """T17: not in the error, its traceback or its causes, not in a log line, not in a `repr`."""
    caplog.set_level(logging.DEBUG)
    limits = Limits(total=timedelta(seconds=2 if name == "time-out" else 20), body=1000)
    request = Request(
        url=TELEGRAM, method=method, limits=limits, manners=Manners(key=f"bot{TOKEN} chat 1")
    )
    async with serving(FAILURES[name]) as server, new_egress(dial=Exchange(server)) as egress:
        target = egress.guard.target(TELEGRAM)
        with pytest.raises(EgressError) as caught:
            await egress.request(request)

    error = caught.value
    told = [*traceback.format_exception(error), repr(error), repr(vars(error)), caplog.text]
    assert TOKEN not in "".join([*told, repr(request), repr(target), str(target)])
    assert error.was_sent is True

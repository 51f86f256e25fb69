"""A dial to a mail server: the same guard as for requests, TLS that is verified, and limits."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable, Coroutine
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import uvloop

from clawfeed.domain.errors import EgressError, Reason
from clawfeed.egress.client import Egress
from clawfeed.egress.stream import MailServer, Stream, StreamLimits
from tests.egress.loopback_servers import Exchange, RawServer, StubResolver, answering, new_egress
from tests.egress.smtp_server import MailBox, mail_server
from tests.support.certificates import Authority, signed_by_itself

MESSAGE = b"Subject: Letters\r\n\r\nGood morning.\r\n.\r\n"
LOOPS: dict[str, Callable[[], asyncio.AbstractEventLoop]] = {
    "asyncio": asyncio.new_event_loop,
    "uvloop": uvloop.new_event_loop,
}


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture
def trusted(authority: Authority, monkeypatch: pytest.MonkeyPatch) -> ssl.SSLContext:
    """A server's side; ours trusts its authority, as any program told so by OpenSSL's variable."""
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.root))
    return authority.issue("DNS:localhost", "IP:127.0.0.1").context()


async def _say(stream: Stream, line: bytes) -> bytes:
    """What the server answers to *line*, its last line."""
    await stream.write(line + b"\r\n")
    return await _answer(stream)


async def _answer(stream: Stream) -> bytes:
    while (line := await stream.read_line())[3:4] == b"-":
        pass
    return line


async def _deliver(box: MailBox, *, starttls: bool = False) -> None:
    here = MailServer(host="127.0.0.1", port=box.port, is_encrypted=box.is_encrypted)
    async with (
        new_egress(allow=f"127.0.0.1:{box.port}") as egress,
        await egress.dial(here) as stream,
    ):
        assert await _answer(stream) == box.greeting
        if starttls:
            await _say(stream, b"EHLO us.example")
            assert await _say(stream, b"STARTTLS") == b"220 go ahead\r\n"
            await stream.start_tls()
        for line in (b"EHLO us.example", b"MAIL FROM:<a@b.example>", b"RCPT TO:<c@d.example>"):
            assert (await _say(stream, line)).startswith(b"250")
        assert (await _say(stream, b"DATA")).startswith(b"354")
        await stream.write(MESSAGE)
        assert await _answer(stream) == b"250 taken\r\n"
        await _say(stream, b"QUIT")


def _run(loop: str, work: Coroutine[Any, Any, None]) -> None:
    with asyncio.Runner(loop_factory=LOOPS[loop]) as runner:
        runner.run(work)


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("kind", ["plain", "starttls", "implicit TLS"])
def test_a_message_is_delivered(kind: str, loop: str, trusted: ssl.SSLContext) -> None:
    """Plain, upgraded, and encrypted from the start; what is private goes under seal."""
    box = MailBox(context=None if kind == "plain" else trusted, is_encrypted=kind == "implicit TLS")

    async def work() -> None:
        async with mail_server(box):
            await _deliver(box, starttls=kind == "starttls")

    _run(loop, work())

    assert box.messages == [MESSAGE]
    sealed = dict(box.heard)
    assert sealed[b"MAIL FROM:<a@b.example>\r\n"] is (kind != "plain")
    assert box.connections == 1


async def _dial(egress: Egress, box: MailBox, **limits: Any) -> Stream:
    return await egress.dial(
        MailServer(host="127.0.0.1", port=box.port, is_encrypted=box.is_encrypted),
        StreamLimits(**limits),
    )


async def _upgrade(egress: Egress, box: MailBox) -> None:
    async with await _dial(egress, box) as stream:
        await stream.read_line()
        await _say(stream, b"STARTTLS")
        await stream.start_tls()


@pytest.mark.parametrize("is_encrypted", [False, True], ids=["starttls", "implicit TLS"])
@pytest.mark.parametrize(
    ("names", "problem"),
    [((), "that it signed itself"), (("DNS:other.example",), "for another host")],
    ids=["unknown", "other host"],
)
async def test_a_wrong_certificate_ends_the_connection_before_anything_is_said(
    *,
    is_encrypted: bool,
    names: tuple[str, ...],
    problem: str,
    authority: Authority,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.root))
    shown = authority.issue(*names) if names else signed_by_itself(tmp_path, "IP:127.0.0.1")
    async with (
        mail_server(MailBox(context=shown.context(), is_encrypted=is_encrypted)) as box,
        new_egress(allow=f"127.0.0.1:{box.port}") as egress,
    ):
        with pytest.raises(EgressError) as caught:
            await _upgrade(egress, box)

    assert caught.value.reason is Reason.UNREACHABLE
    assert caught.value.detail == f"smtp://127.0.0.1:{box.port} has a certificate {problem}."
    assert box.heard == ([] if is_encrypted else [(b"STARTTLS\r\n", False)])
    assert caught.value.was_sent is not is_encrypted


async def test_what_was_planted_before_the_encryption_is_not_taken_for_sealed(
    trusted: ssl.SSLContext,
) -> None:
    planted = MailBox(context=trusted, after_starttls=b"250 planted\r\n")
    async with (
        mail_server(planted) as box,
        new_egress(allow=f"127.0.0.1:{box.port}") as egress,
    ):
        with pytest.raises(EgressError) as caught:
            await _upgrade(egress, box)

    assert caught.value.reason is Reason.UNREADABLE


@pytest.mark.parametrize(
    ("host", "port"),
    [
        ("127.0.0.1", 25),
        ("10.1.2.3", 587),
        ("::1", 465),
        ("2130706433", 25),  # 127.0.0.1, written as one number
        ("localhost", 25),
        ("mailhost", 587),
        ("public.example", 80),
        ("public.example", 6379),
        ("public.example", 0),
        ("public.example/", 25),
        ("a@public.example", 25),
        ("public.example:25", 25),
        ("public.example\r\nX: y", 25),
        ("", 25),
    ],
)
async def test_a_place_that_is_no_public_mail_server_is_not_dialled(host: str, port: int) -> None:
    exchange = Exchange()
    resolver = StubResolver()
    async with new_egress(dial=exchange, resolver=resolver) as egress:
        with pytest.raises(EgressError) as caught:
            await egress.dial(MailServer(host=host, port=port))

    assert (caught.value.reason, caught.value.was_sent) == (Reason.BLOCKED, False)
    assert (exchange.dialled, resolver.asked) == ([], [])


async def test_the_operator_may_open_a_private_server_and_another_port() -> None:
    async with (
        mail_server(MailBox()) as box,
        new_egress(allow=f"127.0.0.0/8:{box.port}") as egress,
        await _dial(egress, box) as stream,
    ):
        assert await stream.read_line() == box.greeting


async def test_a_name_that_turns_to_a_private_address_is_refused() -> None:
    """T2: asked anew for every dial, and one bad address in an answer spoils it."""
    answers = [["93.184.216.34"], ["127.0.0.1"], ["93.184.216.34", "10.0.0.1"]]
    resolver = StubResolver({"mail.example": answers})
    async with mail_server(MailBox()) as box:
        raw = RawServer(answering())
        raw.port = box.port
        exchange = Exchange(raw)
        async with new_egress(dial=exchange, resolver=resolver) as egress:
            place = MailServer(host="mail.example", port=587)
            async with await egress.dial(place) as stream:
                greeting = await stream.read_line()
            refusals = []
            for _ in range(2):
                with pytest.raises(EgressError) as caught:
                    await egress.dial(place)
                refusals.append((caught.value.reason, caught.value.was_sent))

    assert greeting == box.greeting
    assert refusals == [(Reason.BLOCKED, False)] * 2
    assert (exchange.dialled, box.connections) == ([("93.184.216.34", 587)], 1)


@pytest.mark.parametrize("greeting", [b"220-" + b"a" * 96 + b"\r\n", b"a"], ids=["lines", "one"])
async def test_an_endless_greeting_is_cut_off(greeting: bytes) -> None:
    endless = MailBox(greeting=greeting * 100_000)
    async with (
        mail_server(endless) as box,
        new_egress(allow=f"127.0.0.1:{box.port}") as egress,
        await _dial(egress, box, received=5_000) as stream,
    ):
        with pytest.raises(EgressError) as caught:
            await _answer(stream)

    assert (caught.value.reason, caught.value.was_sent) == (Reason.TOO_LARGE, False)


async def test_the_time_limit_covers_the_whole_conversation() -> None:
    async with (
        mail_server(MailBox(greeting=b"220 never ends")) as box,
        new_egress(allow=f"127.0.0.1:{box.port}") as egress,
        await _dial(egress, box, total=timedelta(seconds=2)) as stream,
    ):
        with pytest.raises(EgressError) as caught:
            await stream.read_line()
        with pytest.raises(EgressError) as after:
            await stream.write(b"EHLO us.example\r\n")

    assert (caught.value.reason, caught.value.was_sent) == (Reason.TIMED_OUT, False)
    assert after.value.was_sent is False
    assert box.heard == []


@pytest.mark.parametrize("loop", LOOPS)
def test_after_its_time_nothing_is_written_and_nothing_read(loop: str) -> None:
    """Not even what needs no waiting: the outbox has given this message up by then."""
    box = MailBox()
    failures: list[tuple[Reason, bool]] = []

    async def work() -> None:
        async with (
            mail_server(box),
            new_egress(allow=f"127.0.0.1:{box.port}") as egress,
            await _dial(egress, box, total=timedelta(seconds=2)) as one,
            await _dial(egress, box, total=timedelta(seconds=2)) as other,
        ):
            await asyncio.sleep(2.1)  # the greeting is here, the time is up
            for late in (one.write(b"DATA\r\n"), other.read_line()):
                with pytest.raises(EgressError) as caught:
                    await late
                failures.append((caught.value.reason, caught.value.was_sent))

    _run(loop, work())

    assert failures == [(Reason.TIMED_OUT, False)] * 2
    assert box.heard == []


async def test_a_server_that_drops_the_conversation_leaves_it_uncertain() -> None:
    """F22: nothing was written, then something was."""
    async with (
        mail_server(MailBox()) as box,
        new_egress(allow=f"127.0.0.1:{box.port}") as egress,
        await _dial(egress, box) as stream,
    ):
        await stream.read_line()
        before = stream.was_sent
        await _say(stream, b"QUIT")
        with pytest.raises(EgressError) as caught:
            await stream.read_line()

    assert before is False
    assert (caught.value.reason, caught.value.was_sent) == (Reason.UNREACHABLE, True)


async def test_a_server_that_is_not_there_was_sent_nothing() -> None:
    async with mail_server(MailBox()) as box:
        port = box.port
    async with new_egress(allow=f"127.0.0.1:{port}") as egress:
        with pytest.raises(EgressError) as caught:
            await _dial(egress, box)

    assert caught.value.detail == f"smtp://127.0.0.1:{port} refused the connection."
    assert caught.value.was_sent is False

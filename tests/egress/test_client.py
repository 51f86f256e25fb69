"""One request through the door: what leaves, what comes back, what is left behind."""

from __future__ import annotations

import asyncio
import logging
import socket
import traceback
from collections.abc import Mapping
from datetime import timedelta

import pytest

from clawfeed.domain.errors import EgressError, Reason
from clawfeed.egress.request_and_response import Request
from clawfeed.egress.response_limits import Limits
from tests.egress.loopback_servers import (
    Asked,
    Clock,
    Exchange,
    Handler,
    StubResolver,
    answering,
    new_egress,
    reply,
    serving,
)

SECRETS = {
    "Authorization": "Bearer s3cret",
    "Cookie": "sid=s3cret",
    "X-Api-Key": "s3cret",
    "If-None-Match": '"v1"',
}


def _by_path(answers: Mapping[str, bytes]) -> Handler:
    async def handler(asked: Asked, writer: asyncio.StreamWriter) -> None:
        writer.write(answers[asked.path])

    return handler


async def test_a_request_brings_back_status_headers_and_body() -> None:
    async with (
        serving(answering(200, b"<rss/>", ETag='"v1"', X_A="1")) as server,
        new_egress(allow=f"127.0.0.1:{server.port}") as egress,
    ):
        response = await egress.request(
            Request(url=f"http://127.0.0.1:{server.port}/a?b#c", headers={"If-None-Match": "x"})
        )

    assert (response.status, response.body) == (200, b"<rss/>")
    assert response.headers["etag"] == '"v1"'
    assert response.url == f"http://127.0.0.1:{server.port}/a?b#c"
    assert response.permanent_url is None
    assert server.seen[0].line == "GET /a?b HTTP/1.1"
    assert server.seen[0].headers["user-agent"] == "ClawFeed-Collector/1.0"
    assert server.seen[0].headers["if-none-match"] == "x"
    assert "cookie" not in server.seen[0].headers


async def test_loopback_is_refused_unless_it_was_allowed() -> None:
    """A source at http://127.0.0.1 fails (S001-11)."""
    async with serving(answering()) as server, new_egress() as egress:
        with pytest.raises(EgressError) as caught:
            await egress.request(Request(url=f"http://127.0.0.1:{server.port}/"))

    assert caught.value.reason is Reason.BLOCKED
    assert server.connections == 0


@pytest.mark.parametrize("status", [304, 401, 404, 410, 429, 500, 503])
async def test_a_status_is_an_answer_and_not_an_error(status: int) -> None:
    async with serving(answering(status)) as server, new_egress(dial=Exchange(server)) as egress:
        response = await egress.request(Request(url="http://public.example/"))

    assert response.status == status


async def test_connections_are_reused() -> None:
    async with serving(answering(304)) as server, new_egress(dial=Exchange(server)) as egress:
        for _ in range(5):
            await egress.request(Request(url="http://public.example/"))

    assert server.connections == 1


async def test_a_request_that_is_given_up_is_taken_back_from_the_kernel() -> None:
    """(F8, I4): reset, not left to be delivered when the network is back."""
    endings: asyncio.Queue[str] = asyncio.Queue()

    async def never_answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        try:
            await reader.read()
            endings.put_nowait("closed")
        except ConnectionResetError:
            endings.put_nowait("reset")
        writer.close()

    async with await asyncio.start_server(never_answer, "127.0.0.1", 0) as server:
        place = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
        async with new_egress(allow=place) as egress:
            limits = Limits(total=timedelta(seconds=2))
            with pytest.raises(EgressError):
                await egress.request(Request(url=f"http://{place}/", limits=limits))
            ending = await endings.get()

    assert ending == "reset"


async def test_cookies_are_not_kept() -> None:
    async with (
        serving(answering(200, set_cookie="sid=1; Path=/")) as server,
        new_egress(dial=Exchange(server)) as egress,
    ):
        for _ in range(2):
            await egress.request(Request(url="http://public.example/"))

    assert "cookie" not in server.seen[1].headers


async def test_a_proxy_in_the_environment_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """T4: trust_env is off."""
    async with serving(answering()) as proxy, serving(answering(200, b"direct")) as server:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")
        async with new_egress(dial=Exchange(server)) as egress:
            response = await egress.request(Request(url="http://public.example/"))

    assert response.body == b"direct"
    assert proxy.connections == 0


async def test_secrets_stay_behind_when_the_origin_changes_and_do_not_come_back() -> None:
    """T5: dropped at the first foreign hop, and not sent again on the way home."""
    answers = {
        "/r": reply(302, location="http://evil.example/e"),
        "/e": reply(302, location="http://public.example/home"),
        "/home": reply(200),
    }
    async with serving(_by_path(answers)) as server, new_egress(dial=Exchange(server)) as egress:
        await egress.request(
            Request(url="http://public.example/r", headers=SECRETS | {"Accept": "text/xml"})
        )

    first, foreign, home = (asked.headers for asked in server.seen)
    assert {"authorization", "cookie", "x-api-key", "if-none-match"} <= set(first)
    assert not {"authorization", "cookie", "x-api-key", "if-none-match"} & set(foreign)
    assert not {"authorization", "cookie", "x-api-key", "if-none-match"} & set(home)
    assert foreign["accept"] == "text/xml"
    assert "s3cret" not in str(foreign) + str(home)


@pytest.mark.parametrize("place", ["http://public.example:8080/e", "http://www.public.example/e"])
async def test_another_port_or_subdomain_is_another_origin(place: str) -> None:
    async with (
        serving(_by_path({"/r": reply(307, location=place), "/e": reply(200)})) as server,
        new_egress(dial=Exchange(server)) as egress,
    ):
        await egress.request(Request(url="http://public.example/r", headers=SECRETS))

    assert "s3cret" not in str(server.seen[1].headers)


async def test_headers_survive_a_redirect_within_the_origin() -> None:
    answers = {"/r": reply(302, location="/home"), "/home": reply(304)}
    async with serving(_by_path(answers)) as server, new_egress(dial=Exchange(server)) as egress:
        response = await egress.request(Request(url="http://public.example/r", headers=SECRETS))

    assert response.url == "http://public.example/home"
    assert server.seen[1].headers["authorization"] == "Bearer s3cret"
    assert server.seen[1].headers["if-none-match"] == '"v1"'


def _redirect(*locations: bytes) -> bytes:
    fields = b"".join(b"Location: " + place + b"\r\n" for place in locations)
    return b"HTTP/1.1 302 X\r\n" + fields + b"content-length: 0\r\n\r\n"


@pytest.mark.parametrize(
    ("locations", "path"),
    [
        ((b"/ok", b"/ok"), "/ok"),
        ((b"/caf\xe9?q=\xff",), "/caf%E9?q=%FF"),
        (("/café".encode(),), "/caf%C3%A9"),
    ],
)
async def test_where_an_odd_redirect_leads(locations: tuple[bytes, ...], path: str) -> None:
    """Said twice is said; bytes that are no UTF-8 stay the bytes they are."""
    answers = {"/r": _redirect(*locations), path: reply(200, b"here")}
    async with serving(_by_path(answers)) as server, new_egress(dial=Exchange(server)) as egress:
        response = await egress.request(Request(url="http://public.example/r"))

    assert response.body == b"here"
    assert server.seen[-1].path == path


@pytest.mark.parametrize(
    ("locations", "reason", "sentence"),
    [
        ((b"/a", b"/b"), Reason.UNREADABLE, "several places"),
        ((b"/a", b"http://127.0.0.1/"), Reason.UNREADABLE, "several places"),
        ((b"", b""), Reason.UNREADABLE, "without saying where"),
        ((b"http://caf\xe9.example/",), Reason.BLOCKED, "not a valid URL"),
    ],
)
async def test_a_redirect_that_could_mean_two_places_is_refused(
    locations: tuple[bytes, ...], reason: Reason, sentence: str
) -> None:
    answers = {"/r": _redirect(*locations)}
    async with serving(_by_path(answers)) as server, new_egress(dial=Exchange(server)) as egress:
        with pytest.raises(EgressError) as caught:
            await egress.request(Request(url="http://public.example/r"))

    assert caught.value.reason is reason
    assert sentence in caught.value.detail
    assert len(server.seen) == 1


async def test_what_we_send_never_crosses_to_another_origin() -> None:
    answers = {"/r": reply(307, location="http://evil.example/e"), "/e": reply(200)}
    async with serving(_by_path(answers)) as server, new_egress(dial=Exchange(server)) as egress:
        with pytest.raises(EgressError) as caught:
            await egress.request(
                Request(url="http://public.example/r", method="POST", body=b"private")
            )

    assert caught.value.reason is Reason.BLOCKED
    assert [asked.path for asked in server.seen] == ["/r"]


@pytest.mark.parametrize(
    ("status", "line", "body"),
    [(302, "GET /home", b""), (303, "GET /home", b""), (307, "POST /home", b"text")],
)
async def test_a_redirected_post_keeps_or_drops_its_body_as_browsers_do(
    status: int, line: str, body: bytes
) -> None:
    answers = {"/r": reply(status, location="/home"), "/home": reply(200)}
    async with serving(_by_path(answers)) as server, new_egress(dial=Exchange(server)) as egress:
        await egress.request(
            Request(
                url="http://public.example/r",
                method="POST",
                body=b"text",
                headers={"Content-Type": "text/plain"},
            )
        )

    assert server.seen[1].line.startswith(line)
    assert server.seen[1].body == body


@pytest.mark.parametrize(
    ("statuses", "permanent"),
    [
        ([], None),
        ([301], "/1"),
        ([308, 301], "/2"),
        ([301, 302], "/1"),
        ([302, 301], None),
        ([301, 302, 301], "/1"),
    ],
)
async def test_only_an_unbroken_start_of_permanent_redirects_moves_a_source(
    statuses: list[int], permanent: str | None
) -> None:
    """The PERMA line of redirect_chains.txt; T20."""
    answers = {
        f"/{n}": reply(status, location=f"/{n + 1}") for n, status in enumerate(statuses)
    } | {f"/{len(statuses)}": reply(200)}
    async with serving(_by_path(answers)) as server, new_egress(dial=Exchange(server)) as egress:
        response = await egress.request(Request(url="http://public.example/0"))

    expected = f"http://public.example{permanent}" if permanent else None
    assert response.permanent_url == expected


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Content-Length": "3"},
        {"Transfer-Encoding": "chunked"},
        {"Connection": "upgrade"},
        {"X-A": "1\r\nX-B: 2"},
        {"X-A": "1\nX-B: 2"},
        {"X-A": "\x00"},
        {"X-A\r\nX-B": "1"},
        {"X A": "1"},
        {"": "1"},
        {"X-A": "\ud800"},
    ],
)
async def test_headers_that_could_forge_a_request_are_refused(headers: dict[str, str]) -> None:
    async with serving(answering()) as server, new_egress(dial=Exchange(server)) as egress:
        with pytest.raises(EgressError) as caught:
            await egress.request(Request(url="http://public.example/", headers=headers))

    assert caught.value.reason is Reason.MISCONFIGURED
    assert server.connections == 0


async def _garbage(_: Asked, writer: asyncio.StreamWriter) -> None:
    writer.write(b"SSH-2.0-OpenSSH_9\r\n")


async def _hang_up(_: Asked, writer: asyncio.StreamWriter) -> None:
    writer.close()


async def _break_off(_: Asked, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf")
    writer.close()


async def _stay_silent(_: Asked, writer: asyncio.StreamWriter) -> None:
    await writer.drain()
    await asyncio.sleep(60)


@pytest.mark.parametrize(
    ("handler", "reason"),
    [
        (_garbage, Reason.UNREADABLE),
        (_hang_up, Reason.UNREACHABLE),
        (_break_off, Reason.UNREACHABLE),
        (_stay_silent, Reason.TIMED_OUT),
        (answering(302, location="http://10.0.0.1/bot123:s3cret"), Reason.BLOCKED),
        (answering(302, location="/x?token=s3cret"), Reason.UNREADABLE),
        (answering(200, b"x" * 1000), Reason.TOO_LARGE),
        (answering(200, b"x", content_encoding="gzip, s3cret"), Reason.UNREADABLE),
    ],
)
async def test_no_error_tells_more_than_scheme_and_host(
    handler: Handler, reason: Reason, caplog: pytest.LogCaptureFixture
) -> None:
    """Finding 8, T17: not in the text, not in the traceback, not in the log."""
    caplog.set_level(logging.DEBUG)
    url = "http://public.example/bot123:s3cret/send?token=s3cret#s3cret"
    patience = 0.3 if reason is Reason.TIMED_OUT else 20
    async with serving(handler) as server, new_egress(dial=Exchange(server)) as egress:
        with pytest.raises(EgressError) as caught:
            await egress.request(
                Request(
                    url=url,
                    headers={"Authorization": "s3cret"},
                    limits=Limits(total=timedelta(seconds=patience), body=100),
                )
            )

    assert caught.value.reason is reason
    told = "".join(traceback.format_exception(caught.value)) + repr(caught.value) + caplog.text
    assert "s3cret" not in told


def test_a_request_does_not_show_its_secrets() -> None:
    request = Request(url="http://public.example/s3cret", headers=SECRETS, body=b"s3cret")

    assert "s3cret" not in repr(request)


async def test_our_own_lost_network_is_nobodys_fault() -> None:
    """SPEC settled 2: from the third stranger on, the reason is OFFLINE; an answer ends it."""
    lost = socket.gaierror(socket.EAI_AGAIN, "try again")
    resolver = StubResolver({f"{name}.example": lost for name in "abcd"})
    async with (
        serving(answering()) as server,
        new_egress(resolver=resolver, dial=Exchange(server)) as egress,
    ):
        reasons = []
        for name in "aabcd":
            with pytest.raises(EgressError) as caught:
                await egress.request(Request(url=f"http://{name}.example/"))
            reasons.append(caught.value.reason)
        was_offline = egress.is_offline
        await egress.request(Request(url="http://public.example/"))

        with pytest.raises(EgressError) as after:
            await egress.request(Request(url="http://a.example/"))

    assert reasons == [Reason.UNREACHABLE] * 3 + [Reason.OFFLINE] * 2
    assert was_offline
    assert after.value.reason is Reason.UNREACHABLE


async def test_loopback_answers_do_not_prove_that_we_are_online() -> None:
    lost = socket.gaierror(socket.EAI_AGAIN, "try again")
    resolver = StubResolver({f"{name}.example": lost for name in "abc"})
    async with (
        serving(answering()) as server,
        new_egress(allow=f"127.0.0.1:{server.port}", resolver=resolver) as egress,
    ):
        for name in "abc":
            await egress.request(Request(url=f"http://127.0.0.1:{server.port}/"))
            with pytest.raises(EgressError) as caught:
                await egress.request(Request(url=f"http://{name}.example/"))

    assert caught.value.reason is Reason.OFFLINE


async def test_a_429_silences_the_whole_site_and_no_other() -> None:
    """F13, I4: no request before Retry-After, whatever the path or subdomain."""
    clock = Clock()

    async def handler(asked: Asked, writer: asyncio.StreamWriter) -> None:
        is_busy = asked.headers["host"] == "a.busy.example"
        writer.write(reply(429, retry_after="120") if is_busy else reply(200))

    async with serving(handler) as server, new_egress(dial=Exchange(server), clock=clock) as egress:
        first = await egress.request(Request(url="http://a.busy.example/"))
        with pytest.raises(EgressError) as caught:
            await egress.request(Request(url="http://b.busy.example/other"))
        other = await egress.request(Request(url="http://calm.example/"))
        resting = egress.cooldowns()
        clock.now += timedelta(seconds=121)
        again = await egress.request(Request(url="http://b.busy.example/other"))

    assert (first.status, other.status, again.status) == (429, 200, 200)
    assert (caught.value.reason, caught.value.status) == (Reason.BUSY, None)
    assert caught.value.wait == timedelta(seconds=120)
    assert list(resting) == ["busy.example"]
    assert len(server.seen) == 3


async def test_a_rest_learned_elsewhere_can_be_imposed() -> None:
    clock = Clock()
    async with new_egress(clock=clock, dial=Exchange()) as egress:
        egress.impose("www.busy.example", clock.now + timedelta(minutes=5))

        with pytest.raises(EgressError) as caught:
            await egress.request(Request(url="http://busy.example/"))

    assert caught.value.wait == timedelta(minutes=5)
    assert egress.cooldowns() == {"busy.example": clock.now + timedelta(minutes=5)}

"""Who is spoken to over https: real TLS on loopback, with certificates good and bad.

aiohttp makes its TLS context at import, so in this process nobody can be talked into trusting a
test's authority; a fresh one can, by SSL_CERT_FILE. What needs trust is asked of the real command.
"""

from __future__ import annotations

import asyncio
import json
import logging
import socket
import ssl
import traceback
import warnings
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from clawfeed.domain.errors import EgressError, Reason
from clawfeed.egress.request_and_response import Request
from tests.egress.loopback_servers import (
    Asked,
    Handler,
    RawServer,
    answering,
    new_egress,
    reply,
    serving,
)
from tests.support.certificates import FUTURE, PAST, PRESENT, Authority, Span, signed_by_itself
from tests.support.processes import run_clawfeed

HERE = ("DNS:localhost", "IP:127.0.0.1")
# With what nobody may hear of: see `_refusal`.
PATH = "/bot123:s3cret/feed?token=s3cret"
HEADERS = {"Authorization": "Bearer s3cret", "X-Api-Key": "s3cret"}
FEED = b"""<?xml version="1.0"?><rss version="2.0"><channel><title>Letters</title>
<item><title>Read under seal</title><link>https://letters.example/1</link></item>
</channel></rss>"""
POSTCARDS = b'[{"title": "Read in the open", "url": "https://letters.example/2"}]'
NO_ENCRYPTION = "could not agree with us on encryption."


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))


@asynccontextmanager
async def _serving_tls(context: ssl.SSLContext, handler: Handler) -> AsyncIterator[RawServer]:
    """Sees a connection only once both sides agreed on encryption."""
    raw = RawServer(handler)
    async with await asyncio.start_server(raw.serve, "127.0.0.1", 0, ssl=context) as server:
        raw.port = server.sockets[0].getsockname()[1]
        yield raw


async def _check(
    *arguments: str, trusting: Authority, allow: str, folder: Path
) -> CompletedProcess[str]:
    """`clawfeed source check ARGUMENTS` in a process that trusts this authority."""
    env = {"SSL_CERT_FILE": str(trusting.root), "EGRESS_ALLOW": allow, "HOST_SPACING_MS": "0"}
    return await asyncio.to_thread(run_clawfeed, "source", "check", *arguments, cwd=folder, env=env)


async def _refusal(port: int) -> EgressError:
    """What our door says of an https server on this port; of the URL only scheme and host (T17)."""
    url = f"https://127.0.0.1:{port}{PATH}"
    async with new_egress(allow=f"127.0.0.1:{port}") as egress:
        with pytest.raises(EgressError) as caught:
            await egress.request(Request(url=url, headers=HEADERS))
    assert "s3cret" not in "".join(traceback.format_exception(caught.value)) + repr(caught.value)
    return caught.value


@pytest.mark.parametrize("host", ["localhost", pytest.param("127.0.0.1", marks=pytest.mark.slow)])
async def test_an_https_feed_with_a_trusted_certificate_is_read(
    host: str, authority: Authority, tmp_path: Path
) -> None:
    handler = answering(200, FEED, content_type="application/rss+xml")
    async with _serving_tls(authority.issue(*HERE).context(), handler) as server:
        place = f"{host}:{server.port}"
        done = await _check(
            f"https://{place}/feed", trusting=authority, allow=place, folder=tmp_path
        )

    assert (done.returncode, done.stderr) == (0, "")
    assert "Read under seal" in done.stdout
    assert {asked.line for asked in server.seen} == {"GET /feed HTTP/1.1"}


@pytest.mark.parametrize(
    ("host", "names", "valid", "problem"),
    [
        ("localhost", HERE, PAST, "that is out of date"),
        ("localhost", HERE, FUTURE, "that is not valid yet"),
        ("localhost", ("DNS:other.example", "IP:127.0.0.1"), PRESENT, "for another host"),
        ("127.0.0.1", ("DNS:localhost", "IP:127.0.0.2"), PRESENT, "for another host"),
    ],
)
async def test_a_trusted_signature_does_not_save_a_certificate_that_is_wrong(
    *,
    host: str,
    names: tuple[str, ...],
    valid: Span,
    problem: str,
    authority: Authority,
    tmp_path: Path,
) -> None:
    """Refused before a byte of the request has left, in one sentence without the URL (T17)."""
    context = authority.issue(*names, valid=valid).context()
    async with _serving_tls(context, answering(200, FEED)) as server:
        place = f"{host}:{server.port}"
        done = await _check(
            *("--type", "rss", f"https://{place}{PATH}"),
            trusting=authority,
            allow=place,
            folder=tmp_path,
        )

    said = f"clawfeed: this source: https://{place} has a certificate {problem}. (unreachable)\n"
    assert (done.returncode, done.stdout, done.stderr) == (1, "", said)
    assert (server.connections, server.seen) == (0, [])


async def test_a_certificate_from_an_unknown_authority_is_refused_before_we_ask(
    authority: Authority, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    async with _serving_tls(authority.issue(*HERE).context(), answering()) as server:
        error = await _refusal(server.port)

    assert error.reason is Reason.UNREACHABLE
    problem = "has a certificate from an unknown authority."
    assert error.detail == f"https://127.0.0.1:{server.port} {problem}"
    assert "s3cret" not in caplog.text
    assert (server.connections, server.seen) == (0, [])


async def test_a_self_signed_certificate_is_refused_before_we_ask(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    async with _serving_tls(signed_by_itself(tmp_path, *HERE).context(), answering()) as server:
        error = await _refusal(server.port)

    assert error.reason is Reason.UNREACHABLE
    problem = "has a certificate that it signed itself."
    assert error.detail == f"https://127.0.0.1:{server.port} {problem}"
    assert "s3cret" not in caplog.text
    assert (server.connections, server.seen) == (0, [])


def _only(context: ssl.SSLContext, version: ssl.TLSVersion) -> ssl.SSLContext:
    """*context* as it was in the old days: this version of TLS and its ciphers."""
    with warnings.catch_warnings(action="ignore", category=DeprecationWarning):
        context.minimum_version = context.maximum_version = version
    context.set_ciphers("ALL:@SECLEVEL=0")
    return context


def _hear_one(listener: socket.socket, context: ssl.SSLContext) -> bytes:
    """What the next visitor asks; nothing if there is no agreement on encryption.

    A blocking server: asyncio's closes without the alert that says why.
    """
    visitor, _ = listener.accept()
    with suppress(OSError), context.wrap_socket(visitor, server_side=True) as sealed:
        heard = sealed.recv(65_536)
        sealed.sendall(reply(200, b"old"))
        return heard
    return b""


def _ask_as_of_old(port: int, version: ssl.TLSVersion) -> None:
    """Proves that this OpenSSL still speaks *version*: it is our choice that refuses it."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    with (
        socket.create_connection(("127.0.0.1", port), timeout=10) as plain,
        _only(context, version).wrap_socket(plain) as sealed,
    ):
        sealed.sendall(b"GET /old HTTP/1.1\r\n\r\n")
        sealed.recv(65_536)


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1])
async def test_a_server_that_speaks_only_outdated_tls_is_refused(
    version: ssl.TLSVersion, authority: Authority
) -> None:
    context = _only(authority.issue(*HERE).context(), version)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(10)
        port = listener.getsockname()[1]
        hearing = asyncio.create_task(asyncio.to_thread(_hear_one, listener, context))
        await asyncio.to_thread(_ask_as_of_old, port, version)
        from_old_client = await hearing

        hearing = asyncio.create_task(asyncio.to_thread(_hear_one, listener, context))
        error = await _refusal(port)
        from_us = await hearing

    assert from_old_client.startswith(b"GET /old")
    assert (error.reason, from_us) == (Reason.UNREACHABLE, b"")
    assert error.detail == f"https://127.0.0.1:{port} {NO_ENCRYPTION}"


async def test_plain_http_on_an_https_port_is_said_to_be_no_encryption() -> None:
    heard: list[bytes] = []

    async def speak_plainly(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heard.append(await reader.read(65_536))
        writer.write(reply(400, b"You spoke TLS to a plain HTTP server."))
        writer.close()

    async with await asyncio.start_server(speak_plainly, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        error = await _refusal(port)

    assert error.reason is Reason.UNREACHABLE
    assert error.detail == f"https://127.0.0.1:{port} {NO_ENCRYPTION}"
    assert len(heard) == 1
    assert b"s3cret" not in heard[0]


async def test_a_server_that_hangs_up_in_the_handshake_is_no_bug_of_ours() -> None:
    async def hang_up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(65_536)
        writer.close()

    async with await asyncio.start_server(hang_up, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        error = await _refusal(port)

    assert error.reason is Reason.UNREACHABLE
    assert error.detail == (
        f"https://127.0.0.1:{port} closed the connection before it had answered."
    )


@pytest.mark.slow
@pytest.mark.parametrize("is_downgrade", [False, True])
async def test_a_step_down_to_plain_http_loses_the_credentials_and_moves_nothing(
    *, is_downgrade: bool, authority: Authority, tmp_path: Path
) -> None:
    """T5: the same permanent redirect within https keeps them, and is a move."""
    async with serving(answering(200, POSTCARDS)) as plain:
        places = {True: f"http://localhost:{plain.port}/new", False: "/new"}

        async def handler(asked: Asked, writer: asyncio.StreamWriter) -> None:
            moved = reply(301, location=places[is_downgrade])
            writer.write(moved if asked.path == "/old" else reply(200, POSTCARDS))

        async with _serving_tls(authority.issue(*HERE).context(), handler) as sealed:
            config = {
                "endpoint": f"https://localhost:{sealed.port}/old",
                "headers": HEADERS,
            }
            done = await _check(
                *("--type", "custom_api", "--config", json.dumps(config), "--json"),
                trusting=authority,
                allow=f"localhost:{sealed.port},localhost:{plain.port}",
                folder=tmp_path,
            )

    poll = json.loads(done.stdout)
    first, *rest = [*sealed.seen, *plain.seen]
    assert [item["title"] for item in poll["items"]] == ["Read in the open"]
    assert first.headers["authorization"] == "Bearer s3cret"
    assert [asked.path for asked in rest] == ["/new"]
    assert len(plain.seen) == is_downgrade
    assert ("s3cret" in str(rest)) is not is_downgrade
    moved_to = f"it moved for good to https://localhost:{sealed.port}/new"
    assert poll["hints"] == ([] if is_downgrade else [moved_to])
    assert "s3cret" not in done.stdout + done.stderr

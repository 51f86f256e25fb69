"""Apprise brings an HTTP client of its own: nothing of it leaves but through egress (T3, T6).

Each sending starts a process, so each test proves several things.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import pytest

from clawfeed.domain.channels.channel import ChannelDraft
from clawfeed.domain.errors import InvalidInputError, Reason
from clawfeed.domain.secret import Secret
from clawfeed.publish.apprise_process import PROGRAM
from clawfeed.publish.channel_types.built_in import BUILT_IN
from clawfeed.publish.message import RetryVerdict, SendError, Target
from clawfeed.rendering.safe_text import one_line
from clawfeed.simulator.faults import moved
from clawfeed.sources.parsing.protocol import LENGTH
from tests.publish.webhook_services import PAGE, TOKEN, WebhookStage, notice, payloads, webhooks
from tests.support.digests import a_story, an_edition

APPRISE = BUILT_IN["apprise"]
HOSTILE = "<!channel> **b** [t](https://evil.example) \u202egnp & <b>x</b> ${{ x }}"


def _target(stage: WebhookStage, url: str) -> Target:
    target = stage.target("apprise")
    return Target(channel_id=target.channel_id, address="json #1", secrets={"url": Secret(url)})


def _json_url(stage: WebhookStage, token: str = TOKEN) -> str:
    return f"{stage.url.replace('http', 'json')}/hooks/apprise/{token}"


@dataclass
class _Port:
    """Somebody inside the house, who must not be called."""

    number: int = 0
    calls: int = 0


@asynccontextmanager
async def _listening() -> AsyncIterator[_Port]:
    port = _Port()

    async def called(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        port.calls += 1
        writer.close()

    server = await asyncio.start_server(called, "127.0.0.1", 0)
    port.number = server.sockets[0].getsockname()[1]
    async with server:
        yield port


async def test_an_edition_arrives_as_text_by_way_of_egress() -> None:
    async with webhooks() as stage:
        [payload] = payloads("apprise", an_edition(a_story(HOSTILE)))
        await stage.send(_target(stage, _json_url(stage)), "apprise", payload)
        [effect] = stage.effects("apprise")

    assert one_line(HOSTILE) in effect.content
    assert effect.content.splitlines()[0] == "Rust, chips and the weather"
    assert effect.content.splitlines()[-1] == PAGE


async def test_nobody_inside_the_house_is_called() -> None:
    """T3: neither by HTTP, which our guard refuses, nor by a socket, which there is none of."""
    async with webhooks(allow="") as stage, _listening() as port:
        failures = []
        for url in (
            f"json://127.0.0.1:{port.number}/{TOKEN}",
            f"mailto://me:{TOKEN}@127.0.0.1:{port.number}?mode=insecure&from=a@b.example",
        ):
            with pytest.raises(SendError) as caught:
                await stage.send(_target(stage, url), "apprise", notice("apprise", "hello"))
            failures.append(caught.value)

        assert port.calls == 0
    by_http, by_socket = failures
    assert (by_http.verdict, by_http.reason) == (RetryVerdict.PAUSE, Reason.BLOCKED)
    assert (by_socket.verdict, by_socket.reason) == (RetryVerdict.PAUSE, Reason.MISCONFIGURED)
    assert not any(error.may_have_arrived for error in failures)
    assert TOKEN not in "".join(repr(vars(error)) + str(error) for error in failures)


async def test_a_redirect_into_the_house_is_not_followed() -> None:
    async with webhooks() as stage, _listening() as port:
        stage.world.misbehave(f"/hooks/apprise/{TOKEN}", moved(f"http://127.0.0.1:{port.number}/"))
        with pytest.raises(SendError) as caught:
            await stage.send(
                _target(stage, _json_url(stage)), "apprise", notice("apprise", "hello")
            )

        assert port.calls == 0
    assert (caught.value.verdict, caught.value.may_have_arrived) == (RetryVerdict.PAUSE, False)


async def test_once_it_is_ready_the_process_can_open_nothing() -> None:
    """The kernel's word for it, not the library's: not one more file or socket."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-I", "-c", PROGRAM, *sys.path,
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, env={"HOME": os.devnull},
    )  # fmt: skip
    assert process.stdin
    assert process.stdout
    length = LENGTH.unpack(await process.stdout.readexactly(LENGTH.size))[0]
    assert await process.stdout.readexactly(length) == b'{"is_ready": true}'
    limits = (await asyncio.to_thread(_read, f"/proc/{process.pid}/limits")).splitlines()
    process.stdin.close()
    await process.wait()

    [files] = [line.split() for line in limits if line.startswith("Max open files")]
    assert files[3:5] == ["0", "0"]


def _read(path: str) -> str:
    with open(path, encoding="ascii") as file:  # noqa: PTH123
        return file.read()


def test_the_address_that_is_shown_has_the_service_and_no_token() -> None:
    url = f"slack://{TOKEN}/x/y"
    draft = APPRISE.check(ChannelDraft(kind="apprise", address="", secrets={"url": Secret(url)}))

    assert draft.address.startswith("slack #")
    assert TOKEN not in repr(draft)
    assert APPRISE.check(ChannelDraft(kind="apprise", address="slack #1")).address == "slack #1"


@pytest.mark.parametrize("url", ["", "slack", "slack:", "slack://", "slack://a\r\nb", "x" * 3000])
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(InvalidInputError, match=r"^secrets\.url: "):
        APPRISE.check(ChannelDraft(kind="apprise", address="", secrets={"url": Secret(url)}))


def test_a_long_edition_is_several_messages() -> None:
    stories = [a_story("很长的标题 " * 20, story_id=number) for number in range(30)]
    parts = payloads("apprise", an_edition(*stories))

    assert len(parts) > 1
    assert all(len(part) < 2_000 for part in parts)

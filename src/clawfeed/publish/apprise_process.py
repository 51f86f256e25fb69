"""An apprise process as its parent sees it: it asks for requests, and gets what egress allows."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from base64 import b64decode, b64encode
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from importlib.util import find_spec
from typing import Any, Final

from clawfeed.domain.errors import EgressError, Reason
from clawfeed.egress.politeness import Manners
from clawfeed.egress.request_and_response import Request
from clawfeed.publish.channel_type import SendingTools
from clawfeed.publish.message import Message, Receipt, RetryVerdict, SendError, Target
from clawfeed.publish.webhooks.webhook_sender import LIMITS, refusal, unanswered
from clawfeed.publish.webhooks.webhook_url import secret_of
from clawfeed.sources.parsing.process import ENVIRONMENT
from clawfeed.sources.parsing.protocol import LENGTH, pack

NAME: Final = "The service behind apprise"
# Loading all its services takes seconds on a busy machine; some of them pause between requests.
START_TIMEOUT: Final = timedelta(seconds=60)
WALL_TIMEOUT: Final = timedelta(seconds=60)
# A login, a message and its end; not a loop.
MOST_REQUESTS: Final = 8
LARGEST_FRAME: Final = 4 * 2**20
# -I keeps the caller's directory and environment out of the import path; ours is handed over.
PROGRAM: Final = (
    "import sys\n"
    "sys.path[:0] = sys.argv[1:]\n"
    "from clawfeed.publish.apprise_worker import main\n"
    "main()\n"
)
# Whatever stands in a home directory (.netrc, a store) is none of its business.
HOME: Final = {"HOME": os.devnull}


def is_installed() -> bool:
    return find_spec("apprise") is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class AppriseSender:
    """A `Sender`: a process for each message."""

    tools: SendingTools

    async def send(self, target: Target, message: Message) -> Receipt:
        if not is_installed():
            how = "apprise is not installed here: add the extra clawfeed[apprise]."
            raise SendError(Reason.MISCONFIGURED, how, verdict=RetryVerdict.PAUSE)
        job = {"url": secret_of(target), **json.loads(message.payload)}
        trip = _Trip(tools=self.tools)
        process = await _started()
        try:
            async with asyncio.timeout(START_TIMEOUT.total_seconds()):
                await _heard(process)
            async with asyncio.timeout(WALL_TIMEOUT.total_seconds()):
                is_taken = await trip.converse(process, job)
        except TimeoutError:
            raise trip.cut_off(Reason.TIMED_OUT, "did not come to an end") from None
        except (EOFError, ValueError, OSError):
            raise trip.cut_off(Reason.OUR_BUG, "crashed") from None
        finally:
            await _end(process)
        if not (is_taken and trip.was_taken):
            raise trip.refusal()
        return Receipt()


@dataclass(slots=True, kw_only=True)
class _Trip:
    """One message's requests, and what they leave us knowing."""

    tools: SendingTools
    asked: int = 0
    was_taken: bool = False
    may_have_arrived: bool = False
    failure: SendError | None = None

    async def converse(self, process: Process, job: dict[str, Any]) -> bool:
        """Whether the library says that it was taken."""
        await _say(process, job)
        while "is_taken" not in (heard := await _heard(process)):
            await _say(process, await self._fetch(heard))
        return heard["is_taken"] is True

    async def _fetch(self, question: dict[str, Any]) -> dict[str, Any]:
        self.asked += 1
        if self.asked > MOST_REQUESTS:
            return {}
        method = str(question["method"])
        try:
            response = await self.tools.egress.request(_request(method, question))
        except EgressError as error:
            self._note(unanswered(error))
            return {}
        if 200 <= response.status < 300:
            self.was_taken = True
            # If a later request fails, this one may have been the message.
            self.may_have_arrived |= method not in ("GET", "HEAD")
        else:
            self._note(refusal(NAME, response, self.tools.clock()))
        return {
            "status": response.status,
            "headers": dict(response.headers),
            "body": b64encode(response.body).decode(),
        }

    def _note(self, failure: SendError) -> None:
        self.failure = failure
        self.may_have_arrived |= failure.may_have_arrived

    def refusal(self) -> SendError:
        found = self.failure
        if found is None:
            found = SendError(
                Reason.MISCONFIGURED,
                "The address is of no service that apprise reaches over HTTP.",
                verdict=RetryVerdict.PAUSE,
            )
        found.may_have_arrived = self.may_have_arrived
        return found

    def cut_off(self, reason: Reason, how: str) -> SendError:
        return SendError(
            reason, f"The apprise process {how}.", may_have_arrived=self.may_have_arrived
        )


def _request(method: str, question: dict[str, Any]) -> Request:
    return Request(
        url=str(question["url"]),
        method=method,
        headers=dict(question["headers"]),
        body=b64decode(question["body"]) or None,
        limits=LIMITS,
        manners=Manners(
            key="apprise",
            at_once=8,
            spacing=timedelta(0),
            obeys_cooldown=False,
            notes_cooldown=False,
        ),
        is_once=True,
    )


async def _started() -> Process:
    shown = {name: os.environ[name] for name in ENVIRONMENT if name in os.environ}
    return await asyncio.create_subprocess_exec(
        sys.executable, "-I", "-c", PROGRAM, *sys.path,
        stdin=PIPE, stdout=PIPE, stderr=DEVNULL, env={**shown, **HOME}, start_new_session=True,
    )  # fmt: skip


async def _end(process: Process) -> None:
    with suppress(ProcessLookupError):
        process.kill()
    # What it still says must be taken, or its end is not noticed.
    await process.communicate()


async def _say(process: Process, value: object) -> None:
    if process.stdin is None:
        raise EOFError
    process.stdin.write(pack(json.dumps(value).encode()))
    await process.stdin.drain()


async def _heard(process: Process) -> dict[str, Any]:
    if process.stdout is None:
        raise EOFError
    length = LENGTH.unpack(await process.stdout.readexactly(LENGTH.size))[0]
    if length > LARGEST_FRAME:
        raise ValueError("a frame that large is none of ours")
    found = json.loads(await process.stdout.readexactly(length))
    if not isinstance(found, dict):
        raise ValueError("not what was agreed on")  # noqa: TRY004 - all of these end the process
    return found

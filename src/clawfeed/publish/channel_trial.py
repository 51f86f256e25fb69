"""A test: one short word to a channel, now, and what came of it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from clawfeed.domain.channels.channel import Channel
from clawfeed.domain.errors import NO_CONNECTION, Reason
from clawfeed.domain.ids import MessageId
from clawfeed.publish.channel_targets import Targets
from clawfeed.publish.channel_type import ChannelTypes, Notice, SendingTools
from clawfeed.publish.message import Message, SendError

# Somebody is waiting: less than a worker would take.
LONGEST_TRIAL: Final = timedelta(seconds=30)
_WORDS: Final = {
    "en": ("ClawFeed can reach this channel", "This is a test: your editions will come here."),
    "zh": ("ClawFeed 可以送达此频道", "这是一条测试消息：您的简报将发送到这里。"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialResult:
    """What came of it; *told* is one sentence. *reason* is None if it arrived.

    *may_have_arrived*: the answer was lost, and nobody knows.
    """

    has_arrived: bool
    told: str
    reason: Reason | None = None
    may_have_arrived: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelTrial:
    """Sends tests past the outbox: whoever asks waits for the answer."""

    types: ChannelTypes
    targets: Targets
    tools: Callable[[], SendingTools]

    async def send(self, channel: Channel, *, knows_network: bool) -> TrialResult:
        """Whoever does not *know the network* is not told how a connection failed.

        Else a person could map what lies behind us, channel by channel.
        """
        try:
            async with asyncio.timeout(LONGEST_TRIAL.total_seconds()):
                await self._send(channel)
        except TimeoutError:
            late = SendError(Reason.TIMED_OUT, "it did not answer in time")
            return _failed(late, knows_network=knows_network)
        except SendError as error:
            return _failed(error, knows_network=knows_network)
        return TrialResult(has_arrived=True, told="the test arrived")

    async def _send(self, channel: Channel) -> None:
        kind, tools = self.types[channel.kind], self.tools()
        title, line = _WORDS.get(channel.language, _WORDS["en"])
        notice = Notice(
            title=title, lines=(line,), link=tools.config.base_url, language=channel.language
        )
        message = Message(
            id=MessageId(0),
            idempotency_key=f"test-{channel.id}-{tools.clock().timestamp():.6f}",
            payload=kind.notice(notice, channel.config),
        )
        await kind.sender(tools).send(await self.targets.of(channel), message)


def _failed(error: SendError, *, knows_network: bool) -> TrialResult:
    reason, told = error.reason, error.detail.rstrip(".")
    if error.may_have_arrived:
        told = f"{told}; nobody knows whether it arrived"
    if reason in {*NO_CONNECTION, Reason.BLOCKED} and not knows_network:
        # The code says no more than the sentence: "blocked" would tell which names are ours.
        told, reason = "it cannot be reached from here", Reason.UNREACHABLE
    return TrialResult(
        has_arrived=False, told=told, reason=reason, may_have_arrived=error.may_have_arrived
    )

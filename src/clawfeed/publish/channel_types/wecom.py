"""WeCom: a group's robot, and plain text.

Its Markdown has no way to write a star or a bracket that is only that, and mentions people by
`<@name>`. Plain text knows the mention alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final

from clawfeed.domain.editions.delivery import Recovery
from clawfeed.domain.ids import JsonValue
from clawfeed.publish.channel_type import ChannelType, Notice, OutgoingEdition
from clawfeed.publish.message import Message, Target
from clawfeed.publish.plain_text_blocks import plain_text
from clawfeed.publish.short_edition import Block, edition_blocks, in_parts, notice_block
from clawfeed.publish.webhooks.answer_codes import AnswerCodes
from clawfeed.publish.webhooks.hook_address import URL, checked_hook, own_place, secret_of
from clawfeed.publish.webhooks.hook_sender import HookSender, Post, as_payload

NAME: Final = "WeCom"
LARGEST: Final = 2_048  # bytes of UTF-8
# Nothing to see (WORD JOINER), and no mention any more.
_MENTION, _NO_MENTION = "<@", "<\u2060@"

# https://developer.work.weixin.qq.com/document/path/91770
CODES: Final = AnswerCodes(
    name=NAME,
    key="errcode",
    pausing={
        93000: "the robot's address is no longer valid; give the channel a new one.",
        93008: "the robot is no longer in its group.",
    },
    busy={45009: timedelta(minutes=1)},
    passing=frozenset({-1}),  # busy, "try again later"
)


def _messages(edition: OutgoingEdition, _config: Mapping[str, JsonValue]) -> Sequence[str]:
    return [_payload(part) for part in in_parts(edition_blocks(edition), _fits)]


def _notice(notice: Notice, _config: Mapping[str, JsonValue]) -> str:
    return _payload(next(in_parts([notice_block(notice)], _fits)))


def _payload(blocks: Sequence[Block]) -> str:
    return as_payload({"msgtype": "text", "text": {"content": _content(blocks)}})


def _content(blocks: Sequence[Block]) -> str:
    return plain_text(blocks).replace(_MENTION, _NO_MENTION)


def _fits(blocks: Sequence[Block]) -> bool:
    return len(_content(blocks).encode()) <= LARGEST


def _write(target: Target, message: Message, _now: datetime) -> Post:
    return Post(url=secret_of(target), body=message.payload.encode())


TYPE: Final = ChannelType(
    kind="wecom",
    label="WeCom",
    recovery=Recovery.ASK,
    check=checked_hook,
    messages=_messages,
    notice=_notice,
    sender=lambda tools: HookSender(tools=tools, name=NAME, write=_write, read=CODES.read),
    place=own_place,
    secrets=(URL,),
    spacing=timedelta(seconds=3),  # 20 a minute
)

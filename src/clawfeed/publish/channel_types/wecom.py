"""WeCom: a group's robot, and plain text.

Its Markdown has no way to write a star or a bracket that is only that, and mentions people by
`<@name>`. Plain text knows the mention alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Final

from clawfeed.domain.editions.delivery import Recovery
from clawfeed.publish.channel_type import ChannelType
from clawfeed.publish.chat_edition import Block, InParts
from clawfeed.publish.plain_text_blocks import plain_text
from clawfeed.publish.webhooks.body_error_codes import BodyErrorCodes
from clawfeed.publish.webhooks.plain_post import plain_post
from clawfeed.publish.webhooks.webhook_sender import WebhookSender, as_payload
from clawfeed.publish.webhooks.webhook_url import URL, checked_webhook, own_place

NAME: Final = "WeCom"
LARGEST_MESSAGE: Final = 2_048  # bytes of UTF-8
# Nothing to see (WORD JOINER), and no mention any more.
_MENTION, _NO_MENTION = "<@", "<\u2060@"

# https://developer.work.weixin.qq.com/document/path/91770
CODES: Final = BodyErrorCodes(
    name=NAME,
    key="errcode",
    pausing={
        93000: "the robot's address is no longer valid; give the channel a new one.",
        93008: "the robot is no longer in its group.",
    },
    busy={45009: timedelta(minutes=1)},
    passing=frozenset({-1}),  # busy, "try again later"
)


def _payload(blocks: Sequence[Block]) -> str:
    return as_payload({"msgtype": "text", "text": {"content": _content(blocks)}})


def _content(blocks: Sequence[Block]) -> str:
    return plain_text(blocks).replace(_MENTION, _NO_MENTION)


def _fits(blocks: Sequence[Block]) -> bool:
    return len(_content(blocks).encode()) <= LARGEST_MESSAGE


_PARTS: Final = InParts(payload=_payload, fits=_fits)
TYPE: Final = ChannelType(
    kind="wecom",
    label="WeCom",
    recovery=Recovery.ASK,
    check=checked_webhook,
    messages=_PARTS.messages,
    notice=_PARTS.notice,
    sender=lambda tools: WebhookSender(tools=tools, name=NAME, write=plain_post, read=CODES.read),
    place=own_place,
    secrets=(URL,),
    spacing=timedelta(seconds=3),  # 20 a minute
)

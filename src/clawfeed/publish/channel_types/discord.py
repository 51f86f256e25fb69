"""Discord: a channel's webhook, with Markdown that mentions nobody."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from clawfeed.domain.editions.delivery import Recovery
from clawfeed.egress.request_and_response import Response
from clawfeed.publish.channel_type import ChannelType
from clawfeed.publish.chat_edition import Block, InParts, Span
from clawfeed.publish.message import Message, Receipt, Target
from clawfeed.publish.webhooks.webhook_sender import (
    Post,
    WebhookSender,
    as_payload,
    json_object,
    seconds,
    taken,
    too_often,
)
from clawfeed.publish.webhooks.webhook_url import URL, checked_webhook, own_place, secret_of
from clawfeed.rendering.utf16 import utf16_units

NAME: Final = "Discord"
LONGEST_MESSAGE: Final = 2_000
# No previews of the pages behind our links: ten of them would bury the edition.
SUPPRESS_EMBEDS: Final = 1 << 2
# Discord takes a backslash before anything that is neither letter, digit nor space. `@` and `:`
# stand here because a mention or an emoji that pings nobody still hides what was written.
_MARKUP: Final = re.compile(r"[\\`*_~|\[\]()<>#@:+.\-]")


def _payload(blocks: Sequence[Block]) -> str:
    return as_payload(
        {
            "content": _content(blocks),
            "allowed_mentions": {"parse": []},
            "flags": SUPPRESS_EMBEDS,
        }
    )


def _content(blocks: Sequence[Block]) -> str:
    return "\n\n".join(
        "\n".join("".join(map(_written, line)) for line in block) for block in blocks
    )


def _written(span: Span) -> str:
    text = _MARKUP.sub(r"\\\g<0>", span.text)
    if span.link:
        # Between < and > nothing else ends an address, and `safe_link` leaves neither in it.
        text = f"[{text}](<{span.link}>)"
    return f"**{text}**" if span.is_bold else text


def _fits(blocks: Sequence[Block]) -> bool:
    return utf16_units(_content(blocks)) <= LONGEST_MESSAGE


def _write(target: Target, message: Message, _now: datetime) -> Post:
    url = secret_of(target)
    # Without it nobody learns whether the message was kept.
    return Post(url=f"{url}{'&' if '?' in url else '?'}wait=true", body=message.payload.encode())


def _read(response: Response) -> Receipt | None:
    answer = json_object(response)
    if response.status == 429:
        raise too_often(NAME, seconds(answer.get("retry_after")))
    receipt = taken(response)
    number = answer.get("id")
    return Receipt(remote_id=number) if receipt and isinstance(number, str) else receipt


_PARTS: Final = InParts(payload=_payload, fits=_fits)
TYPE: Final = ChannelType(
    kind="discord",
    label=NAME,
    recovery=Recovery.ASK,
    check=checked_webhook,
    messages=_PARTS.messages,
    notice=_PARTS.notice,
    sender=lambda tools: WebhookSender(tools=tools, name=NAME, write=_write, read=_read),
    place=own_place,
    secrets=(URL,),
    spacing=timedelta(seconds=2),  # a webhook takes 30 messages a minute
)

"""Feishu and Lark: a group's custom bot, and posts, whose nodes say what they are.

In a `text` message and in a card's Markdown `<at ...>` mentions people; in a post it is text.
"""

from __future__ import annotations

import hmac
import json
from base64 import b64encode
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final

from clawfeed.domain.editions.delivery import Recovery
from clawfeed.domain.ids import JsonValue
from clawfeed.publish.channel_type import ChannelType, Notice, OutgoingEdition
from clawfeed.publish.chat_edition import Block, Span, edition_blocks, in_parts, notice_block
from clawfeed.publish.message import Message, Target
from clawfeed.publish.webhooks.body_error_codes import BodyErrorCodes
from clawfeed.publish.webhooks.webhook_sender import Post, WebhookSender, as_payload
from clawfeed.publish.webhooks.webhook_url import URL, checked_webhook, own_place, secret_of

NAME: Final = "Feishu"
SIGNING: Final = "signing_secret"
KEYWORD: Final = "keyword"
OPTIONS: Final = {KEYWORD: "a word the bot asks for; it stands at the end of each message"}
# 20 KB is the limit of a request; the signature comes on top of what is counted here.
LARGEST_MESSAGE: Final = 18_000

# https://open.feishu.cn/document/client-docs/bot-v3/add-custom-bot
CODES: Final = BodyErrorCodes(
    name=NAME,
    key="code",
    pausing={
        19001: "the bot's address is no longer valid; give the channel a new one.",
        19007: "the bot is not enabled.",
        19021: "the signature does not match, or this machine's clock is an hour off.",
        19022: "the bot takes messages from other IP addresses only.",
        19024: "the bot asks for a keyword; set the option keyword.",
    },
    busy={11232: timedelta(minutes=1)},
    passing=frozenset({9499}),  # "bad request", and also what it says under load
)


def _messages(edition: OutgoingEdition, config: Mapping[str, JsonValue]) -> Sequence[str]:
    parts = in_parts(edition_blocks(edition), partial(_fits, config))
    return [_payload(config, part) for part in parts]


def _notice(notice: Notice, config: Mapping[str, JsonValue]) -> str:
    return _payload(config, next(in_parts([notice_block(notice)], partial(_fits, config))))


def _payload(config: Mapping[str, JsonValue], blocks: Sequence[Block]) -> str:
    paragraphs: list[list[dict[str, Any]]] = []
    for block in blocks:
        if paragraphs:
            paragraphs.append([_node(Span(text=" "))])
        paragraphs += [[_node(span) for span in line if span.text] for line in block]
    if keyword := config.get(KEYWORD):
        paragraphs.append([_node(Span(text=str(keyword)))])
    # A post without its reader's language is shown in the one it has.
    return as_payload({"msg_type": "post", "content": {"post": {"zh_cn": {"content": paragraphs}}}})


def _node(span: Span) -> dict[str, Any]:
    if span.link:
        return {"tag": "a", "text": span.text, "href": span.link}
    return {"tag": "text", "text": span.text}


def _fits(config: Mapping[str, JsonValue], blocks: Sequence[Block]) -> bool:
    return len(_payload(config, blocks).encode()) <= LARGEST_MESSAGE


def _write(target: Target, message: Message, now: datetime) -> Post:
    body = message.payload.encode()
    if SIGNING in target.secrets:
        moment = str(int(now.timestamp()))
        # Their way: the moment and the secret are the key, and nothing is signed with it.
        key = f"{moment}\n{secret_of(target, SIGNING)}".encode()
        sign = b64encode(hmac.digest(key, b"", "sha256")).decode()
        signed = {"timestamp": moment, "sign": sign, **json.loads(message.payload)}
        body = as_payload(signed).encode()
    return Post(url=secret_of(target), body=body)


TYPE: Final = ChannelType(
    kind="feishu",
    label="Feishu or Lark",
    recovery=Recovery.ASK,
    check=partial(checked_webhook, options=OPTIONS),
    messages=_messages,
    notice=_notice,
    sender=lambda tools: WebhookSender(tools=tools, name=NAME, write=_write, read=CODES.read),
    place=own_place,
    secrets=(URL,),
    optional_secrets=(SIGNING,),
    options=OPTIONS,
    spacing=timedelta(milliseconds=600),  # 100 a minute, and never more than 5 a second
)

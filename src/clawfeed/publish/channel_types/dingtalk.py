"""DingTalk: a group's custom robot, and its Markdown, which takes CommonMark's backslashes."""

from __future__ import annotations

import hmac
from base64 import b64encode
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Final
from urllib.parse import quote

from clawfeed.domain.editions.delivery import Recovery
from clawfeed.domain.ids import JsonValue
from clawfeed.publish.channel_type import ChannelType, Notice, OutgoingEdition
from clawfeed.publish.chat_edition import (
    Block,
    Line,
    Span,
    edition_blocks,
    edition_title,
    in_parts,
    notice_block,
)
from clawfeed.publish.message import Message, Target
from clawfeed.publish.webhooks.body_error_codes import BodyErrorCodes
from clawfeed.publish.webhooks.webhook_sender import Post, WebhookSender, as_payload
from clawfeed.publish.webhooks.webhook_url import URL, checked_webhook, own_place, secret_of
from clawfeed.rendering.markdown import escaped

NAME: Final = "DingTalk"
SIGNING: Final = "signing_secret"
KEYWORD: Final = "keyword"
OPTIONS: Final = {KEYWORD: "a word the robot asks for; it stands at the end of each message"}
# A message of more than 20,000 bytes is refused.
LARGEST_MESSAGE: Final = 18_000
# What a notification shows of a message.
LONGEST_TITLE: Final = 60

_NEW_ADDRESS = "the robot's address is no longer valid; give the channel a new one."
_STOPPED = "the robot was stopped or taken out of its group."
CODES: Final = BodyErrorCodes(
    name=NAME,
    key="errcode",
    pausing={
        40035: _NEW_ADDRESS,
        300001: _NEW_ADDRESS,
        300005: _NEW_ADDRESS,
        400101: _NEW_ADDRESS,
        400013: _STOPPED,
        400102: _STOPPED,
        400106: _STOPPED,
        310000: "its keyword, signature or list of IP addresses does not let us in.",
    },
    # Who passes 20 a minute is not heard for ten.
    busy={130101: timedelta(minutes=10), 410100: timedelta(minutes=10)},
    passing=frozenset({-1}),  # busy, "try again later"
)


def _messages(edition: OutgoingEdition, config: Mapping[str, JsonValue]) -> Sequence[str]:
    write = partial(_payload, config, edition_title(edition))
    return [write(part) for part in in_parts(edition_blocks(edition), partial(_fits, write))]


def _notice(notice: Notice, config: Mapping[str, JsonValue]) -> str:
    block = notice_block(notice)
    write = partial(_payload, config, block[0][0].text)
    return write(next(in_parts([block], partial(_fits, write))))


def _payload(config: Mapping[str, JsonValue], title: str, blocks: Sequence[Block]) -> str:
    # A single line end is no line end to it.
    paragraphs = [_written(line) for block in blocks for line in block]
    if keyword := config.get(KEYWORD):
        paragraphs.append(escaped(str(keyword)))
    return as_payload(
        {
            "msgtype": "markdown",
            "markdown": {"title": title[:LONGEST_TITLE], "text": "\n\n".join(paragraphs)},
            "at": {"atMobiles": [], "atUserIds": [], "isAtAll": False},
        }
    )


def _written(line: Line) -> str:
    return "".join(map(_span, line))


def _span(span: Span) -> str:
    text = escaped(span.text)
    if span.link:
        # It knows no angle brackets around an address, so nothing in one may end it.
        link = span.link.replace("(", "%28").replace(")", "%29")
        text = f"[{text}]({link})"
    return f"**{text}**" if span.is_bold else text


def _fits(write: partial[str], blocks: Sequence[Block]) -> bool:
    return len(write(blocks).encode()) <= LARGEST_MESSAGE


def _write(target: Target, message: Message, now: datetime) -> Post:
    url = secret_of(target)
    if SIGNING in target.secrets:
        secret, moment = secret_of(target, SIGNING), str(int(now.timestamp() * 1000))
        signed = hmac.digest(secret.encode(), f"{moment}\n{secret}".encode(), "sha256")
        sign = quote(b64encode(signed).decode(), safe="")
        url = f"{url}{'&' if '?' in url else '?'}timestamp={moment}&sign={sign}"
    return Post(url=url, body=message.payload.encode())


TYPE: Final = ChannelType(
    kind="dingtalk",
    label=NAME,
    recovery=Recovery.ASK,
    check=partial(checked_webhook, options=OPTIONS),
    messages=_messages,
    notice=_notice,
    sender=lambda tools: WebhookSender(tools=tools, name=NAME, write=_write, read=CODES.read),
    place=own_place,
    secrets=(URL,),
    optional_secrets=(SIGNING,),
    options=OPTIONS,
    spacing=timedelta(seconds=3),  # 20 a minute
)

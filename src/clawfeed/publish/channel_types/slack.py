"""Slack: an incoming webhook, and rich text, in which text is text.

`mrkdwn` can escape `&`, `<` and `>` only: a title's `*` or `_` would become style. Rich text has no
markup at all: each element says what it is, and nothing in a text mentions anybody.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from html import escape
from typing import Any, Final

from clawfeed.domain.channels.channel import ChannelDraft
from clawfeed.domain.editions.delivery import Recovery
from clawfeed.domain.ids import JsonValue
from clawfeed.publish.channel_type import ChannelType, Notice, OutgoingEdition, PublishConfig
from clawfeed.publish.chat_edition import (
    Block,
    Span,
    edition_blocks,
    edition_title,
    in_parts,
    notice_block,
)
from clawfeed.publish.webhooks.plain_post import plain_post
from clawfeed.publish.webhooks.webhook_sender import WebhookSender, as_payload
from clawfeed.publish.webhooks.webhook_url import URL, checked_webhook, own_place

KIND: Final = "slack"
# A message takes 50 blocks; a section of one takes 3,000 characters, so no block of ours has more.
MOST_BLOCKS: Final = 50
LONGEST_BLOCK: Final = 3_000
LONGEST_MESSAGE: Final = 12_000
# What a notification shows of a message.
LONGEST_TITLE: Final = 150


def _messages(edition: OutgoingEdition, _config: Mapping[str, JsonValue]) -> Sequence[str]:
    title = edition_title(edition)
    return [_payload(title, part) for part in in_parts(edition_blocks(edition), _fits)]


def _notice(notice: Notice, _config: Mapping[str, JsonValue]) -> str:
    part = next(in_parts([notice_block(notice)], _fits))
    return _payload(part[0][0][0].text, part)


def _payload(title: str, blocks: Sequence[Block]) -> str:
    """The blocks, and beside them the line that notifications show; that one is `mrkdwn`."""
    return as_payload(
        {
            "text": escape(title[:LONGEST_TITLE], quote=False),
            "mrkdwn": False,
            "unfurl_links": False,
            "unfurl_media": False,
            "blocks": [{"type": "rich_text", "elements": [_section(block)]} for block in blocks],
        }
    )


def _section(block: Block) -> dict[str, Any]:
    elements: list[dict[str, Any]] = []
    for line in block:
        if elements:
            elements.append({"type": "text", "text": "\n"})
        elements += map(_element, (span for span in line if span.text))
    return {"type": "rich_text_section", "elements": elements}


def _element(span: Span) -> dict[str, Any]:
    style = {"style": {"bold": True}} if span.is_bold else {}
    if span.link:
        return {"type": "link", "url": span.link, "text": span.text, **style}
    return {"type": "text", "text": span.text, **style}


def _fits(blocks: Sequence[Block]) -> bool:
    lengths = list(map(_length, blocks))
    return (
        len(blocks) <= MOST_BLOCKS
        and max(lengths, default=0) <= LONGEST_BLOCK
        and sum(lengths) <= LONGEST_MESSAGE
    )


def _length(block: Block) -> int:
    return sum(len(span.text) + len(span.link or "") for line in block for span in line)


def _of_the_house(config: PublishConfig) -> Sequence[ChannelDraft]:
    if config.slack_webhook_url is None:
        return ()
    secrets = {URL: config.slack_webhook_url}
    return (checked_webhook(config.house_draft(KIND, "", "Slack", secrets=secrets)),)


TYPE: Final = ChannelType(
    kind=KIND,
    label="Slack",
    recovery=Recovery.ASK,
    check=checked_webhook,
    messages=_messages,
    notice=_notice,
    sender=lambda tools: WebhookSender(tools=tools, name="Slack", write=plain_post),
    place=own_place,
    secrets=(URL,),
    spacing=timedelta(seconds=1),  # its limit for webhooks
    of_the_house=_of_the_house,
)

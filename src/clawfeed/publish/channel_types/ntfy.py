"""ntfy: one notification with the summary and the headlines; a click opens the edition.

The topic is as good as a password (docs.ntfy.sh/publish), so the address with it is the secret.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any, Final

from clawfeed.domain.channels.channel import ChannelDraft
from clawfeed.domain.editions.delivery import Recovery
from clawfeed.domain.errors import InvalidInputError, RefusalCode
from clawfeed.domain.ids import JsonValue
from clawfeed.domain.secret import Secret
from clawfeed.egress.request_and_response import Response
from clawfeed.publish.channel_type import ChannelType, Notice, OutgoingEdition
from clawfeed.publish.chat_edition import (
    Block,
    edition_title,
    headline_blocks,
    in_parts,
    notice_block,
)
from clawfeed.publish.message import Message, Receipt, Target
from clawfeed.publish.plain_text_blocks import plain_text
from clawfeed.publish.webhooks.webhook_sender import (
    Post,
    WebhookSender,
    as_payload,
    json_object,
    taken,
)
from clawfeed.publish.webhooks.webhook_url import (
    URL,
    checked_webhook,
    own_place,
    place_of,
    secret_of,
)
from clawfeed.rendering.safe_text import safe_link

NAME: Final = "ntfy"
TOKEN: Final = "token"  # noqa: S105 -- a secret's name
# Longer ones become a file. Both in bytes; the title's is a limit of ours.
LARGEST_MESSAGE: Final = 4_096
LONGEST_TITLE: Final = 150

_TOPIC = re.compile(r"\A(?P<server>https?://[^/?#]+(?:/[^?#]*)?)/(?P<topic>[-_A-Za-z0-9]{1,64})\Z")
# What may stand in a header by itself.
_TOKEN = re.compile(r"\A[\x21-\x7e]{1,200}\Z")


def _check(draft: ChannelDraft) -> ChannelDraft:
    token = draft.secrets.get(TOKEN)
    if token is not None and not _TOKEN.match(token.reveal()):
        raise InvalidInputError(
            "an access token of ntfy is one word, tk_...",
            RefusalCode.NTFY_TOKEN,
            field=f"secrets.{TOKEN}",
        )
    if (url := draft.secrets.get(URL)) is not None:
        plain = place_of(url).href.removesuffix("/")
        if not _TOPIC.match(plain):
            raise InvalidInputError(
                "the server and the topic, as in https://ntfy.sh/my-topic",
                RefusalCode.NTFY_TOPIC,
                field=f"secrets.{URL}",
            )
        draft = replace(draft, secrets={**draft.secrets, URL: Secret(plain)})
    return checked_webhook(draft)


def _messages(edition: OutgoingEdition, _config: Mapping[str, JsonValue]) -> Sequence[str]:
    title = edition_title(edition)
    parts = in_parts(headline_blocks(edition), _fits)
    return [_payload(title, part, edition.link) for part in parts]


def _notice(notice: Notice, _config: Mapping[str, JsonValue]) -> str:
    title, *lines = notice_block(replace(notice, link=""))
    part = next(in_parts([tuple(lines) or (title,)], _fits))
    return _payload(title[0].text, part, notice.link)


def _payload(title: str, blocks: Sequence[Block], link: str) -> str:
    payload: dict[str, Any] = {"title": title[:LONGEST_TITLE], "message": _content(blocks)}
    if click := safe_link(link):
        payload["click"] = click
    return as_payload(payload)


def _content(blocks: Sequence[Block]) -> str:
    return plain_text(blocks, between="\n")


def _fits(blocks: Sequence[Block]) -> bool:
    return len(_content(blocks).encode()) <= LARGEST_MESSAGE


def _write(target: Target, message: Message, _now: datetime) -> Post:
    """JSON goes to the server's root; in headers a text would need an encoding of its own.

    A repetition replaces the first, from ntfy 2.16 on. Older ones show it twice and say nothing
    of it, so it is not repeated without being asked for.
    """
    server, _, topic = secret_of(target).rpartition("/")
    sequence = sha256(message.idempotency_key.encode()).hexdigest()[:32]
    body = {"topic": topic, **json.loads(message.payload), "sequence_id": sequence}
    headers = {}
    if TOKEN in target.secrets:
        headers["Authorization"] = f"Bearer {secret_of(target, TOKEN)}"
    return Post(url=f"{server}/", body=as_payload(body).encode(), headers=headers)


def _read(response: Response) -> Receipt | None:
    number = json_object(response).get("id")
    receipt = taken(response)
    return Receipt(remote_id=number) if receipt and isinstance(number, str) else receipt


TYPE: Final = ChannelType(
    kind="ntfy",
    label=NAME,
    recovery=Recovery.ASK,
    check=_check,
    messages=_messages,
    notice=_notice,
    sender=lambda tools: WebhookSender(tools=tools, name=NAME, write=_write, read=_read),
    place=own_place,
    secrets=(URL,),
    optional_secrets=(TOKEN,),
    spacing=timedelta(seconds=5),  # ntfy.sh: 60 at once, then one in five seconds
)

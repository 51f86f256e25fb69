"""The long tail: any service that apprise reaches over HTTP, as an optional extra.

The library runs in a process that can open nothing and makes its requests through egress (decision
0005). What speaks another protocol (mail, MQTT, XMPP, syslog) is not to be had this way.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from hashlib import sha256
from typing import Final

from clawfeed.domain.channels.channel import ChannelDraft
from clawfeed.domain.editions.delivery import Recovery
from clawfeed.domain.errors import InvalidInputError, RefusalCode
from clawfeed.domain.ids import JsonValue
from clawfeed.domain.secret import Secret
from clawfeed.publish.apprise_process import AppriseSender, is_installed
from clawfeed.publish.channel_type import ChannelType, Notice, OutgoingEdition
from clawfeed.publish.chat_edition import (
    Block,
    edition_title,
    headline_blocks,
    in_parts,
    notice_block,
)
from clawfeed.publish.plain_text_blocks import plain_text
from clawfeed.publish.webhooks.webhook_sender import as_payload
from clawfeed.publish.webhooks.webhook_url import URL, check_options, own_place

# Its services have limits from 160 characters to none at all; most take this.
LONGEST_MESSAGE: Final = 1_500
LONGEST_URL: Final = 2_048
_ADDRESS = re.compile(r"\A(?P<schema>[a-z][a-z0-9]{1,19})://[\x21-\x7e]+\Z", re.IGNORECASE)


def _missing() -> str:
    if sys.platform == "win32":
        return "apprise: on Windows nothing keeps it from opening connections"
    return "" if is_installed() else "apprise: it is not installed; add the extra clawfeed[apprise]"


def _check(draft: ChannelDraft) -> ChannelDraft:
    check_options(draft.config, {})
    secret = draft.secrets.get(URL)
    if secret is None and draft.address:
        return draft
    if missing := _missing():
        raise InvalidInputError(missing, RefusalCode.CHANNEL_NOT_OFFERED)
    url = secret.reveal().strip() if secret else ""
    found = _ADDRESS.match(url)
    if found is None or len(url) > LONGEST_URL:
        raise InvalidInputError(
            "an address as apprise has them, pover://user@token",
            RefusalCode.APPRISE_ADDRESS,
            field=f"secrets.{URL}",
        )
    # Behind the schema anything may be a token, the host too.
    address = f"{found['schema'].lower()} #{sha256(url.encode()).hexdigest()[:8]}"
    return replace(draft, address=address, secrets={**draft.secrets, URL: Secret(url)})


def _messages(edition: OutgoingEdition, _config: Mapping[str, JsonValue]) -> Sequence[str]:
    title = edition_title(edition)
    parts = list(in_parts(headline_blocks(edition), _fits))
    bodies = [_content(part) for part in parts]
    bodies[-1] = f"{bodies[-1]}\n{edition.link}"
    return [as_payload({"title": title, "body": body}) for body in bodies]


def _notice(notice: Notice, _config: Mapping[str, JsonValue]) -> str:
    title, *lines = notice_block(replace(notice, link=""))
    body = _content(next(in_parts([tuple(lines) or (title,)], _fits)))
    linked = f"{body}\n{notice.link}" if notice.link else body
    return as_payload({"title": title[0].text, "body": linked})


def _content(blocks: Sequence[Block]) -> str:
    return plain_text(blocks, between="\n")


def _fits(blocks: Sequence[Block]) -> bool:
    return len(_content(blocks)) <= LONGEST_MESSAGE


TYPE: Final = ChannelType(
    kind="apprise",
    label="Apprise",
    recovery=Recovery.ASK,
    check=_check,
    messages=_messages,
    notice=_notice,
    sender=lambda tools: AppriseSender(tools=tools),
    place=own_place,
    secrets=(URL,),
    missing=lambda _config: _missing(),
    spacing=timedelta(seconds=1),
)

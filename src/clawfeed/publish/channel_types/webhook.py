"""A webhook of one's own: the edition as JSON, signed as Standard Webhooks has it.

A repetition has the same `webhook-id` and `Idempotency-Key`, so the other side recognises it.
"""

from __future__ import annotations

import binascii
import hmac
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from typing import Final

from clawfeed.domain.channels.channel import ChannelDraft
from clawfeed.domain.editions.delivery import Recovery
from clawfeed.domain.errors import InvalidInputError, RefusalCode
from clawfeed.domain.ids import JsonValue
from clawfeed.publish.channel_type import ChannelType, Notice, OutgoingEdition
from clawfeed.publish.message import Message, Target
from clawfeed.publish.webhooks.webhook_sender import Post, WebhookSender, as_payload
from clawfeed.publish.webhooks.webhook_url import URL, checked_webhook, own_place, secret_of
from clawfeed.rendering.json_edition import edition_as_json

SIGNING: Final = "signing_secret"
PREFIX: Final = "whsec_"
# Bytes of a key (the specification, "Signature scheme").
SHORTEST_KEY, LONGEST_KEY = 24, 64


def _check(draft: ChannelDraft) -> ChannelDraft:
    if (secret := draft.secrets.get(SIGNING)) is not None:
        key = _key(secret.reveal())
        if key is None or not SHORTEST_KEY <= len(key) <= LONGEST_KEY:
            raise InvalidInputError(
                f"{PREFIX} and {SHORTEST_KEY} to {LONGEST_KEY} random bytes in base64",
                RefusalCode.SIGNING_KEY,
                field=f"secrets.{SIGNING}",
            )
    return checked_webhook(draft)


def _messages(edition: OutgoingEdition, _config: Mapping[str, JsonValue]) -> Sequence[str]:
    """One message, however long: what `GET /api/digests/{id}` shows, and the edition's link."""
    content = edition.content
    told = edition_as_json(content)
    head = {
        "id": edition.digest_id,
        "type": str(content.type),
        "period": content.period,
        "title": content.title,
        "language": content.language,
        "link": edition.link,
    }
    event = {"type": "edition.published", "timestamp": told["made_at"], "data": {**head, **told}}
    return [as_payload(event)]


def _notice(notice: Notice, _config: Mapping[str, JsonValue]) -> str:
    said = {
        "title": notice.title,
        "lines": list(notice.lines),
        "link": notice.link,
        "language": notice.language,
    }
    return as_payload({"type": "notice", "data": said})


def _write(target: Target, message: Message, now: datetime) -> Post:
    # A full stop in it would end the id in what is signed; a hash has none.
    number = f"msg_{sha256(message.idempotency_key.encode()).hexdigest()[:32]}"
    body, moment = message.payload.encode(), str(int(now.timestamp()))
    headers = {"webhook-id": number, "webhook-timestamp": moment, "Idempotency-Key": number}
    if SIGNING in target.secrets:
        headers["webhook-signature"] = signature(secret_of(target, SIGNING), number, moment, body)
    return Post(url=secret_of(target), body=body, headers=headers)


def signature(secret: str, number: str, moment: str, body: bytes) -> str:
    """What the header says: the scheme, and the proof that we know the secret."""
    signed = hmac.digest(_key(secret) or b"", f"{number}.{moment}.".encode() + body, "sha256")
    return f"v1,{b64encode(signed).decode()}"


def _key(secret: str) -> bytes | None:
    if not secret.startswith(PREFIX):
        return None
    try:
        return b64decode(secret.removeprefix(PREFIX), validate=True)
    except binascii.Error:
        return None


TYPE: Final = ChannelType(
    kind="webhook",
    label="Webhook",
    recovery=Recovery.RESEND,
    check=_check,
    messages=_messages,
    notice=_notice,
    # Only "gone" is for good; any other refusal is of this message.
    sender=lambda tools: WebhookSender(
        tools=tools, name="The webhook", write=_write, pausing=frozenset({410})
    ),
    place=own_place,
    secrets=(URL,),
    optional_secrets=(SIGNING,),
    at_once=4,
)

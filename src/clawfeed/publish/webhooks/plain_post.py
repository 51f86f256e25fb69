"""The post of most webhooks: the message as it is, to the address that is the secret."""

from __future__ import annotations

from datetime import datetime

from clawfeed.publish.message import Message, Target
from clawfeed.publish.webhooks.webhook_sender import Post
from clawfeed.publish.webhooks.webhook_url import secret_of


def plain_post(target: Target, message: Message, _now: datetime) -> Post:
    return Post(url=secret_of(target), body=message.payload.encode())

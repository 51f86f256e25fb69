"""The post of most hooks: the message as it is, to the address that is the secret."""

from __future__ import annotations

from datetime import datetime

from clawfeed.publish.message import Message, Target
from clawfeed.publish.webhooks.hook_address import secret_of
from clawfeed.publish.webhooks.hook_sender import Post


def plain_post(target: Target, message: Message, _now: datetime) -> Post:
    return Post(url=secret_of(target), body=message.payload.encode())

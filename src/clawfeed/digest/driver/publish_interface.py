"""How an edition gets to channels: what `digest` asks of `publish`, which it does not know."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from clawfeed.domain.channels.channel import Channel
from clawfeed.domain.editions.digest import DigestContent
from clawfeed.domain.editions.edition import EditionTask
from clawfeed.domain.ids import DigestId, UserId
from clawfeed.storage.outbox.new_messages import MakeMessages, NewMessage


class Dispatch(Protocol):
    """Makes the messages of editions. A house without one only has pages."""

    def messages(
        self,
        digest: DigestId,
        content: DigestContent,
        channels: Sequence[Channel],
        *,
        now: datetime,
    ) -> Sequence[NewMessage]:
        """What the edition is for each of these channels; pure."""
        ...

    async def add_missing(self, task: EditionTask, reader: UserId | None = None) -> int:
        """Messages for who joined the readers after the edition was written; how many."""
        ...


def messages_of(
    dispatch: Dispatch | None, content: DigestContent, *, now: datetime
) -> MakeMessages | None:
    """What `save_digest` calls for the messages of *content*, once it has its number."""
    if dispatch is None:
        return None

    def make(digest: DigestId, channels: Sequence[Channel]) -> Sequence[NewMessage]:
        return dispatch.messages(digest, content, channels, now=now)

    return make

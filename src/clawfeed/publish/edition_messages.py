"""Which channels get an edition, and what is sent to each: stored with it (S002-7)."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from hashlib import sha256

from clawfeed.domain.channels.channel import Channel
from clawfeed.domain.channels.delivery_time import may_leave_at
from clawfeed.domain.editions.delivery import MessageState
from clawfeed.domain.editions.digest import DigestContent
from clawfeed.domain.editions.edition import EditionTask
from clawfeed.domain.editions.edition_scope import CURRENT_SPAN
from clawfeed.domain.errors import InvalidInputError, Reason
from clawfeed.domain.ids import DigestId, UserId
from clawfeed.publish.channel_type import ChannelTypes, OutgoingEdition
from clawfeed.storage.database import Database
from clawfeed.storage.digests.digests import DigestStore
from clawfeed.storage.json_columns import to_json
from clawfeed.storage.outbox.new_messages import NewMessage, send_out

log = logging.getLogger(__name__)

BUG = "it could not be put into the form of this channel: a fault of ClawFeed, see its log"


class OutgoingEditions:
    """Fills the outbox. *types* is asked for when there is somebody to send to."""

    def __init__(
        self,
        database: Database,
        types: Callable[[], ChannelTypes],
        clock: Callable[[], datetime],
        *,
        base_url: str,
    ) -> None:
        self._db, self._types, self._clock, self._base_url = database, types, clock, base_url

    def messages(
        self,
        digest: DigestId,
        content: DigestContent,
        channels: Sequence[Channel],
        *,
        now: datetime,
    ) -> Sequence[NewMessage]:
        """What the edition is for each of these *channels*."""
        edition = OutgoingEdition(
            digest_id=digest, content=content, link=f"{self._base_url}/digests/{digest}"
        )
        making = _Making(self._types(), edition, now)
        return [message for channel in channels for message in making.messages_for(channel)]

    async def add_missing(self, task: EditionTask, reader: UserId | None = None) -> int:
        """Messages for who joined the edition's readers after it was written; how many.

        What nobody finds in front of them any more is not sent.
        """
        found = await DigestStore(self._db).of_task(task.id)
        now = self._clock()
        if found is None or now - found.created_at > CURRENT_SPAN[task.type]:
            return 0

        def make(digest: DigestId, channels: Sequence[Channel]) -> Sequence[NewMessage]:
            return self.messages(digest, found.content, channels, now=now)

        return await self._db.run(lambda: send_out(task, found.id, make, now=now, reader=reader))


class _Making:
    """One edition's messages. What is alike for several recipients is made once."""

    def __init__(self, types: ChannelTypes, edition: OutgoingEdition, now: datetime) -> None:
        self._types, self._edition, self._now = types, edition, now
        self._made: dict[tuple[str, str, str], Sequence[str]] = {}

    def messages_for(self, channel: Channel) -> list[NewMessage]:
        """No single channel may keep an edition from the others."""
        try:
            return self._messages(channel)
        except InvalidInputError as error:
            given_up = self._given_up(channel, Reason.MISCONFIGURED, str(error))
            return [replace(given_up, is_channel_broken=True)]
        except Exception:
            about = {"channel": channel.id, "kind": channel.kind}
            log.exception(
                "message could not be made", extra={**about, "digest": self._edition.digest_id}
            )
            return [self._given_up(channel, Reason.OUR_BUG, BUG)]

    def _messages(self, channel: Channel) -> list[NewMessage]:
        kind = self._types[channel.kind]
        payloads = self._payloads(channel)
        place = kind.place_of(channel)
        not_before = may_leave_at(channel.timing, self._edition.content.type, self._now)
        return [
            NewMessage(
                channel_id=channel.id,
                part=part,
                parts=len(payloads),
                idempotency_key=self._key(channel, part),
                payload=payload,
                place=place,
                not_before=not_before,
            )
            for part, payload in enumerate(payloads, 1)
        ]

    def _payloads(self, channel: Channel) -> Sequence[str]:
        key = channel.kind, channel.language, to_json(channel.config)
        if key not in self._made:
            content = replace(self._edition.content, language=channel.language)
            edition = replace(self._edition, content=content)
            made = self._types[channel.kind].messages(edition, channel.config)
            self._made[key] = tuple(made)
        return self._made[key]

    def _given_up(self, channel: Channel, code: Reason, sentence: str) -> NewMessage:
        return NewMessage(
            channel_id=channel.id,
            part=1,
            parts=1,
            idempotency_key=self._key(channel, 1),
            payload="",
            place=f"{channel.kind} {channel.id}",
            not_before=self._now,
            state=MessageState.DEAD,
            code=code,
            sentence=sentence,
        )

    def _key(self, channel: Channel, part: int) -> str:
        """The same whenever it is made again; another in any other house."""
        digest = self._edition
        made_at = digest.content.made_at.isoformat()
        named = f"{digest.link} {made_at} {channel.id} {part}"
        return f"clawfeed-{sha256(named.encode()).hexdigest()[:32]}"

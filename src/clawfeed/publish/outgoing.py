"""Which channels get an edition, and what is sent to each: stored with it (S002-7)."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from hashlib import sha256

from clawfeed.domain.delivery import MessageState
from clawfeed.domain.delivery_time import may_leave_at
from clawfeed.domain.digest import DigestContent
from clawfeed.domain.edition import EditionTask
from clawfeed.domain.edition_scope import CURRENT
from clawfeed.domain.errors import InvalidInputError, Reason
from clawfeed.domain.ids import ChannelId, DigestId, UserId
from clawfeed.publish.channel_type import ChannelTypes, OutgoingEdition
from clawfeed.storage.database import Database, Steps
from clawfeed.storage.digests import DigestStore
from clawfeed.storage.outbox_results import pause_channel
from clawfeed.storage.outbox_rows import (
    NewMessage,
    Recipient,
    add_messages,
    channels_with_messages,
    recipients_of,
)

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

    def add(
        self, task: EditionTask, digest: DigestId, content: DigestContent, *, now: datetime
    ) -> Steps[int]:
        """The messages of a new edition, in its own transaction; how many."""
        return (yield from self._add(task, digest, content, now=now))

    async def add_missing(self, task: EditionTask, reader: UserId | None = None) -> int:
        """The same for who joined the edition's readers after it was written; how many messages.

        Who has messages of it, whatever became of them, gets no others (I7). What nobody finds in
        front of them any more is not sent.
        """
        found = await DigestStore(self._db).of_task(task.id)
        now = self._clock()
        if found is None or now - found.created_at > CURRENT[task.type]:
            return 0
        return await self._db.run(
            lambda: self._add(task, found.id, found.content, now=now, reader=reader)
        )

    def _add(
        self,
        task: EditionTask,
        digest: DigestId,
        content: DigestContent,
        *,
        now: datetime,
        reader: UserId | None = None,
    ) -> Steps[int]:
        recipients = yield from recipients_of(task, now=now, reader=reader)
        if not recipients:
            return 0
        served = yield from channels_with_messages(digest)
        edition = OutgoingEdition(
            digest_id=digest, content=content, link=f"{self._base_url}/digests/{digest}"
        )
        making = _Making(self._types(), edition, now)
        messages: list[NewMessage] = []
        for recipient in recipients:
            if recipient.channel_id not in served:
                messages += making.messages_for(recipient)
        yield from add_messages(digest, messages, now=now)
        for channel, sentence in making.broken.items():
            yield from pause_channel(channel, Reason.MISCONFIGURED, sentence, now)
        return len(messages)


class _Making:
    """One edition's messages. What is alike for several recipients is made once."""

    def __init__(self, types: ChannelTypes, edition: OutgoingEdition, now: datetime) -> None:
        self._types, self._edition, self._now = types, edition, now
        self._made: dict[tuple[str, str, str], Sequence[str]] = {}
        self.broken: dict[ChannelId, str] = {}

    def messages_for(self, recipient: Recipient) -> list[NewMessage]:
        """No single channel may keep an edition from the others."""
        try:
            return self._messages(recipient)
        except InvalidInputError as error:
            self.broken[recipient.channel_id] = str(error)
            return [self._given_up(recipient, Reason.MISCONFIGURED, str(error))]
        except Exception:
            about = {"channel": recipient.channel_id, "kind": recipient.kind}
            log.exception(
                "message could not be made", extra={**about, "digest": self._edition.digest_id}
            )
            return [self._given_up(recipient, Reason.OUR_BUG, BUG)]

    def _messages(self, recipient: Recipient) -> list[NewMessage]:
        kind = self._types[recipient.kind]
        payloads = self._payloads(recipient)
        place = kind.place(recipient.address, recipient.config)
        not_before = may_leave_at(recipient.timing, self._edition.content.type, self._now)
        return [
            NewMessage(
                channel_id=recipient.channel_id,
                part=part,
                parts=len(payloads),
                idempotency_key=self._key(recipient, part),
                payload=payload,
                place=place,
                not_before=not_before,
            )
            for part, payload in enumerate(payloads, 1)
        ]

    def _payloads(self, recipient: Recipient) -> Sequence[str]:
        key = recipient.kind, recipient.language, recipient.config_text
        if key not in self._made:
            content = replace(self._edition.content, language=recipient.language)
            edition = replace(self._edition, content=content)
            made = self._types[recipient.kind].messages(edition, recipient.config)
            self._made[key] = tuple(made)
        return self._made[key]

    def _given_up(self, recipient: Recipient, code: Reason, sentence: str) -> NewMessage:
        return NewMessage(
            channel_id=recipient.channel_id,
            part=1,
            parts=1,
            idempotency_key=self._key(recipient, 1),
            payload="",
            place=f"{recipient.kind} {recipient.channel_id}",
            not_before=self._now,
            state=MessageState.DEAD,
            code=code,
            sentence=sentence,
        )

    def _key(self, recipient: Recipient, part: int) -> str:
        """The same whenever it is made again; another in any other house."""
        digest = self._edition
        made_at = digest.content.made_at.isoformat()
        named = f"{digest.link} {made_at} {recipient.channel_id} {part}"
        return f"clawfeed-{sha256(named.encode()).hexdigest()[:32]}"

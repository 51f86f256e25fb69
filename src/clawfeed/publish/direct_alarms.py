"""A word to the house's own alarm channels past the outbox: for when nobody reads it.

A database that cannot be written takes no messages, and where nobody delivers they lie there. What
the operator's settings name can still be reached: once, without a second try.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from clawfeed.domain.alarm import NoticeKind, Trouble
from clawfeed.domain.channels.channel import ChannelDraft
from clawfeed.domain.errors import ClawFeedError
from clawfeed.domain.ids import ChannelId, MessageId
from clawfeed.publish.alarm_notices import notice_of
from clawfeed.publish.channel_type import ChannelTypes, SendingTools
from clawfeed.publish.message import Message, Target

log = logging.getLogger(__name__)

# What a stop of the process can wait for, with the rest of a look.
SEND_TIMEOUT = timedelta(seconds=15)
# Of no row: there may be no database to have rows.
NO_ROW = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class DirectNotices:
    """*house* are the channels of the settings, with their secrets."""

    types: ChannelTypes
    tools: SendingTools
    house: Sequence[ChannelDraft]

    async def __call__(self, kind: NoticeKind, trouble: Trouble) -> None:
        """Try each once, side by side; who cannot be reached is logged. Never raises."""
        chosen = [each for each in self.house if each.gets_alarms and each.kind in self.types]
        await asyncio.gather(*(self._send(draft, kind, trouble) for draft in chosen))

    async def _send(self, draft: ChannelDraft, kind: NoticeKind, trouble: Trouble) -> None:
        form = self.types[draft.kind]
        link = self.tools.config.base_url
        notice = notice_of(kind, trouble, language=draft.language, link=link)
        at = self.tools.clock().isoformat(timespec="seconds")
        message = Message(
            id=MessageId(NO_ROW),
            idempotency_key=f"alarm-{trouble.code}-{kind}-{at}",
            payload=form.notice(notice, draft.config),
        )
        target = Target(
            channel_id=ChannelId(NO_ROW),
            address=draft.address,
            config=draft.config,
            secrets=draft.secrets,
        )
        try:
            async with asyncio.timeout(SEND_TIMEOUT.total_seconds()):
                await form.sender(self.tools).send(target, message)
        except (ClawFeedError, TimeoutError) as error:
            why = {"kind": draft.kind, "why": str(error) or "it took too long"}
            log.warning("an alarm could not be sent directly", extra=why)

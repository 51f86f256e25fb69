"""One message out of the house: begin, send, settle. Whatever happens becomes an outcome."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from clawfeed.domain.channels.channel import Channel, ChannelOrigin
from clawfeed.domain.errors import ClawFeedError, LeaseLostError, Reason, StorageError
from clawfeed.publish.attempt_outcome import after_error, after_receipt
from clawfeed.publish.channel_type import ChannelType, ChannelTypes, SendingTools
from clawfeed.publish.message import Message, Receipt, RetryVerdict, Sender, SendError, Target
from clawfeed.runtime.retry import growing_within, retried
from clawfeed.storage.database import ConstraintError
from clawfeed.storage.outbox.outbox import ClaimedMessage
from clawfeed.storage.outbox.outbox_results import OutboxResults, SettledAttempt

log = logging.getLogger(__name__)

TargetOf = Callable[[Channel], Awaitable[Target]]
# What one message may take in all, however its sender spends it; its lease is longer.
SEND_TIMEOUT = timedelta(seconds=60)
LEASE = timedelta(minutes=3)
SETTLE_EVERY = timedelta(seconds=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class SendingParts:
    """What sending needs of others. *target_of* opens a channel's secrets."""

    types: ChannelTypes
    tools: SendingTools
    results: OutboxResults
    target_of: TargetOf
    clock: Callable[[], datetime]
    dice: Callable[[], float]
    timeout: timedelta = SEND_TIMEOUT


class MessageSending:
    """Sends claimed messages, each once. Keeps one sender of each kind."""

    def __init__(self, parts: SendingParts) -> None:
        self._parts = parts
        self._senders: dict[str, Sender] = {}

    async def __call__(self, message: ClaimedMessage) -> SettledAttempt | None:
        """What came of it; None if it was not ours to send any more.

        1. `sending` is committed, so that a crash from here on never looks like "not sent".
        2. The request leaves.
        3. What came of it is stored; if the database is away, as soon as it is back.
        """
        parts, kind = self._parts, self._parts.types[message.kind]
        try:
            channel = await parts.results.begin(message, now=parts.clock(), rest=kind.spacing)
        except LeaseLostError:
            log.info("message is somebody else's by now", extra=about(message))
            return None
        if channel is None:
            return None
        settled, receipt = await self._attempt(message, kind, channel)
        await self._settle(message, settled)
        if receipt is not None and receipt.moved_to:
            await self._move(channel, receipt.moved_to)
        return settled

    async def _attempt(
        self, message: ClaimedMessage, kind: ChannelType, channel: Channel
    ) -> tuple[SettledAttempt, Receipt | None]:
        attempts = message.attempts + 1
        try:
            receipt = await self._send(message, kind, channel)
        except SendError as error:
            settled = after_error(
                error,
                kind.recovery,
                attempts=attempts,
                spacing=kind.spacing,
                dice=self._parts.dice(),
            )
            return settled, None
        return after_receipt(receipt, spacing=kind.spacing), receipt

    async def _send(self, message: ClaimedMessage, kind: ChannelType, channel: Channel) -> Receipt:
        """What the other side said; only `SendError` is raised."""
        has_left = False
        try:
            target = await self._parts.target_of(channel)
            sender = self._sender(kind)
            has_left = True
            async with asyncio.timeout(self._parts.timeout.total_seconds()):
                return await sender.send(target, _message(message))
        except SendError:
            raise
        except TimeoutError as error:
            limit = self._parts.timeout.total_seconds()
            detail = f"no answer within {limit:g} s"
            raise SendError(Reason.TIMED_OUT, detail, may_have_arrived=has_left) from error
        except StorageError as error:
            raise SendError(Reason.OFFLINE, str(error), may_have_arrived=has_left) from error
        except ClawFeedError as error:
            # Its settings cannot work: that is for its owner to mend.
            raise SendError(
                Reason.MISCONFIGURED,
                str(error),
                verdict=RetryVerdict.PAUSE,
                may_have_arrived=has_left,
            ) from error
        except Exception as error:
            # A bug of ours: backing off keeps it from coming back every second.
            log.exception("sender crashed", extra=about(message))
            detail = f"a fault of ClawFeed ({type(error).__name__}), see its log"
            raise SendError(Reason.OUR_BUG, detail, may_have_arrived=has_left) from error

    def _sender(self, kind: ChannelType) -> Sender:
        if kind.kind not in self._senders:
            self._senders[kind.kind] = kind.sender(self._parts.tools)
        return self._senders[kind.kind]

    async def _settle(self, message: ClaimedMessage, settled: SettledAttempt) -> None:
        """Until it is stored, or our lease is over: then somebody else has put it in order."""

        def tell(error: StorageError) -> None:
            fields = {**about(message), "why": str(error)}
            log.warning("result of a message not stored yet", extra=fields)

        try:
            await retried(
                lambda: self._parts.results.settle(message, settled, now=self._parts.clock()),
                errors=StorageError,
                wait_after=growing_within(LEASE, SETTLE_EVERY, longest=8 * SETTLE_EVERY),
                on_failure=tell,
            )
        except LeaseLostError:
            log.warning("message was taken over before its result", extra=about(message))
        else:
            _tell(message, settled)

    async def _move(self, channel: Channel, moved_to: str) -> None:
        """Where the channel is now. What the operator's settings say is theirs to change."""
        moved = {"channel": channel.id, "kind": channel.kind, "to": moved_to}
        if channel.origin is ChannelOrigin.ENVIRONMENT:
            log.warning("channel moved; change its setting", extra=moved)
            return
        try:
            await self._parts.results.move_channel(
                channel.id, before=channel.address, address=moved_to, now=self._parts.clock()
            )
        except ConstraintError:
            log.warning("channel moved to where its owner has another", extra=moved)
        except StorageError as error:
            log.warning("channel moved; not stored", extra={**moved, "why": str(error)})
        else:
            log.info("channel moved", extra=moved)


def _message(message: ClaimedMessage) -> Message:
    return Message(
        id=message.id,
        idempotency_key=message.idempotency_key,
        payload=message.payload,
        part=message.part,
        parts=message.parts,
        may_have_arrived=message.may_have_arrived,
    )


def about(message: ClaimedMessage) -> dict[str, object]:
    """A message for the log: never what it says, nor to whom."""
    return {
        "message_id": message.id,
        "channel": message.channel_id,
        "kind": message.kind,
        "digest": message.digest_id,
        "part": message.part,
    }


def _tell(message: ClaimedMessage, settled: SettledAttempt) -> None:
    fields = {**about(message), "state": settled.state, "attempt": message.attempts + 1}
    if not settled.code:
        log.info("message settled", extra=fields)
        return
    log.warning("message settled", extra={**fields, "code": settled.code, "why": settled.sentence})

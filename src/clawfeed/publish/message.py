"""One message on its way out: what a sender is given, what it answers, and how it fails."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from enum import StrEnum
from typing import Protocol

from clawfeed.domain.errors import EgressError, PublishError, Reason
from clawfeed.domain.ids import ChannelId, JsonValue, MessageId
from clawfeed.domain.secret import Secret


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """Where a message goes, with the secrets it takes to get in."""

    channel_id: ChannelId
    address: str
    config: Mapping[str, JsonValue] = field(default_factory=dict)
    secrets: Mapping[str, Secret] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """What is sent. *payload* was made by the channel's type when its digest was stored.

    *may_have_arrived*: an earlier attempt was cut off after bytes had left; a type that recovers by
    reading back looks first.
    """

    id: MessageId
    idempotency_key: str
    payload: str = field(repr=False)
    part: int = 1
    parts: int = 1
    may_have_arrived: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """That it arrived. *remote_id* is what the other side calls it.

    *moved_to* is the channel's new address, if the other side said that it moved.
    """

    remote_id: str = ""
    moved_to: str | None = None


class RetryVerdict(StrEnum):
    """What becomes of a message that was not taken."""

    RETRY = "retry"  # it may pass; after a while, a limited number of times
    GIVE_UP = "give_up"  # this message is not wanted as it is; others may be
    PAUSE = "pause"  # the channel refuses us for good: its owner must act


class SendError(PublishError):
    """Why a message was not taken, and what to do about it.

    *may_have_arrived* is False only if that is certain: `EgressError.was_sent`, or an answer that
    says so. *wait* is what the other side asked for; *is_place_resting*: all that goes to the
    same place waits as long (429). Its text is for the channel's owner: no secret, no full URL.
    """

    def __init__(
        self,
        reason: Reason,
        detail: str,
        *,
        verdict: RetryVerdict = RetryVerdict.RETRY,
        may_have_arrived: bool = False,
        status: int | None = None,
        wait: timedelta | None = None,
        is_place_resting: bool = False,
    ) -> None:
        super().__init__(reason, detail, status=status, wait=wait)
        self.verdict = verdict
        self.may_have_arrived = may_have_arrived
        self.is_place_resting = is_place_resting


class Sender(Protocol):
    """Takes messages to one kind of channel."""

    async def send(self, target: Target, message: Message) -> Receipt:
        """Send it once. Raises `SendError` if it was not taken, or if nobody knows."""
        ...


def lost(error: EgressError) -> SendError:
    """What a request that brought no answer means for a message: bytes may have left, or not.

    Our own guard's no will be the same next time.
    """
    is_hopeless = error.reason in (Reason.BLOCKED, Reason.MISCONFIGURED)
    return SendError(
        error.reason,
        error.detail,
        verdict=RetryVerdict.PAUSE if is_hopeless else RetryVerdict.RETRY,
        may_have_arrived=error.was_sent,
        status=error.status,
        wait=error.wait,
    )

"""How a finished edition leaves the house: channels, and the states of a message on its way.

A delivery is an edition's way to one channel. It has no state of its own: its messages have, and
`delivery_state` says what they come to.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Final

from clawfeed.domain.errors import InvalidInputError, RefusalCode


class ChannelState(StrEnum):
    """A paused channel gets nothing, and holds up nobody."""

    ACTIVE = "active"
    PAUSED = "paused"


class PauseReason(StrEnum):
    PERSON = "person"
    FAILED = "failed"  # it refused us for good; its owner is told


class MessageState(StrEnum):
    """Where one part stands (`outbox.state`). Stored and shown.

    `sending` is committed before the request leaves, so a crash never looks like "not sent".
    """

    PENDING = "pending"
    SENDING = "sending"
    SENT = "sent"
    RETRY = "retry"
    UNCERTAIN = "uncertain"  # it may have arrived; never resent without being asked to
    DEAD = "dead"  # given up


class Recovery(StrEnum):
    """What a channel does about a message that may or may not have left."""

    RESEND = "resend"  # the other side recognises a repetition: webhook, e-mail
    READ_BACK = "read_back"  # look whether it is there, then decide: GitHub
    ASK = "ask"  # nobody can tell: a person decides: Telegram


class DeliveryState(StrEnum):
    """What an edition's messages to one channel come to."""

    PENDING = "pending"
    SENT = "sent"
    UNCERTAIN = "uncertain"
    PARTIAL = "partial"  # the beginning arrived, the rest was given up
    FAILED = "failed"

    @property
    def is_settled(self) -> bool:
        """Whether it is done or given up: nothing more happens without a person (S002-17)."""
        return self is not DeliveryState.PENDING


class MessageMove(StrEnum):
    """What a person may do with a message."""

    RESEND = "resend"
    DROP = "drop"


_MOVES: Mapping[MessageState, frozenset[MessageState]] = {
    # Dead without an attempt: it waited for too long.
    MessageState.PENDING: frozenset({MessageState.SENDING, MessageState.DEAD}),
    MessageState.RETRY: frozenset({MessageState.SENDING, MessageState.DEAD}),
    MessageState.SENDING: frozenset(
        {MessageState.SENT, MessageState.RETRY, MessageState.UNCERTAIN, MessageState.DEAD}
    ),
    MessageState.SENT: frozenset(),
    MessageState.UNCERTAIN: frozenset(),
    MessageState.DEAD: frozenset(),
}
_BY_PEOPLE: Mapping[MessageMove, tuple[frozenset[MessageState], MessageState]] = {
    MessageMove.RESEND: (
        frozenset({MessageState.UNCERTAIN, MessageState.DEAD}), MessageState.RETRY,
    ),
    MessageMove.DROP: (
        frozenset({MessageState.PENDING, MessageState.RETRY, MessageState.UNCERTAIN}),
        MessageState.DEAD,
    ),
}  # fmt: skip


def may_become(to: MessageState) -> tuple[MessageState, ...]:
    """The states from which the machine may bring a message to *to*."""
    return tuple(state for state in MessageState if to in _MOVES[state])


# What a worker may begin to send, what moves on by itself, and what only a person moves.
WAITING_STATES: Final = may_become(MessageState.SENDING)
UNDER_WAY: Final = tuple(state for state in MessageState if _MOVES[state])
GIVEN_UP: Final = (MessageState.UNCERTAIN, MessageState.DEAD)


_REFUSED: Mapping[MessageMove, RefusalCode] = {
    MessageMove.RESEND: RefusalCode.MESSAGE_NOT_RESENT,
    MessageMove.DROP: RefusalCode.MESSAGE_NOT_DROPPED,
}


def move_message_by_person(state: MessageState, move: MessageMove) -> MessageState:
    """The state after what a person asked for; `InvalidInputError` if it makes no sense."""
    allowed, to = _BY_PEOPLE[move]
    if state not in allowed:
        waiting = ", ".join(sorted(allowed))
        raise InvalidInputError(
            f"this message is {state}: {move} is for messages that are {waiting}",
            _REFUSED[move],
        )
    return to


def after_unknown(recovery: Recovery) -> MessageState:
    """Where a message goes whose sender died, or whose answer was lost after bytes had left.

    A channel that reads back does so when the message's turn comes again, before it sends.
    """
    return MessageState.UNCERTAIN if recovery is Recovery.ASK else MessageState.RETRY


def delivery_state(parts: Sequence[MessageState]) -> DeliveryState:
    """What the messages of one digest to one channel come to: the one rule for it.

    Parts leave in order, so an uncertain or dead one keeps the later ones from leaving: the
    delivery is settled although they are pending.
    """
    if not parts:
        raise ValueError("a delivery has at least one part")
    if MessageState.UNCERTAIN in parts:
        return DeliveryState.UNCERTAIN
    if MessageState.DEAD in parts:
        arrived = MessageState.SENT in parts
        return DeliveryState.PARTIAL if arrived else DeliveryState.FAILED
    is_sent = all(part is MessageState.SENT for part in parts)
    return DeliveryState.SENT if is_sent else DeliveryState.PENDING

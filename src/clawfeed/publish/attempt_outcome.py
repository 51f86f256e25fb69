"""What one attempt to send means for its message: pure."""

from __future__ import annotations

from datetime import timedelta

from clawfeed.domain.channels.delivery_retry import LONGEST_REST, MOST_ATTEMPTS, wait_before_retry
from clawfeed.domain.editions.delivery import MessageState, Recovery
from clawfeed.publish.message import Receipt, RetryVerdict, SendError
from clawfeed.storage.outbox.outbox_results import SettledAttempt


def after_receipt(receipt: Receipt, *, spacing: timedelta) -> SettledAttempt:
    """It arrived; the next to the same place waits for its gap."""
    return SettledAttempt(state=MessageState.SENT, remote_id=receipt.remote_id, rest=spacing)


def after_error(
    error: SendError, recovery: Recovery, *, attempts: int, spacing: timedelta, dice: float
) -> SettledAttempt:
    """Where a message goes that was not taken, or of which nobody knows.

    1. What may have arrived, where nobody can tell, is for a person to decide.
    2. What is not wanted, or was tried as often as anything is, is given up.
    3. Of a channel that refuses us the message waits, until its owner let us in again.
    4. The rest is tried again.
    """
    rest = min(error.wait or timedelta(0), LONGEST_REST) if error.is_place_resting else spacing
    state, wait = MessageState.RETRY, timedelta(0)
    if error.may_have_arrived and recovery is Recovery.ASK:
        state = MessageState.UNCERTAIN
    elif error.verdict is RetryVerdict.GIVE_UP:
        state = MessageState.DEAD
    elif error.verdict is RetryVerdict.RETRY:
        wait = wait_before_retry(attempts, error.wait, dice)
        state = MessageState.DEAD if attempts >= MOST_ATTEMPTS else MessageState.RETRY
    return SettledAttempt(
        state=state,
        may_have_arrived=error.may_have_arrived,
        code=error.reason,
        sentence=error.detail,
        wait=wait,
        rest=max(rest, spacing),
        is_channel_refused=error.verdict is RetryVerdict.PAUSE,
    )

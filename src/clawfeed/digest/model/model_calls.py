"""Asks a model for what can be read, as often as pays: reserved before each call, settled after."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from itertools import count
from typing import TypeVar

from clawfeed.digest.model.circuit_breaker import Breaker
from clawfeed.digest.model.client import CallError, Completion, ModelClient, Prompt, Usage
from clawfeed.digest.model.config import ModelConfig
from clawfeed.domain.errors import ModelError, Reason
from clawfeed.domain.ids import TaskId
from clawfeed.runtime.retry import retried
from clawfeed.storage.spending.model_spend import CapReached, Charge, ModelSpend, Reservation

log = logging.getLogger(__name__)

MOST_ATTEMPTS = 3
# After a crash or nonsense once more; a model that was silent has used up its time.
AGAIN_ONCE = frozenset({Reason.BROKEN, Reason.UNREADABLE, Reason.UNREACHABLE})
SHORT_PAUSE = timedelta(milliseconds=200)
# Who asks for more is not waited for: the other stories, and the reader, come first.
LONGEST_PAUSE = timedelta(seconds=20)

T = TypeVar("T")


class ModelNotAskedError(ModelError):
    """Nothing left the house: the month's cap is reached, or this edition has given up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCaller:
    """Which edition asks, and its patience. What it spent is in the database alone."""

    task_id: TaskId | None
    breaker: Breaker


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCalls:
    """Where questions are asked and paid for."""

    config: ModelConfig
    client: ModelClient
    spend: ModelSpend
    clock: Callable[[], datetime]

    async def ask(self, prompt: Prompt, read: Callable[[str], T], caller: ModelCaller) -> T:
        """An answer that *read* could read. Raises `ModelError` when there is none to be had.

        At most three attempts: one more after a crash or nonsense, and after being asked to wait
        a little. *read* raises `ModelError` for what it cannot use.
        """
        attempts = count(1)

        def pause(error: ModelError) -> timedelta | None:
            wait = _pause(error, next(attempts))
            return wait if wait is not None and wait < caller.breaker.left else None

        attempt = partial(self._attempt, prompt, read, caller)
        try:
            return await retried(attempt, errors=ModelError, wait_after=pause)
        except ModelNotAskedError:
            raise
        except ModelError as error:
            self._note_failure(error, caller)
            raise

    async def _attempt(self, prompt: Prompt, read: Callable[[str], T], caller: ModelCaller) -> T:
        completion = await self._paid(prompt, caller)
        value = read(completion.text)
        caller.breaker.note_answer()
        return value

    async def _paid(self, prompt: Prompt, caller: ModelCaller) -> Completion:
        """One call. Cancelled, or killed, it leaves its reservation spent: it may be billed."""
        reservation = await self._reserve(prompt, caller)
        try:
            completion = await self.client.ask(prompt, within=caller.breaker.left)
        except CallError as error:
            await self.spend.settle(reservation, self._charge_of(error, reservation))
            raise
        usage = completion.usage
        spent = self._charge(usage) if usage else reservation.worst
        await self.spend.settle(reservation, spent)
        return completion

    async def _reserve(self, prompt: Prompt, caller: ModelCaller) -> Reservation:
        if not caller.breaker.may_ask:
            raise ModelNotAskedError(Reason.TIMED_OUT, "This edition has stopped asking its model.")
        worst = self.config.prices.charge(prompt.most_tokens, self.config.max_tokens)
        granted = await self.spend.reserve(worst, task_id=caller.task_id, at=self.clock())
        if isinstance(granted, CapReached):
            if granted.is_first:
                log.warning("the month's cap for the language model is reached; words are offline")
            raise ModelNotAskedError(
                Reason.BUSY, "The month's cap for the language model is reached."
            )
        return granted

    def _charge_of(self, error: CallError, reservation: Reservation) -> Charge:
        if not error.may_be_billed:
            return Charge(tokens=0, cost_micros=0)
        return self._charge(error.usage) if error.usage else reservation.worst

    def _charge(self, usage: Usage) -> Charge:
        return self.config.prices.charge(usage.tokens_in, usage.tokens_out)

    def _note_failure(self, error: ModelError, caller: ModelCaller) -> None:
        fields = {"task": caller.task_id, "reason": error.reason, "why": error.detail}
        if caller.breaker.note_failure(error):
            log.error("this edition stops asking the language model", extra=fields)
        else:
            log.info("no words from the language model", extra=fields)


def _pause(error: ModelError, attempt: int) -> timedelta | None:
    """How long to wait before the next attempt; None if there is none."""
    if attempt >= MOST_ATTEMPTS or isinstance(error, ModelNotAskedError):
        return None
    if error.reason in AGAIN_ONCE:
        return SHORT_PAUSE if attempt == 1 else None
    if error.reason is Reason.BUSY:
        wait = error.wait if error.wait is not None else SHORT_PAUSE * 5 * attempt
        return max(wait, SHORT_PAUSE) if wait <= LONGEST_PAUSE else None
    return None

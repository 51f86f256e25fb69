"""An answer from memory, from whoever is asking the same just now, or from the model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from clawfeed.digest.model.client import Prompt
from clawfeed.digest.model.model_calls import ModelCaller, ModelCalls
from clawfeed.runtime.single_flight import SingleFlight
from clawfeed.storage.spending.model_answers import ModelAnswers


@dataclass(frozen=True, slots=True, kw_only=True)
class CachedQuestion:
    """*key* says what makes it the same question; *read* brings an answer into its stored form.

    *read* raises `ModelError` for an answer that cannot be used.
    """

    key: str
    prompt: Prompt
    read: Callable[[str], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """Answers of all editions; one of a process."""

    calls: ModelCalls
    answers: ModelAnswers
    clock: Callable[[], datetime]
    flights: SingleFlight[str, str] = field(default_factory=SingleFlight)

    async def answer(self, question: CachedQuestion, caller: ModelCaller) -> str:
        """The answer in its stored form; raises `ModelError` if there is none to be had."""
        is_paid = False

        async def work() -> str:
            nonlocal is_paid
            known = await self.answers.recall(question.key, now=self.clock())
            if known is not None:
                return known
            is_paid = True
            return await self._ask(question, caller)

        answer = await self.flights.run(question.key, work)
        if not is_paid:
            await self.calls.spend.note_remembered(caller.task_id, at=self.clock())
        return answer

    async def _ask(self, question: CachedQuestion, caller: ModelCaller) -> str:
        answered = await self.calls.ask(question.prompt, question.read, caller)
        await self.answers.remember(question.key, answered, now=self.clock())
        return answered

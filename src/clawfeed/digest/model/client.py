"""One question to a language model: any OpenAI-compatible endpoint for chat completions."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from clawfeed.digest.model.config import ModelConfig
from clawfeed.domain.errors import EgressError, ModelError, Reason
from clawfeed.domain.status_reasons import OF_WHAT_WE_SEND, reason_of_status
from clawfeed.egress.client import Egress
from clawfeed.egress.politeness import Manners
from clawfeed.egress.request_and_response import Request, Response
from clawfeed.egress.response_limits import Limits
from clawfeed.egress.retry_after import parse_retry_after

# Our answers are a few kilobytes; what a model thought on its way may be a few hundred.
LARGEST_ANSWER = 1_000_000
# What an endpoint may refuse, and what is asked for instead. Some of OpenAI's models take neither
# a temperature nor `max_tokens`; some servers know no `response_format`.
OPTIONAL_PARAMETERS: Final = ("max_tokens", "temperature", "response_format")
# A byte-level vocabulary has no token of less than a byte; the frame around messages is small.
FRAME_TOKENS = 64
# A usage beyond this is no usage.
MOST_TOKENS = 10_000_000
PATH = "/chat/completions"
# Whatever 5xx it is, it may be billed: asked once more, and not as often as who says "too often".
_OVERRIDES: Final = {**OF_WHAT_WE_SEND, 503: Reason.BROKEN}

_THOUGHT = re.compile(r"\A.*</think(?:ing)?>", re.DOTALL | re.IGNORECASE)
_UNENDED_THOUGHT = re.compile(r"\A\s*<think(?:ing)?>.*\Z", re.DOTALL | re.IGNORECASE)
_FENCE: Final = "```"


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """What is asked. *task* is ours; *material* is JSON with strangers' texts in it."""

    task: str
    material: str

    @property
    def most_tokens(self) -> int:
        """No vocabulary makes more of it."""
        return len(self.task.encode()) + len(self.material.encode()) + FRAME_TOKENS


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    tokens_in: int
    tokens_out: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """What the model said, without its thoughts and fences. *usage* is None if it was not told."""

    text: str
    usage: Usage | None


class CallError(ModelError):
    """A call that brought no words. *may_be_billed* is False only if that is certain.

    *usage* is what an answer without words said it cost.
    """

    may_be_billed: bool = True
    usage: Usage | None = None


class ModelClient:
    """Asks within the time it is given. What the endpoint does not take is left out next time."""

    def __init__(
        self, config: ModelConfig, *, egress: Egress, clock: Callable[[], datetime]
    ) -> None:
        self._config, self._egress, self._clock = config, egress, clock
        self._url = config.api_url.removesuffix(PATH) + PATH
        self._refused: set[str] = set()
        # A queue of its own: the spacing and rests of feeds are none of a model's.
        self._manners = Manners(
            key=f"model {self._url}",
            at_once=config.at_once,
            spacing=timedelta(0),
            patience=config.edition_time,
            obeys_cooldown=False,
            notes_cooldown=False,
        )

    async def ask(self, prompt: Prompt, *, within: timedelta) -> Completion:
        """The model's answer. Raises `CallError`: no text of it holds the key or a full URL."""
        while True:
            response = await self._post(prompt, min(within, self._config.timeout))
            refused = self._newly_refused(response)
            if refused is None:
                return self._read(response)
            self._refused.add(refused)

    async def _post(self, prompt: Prompt, total: timedelta) -> Response:
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self._config.api_key is not None:
            headers["Authorization"] = f"Bearer {self._config.api_key.reveal()}"
        request = Request(
            url=self._url,
            method="POST",
            headers=headers,
            body=json.dumps(self._order(prompt)).encode(),
            limits=Limits(total=total, body=LARGEST_ANSWER, redirects=0),
            manners=self._manners,
            is_once=True,
        )
        try:
            return await self._egress.request(request)
        except EgressError as error:
            raise _lost(error) from None

    def _order(self, prompt: Prompt) -> dict[str, Any]:
        order: dict[str, Any] = {
            "model": self._config.model,
            "messages": [
                {"role": "system", "content": prompt.task},
                {"role": "user", "content": prompt.material},
            ],
            "max_tokens": self._config.max_tokens,
            "temperature": 0.2,
            "response_format": {"type": "json_object"},
            "stream": False,
        }
        if "max_tokens" in self._refused:
            order["max_completion_tokens"] = order["max_tokens"]
        return {name: value for name, value in order.items() if name not in self._refused}

    def _newly_refused(self, response: Response) -> str | None:
        """Which of our parameters a 400 is about; without a hint it is the rarest known."""
        if response.status not in (400, 422):
            return None
        text = response.body[:4000].decode("utf-8", "replace")
        left = [name for name in OPTIONAL_PARAMETERS if name not in self._refused]
        named = [name for name in left if name in text]
        if named:
            return named[0]
        return "response_format" if "response_format" in left else None

    def _read(self, response: Response) -> Completion:
        if response.status != 200:
            raise self._said_no(response)
        try:
            answer = json.loads(response.body, parse_constant=_no_number)
        except (ValueError, RecursionError):
            raise _unreadable("answers with something that is not JSON", None) from None
        usage = _usage(answer)
        text = _content(answer)
        if text is None:
            raise _unreadable("answers without words", usage)
        return Completion(text=without_wrapping(text), usage=usage)

    def _said_no(self, response: Response) -> CallError:
        status = response.status
        reason = reason_of_status(status, otherwise=Reason.MISCONFIGURED, overrides=_OVERRIDES)
        wait = parse_retry_after(response.headers.get("retry-after"), self._clock())
        error = CallError(
            reason, f"The language model answers with status {status}.", status=status, wait=wait
        )
        # Who is refused at the gate is not billed; of a crash nobody knows.
        error.may_be_billed = status >= 500
        return error


def without_wrapping(text: str) -> str:
    """The answer proper: no `<think>` before it, no code fence around it."""
    text = _UNENDED_THOUGHT.sub("", _THOUGHT.sub("", text, count=1)).strip()
    return _fenced(text) or text


def _fenced(text: str) -> str:
    """What stands in the first code fence; "" without one.

    By hand: one pattern for both fences took 4 s for 1,600 empty lines, eight times as long for
    twice as many, and an answer may be a megabyte.
    """
    _, opened, rest = text.partition(_FENCE)
    _, begun, rest = rest.partition("\n")
    inside, closed, _ = rest.partition(_FENCE)
    return inside.strip() if opened and begun and closed else ""


def _lost(error: EgressError) -> CallError:
    failure = CallError(
        error.reason, f"The language model did not answer: {error.detail}", wait=error.wait
    )
    failure.may_be_billed = error.was_sent
    return failure


def _unreadable(what: str, usage: Usage | None) -> CallError:
    error = CallError(Reason.UNREADABLE, f"The language model {what}.")
    error.usage = usage
    return error


def _content(answer: object) -> str | None:
    match answer:
        case {"choices": [{"message": {"content": str(text)}}, *_]} if text.strip():
            return text
    return None


def _usage(answer: object) -> Usage | None:
    match answer:
        case {"usage": {"prompt_tokens": int(asked), "completion_tokens": int(said)}} if (
            0 < asked <= MOST_TOKENS and 0 < said <= MOST_TOKENS
        ):
            return Usage(tokens_in=int(asked), tokens_out=int(said))
    return None


def _no_number(text: str) -> None:
    raise ValueError(text)

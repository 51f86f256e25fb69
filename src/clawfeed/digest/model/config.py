"""Which language model writes, how long it may take, and what it may cost."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta

from clawfeed.domain.secret import Secret
from clawfeed.storage.spending.model_spend import Charge, SpendCap

MILLION = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """What a million tokens cost, in millionths of the currency."""

    micros_in: int = 0
    micros_out: int = 0

    def charge(self, tokens_in: int, tokens_out: int) -> Charge:
        """Rounded up: the cap must hold."""
        cost = tokens_in * self.micros_in + tokens_out * self.micros_out
        return Charge(tokens=tokens_in + tokens_out, cost_micros=-(-cost // MILLION))


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelConfig:
    """An OpenAI-compatible endpoint. *edition_time* is how long one edition may wait for it."""

    api_url: str
    model: str
    api_key: Secret | None = None
    timeout: timedelta = timedelta(seconds=60)
    edition_time: timedelta = timedelta(minutes=5)
    at_once: int = 4
    max_tokens: int = 1500
    prices: Prices = field(default_factory=Prices)
    cap: SpendCap = field(default_factory=SpendCap)

"""The learned schedule between two looks: what the row remembers, and the date it leads to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from clawfeed.domain import forecast
from clawfeed.domain.read_budget import ReadShare
from clawfeed.domain.schedule import Foresight, Found

# Looking more often than this is not polite, whatever it might bring.
SHORTEST = timedelta(minutes=5)
# Gives 24 looks a day and source on the public traces at this beta.
USUAL_PRICE = 214.0
USUAL_BETA = 1 / 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Worth:
    """What looks are worth: the one knob of the learned schedule (POLLING.md)."""

    price: float = USUAL_PRICE  # item-seconds of delay one look is worth
    beta: float = USUAL_BETA  # how much a quiet source counts
    reads: ReadShare | None = None  # of a paid API whose budget is short


def remember(
    blob: bytes | None, found: Found, *, looked_at: datetime, previous_look: datetime | None
) -> bytes:
    """What the row shall remember after a successful look.

    A new source starts from its own dates, and so does one whose memory is damaged.
    """
    state = _read(blob)
    if state is None or previous_look is None:
        return forecast.to_bytes(forecast.from_history(found.dates, looked_at))
    learned = forecast.learn(
        state,
        looked_at=looked_at,
        previous_look=previous_look,
        published=found.new,
        window_full=found.is_overflown,
    )
    return forecast.to_bytes(learned)


def foresee(
    blob: bytes | None, *, last_look: datetime, now: datetime, worth: Worth, spread: float
) -> Foresight | None:
    """The date that pays and its reason; None without a memory to go by."""
    state = _read(blob)
    if state is None:
        return None
    plan = forecast.plan(
        state,
        last_look=last_look,
        now=now,
        price=worth.price,
        beta=worth.beta,
        shortest=SHORTEST,
        spread=spread,
    )
    return plan.at, plan.because


def recall(blob: bytes | None, published: Sequence[datetime], now: datetime) -> forecast.Forecast:
    """The memory itself, or what the source's own dates teach where there is none."""
    state = _read(blob)
    return forecast.from_history(published, now) if state is None else state


def _read(blob: bytes | None) -> forecast.Forecast | None:
    if blob is None:
        return None
    try:
        return forecast.from_bytes(blob)
    except ValueError:
        return None

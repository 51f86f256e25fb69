"""The learned schedule between two polls: what the row remembers, and the date it leads to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo

from clawfeed.domain.forecast import forecast
from clawfeed.domain.forecast.forecast_because import explain
from clawfeed.domain.schedule.read_budget import ReadShare
from clawfeed.domain.schedule.schedule import ForecastDate, PollFindings

# Polling more often than this is not polite, whatever it might bring.
SHORTEST_WAIT = timedelta(minutes=5)
# Gives 24 polls a day and source on the public traces at this beta.
DEFAULT_PRICE = 214.0
DEFAULT_BETA = 0.4


@dataclass(frozen=True, slots=True, kw_only=True)
class PollPrice:
    """What polls are worth: the one knob of the learned schedule."""

    price: float = DEFAULT_PRICE  # item-seconds of delay one poll is worth
    beta: float = DEFAULT_BETA  # how much a quiet source counts
    reads: ReadShare | None = None  # of a paid API whose budget is short


def needs_first_memory(blob: bytes | None, previous_poll: datetime | None) -> bool:
    """Whether there is nothing to learn on from: a new source, or a damaged memory."""
    return previous_poll is None or _read(blob) is None


def first_memory(published: Sequence[datetime], polled_at: datetime) -> bytes:
    """What a source's own dates teach. A thousand take a tenth of a second: not for the writer."""
    return forecast.to_bytes(forecast.from_history(published, polled_at))


def remember(
    blob: bytes | None,
    found: PollFindings,
    *,
    polled_at: datetime,
    previous_poll: datetime | None,
    first: bytes | None = None,
) -> bytes:
    """What the row shall remember after a successful poll.

    A new source starts from its own dates, and so does one whose memory is damaged; *first* is what
    they teach, if that is known already.
    """
    state = _read(blob)
    if state is None or previous_poll is None:
        return first_memory(found.dates, polled_at) if first is None else first
    learned = forecast.learn(
        state,
        polled_at=polled_at,
        previous_poll=previous_poll,
        published=found.new,
        window_full=found.is_overflown,
    )
    return forecast.to_bytes(learned)


def forecast_date(
    blob: bytes | None,
    *,
    last_poll: datetime,
    now: datetime,
    poll_price: PollPrice,
    spread: float,
    timezone: tzinfo = UTC,
) -> ForecastDate | None:
    """The date that pays and its reason, told in *timezone*; None without a memory to go by."""
    state = _read(blob)
    if state is None:
        return None
    plan = forecast.plan(
        state,
        last_poll=last_poll,
        now=now,
        price=poll_price.price,
        beta=poll_price.beta,
        shortest=SHORTEST_WAIT,
        spread=spread,
    )
    return plan.at, explain(state, plan, timezone)


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

"""Polls a day as a budget: the price of a poll rises and falls until they fit."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from clawfeed.collector.read_budget import ReadBudgetPacer
from clawfeed.domain.forecast.forecast import adjust_price
from clawfeed.domain.forecast.forecast_memory import PollPrice
from clawfeed.domain.sources.source import Source
from clawfeed.storage.polling.poll_prices import PriceStore

log = logging.getLogger(__name__)

# A week's mean moves slowly; more than one step a day would overshoot.
ADJUST_INTERVAL = timedelta(hours=24)
# A host's price never falls below the fleet's, and never so far above that it is forgotten.
MOST_TIMES_DEARER = 1000.0


@dataclass(frozen=True, slots=True, kw_only=True)
class PollTargets:
    """Polls a day, in all and at each host; 0 means as many as the price allows."""

    in_all: int = 0
    at_host: int = 0


class PollBudget:
    """Knows what a poll is worth now; `refresh` once in a while, `worth` at every poll."""

    def __init__(
        self,
        prices: PriceStore,
        clock: Callable[[], datetime],
        poll_price: PollPrice,
        targets: PollTargets,
        reads: ReadBudgetPacer | None = None,
    ) -> None:
        self._prices, self._clock, self._poll_price, self._targets = (
            prices,
            clock,
            poll_price,
            targets,
        )
        self._reads = reads
        self._known: dict[str, float] = {}

    def poll_price(self, source: Source) -> PollPrice:
        """The same threshold for all, dearer at hosts whose budget is spent."""
        base = (
            self._known.get("", self._poll_price.price)
            if self._targets.in_all
            else self._poll_price.price
        )
        has_own = source.host and self._targets.at_host  # "" names the price for all
        own = self._known.get(source.host, 0.0) if has_own else 0.0
        reads = self._reads.of(source) if self._reads else None
        return replace(self._poll_price, price=max(base, own), reads=reads)

    async def read(self) -> None:
        """Take the prices as they stand."""
        self._known = await self._prices.read()

    async def refresh(self) -> None:
        """Share out the paid reads anew; read the prices, and move them once a day has passed."""
        if self._reads:
            await self._reads.refresh()
        if not (self._targets.in_all or self._targets.at_host):
            return
        await self.read()
        now, set_at = self._clock(), await self._prices.set_at()
        if set_at is not None and now - set_at < ADJUST_INTERVAL:
            return
        polls = await self._prices.polls_per_day(now=now)
        if polls:
            self._known = self._moved(polls)
            await self._prices.save(self._known, now=now)
            in_all = {
                "price": self._known.get("", self._poll_price.price),
                "polls": sum(polls.values()),
            }
            log.info("price of a poll adjusted", extra=in_all)

    def _moved(self, polls: dict[str, float]) -> dict[str, float]:
        moved = dict(self._known)
        base = self._known.get("", self._poll_price.price)
        if self._targets.in_all:
            moved[""] = base = adjust_price(base, sum(polls.values()), self._targets.in_all)
        if self._targets.at_host:
            for host, mean in polls.items():
                if not host:  # nobody's in particular, and the name of the price for all
                    continue
                price = adjust_price(self._known.get(host, base), mean, self._targets.at_host)
                moved[host] = min(max(price, base), base * MOST_TIMES_DEARER)
        return moved

"""What a poll is worth now: the price a budget has set, for all sources and for each host."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta

from clawfeed.storage.config_table import setting
from clawfeed.storage.database import Database, Steps
from clawfeed.storage.polling.poll_history import POLLED_OUTCOME
from clawfeed.storage.timestamps import moment, seconds

# Rows of the `config` table; a host's own price has the host behind the sign.
FLEET_PRICE_KEY = "forecast_price"
HOST_PRICE_KEY = "forecast_price@"
AVERAGED_OVER = timedelta(days=7)


class PriceStore:
    """Prices as rows, and the polls that were paid for."""

    def __init__(self, database: Database) -> None:
        self._db = database

    async def read(self) -> dict[str, float]:
        """Prices by host; the one for all is under ''. Rows that are no numbers do not count."""
        rows = await self._db.read(
            "SELECT key, value FROM config WHERE key LIKE :prefix",
            {"prefix": f"{FLEET_PRICE_KEY}%"},
        )
        prices: dict[str, float] = {}
        for row in rows:
            host = (
                str(row["key"]).removeprefix(HOST_PRICE_KEY)
                if row["key"] != FLEET_PRICE_KEY
                else ""
            )
            price = _positive(row["value"])
            if price is not None:
                prices[host] = price
        return prices

    async def set_at(self) -> datetime | None:
        """When prices were last adjusted."""
        rows = await self._db.read(
            "SELECT max(updated_at) AS at FROM config WHERE key LIKE :prefix",
            {"prefix": f"{FLEET_PRICE_KEY}%"},
        )
        at = rows[0]["at"]
        return None if at is None else moment(at)

    async def save(self, prices: Mapping[str, float], *, now: datetime) -> None:
        await self._db.run(lambda: _save(prices, now))

    async def polls_per_day(self, *, now: datetime) -> dict[str, float]:
        """Mean polls a day at each host over the last week, or since the log began."""
        since = seconds(now - AVERAGED_OVER)
        rows = await self._db.read(
            f"""
            SELECT s.host, count(*) AS polls, min(l.started_at) AS first
            FROM fetch_log l JOIN sources s ON s.id = l.source_id
            WHERE l.started_at >= :since AND {POLLED_OUTCOME}
            GROUP BY s.host
            """,  # noqa: S608 -- our own constant
            {"since": since},
        )
        if not rows:
            return {}
        first = min(float(row["first"]) for row in rows)
        days = max(1.0, (seconds(now) - first) / 86_400)
        return {str(row["host"]): int(row["polls"]) / days for row in rows}


def _save(prices: Mapping[str, float], now: datetime) -> Steps[None]:
    for host, price in sorted(prices.items()):
        key = f"{HOST_PRICE_KEY}{host}" if host else FLEET_PRICE_KEY
        yield setting(key, f"{price:.6g}", now)


def _positive(text: str) -> float | None:
    try:
        price = float(text)
    except ValueError:
        return None
    return price if 0 < price < float("inf") else None

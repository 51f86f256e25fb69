"""How much of a paid API was used in a month, counted before it is asked (S001-8)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from clawfeed.storage.database import Database, SqlValue, Statement, Steps, execute
from clawfeed.storage.moments import seconds

# The name X's reads are counted under.
X_API = "x"


class ReadStore:
    """Counts reads per API and UTC month, for all collectors together.

    A read is reserved before the request leaves. Whoever crashes in between has spent it: the
    count may be too high, never too low.
    """

    def __init__(self, database: Database) -> None:
        self._db = database

    async def reserve(self, api: str, wanted: int, *, limit: int, at: datetime) -> int:
        """Take up to *wanted* reads from the month of *at*; returns how many were left to take."""
        if wanted <= 0:
            return 0
        return await self._db.run(lambda: _reserve(_key(api, at), wanted, limit))

    async def give_back(self, api: str, unused: int, *, at: datetime) -> None:
        """Return what was reserved and not read. *at* is the moment given to `reserve`.

        A month that ended meanwhile gets its own back: the new one must not profit.
        """
        if unused <= 0:
            return
        await execute(
            self._db,
            """
            UPDATE api_reads SET updated_at = :now,
                used = CASE WHEN used > :unused THEN used - :unused ELSE 0 END
            WHERE api = :api AND month = :month
            """,
            {**_key(api, at), "unused": unused},
        )

    async def used(self, api: str, *, at: datetime) -> int:
        """The reads of the month of *at*, those under way included."""
        key = _key(api, at)
        rows = await self._db.read(
            "SELECT used FROM api_reads WHERE api = :api AND month = :month",
            {"api": key["api"], "month": key["month"]},
        )
        return int(rows[0]["used"]) if rows else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class MonthlyReads:
    """One API's budget: the `ReadBudget` that fetchers ask."""

    store: ReadStore
    api: str
    limit: int

    async def reserve(self, wanted: int, *, at: datetime) -> int:
        return await self.store.reserve(self.api, wanted, limit=self.limit, at=at)

    async def give_back(self, unused: int, *, at: datetime) -> None:
        await self.store.give_back(self.api, unused, at=at)

    async def left(self, *, at: datetime) -> int:
        """What may still be read in the month of *at*."""
        return max(0, self.limit - await self.store.used(self.api, at=at))


def _reserve(key: dict[str, SqlValue], wanted: int, limit: int) -> Steps[int]:
    """Take all, then put back what was too much.

    The first UPDATE locks the row until the commit, so nobody sees or uses the surplus; a SELECT
    first would let two collectors read the same remainder.
    """
    yield Statement(
        """
        INSERT INTO api_reads (api, month, used, updated_at) VALUES (:api, :month, 0, :now)
        ON CONFLICT (api, month) DO NOTHING
        """,
        key,
    )
    rows = yield Statement(
        """
        UPDATE api_reads SET used = used + :wanted, updated_at = :now
        WHERE api = :api AND month = :month RETURNING used
        """,
        {**key, "wanted": wanted},
    )
    surplus = min(wanted, max(0, int(rows[0]["used"]) - limit))
    if surplus:
        yield Statement(
            "UPDATE api_reads SET used = used - :surplus WHERE api = :api AND month = :month",
            {"api": key["api"], "month": key["month"], "surplus": surplus},
        )
    return wanted - surplus


def _key(api: str, at: datetime) -> dict[str, SqlValue]:
    return {"api": api, "month": f"{at.astimezone(UTC):%Y-%m}", "now": seconds(at)}

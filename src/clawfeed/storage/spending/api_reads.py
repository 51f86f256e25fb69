"""How much of a paid API was used in a month, counted before it is asked (S001-8)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from clawfeed.domain.schedule.read_budget import (
    SAMPLE_SIZE,
    ReadRation,
    month_end,
    posts_a_day,
    ration_for,
)
from clawfeed.domain.sources.source import Source
from clawfeed.domain.sources.type_facts import KnownTypes, TypeFacts
from clawfeed.storage.database import Database, SqlValue, Statement, Steps, execute
from clawfeed.storage.sources.sources import COLUMNS, of_types, to_source
from clawfeed.storage.timestamps import moment, moment_or_none, seconds

# The name X's reads are counted under.
X_API = "x"
# Rows of the `config` table: what one source may cost a day; the API's name is behind the sign.
READ_SHARE_KEY = "read_share@"


@dataclass(frozen=True, slots=True, kw_only=True)
class PostingRate:
    """A source and how much it posts, as its latest posts have it."""

    source: Source
    posts_a_day: float


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

    async def postings(
        self, wanted: Iterable[str], types: KnownTypes[TypeFacts], *, now: datetime
    ) -> list[PostingRate]:
        """The active sources of the *wanted* types, however written.

        Reads `SAMPLE_SIZE` dates of each, off its index.
        """
        of_type, params = of_types(wanted, types)
        latest = """
            SELECT i.published_at FROM seen_items i
            WHERE i.source_id = s.id AND i.published_at IS NOT NULL
            ORDER BY i.published_at DESC LIMIT :sample
        """
        rows = await self._db.read(
            f"""
            SELECT {COLUMNS},
                (SELECT count(*) FROM ({latest}) AS counted) AS posts,
                (SELECT min(dated.published_at) FROM ({latest}) AS dated) AS oldest
            FROM sources s
            WHERE s.is_active = 1 AND s.is_deleted = 0
              AND {of_type}
            """,  # noqa: S608 -- the fragments are our own constants and parameter names
            {**params, "sample": SAMPLE_SIZE},
        )
        return [
            PostingRate(
                source=to_source(row),
                posts_a_day=posts_a_day(int(row["posts"]), moment_or_none(row["oldest"]), now),
            )
            for row in rows
        ]

    async def save_share(self, api: str, a_day: float | None, *, now: datetime) -> None:
        """What each source may cost a day from now on; None while the budget suffices."""
        await self._db.run(lambda: _save_share(f"{READ_SHARE_KEY}{api}", a_day, now))

    async def share(self, api: str, *, at: datetime) -> float | None:
        """The share that holds in the month of *at*; the last month's is void."""
        rows = await self._db.read(
            "SELECT value, updated_at FROM config WHERE key = :key",
            {"key": f"{READ_SHARE_KEY}{api}"},
        )
        if not rows or month_end(moment(rows[0]["updated_at"])) != month_end(at):
            return None
        try:
            return float(rows[0]["value"])
        except ValueError:
            return None  # somebody's hand; the next refresh writes it anew


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

    async def ration(self, *, at: datetime) -> ReadRation | None:
        """What a poll may read while the budget is short; None while it suffices."""
        a_day = await self.store.share(self.api, at=at)
        return None if a_day is None else ration_for(a_day)


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


def _save_share(key: str, a_day: float | None, now: datetime) -> Steps[None]:
    if a_day is None:
        yield Statement("DELETE FROM config WHERE key = :key", {"key": key})
        return
    yield Statement(
        """
        INSERT INTO config (key, value, updated_at) VALUES (:key, :value, :now)
        ON CONFLICT (key) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at
        """,
        {"key": key, "value": f"{a_day:.6g}", "now": seconds(now)},
    )


def _key(api: str, at: datetime) -> dict[str, SqlValue]:
    return {"api": api, "month": f"{at.astimezone(UTC):%Y-%m}", "now": seconds(at)}

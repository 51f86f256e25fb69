"""What a language model costs: reserved before each call, settled after, never past the cap.

A month is a month in UTC. Money is counted in millionths of whatever currency the prices are in.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from clawfeed.domain.editions.digest import ModelUse
from clawfeed.domain.ids import TaskId
from clawfeed.storage.bounds import NO_LIMIT
from clawfeed.storage.database import Database, Row, SqlValue, Statement, Steps, execute
from clawfeed.storage.timestamps import moment_or_none, seconds

# No call takes this long: what is still reserved then was left by a process that died.
LONGEST_CALL = timedelta(hours=1)
# A year to look back on, and the month before.
CALLS_KEPT = timedelta(days=400)
_NEW_MONTH = "INSERT INTO model_months (month) VALUES (:month) ON CONFLICT (month) DO NOTHING"


@dataclass(frozen=True, slots=True, kw_only=True)
class Charge:
    """Tokens, and what they cost in millionths of the currency."""

    tokens: int
    cost_micros: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SpendCap:
    """What one month may cost; 0 means no limit."""

    tokens: int = 0
    cost_micros: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Reservation:
    """A call that may be made. *worst* stays spent until it is settled."""

    id: int
    month: str
    worst: Charge


@dataclass(frozen=True, slots=True, kw_only=True)
class CapReached:
    """The call may not be made. *is_first*: nobody was told of it this month."""

    is_first: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class MonthSpend:
    """A month's use: *tokens* and *cost_micros* hold what is reserved, too.

    *lost* calls were reserved by a process that died: they count as spent in full.
    """

    month: str
    calls: int = 0
    remembered: int = 0
    under_way: int = 0
    lost: int = 0
    tokens: int = 0
    cost_micros: int = 0
    capped_at: datetime | None = None


class ModelSpend:
    """The purse of all processes together."""

    def __init__(self, database: Database, cap: SpendCap, *, model: str) -> None:
        self._db, self._cap, self._model = database, cap, model

    async def reserve(
        self, worst: Charge, *, task_id: TaskId | None, at: datetime
    ) -> Reservation | CapReached:
        """Set the worst case aside, or learn that it would pass the cap."""
        params: dict[str, SqlValue] = {
            "month": month_of(at),
            "tokens": worst.tokens,
            "cost": worst.cost_micros,
            "now": seconds(at),
        }
        call = {**params, "task": task_id, "model": self._model}
        caps = {
            "most_tokens": self._cap.tokens or NO_LIMIT,
            "most_cost": self._cap.cost_micros or NO_LIMIT,
        }
        return await self._db.run(lambda: _reserve(params, call, caps, worst))

    async def settle(self, reservation: Reservation, spent: Charge) -> None:
        """Put the true charge in the place of the reservation, in the month it was made for."""
        await self._db.run(lambda: _settle(reservation, spent))

    async def note_remembered(self, task_id: TaskId | None, *, at: datetime) -> None:
        """Count words that an edition did not have to pay for."""
        call: dict[str, SqlValue] = {
            "month": month_of(at),
            "task": task_id,
            "model": self._model,
            "now": seconds(at),
        }
        await self._db.run(lambda: _note_remembered(call))


async def spend_of_month(database: Database, *, at: datetime) -> MonthSpend:
    """What the month of *at* has cost so far."""
    months = await spend_by_month(database, at=at, since=month_of(at))
    return months[0] if months else MonthSpend(month=month_of(at))


async def spend_by_month(database: Database, *, at: datetime, since: str = "") -> list[MonthSpend]:
    """Every month that is remembered, the latest first, from *since* (`2026-11`) on."""
    rows = await database.read(
        """
        SELECT m.month, m.calls, m.remembered, m.tokens, m.cost_micros, m.capped_at,
            (SELECT count(*) FROM model_calls c
                WHERE c.state = 'reserved' AND c.month = m.month AND c.at >= :lost) AS under_way,
            (SELECT count(*) FROM model_calls c
                WHERE c.state = 'reserved' AND c.month = m.month AND c.at < :lost) AS lost
        FROM model_months m WHERE m.month >= :since ORDER BY m.month DESC
        """,
        {"since": since, "lost": seconds(at - LONGEST_CALL)},
    )
    return [_month_spend(row) for row in rows]


async def spend_of_task(database: Database, task_id: TaskId) -> ModelUse | None:
    """What one edition's words have cost, whoever wrote them; None if it asked no model."""
    rows = await database.read(
        """
        SELECT max(model) AS model, count(*) AS total,
            sum(CASE WHEN state = 'remembered' THEN 1 ELSE 0 END) AS remembered,
            sum(tokens) AS tokens, sum(cost_micros) AS cost
        FROM model_calls WHERE task_id = :task
        """,
        {"task": task_id},
    )
    row = rows[0]
    if not row["total"]:
        return None
    return ModelUse(
        model=str(row["model"]),
        calls=int(row["total"]) - int(row["remembered"]),
        remembered=int(row["remembered"]),
        tokens=int(row["tokens"]),
        cost_micros=int(row["cost"]),
    )


async def remove_old_calls(database: Database, *, now: datetime) -> int:
    """Forget single calls of long ago; the months they were counted in stay."""
    rows = await execute(
        database,
        "DELETE FROM model_calls WHERE at < :limit RETURNING id",
        {"limit": seconds(now - CALLS_KEPT)},
    )
    return len(rows)


def month_of(at: datetime) -> str:
    return f"{at.astimezone(UTC):%Y-%m}"


def _reserve(
    params: dict[str, SqlValue],
    call: dict[str, SqlValue],
    caps: dict[str, int],
    worst: Charge,
) -> Steps[Reservation | CapReached]:
    """The UPDATE locks the month's row until the commit: of twenty at once each sees the last."""
    month: dict[str, SqlValue] = {"month": params["month"]}
    yield Statement(_NEW_MONTH, month)
    taken = yield Statement(
        """
        UPDATE model_months
        SET calls = calls + 1, tokens = tokens + :tokens, cost_micros = cost_micros + :cost
        WHERE month = :month
          AND tokens + :tokens <= :most_tokens AND cost_micros + :cost <= :most_cost
        RETURNING month
        """,
        {
            "month": params["month"],
            "tokens": params["tokens"],
            "cost": params["cost"],
            **caps,
        },
    )
    if not taken:
        first = yield Statement(
            """
            UPDATE model_months SET capped_at = :now
            WHERE month = :month AND capped_at IS NULL RETURNING month
            """,
            {**month, "now": params["now"]},
        )
        return CapReached(is_first=bool(first))
    rows = yield Statement(
        """
        INSERT INTO model_calls (month, task_id, state, model, tokens, cost_micros, at)
        VALUES (:month, :task, 'reserved', :model, :tokens, :cost, :now) RETURNING id
        """,
        call,
    )
    return Reservation(id=int(rows[0]["id"]), month=str(params["month"]), worst=worst)


def _settle(reservation: Reservation, spent: Charge) -> Steps[None]:
    """Once only: who settles a second time changes nothing."""
    settled = yield Statement(
        """
        UPDATE model_calls SET state = 'settled', tokens = :tokens, cost_micros = :cost
        WHERE id = :id AND state = 'reserved' RETURNING id
        """,
        {"id": reservation.id, "tokens": spent.tokens, "cost": spent.cost_micros},
    )
    if settled:
        yield Statement(
            """
            UPDATE model_months SET tokens = tokens + :tokens, cost_micros = cost_micros + :cost
            WHERE month = :month
            """,
            {
                "month": reservation.month,
                "tokens": spent.tokens - reservation.worst.tokens,
                "cost": spent.cost_micros - reservation.worst.cost_micros,
            },
        )


def _note_remembered(call: dict[str, SqlValue]) -> Steps[None]:
    month: dict[str, SqlValue] = {"month": call["month"]}
    yield Statement(_NEW_MONTH, month)
    yield Statement(
        "UPDATE model_months SET remembered = remembered + 1 WHERE month = :month", month
    )
    yield Statement(
        """
        INSERT INTO model_calls (month, task_id, state, model, tokens, cost_micros, at)
        VALUES (:month, :task, 'remembered', :model, 0, 0, :now)
        """,
        call,
    )


def _month_spend(row: Row) -> MonthSpend:
    return MonthSpend(
        month=str(row["month"]),
        calls=int(row["calls"]),
        remembered=int(row["remembered"]),
        under_way=int(row["under_way"]),
        lost=int(row["lost"]),
        tokens=int(row["tokens"]),
        cost_micros=int(row["cost_micros"]),
        capped_at=moment_or_none(row["capped_at"]),
    )

"""Leases: who may work on a row, until when, and what a late result may do (decision 0003).

Whatever is worked on by one worker at a time has three columns: `lease_until` (null while it is
free), `leased_by` and `claim`, which counts up with every claim and is the fence. Leases end by the
database's clock. Every function here is a part of a transaction, to be put together with others,
or of a statement: what a lease means is spelled here alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final

from clawfeed.domain.errors import LeaseLostError
from clawfeed.storage.database import Dialect, Row, SqlValue, Statement, Steps
from clawfeed.storage.sql_lists import in_list

# Whether somebody has a row; `t.` may stand before each. The partial indexes say it in these words.
FREE: Final = "lease_until IS NULL"
HELD: Final = "lease_until IS NOT NULL"
# What an UPDATE sets to give a row back, and to take it from whoever holds it.
RELEASED: Final = "lease_until = NULL, leased_by = NULL"
REVOKED: Final = f"claim = claim + 1, {RELEASED}"
_IS_CLAIM: Final = "{key} = :lease_key AND claim = :lease_claim"
_IS_OURS: Final = f"{_IS_CLAIM} AND {HELD}"


@dataclass(frozen=True, slots=True, kw_only=True)
class LeasedTable:
    """A table whose rows are claimed.

    *queue* is the condition of its partial index besides `lease_until IS NULL`: which rows are
    there to be claimed at all. *order_by* is that index's order. Both speak of the row as `t`.
    """

    table: str
    key: str = "id"
    queue: str = "1 = 1"
    order_by: str = "t.id"
    noun: str = "row"  # what people call one of its rows
    # A lease that ends later than this was given before the database's clock went back (F15).
    longest_lease: timedelta = timedelta(hours=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Holder:
    """Who claims, and for how long."""

    worker: str
    lease: timedelta


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """A row that is ours, by the number of our claim; *name* is how people call it."""

    key: int
    claim: int
    name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """What is asked of a row besides its lease."""

    sql: str = "1 = 1"
    params: Mapping[str, SqlValue] = field(default_factory=dict)


ALWAYS: Final = Condition()


def in_force(leased: LeasedTable, clock: str, row: str = "") -> str:
    """A condition: whoever holds the row may count on it. *clock* is the database's `now`."""
    until = f"{row}lease_until"
    return f"({until} > {clock} AND {until} <= {clock} + {_longest(leased)})"


def lapsed(leased: LeasedTable, clock: str, row: str = "") -> str:
    """A condition: held past its time, or from before a clock that went back (F15)."""
    until = f"{row}lease_until"
    return f"({until} <= {clock} OR {until} > {clock} + {_longest(leased)})"


def _longest(leased: LeasedTable) -> str:
    return f"{leased.longest_lease.total_seconds():.1f}"


def holders_of(leased: LeasedTable) -> str:
    """A SELECT of who holds rows, as `leased_by`, and how many, as `n`."""
    return f"SELECT leased_by, count(*) AS n FROM {leased.table} WHERE {HELD} GROUP BY leased_by"  # noqa: S608 -- a name of our own code


@dataclass(frozen=True, slots=True, kw_only=True)
class Due:
    """Which of a queue's rows may be claimed now: a condition on `t` with its parameters."""

    limit: int
    condition: str = "1 = 1"
    params: Mapping[str, SqlValue] = field(default_factory=dict)


def claim_next(
    leased: LeasedTable, dialect: Dialect, holder: Holder, due: Due, *, returning: str = "*"
) -> Steps[list[Row]]:
    """Take up to *limit* free rows from the head of the queue, each with its new `claim`.

    Lapsed leases are taken back first. Claimants do not wait for each other: PostgreSQL passes
    by what another is just taking, and SQLite has one writer.
    """
    yield from take_back_lapsed(leased, dialect)
    rows = yield Statement(
        f"""
        SELECT t.{leased.key} AS key FROM {leased.table} t
        WHERE t.{FREE} AND {leased.queue} AND ({due.condition})
        ORDER BY {leased.order_by} LIMIT {due.limit:d} {dialect.skip_locked}
        """,  # noqa: S608 -- names and conditions of our own code, and a number
        due.params,
    )
    keys = [int(row["key"]) for row in rows]
    taken = yield from take(leased, dialect, holder, keys, returning=returning)
    return [taken[key] for key in keys if key in taken]


def take(
    leased: LeasedTable,
    dialect: Dialect,
    holder: Holder,
    keys: Sequence[int],
    *,
    returning: str,
    only: Condition = ALWAYS,
) -> Steps[dict[int, Row]]:
    """Claim those of *keys* that are free; *returning* of each, and its new `claim`, by key.

    What is not as in *only* is passed by.
    """
    if not keys:
        return {}
    names, params = in_list(keys)
    rows = yield Statement(
        f"""
        UPDATE {leased.table}
        SET claim = claim + 1, leased_by = :worker, lease_until = {dialect.now} + :lease
        WHERE {leased.key} IN ({names}) AND {FREE} AND ({only.sql})
        RETURNING {returning}, {leased.key} AS lease_key, claim
        """,  # noqa: S608 -- names and conditions of our own code
        {
            "worker": holder.worker,
            "lease": holder.lease.total_seconds(),
            **params,
            **only.params,
        },
    )
    return {int(row["lease_key"]): row for row in rows}


def fenced(
    leased: LeasedTable,
    held: Held,
    changes: str,
    params: Mapping[str, SqlValue],
    *,
    condition: str = "1 = 1",
) -> Statement:
    """An UPDATE that only who still holds the row can make; else `LeaseLostError` is raised.

    A worker's name would be no fence: the same worker may claim the row again after its own lease
    lapsed. End *changes* with `RELEASED` to give the row back. *condition* is what the change was
    decided on besides.
    """
    return _by_claim(leased, held, changes, params, condition=f"{HELD} AND {condition}")


def seized(
    leased: LeasedTable,
    seen: Held,
    changes: str,
    params: Mapping[str, SqlValue],
    *,
    condition: str = "1 = 1",
) -> Statement:
    """An UPDATE by a person, who holds nothing: the row is taken from whoever holds it.

    `LeaseLostError` if it was claimed since it was *seen*, or is no longer as in *condition*.
    """
    return _by_claim(leased, seen, f"{changes}, {REVOKED}", params, condition=condition)


def _by_claim(
    leased: LeasedTable, held: Held, changes: str, params: Mapping[str, SqlValue], *, condition: str
) -> Statement:
    name = held.name or f"{leased.noun} {held.key}"
    return Statement(
        f"""
        UPDATE {leased.table} SET {changes}
        WHERE {_IS_CLAIM.format(key=leased.key)} AND {condition}
        """,  # noqa: S608 -- names, assignments and conditions of our own code
        {**params, **_by(held)},
        LeaseLostError(f"{name} was claimed or changed by someone else meanwhile"),
    )


def _by(held: Held) -> dict[str, SqlValue]:
    return {"lease_key": held.key, "lease_claim": held.claim}


def release(leased: LeasedTable, held: Held) -> Steps[None]:
    """Give a row back as it is; `LeaseLostError` if it is no longer ours to give."""
    yield fenced(leased, held, RELEASED, {})


def renew(leased: LeasedTable, dialect: Dialect, held: Held, lease: timedelta) -> Steps[bool]:
    """Hold on for another *lease* from now; whether the row is still ours to hold."""
    rows = yield Statement(
        f"""
        UPDATE {leased.table} SET lease_until = {dialect.now} + :lease
        WHERE {_IS_OURS.format(key=leased.key)} RETURNING {leased.key}
        """,  # noqa: S608 -- names of our own code
        {"lease": lease.total_seconds(), **_by(held)},
    )
    return bool(rows)


def give_back(
    leased: LeasedTable,
    held: Held,
    changes: str = "",
    params: Mapping[str, SqlValue] | None = None,
    *,
    only: Condition = ALWAYS,
) -> Steps[bool]:
    """`release` with *changes* by who cannot know whether it is still theirs; whether it was."""
    released = f"{changes}, {RELEASED}" if changes else RELEASED
    rows = yield Statement(
        f"""
        UPDATE {leased.table} SET {released}
        WHERE {_IS_OURS.format(key=leased.key)} AND ({only.sql}) RETURNING {leased.key}
        """,  # noqa: S608 -- names, assignments and conditions of our own code
        {**(params or {}), **only.params, **_by(held)},
    )
    return bool(rows)


def remove(leased: LeasedTable, held: Held) -> Steps[bool]:
    """Remove the row, for good; whether it was still ours."""
    rows = yield Statement(
        f"""
        DELETE FROM {leased.table} WHERE {_IS_OURS.format(key=leased.key)} RETURNING {leased.key}
        """,  # noqa: S608 -- names of our own code
        _by(held),
    )
    return bool(rows)


def take_back_lapsed(
    leased: LeasedTable, dialect: Dialect, *, only: Condition = ALWAYS
) -> Steps[None]:
    """Free what is held past its time, and what a clock that went back left held for ever.

    What is not as in *only* stays held.
    """
    yield Statement(
        f"""
        UPDATE {leased.table} SET {RELEASED}
        WHERE {HELD} AND {lapsed(leased, dialect.now)} AND ({only.sql})
        """,  # noqa: S608 -- names and conditions of our own code
        only.params,
    )


def take_back_from(
    leased: LeasedTable, workers: Sequence[str], *, only: Condition = ALWAYS
) -> Steps[int]:
    """Free at once what these *workers* hold, and say how many rows: they work on it no more.

    What is not as in *only* stays theirs.
    """
    names, params = in_list(workers)
    rows = yield Statement(
        f"""
        UPDATE {leased.table} SET {RELEASED}
        WHERE {HELD} AND leased_by IN ({names}) AND ({only.sql})
        RETURNING {leased.key}
        """,  # noqa: S608 -- names and conditions of our own code
        {**params, **only.params},
    )
    return len(rows)

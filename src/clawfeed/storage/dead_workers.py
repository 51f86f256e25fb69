"""What dead workers hold is freed at once: nobody waits for the lease of a process that is gone.

Who is dead is for `app` to know: a process of this machine that is no more. Workers of other
machines are never judged; their leases lapse.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import TypeAlias

from clawfeed.storage.database import Database, Steps
from clawfeed.storage.leases import LeasedTable, holders_of, take_back_from

log = logging.getLogger(__name__)

IsDead: TypeAlias = Callable[[str], bool]


async def take_back_from_dead(
    database: Database, tables: Sequence[LeasedTable], is_dead: IsDead
) -> int:
    """Free what dead workers hold of *tables*; how many rows. One read while nobody is dead."""
    return await take_back_if_dead(
        await holders(database, tables),
        is_dead,
        lambda dead: take_back(database, tables, dead),
        noun=tables[0].noun,
    )


async def take_back_if_dead(
    workers: Iterable[str],
    is_dead: IsDead,
    take_back: Callable[[Sequence[str]], Awaitable[int]],
    *,
    noun: str,
) -> int:
    """The same for who knows already which *workers* hold something; *noun* is for the log."""
    dead = sorted(filter(is_dead, workers))
    freed = await take_back(dead) if dead else 0
    if freed:
        log.info("claims of a dead worker taken back", extra={"of": noun, "count": freed})
    return freed


async def holders(database: Database, tables: Sequence[LeasedTable]) -> set[str]:
    """Who holds a row of *tables*."""
    rows = await database.read(" UNION ALL ".join(holders_of(leased) for leased in tables))
    return {str(row["leased_by"]) for row in rows}


async def take_back(
    database: Database, tables: Sequence[LeasedTable], workers: Sequence[str]
) -> int:
    """Free what *workers* hold of *tables*, dead or not; how many rows."""

    def steps() -> Steps[int]:
        freed = 0
        for leased in tables:
            freed += yield from take_back_from(leased, workers)
        return freed

    return await database.run(steps)

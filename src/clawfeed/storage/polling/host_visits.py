"""Which collector is at which host: its manners hold for all collectors together (S001-10).

How many at once, and the gaps between them, are kept within a process, by `egress`. So a host is
visited by one collector at a time, and the next one keeps the gap to the last.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from datetime import datetime, timedelta

import orjson

from clawfeed.storage.database import Dialect, SqlValue, Statement, Steps
from clawfeed.storage.leases import HELD
from clawfeed.storage.timestamps import seconds


def visitors_of(
    hosts: set[str], dialect: Dialect, *, worker: str, alone: bool, most: int
) -> Steps[Counter[str]]:
    """How many sources of each host are polled now; one of *hosts* that is not free has *most*.

    A host is not free while another claims there this very moment; and, where *worker* must be
    *alone* to keep its gaps, while another holds sources of it.
    """
    free = yield from _free_hosts(hosts, dialect)
    rows = yield Statement(
        f"""
        SELECT s.host, count(*) AS n,
            sum(CASE WHEN t.leased_by = :worker THEN 0 ELSE 1 END) AS others
        FROM source_stats t JOIN sources s ON s.id = t.source_id
        WHERE t.{HELD} GROUP BY s.host
        """,  # noqa: S608 -- our own constant
        {"worker": worker},
    )
    visitors = Counter({str(row["host"]): int(row["n"]) for row in rows})
    others = {str(row["host"]) for row in rows if row["others"]} if alone else set()
    for host in (hosts - free) | (others & hosts):
        visitors[host] = max(most, visitors[host])
    return visitors


def _free_hosts(hosts: set[str], dialect: Dialect) -> Steps[set[str]]:
    """Those of *hosts* at which nobody else claims this very moment; ours until we commit.

    Two claims that do not see each other's leases yet would both send their full number.
    """
    if dialect.host_lock is None or not hosts:
        return hosts
    rows = yield Statement(
        f"SELECT asked.value AS host FROM {dialect.texts_in_json} AS asked "  # noqa: S608 -- our own constants
        f"WHERE {dialect.host_lock}",
        {"json": _json(hosts)},
    )
    return {str(row["host"]) for row in rows}


def note_visits(
    hosts: Collection[str], dialect: Dialect, *, worker: str, now: datetime, lease: timedelta
) -> Steps[frozenset[str]]:
    """Write down that *worker* goes to *hosts* now; at which of them another has just been.

    A visit ends with its lease at the latest, and is written down anew after half a lease.
    """
    if not hosts:
        return frozenset()
    visit: dict[str, SqlValue] = {"json": _json(hosts), "worker": worker, "now": seconds(now)}
    rows = yield Statement(
        f"""
        SELECT v.host FROM {dialect.texts_in_json} AS asked
        JOIN host_visits v ON v.host = asked.value
        WHERE v.worker <> :worker AND v.at > :recent
        """,  # noqa: S608 -- our own constants
        {**visit, "recent": seconds(now - 2 * lease)},
    )
    yield Statement(
        f"""
        INSERT INTO host_visits (host, worker, at)
        SELECT asked.value, CAST(:worker AS TEXT), CAST(:now AS DOUBLE PRECISION)
        FROM {dialect.texts_in_json} AS asked WHERE 1 = 1
        ON CONFLICT (host) DO UPDATE SET worker = excluded.worker, at = excluded.at
        WHERE host_visits.worker <> excluded.worker OR host_visits.at < :stale
            OR host_visits.at > :now
        """,  # noqa: S608 -- our own constants
        {**visit, "stale": seconds(now - lease / 2)},
    )
    return frozenset(str(row["host"]) for row in rows)


def _json(hosts: Collection[str]) -> str:
    return orjson.dumps(sorted(hosts)).decode()

"""The editions before this one and after it, as one reader (None: a stranger) may read them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from clawfeed.domain.editions.edition import SYSTEM_SCOPE
from clawfeed.domain.editions.edition_period import EditionType
from clawfeed.domain.ids import UserId
from clawfeed.storage.database import Database, SqlValue
from clawfeed.storage.digests.digests import DIGESTS_WITH_TASKS, HEAD, DigestHead, to_head
from clawfeed.storage.timestamps import moment_or_none, seconds

# Everybody's, and those made for this reader: reached from either end, as in `DigestStore.list`.
_OWN = """
    SELECT d.id, d.type, d.created_at, d.scope FROM digests d WHERE d.scope = :system
    UNION
    SELECT d.id, d.type, d.created_at, d.scope
    FROM edition_readers r JOIN digests d ON d.task_id = r.task_id WHERE r.user_id = :reader
"""
_OF_TYPE = "(:type = '' OR m.type = :type)"


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchivePage:
    """The editions of one span, newest first; when the nearest ones before and after were made."""

    heads: tuple[DigestHead, ...]
    older_at: datetime | None
    newer_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbours:
    older: DigestHead | None
    newer: DigestHead | None


async def archive_page(
    database: Database,
    reader: UserId | None,
    kind: EditionType | None,
    *,
    since: datetime,
    until: datetime,
) -> ArchivePage:
    """What was made in [*since*, *until*), of one type if given."""
    params = {**_params(reader, kind), "since": seconds(since), "until": seconds(until)}
    rows = await database.read(
        f"""
        SELECT {HEAD} {DIGESTS_WITH_TASKS} JOIN ({_OWN}) AS m ON m.id = d.id
        WHERE m.created_at >= :since AND m.created_at < :until AND {_OF_TYPE}
        ORDER BY m.created_at DESC, m.id DESC
        """,
        params,
    )
    [edges] = await database.read(
        f"""
        SELECT max(CASE WHEN m.created_at < :since THEN m.created_at END) AS older,
            min(CASE WHEN m.created_at >= :until THEN m.created_at END) AS newer
        FROM ({_OWN}) AS m WHERE {_OF_TYPE}
        """,  # noqa: S608 -- our own constants
        params,
    )
    return ArchivePage(
        heads=tuple(map(to_head, rows)),
        older_at=moment_or_none(edges["older"]),
        newer_at=moment_or_none(edges["newer"]),
    )


async def neighbours(database: Database, digest: DigestHead, reader: UserId | None) -> Neighbours:
    """The ones before and after it of the same type: of everybody's, or of the reader's own."""
    return await neighbours_of(database, reader, digest.type, ":id", {"id": digest.id})


async def neighbours_of(
    database: Database,
    reader: UserId | None,
    kind: EditionType,
    which: str,
    params: Mapping[str, SqlValue],
) -> Neighbours:
    """The same of the edition whose id is *which*, an expression of ours over *params*."""
    rows = await database.read(
        f"""
        WITH it AS (SELECT d.id, d.scope FROM digests d WHERE d.id = {which})
        SELECT {HEAD}, (SELECT it.id FROM it) AS it {DIGESTS_WITH_TASKS} WHERE d.id IN (
            (SELECT max(m.id) FROM it, ({_OWN}) AS m WHERE m.id < it.id AND {_OF_TYPE}
                AND {_SAME_KIND}),
            (SELECT min(m.id) FROM it, ({_OWN}) AS m WHERE m.id > it.id AND {_OF_TYPE}
                AND {_SAME_KIND})
        )
        """,  # noqa: S608 -- our own constants
        {**params, **_params(reader, kind)},
    )
    return Neighbours(
        older=next((to_head(row) for row in rows if row["id"] < row["it"]), None),
        newer=next((to_head(row) for row in rows if row["id"] > row["it"]), None),
    )


_SAME_KIND = "(m.scope = :system) = (it.scope = :system)"


def _params(reader: UserId | None, kind: EditionType | None) -> Mapping[str, SqlValue]:
    return {"reader": reader, "system": SYSTEM_SCOPE, "type": kind or ""}

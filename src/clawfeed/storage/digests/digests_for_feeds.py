"""The newest editions of one type, as a feed shows them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from clawfeed.domain.editions.edition import SYSTEM_SCOPE
from clawfeed.domain.editions.edition_period import EditionType
from clawfeed.domain.ids import DigestId, UserId
from clawfeed.storage.database import Database, SqlValue
from clawfeed.storage.digests.digests import DigestStore, StoredDigest
from clawfeed.storage.timestamps import moment

_EVERYBODYS = """
    SELECT d.id, d.created_at FROM digests d
    WHERE d.scope = :system AND d.type = :type
    ORDER BY d.created_at DESC, d.id DESC LIMIT :limit
"""
_OWN = """
    SELECT d.id, d.created_at FROM edition_readers r JOIN digests d ON d.task_id = r.task_id
    WHERE r.user_id = :reader AND d.scope <> :system AND d.type = :type
    ORDER BY d.created_at DESC, d.id DESC LIMIT :limit
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class DatedEdition:
    """Enough to tell whether somebody has it already. An edition is never changed."""

    id: DigestId
    created_at: datetime


class FeedEditions:
    """Reads them in two steps: who has them already is not sent them again."""

    def __init__(self, database: Database) -> None:
        self._db = database

    async def newest(
        self, kind: EditionType, reader: UserId | None, *, limit: int
    ) -> list[DatedEdition]:
        """A reader's own; everybody's if there are none, as on the front page (S001-15)."""
        own = await self._dated(_OWN, kind, reader, limit) if reader is not None else []
        return own or await self._dated(_EVERYBODYS, kind, None, limit)

    async def load(
        self, editions: Sequence[DatedEdition], reader: UserId | None
    ) -> list[StoredDigest]:
        """Whole, in the same order; one that cannot be read is left out."""
        return await DigestStore(self._db).get_many([each.id for each in editions], reader)

    async def _dated(
        self, query: str, kind: EditionType, reader: UserId | None, limit: int
    ) -> list[DatedEdition]:
        params: dict[str, SqlValue] = {"system": SYSTEM_SCOPE, "type": kind, "limit": limit}
        if reader is not None:
            params["reader"] = reader
        rows = await self._db.read(query, params)
        return [
            DatedEdition(id=DigestId(row["id"]), created_at=moment(row["created_at"]))
            for row in rows
        ]

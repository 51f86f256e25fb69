"""What an admin may set while the product runs: intervals by type, and what new readers get.

They are rows of the `config` table, which also holds what the product remembers by itself; that is
nobody's to set. The environment wins over them (S000-2).
"""

from __future__ import annotations

from typing import Final

from clawfeed.domain.errors import InvalidInputError, NotFoundError, QuotaError, RefusalCode
from clawfeed.domain.schedule.interval import OVERRIDE_PREFIX, positive_minutes
from clawfeed.storage.audit import Action, AuditLog, Hand
from clawfeed.storage.config_table import ConfigTable
from clawfeed.storage.database import Database
from clawfeed.storage.sources.packs import PackStore

DEFAULT_PACK: Final = "DEFAULT_PACK"
# Every list of sources reads them (T26); there are not so many types.
MOST_ROWS: Final = 500


class LiveSettings:
    """The rows of the table that are people's to set; each change is written down."""

    def __init__(self, database: Database) -> None:
        self._table, self._packs = ConfigTable(database), PackStore(database)
        self._audit = AuditLog(database)

    async def all(self) -> dict[str, str]:
        rows = await self._table.all()
        return {key: rows[key] for key in rows if _is_ours(key)}

    async def save(self, key: str, value: str, hand: Hand) -> None:
        """Set one, in any spelling; `InvalidInputError` if it cannot be set, or not to this."""
        name = key.upper()
        await self._check(name, value)
        rows = await self._table.all()
        if name not in rows and len(rows) >= MOST_ROWS:
            raise QuotaError(
                f"{MOST_ROWS} settings are the most; remove one first",
                RefusalCode.TOO_MANY,
                most=MOST_ROWS,
            )
        await self._table.save(name, value, now=hand.now)
        await self._note(f"{name}: {value}", hand)

    async def forget(self, key: str, hand: Hand) -> None:
        """`NotFoundError` if it was not set here."""
        name = key.upper()
        if not _is_ours(name):
            raise NotFoundError(f"{name} is not set")
        await self._table.remove(name)
        await self._note(f"{name}: not set here any more", hand)

    async def _check(self, key: str, value: str) -> None:
        if key == DEFAULT_PACK:
            await self._packs.get(None, value)  # strangers must be able to see it
        elif key.startswith(OVERRIDE_PREFIX) and key != OVERRIDE_PREFIX:
            if positive_minutes(value) is None:
                raise InvalidInputError(
                    f"{key}: give a whole number of minutes, 1 or more", RefusalCode.WHOLE_MINUTES
                )
        else:
            raise InvalidInputError(
                f"{key} cannot be set here: only {OVERRIDE_PREFIX}<TYPE> and {DEFAULT_PACK}",
                RefusalCode.SETTING_FIXED,
            )

    async def _note(self, detail: str, hand: Hand) -> None:
        await self._audit.add(
            Action.SETTING_CHANGED,
            user_id=hand.by,
            detail=detail,
            client=hand.client,
            now=hand.now,
        )


def _is_ours(key: str) -> bool:
    return key == DEFAULT_PACK or key.startswith(OVERRIDE_PREFIX)

"""Whether a house still waits for its first edition, and from when on there is enough for it."""

from __future__ import annotations

from datetime import datetime

from clawfeed.digest.edition_config import EditionConfig
from clawfeed.domain.editions.edition import SYSTEM_SCOPE
from clawfeed.domain.editions.edition_period import EditionType
from clawfeed.domain.editions.edition_scope import MADE_FROM
from clawfeed.domain.editions.first_edition import FirstItems
from clawfeed.storage.database import Database
from clawfeed.storage.digests.digests import DigestStore
from clawfeed.storage.editions.first_poll_progress import first_items
from clawfeed.storage.sources.subscriptions import read_default_sources


class SystemFirstEdition:
    """The system's first edition. What is there is asked of the tables: no other memory."""

    def __init__(self, database: Database, config: EditionConfig) -> None:
        self._db, self._config = database, config
        self._is_there = False  # never again without one: no need to ask any more

    @property
    def type(self) -> EditionType:
        """The one that is made of items and read by most."""
        usual = [each for each in self._config.edition_types if each not in MADE_FROM]
        return EditionType.DAILY if not usual or EditionType.DAILY in usual else usual[0]

    async def due(self) -> datetime | None:
        found = await self._so_far()
        return found.enough_at if found else None

    async def is_early(self, now: datetime) -> bool:
        """Whether something came in, and more is about to."""
        found = await self._so_far()
        return found is not None and found.first_item_at is not None and not found.is_enough(now)

    async def _so_far(self) -> FirstItems | None:
        """None for a house that has had one, or whose settings ask for none that items make."""
        if set(self._config.edition_types) <= MADE_FROM.keys():
            return None
        if self._is_there or await DigestStore(self._db).has_any(SYSTEM_SCOPE, self.type):
            self._is_there = True
            return None
        sources = await read_default_sources(self._db, self._config.default_content)
        return await first_items(self._db, sources)

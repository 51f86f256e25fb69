"""Which edition a reader finds in front of them."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from clawfeed.domain.editions.edition import SYSTEM_SCOPE
from clawfeed.domain.editions.edition_period import EditionType
from clawfeed.domain.editions.edition_scope import CURRENT_SPAN
from clawfeed.domain.ids import UserId
from clawfeed.storage.digests.digests import DigestStore, StoredDigest

# The system's of the same time stand between one's own.
_LOOKED_AT: Final = 20


async def newest_digest(
    store: DigestStore, reader: UserId | None, kind: EditionType, *, now: datetime
) -> StoredDigest | None:
    """The reader's own if it is current; else the system's, which is everybody's (S001-15)."""
    if reader is not None:
        heads = await store.list(reader, kind=kind, limit=_LOOKED_AT)
        own = next((head for head in heads if not head.is_systems), None)
        if own is not None and now - own.created_at < CURRENT_SPAN[kind]:
            found = await store.get(own.id, reader)
            if found is not None:
                return found
    return await store.latest(SYSTEM_SCOPE, kind)

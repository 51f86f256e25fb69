"""Ending a source's pause, over HTTP and on a page alike."""

from __future__ import annotations

from datetime import datetime

from clawfeed.auth.permissions.source_permissions import require_changing
from clawfeed.domain.errors import NotFoundError
from clawfeed.domain.ids import SourceId
from clawfeed.domain.people.users import Caller
from clawfeed.domain.sources.type_facts import KnownTypes, TypeFacts
from clawfeed.storage.database import Database
from clawfeed.storage.sources.source_resuming import resume_sources
from clawfeed.storage.sources.source_status import SourceStates
from clawfeed.storage.sources.visible_sources import VisibleSources


async def resume_source(
    database: Database,
    types: KnownTypes[TypeFacts],
    caller: Caller,
    source_id: SourceId,
    *,
    now: datetime,
) -> bool:
    """Whether the caller may see it: admins also resume one they may not, and see no more for it.

    That only from a pause (S001-9): else it would be a way to have it polled at will.
    """
    reads = VisibleSources(database, types)
    try:
        require_changing(await reads.get(source_id, caller.user.id), caller)
    except NotFoundError:
        if not caller.is_admin:
            raise
        if not (await SourceStates(database).state(source_id)).source.is_active:
            await resume_sources(database, [source_id], types, now=now)
        return False
    await resume_sources(database, [source_id], types, now=now)
    return True

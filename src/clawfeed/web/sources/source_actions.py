"""What people do to one source on its page: pause, resume, fetch now, set its cadence.

Who may is decided by the same rules as for the API; what is not theirs to see is not there.
"""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from clawfeed.auth.authorization import Access, SignedIn, guarded_router, open_to
from clawfeed.auth.permissions.source_permissions import require_changing, require_polling
from clawfeed.auth.permissions.source_resuming import resume_source
from clawfeed.domain.ids import SourceId
from clawfeed.domain.people.users import Caller
from clawfeed.storage.source_changes.source_cadence import read_cadence_choice
from clawfeed.storage.source_changes.source_changes import as_it_is
from clawfeed.storage.sources.source_row import SourceRow
from clawfeed.storage.sources.sources import NewSource
from clawfeed.web.frame.flash import Done, Flash
from clawfeed.web.sources.source_context import SourcePages, source_id_in


def source_action_routes(pages: SourcePages) -> APIRouter:
    router = guarded_router("/sources", tag="pages", in_schema=False)
    site = pages.site

    def back(source_id: SourceId, done: Done) -> Response:
        return site.go(f"/sources/{source_id}", Flash(done=done))

    @router.post("/{source_id}/pause")
    @open_to(Access.WRITE)
    async def pause(request: Request, caller: SignedIn, source_id: str) -> Response:
        await site.form(request)
        wanted = source_id_in(source_id)
        await pages.changes.pause(
            wanted, caller.user.id, lambda row: require_changing(row, caller), now=site.now()
        )
        return back(wanted, Done.PAUSED)

    @router.post("/{source_id}/resume")
    @open_to(Access.WRITE)
    async def resume(request: Request, caller: SignedIn, source_id: str) -> Response:
        given, wanted = await site.form(request), source_id_in(source_id)
        types, now = pages.fetchers.types, site.now()
        is_seen = await resume_source(pages.database, types, caller, wanted, now=now)
        # Who does not see it has no page of it to go to.
        place = given.get("next", f"/sources/{wanted}" if is_seen else "/operations")
        return site.go(place, Flash(done=Done.RESUMED))

    @router.post("/{source_id}/fetch")
    @open_to(Access.WRITE)
    async def fetch(request: Request, caller: SignedIn, source_id: str) -> Response:
        await site.form(request)
        pages.limits.polling.take(caller.user.id)
        wanted = source_id_in(source_id)
        await pages.changes.poll_soon(
            wanted, caller.user.id, lambda row: require_polling(row, caller), now=site.now()
        )
        return site.go(f"/sources/{wanted}?asked={int(site.now().timestamp())}")

    @router.post("/{source_id}/cadence")
    @open_to(Access.WRITE)
    async def cadence(request: Request, caller: SignedIn, source_id: str) -> Response:
        given = await site.form(request)
        wanted = source_id_in(source_id)
        await pages.changes.update(
            wanted,
            caller.user.id,
            lambda row: _unchanged(row, caller),
            now=site.now(),
            cadence=read_cadence_choice(given.get("cadence", "")),
        )
        return back(wanted, Done.CADENCE_SET)

    return router


def _unchanged(row: SourceRow, caller: Caller) -> NewSource:
    require_changing(row, caller)
    return as_it_is(row)

"""`/sources/faults`, for admins: what is wrong with the sources' data, and what mends it."""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter, Request, Response

from clawfeed.auth.authorization import Access, SignedIn, guarded_router, open_to
from clawfeed.domain.ids import SourceId
from clawfeed.domain.people.users import Caller
from clawfeed.domain.sources.source_repairs import FoundFault
from clawfeed.rendering.safe_text import one_line
from clawfeed.storage.source_changes.source_repairs import RepairResult, RepairScope
from clawfeed.web.frame.flash import Done, Flash
from clawfeed.web.sources.source_context import SourcePages, source_id_in, source_tabs

PAGE_PATH: Final = "/sources/faults"
# Whoever has more begins with these.
MOST_SHOWN: Final = 100


def source_fault_routes(pages: SourcePages) -> APIRouter:
    router = guarded_router("/sources", tag="pages", in_schema=False)
    site = pages.site

    async def mend(
        request: Request, caller: Caller, source_id: SourceId, *, dry_run: bool
    ) -> list[RepairResult]:
        client = str(pages.client(request))
        scope = RepairScope(user_id=caller.user.id, client=client)
        return await pages.repairs.fix([source_id], scope, dry_run=dry_run, now=site.now())

    @router.get("/faults")
    @open_to(Access.ADMIN)
    async def faults(request: Request, caller: SignedIn, look: str = "") -> Response:
        """With *look* also what mending that source would change: tried out and rolled back."""
        page = await site.page(request, caller)
        found = await pages.repairs.findings(RepairScope(user_id=caller.user.id))
        tried = None
        if any(look == str(each.source.id) for each in found):
            tried = await mend(request, caller, source_id_in(look), dry_run=True)
        values = {
            "tabs": source_tabs(page, PAGE_PATH),
            "faults": [_line(each) for each in found[:MOST_SHOWN]],
            "more": max(0, len(found) - MOST_SHOWN),
            "tried": _told(tried[0]) if tried else None,
        }
        return site.render(page, "sources/source_faults.html", values)

    @router.post("/faults")
    @open_to(Access.ADMIN)
    async def fix(request: Request, caller: SignedIn) -> Response:
        given = await site.form(request)
        done = await mend(request, caller, source_id_in(given.get("thing", "")), dry_run=False)
        return site.go(PAGE_PATH, Flash(done=Done.FAULT_MENDED if done else Done.FAULT_GONE))

    return router


def _line(found: FoundFault) -> dict[str, object]:
    repair = found.repair
    return {
        "id": found.source.id,
        "name": one_line(found.source.name) or str(found.source.id),
        "kind": found.fault.kind,
        "text": one_line(found.fault.text),
        "repair": repair.kind if repair else None,
        "is_certain": bool(repair and repair.is_certain),
    }


def _told(tried: RepairResult) -> dict[str, object]:
    """What would change, in figures and names."""
    into = tried.into
    return {
        "id": tried.source.id,
        "kind": tried.kind,
        "into": (one_line(into.name) or str(into.id)) if into else "",
        "name": one_line(tried.name),
        "moved": tried.moved,
        "added": ", ".join(map(one_line, tried.added)),
        "found": ", ".join(map(one_line, tried.found)),
        "left_out": ", ".join(map(one_line, tried.left_out)),
    }

"""Data faults over HTTP, for admins: what is wrong with the sources, and mending it (S001-22)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Request, Response
from pydantic import ConfigDict, Field, StrictBool

from clawfeed.api.http.request_fields import Cursor, Id, Input, Limit
from clawfeed.api.http.responses import (
    MISSING_RESPONSE,
    NOT_MODIFIED,
    REFUSALS,
    json_answer,
    listed,
)
from clawfeed.api.sources.source_schemas import Schema
from clawfeed.auth.authorization import Access, SignedIn, guarded_router, open_to
from clawfeed.auth.client_address import TrustedProxies
from clawfeed.auth.request_actor import Doorkeeper
from clawfeed.domain.ids import SourceId
from clawfeed.domain.pagination import page_of, place_in
from clawfeed.domain.sources.source_faults import FaultKind
from clawfeed.domain.sources.source_repairs import FoundFault, RepairKind
from clawfeed.storage.source_changes.source_repairs import RepairResult, RepairScope, SourceRepairs

# A repair moves all of a source's items; more at once would keep other writers waiting.
MOST_AT_ONCE = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultsApi(Doorkeeper):
    """What these endpoints need."""

    repairs: SourceRepairs
    clock: Callable[[], datetime]
    trusted_proxies: TrustedProxies = ()


class FixInput(Input):
    """Which sources to mend, and whether to do it or only to tell what would change."""

    model_config = ConfigDict(json_schema_extra={"example": {"source_ids": [7], "dry_run": True}})

    source_ids: Annotated[
        tuple[Id, ...], Field(min_length=1, max_length=MOST_AT_ONCE, fail_fast=True)
    ]
    dry_run: StrictBool = False


class FoundFaultSchema(Schema):
    """*repair* is `merge`, `split` or `rename`; null: edit it by hand.

    *is_certain*: nobody needs to look first. *twin* is the source that it repeats.
    """

    source_id: int
    name: str
    kind: FaultKind
    text: str
    twin: int | None
    repair: RepairKind | None
    is_certain: bool


class FaultListSchema(Schema):
    faults: list[FoundFaultSchema]
    next_cursor: str | None


class RepairSchema(Schema):
    """What changed, or would. *into* is the source that stays after a merge.

    *added* names are new sources, *found* ones were followed already, *left_out* ones cannot be.
    """

    source_id: int
    name: str
    repair: RepairKind
    into: int | None
    new_name: str | None
    items_moved: int
    items_repeated: int
    marks: int
    subscriptions: int
    packs: int
    added: list[str]
    found: list[str]
    left_out: list[str]


class FixedSchema(Schema):
    """A source without a fault is in no list: mending it again changes nothing."""

    dry_run: bool
    repairs: list[RepairSchema]


def fault_routes(api: FaultsApi) -> APIRouter:
    router = guarded_router("/api/sources", tag="sources")

    @router.get(
        "/faults",
        summary="What is wrong with the sources you may see, and what would mend it",
        response_model=FaultListSchema,
        responses={**REFUSALS, **NOT_MODIFIED},
    )
    @open_to(Access.ADMIN)
    async def faults(
        request: Request, caller: SignedIn, limit: Limit = 100, cursor: Cursor = ""
    ) -> Response:
        after = place_in(cursor) or ()
        found = await api.repairs.findings(RepairScope(user_id=caller.user.id))
        rest = [each for each in _placed(found) if each[0] > after]
        page, more = page_of(rest, limit, lambda each: each[0])
        shown = [finding_as_json(finding) for _, finding in page]
        return listed(request, {"faults": shown, "next_cursor": more})

    @router.post(
        "/fix",
        summary="Merge, split or rename sources with faults; or tell what that would change",
        response_model=FixedSchema,
        responses={**REFUSALS, **MISSING_RESPONSE},
    )
    @open_to(Access.ADMIN)
    async def fix(request: Request, caller: SignedIn, wanted: FixInput) -> Response:
        client = str(api.client(request))
        done = await api.repairs.fix(
            [SourceId(id_) for id_ in wanted.source_ids],
            RepairScope(user_id=caller.user.id, client=client),
            dry_run=wanted.dry_run,
            now=api.clock(),
        )
        repairs = [repaired_as_json(each) for each in done]
        return json_answer({"dry_run": wanted.dry_run, "repairs": repairs})

    return router


def _placed(found: Iterable[FoundFault]) -> Iterator[tuple[tuple[float, ...], FoundFault]]:
    """Each with its source's id and its number there: a place that others' repairs do not move."""
    counts: Counter[int] = Counter()
    for finding in found:
        counts[finding.source.id] += 1
        yield (finding.source.id, counts[finding.source.id]), finding


def finding_as_json(finding: FoundFault) -> dict[str, object]:
    repair = finding.repair
    return {
        "source_id": finding.source.id,
        "name": finding.source.name,
        "kind": str(finding.fault.kind),
        "text": finding.fault.text,
        "twin": finding.fault.twin,
        "repair": str(repair.kind) if repair else None,
        "is_certain": bool(repair and repair.is_certain),
    }


def repaired_as_json(done: RepairResult) -> dict[str, object]:
    return {
        "source_id": done.source.id,
        "name": done.source.name,
        "repair": str(done.kind),
        "into": done.into.id if done.into else None,
        "new_name": done.name or None,
        "items_moved": done.moved.items,
        "items_repeated": done.moved.repeated,
        "marks": done.moved.marks,
        "subscriptions": done.moved.subscriptions,
        "packs": done.moved.packs,
        "added": list(done.added),
        "found": list(done.found),
        "left_out": list(done.left_out),
    }

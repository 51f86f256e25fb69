"""Data faults mended: duplicates merged, many handles split, wrong names put right (S001-22).

A repair is one transaction, with its line in the audit log. A dry run is the same transaction,
rolled back at its end: what it tells is what would happen, because it did.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypeAlias

from clawfeed.domain.errors import ClawFeedError, NotFoundError
from clawfeed.domain.ids import NOT_STORED, SourceId, UserId
from clawfeed.domain.sources.source import Source
from clawfeed.domain.sources.source_faults import Lookalikes
from clawfeed.domain.sources.source_repairs import (
    FoundFault,
    Merge,
    Rename,
    Repair,
    RepairKind,
    Split,
    findings_among,
    repair_for,
)
from clawfeed.domain.sources.type_facts import KnownTypes, TypeFacts
from clawfeed.storage.audit import Action, audit_line
from clawfeed.storage.database import ConstraintError, Database, Dialect, Statement, Steps
from clawfeed.storage.items.search import index_anew
from clawfeed.storage.source_changes.source_merge import (
    MergeCounts,
    fence_off,
    merge,
    remove,
    share_items,
    share_packs,
    share_readers,
)
from clawfeed.storage.sources.source_resuming import resumed
from clawfeed.storage.sources.sources import COLUMNS, NewSource, add_sources, to_source
from clawfeed.storage.sources.status_conditions import PAUSED_BY_ERROR
from clawfeed.storage.sources.visibility_conditions import VISIBLE_SOURCE
from clawfeed.storage.timestamps import seconds

NOTHING_MOVED = MergeCounts()
# The source that follows one of a source's names, as it would be stored.
PartMaker: TypeAlias = Callable[[Source, str], NewSource]
ACTIONS = {
    RepairKind.MERGE: Action.SOURCES_MERGED,
    RepairKind.SPLIT: Action.SOURCE_SPLIT,
    RepairKind.RENAME: Action.SOURCE_RENAMED,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class RepairScope:
    """Who repairs, and what they may see: an admin over HTTP what is public and their own.

    *user_id* is None for the command, whose user has the whole database.
    """

    user_id: UserId | None = None
    client: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RepairResult:
    """What a repair changed, or would change.

    *into* is where a merged source went, *added* and *found* are the names of a split one that
    were new and that were followed already, *left_out* those nobody can follow.
    """

    source: Source
    kind: RepairKind
    into: Source | None = None
    name: str = ""
    moved: MergeCounts = NOTHING_MOVED
    added: tuple[str, ...] = ()
    found: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()


class _RehearsedError(ClawFeedError):
    """Ends the transaction of a dry run; carries what it came to."""

    def __init__(self, results: list[RepairResult]) -> None:
        super().__init__("a dry run")
        self.results = results


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceRepairs:
    """Finds faults and mends them. *part* makes the sources of a split one."""

    database: Database
    types: KnownTypes[TypeFacts]
    part: PartMaker

    async def findings(self, scope: RepairScope) -> list[FoundFault]:
        """Every fault that is to be seen, with its repair, by the source's id."""
        asked = _visible(scope)
        rows = await self.database.read(asked.sql, asked.params)
        # Thousands of sources take a third of a second; the loop has others to serve.
        return await asyncio.to_thread(findings_among, self.types, map(to_source, rows))

    async def fix(
        self, ids: Iterable[SourceId] | None, scope: RepairScope, *, dry_run: bool, now: datetime
    ) -> list[RepairResult]:
        """Mend these sources; None: all whose repair is certain. What has no fault is left out.

        Each in a transaction of its own, so those before one that fails stay mended. A dry run is
        one transaction, since the second repair may depend on the first.
        """
        wanted = await self._wanted(ids, scope)
        if dry_run:
            return await self._rehearse(wanted, scope, now)
        done = [await self._fix_one(id_, scope, now) for id_ in wanted]
        return [each for each in done if each]

    async def _fix_one(
        self, id_: SourceId, scope: RepairScope, now: datetime
    ) -> RepairResult | None:
        return await self.database.run(lambda: self._fix(id_, scope, now))

    async def _wanted(self, ids: Iterable[SourceId] | None, scope: RepairScope) -> list[SourceId]:
        if ids is not None:
            return list(dict.fromkeys(ids))
        found = await self.findings(scope)
        certain = [each.source.id for each in found if each.repair and each.repair.is_certain]
        return list(dict.fromkeys(certain))

    async def _rehearse(
        self, wanted: list[SourceId], scope: RepairScope, now: datetime
    ) -> list[RepairResult]:
        def steps() -> Steps[None]:
            results: list[RepairResult] = []
            for id_ in wanted:
                result = yield from self._fix(id_, scope, now)
                results += [result] if result else []
            raise _RehearsedError(results)

        try:
            await self.database.run(steps)
        except _RehearsedError as rehearsed:
            return rehearsed.results
        raise AssertionError("unreachable")

    def _fix(self, id_: SourceId, scope: RepairScope, now: datetime) -> Steps[RepairResult | None]:
        """Decided on what is there now: whoever came first leaves nothing to mend."""
        rows = yield _visible(scope)
        sources = [to_source(row) for row in rows]
        if not any(source.id == id_ for source in sources):
            raise NotFoundError(f"there is no source {id_}")
        findings = findings_among(self.types, sources)
        repair = repair_for(each for each in findings if each.source.id == id_)
        if repair is None:
            return None
        result = yield from self._carry_out(repair, sources, now)
        yield audit_line(
            ACTIONS[repair.kind],
            user_id=scope.user_id,
            detail=audit_text(result),
            client=scope.client,
            now=now,
        )
        return result

    def _carry_out(
        self, repair: Repair, sources: list[Source], now: datetime
    ) -> Steps[RepairResult]:
        match repair:
            case Merge():
                return (yield from self._merge(repair, now))
            case Split():
                return (yield from self._split(repair, sources, now))
            case Rename():
                return (yield from _rename(repair, now))

    def _merge(self, repair: Merge, now: datetime) -> Steps[RepairResult]:
        gone, kept = repair.source, repair.into
        moved = yield from merge(gone, kept, self.types.facts(gone.type), self._dialect, now)
        if gone.is_active:
            # One that works replaces one that had stopped by its failures.
            rows = yield Statement(
                f"SELECT s.id FROM sources s WHERE s.id = :id AND {PAUSED_BY_ERROR}",  # noqa: S608
                {"id": kept.id},
            )
            yield from resumed([SourceId(row["id"]) for row in rows], self.types, now)
        return RepairResult(source=gone, kind=repair.kind, into=kept, moved=moved)

    def _split(self, repair: Split, sources: list[Source], now: datetime) -> Steps[RepairResult]:
        gone, prefix = repair.source, _prefix(self.types.facts(repair.source.type))
        others = Lookalikes(self.types, (each for each in sources if each.id != gone.id))
        yield from fence_off(gone, self.types.facts(gone.type), now)
        yield from index_anew(gone.id, self._dialect)
        added: list[str] = []
        found: list[str] = []
        moved = NOTHING_MOVED
        for name in repair.names.good:
            new = self.part(gone, name)
            # Also one that is polled at another pace: the same name is billed once.
            twin = others.fault_of(_candidate(gone, new))
            target = twin.twin if twin and twin.twin else (yield from _added(new, now))
            (found if twin else added).append(f"{prefix}{name}")
            moved = replace(
                moved,
                subscriptions=moved.subscriptions + (yield from share_readers(gone, target)),
                packs=moved.packs + (yield from share_packs(gone.id, target)),
                items=moved.items + (yield from share_items(gone.id, target, f"{prefix}{name}")),
            )
        yield from remove(gone.id, now)
        return RepairResult(
            source=gone,
            kind=repair.kind,
            moved=moved,
            added=tuple(added),
            found=tuple(found),
            left_out=repair.names.bad,
        )

    @property
    def _dialect(self) -> Dialect:
        return self.database.dialect


def _visible(scope: RepairScope) -> Statement:
    """The sources among which faults are looked for, oldest first."""
    which = "s.is_deleted = 0" if scope.user_id is None else VISIBLE_SOURCE
    return Statement(
        f"SELECT {COLUMNS} FROM sources s WHERE {which} ORDER BY s.id",  # noqa: S608
        {} if scope.user_id is None else {"user": scope.user_id},
    )


def _rename(repair: Rename, now: datetime) -> Steps[RepairResult]:
    yield Statement(
        "UPDATE sources SET name = :name, updated_at = :now WHERE id = :id",
        {"name": repair.name, "now": seconds(now), "id": repair.source.id},
    )
    return RepairResult(source=repair.source, kind=repair.kind, name=repair.name)


def _added(new: NewSource, now: datetime) -> Steps[SourceId]:
    stored = yield from add_sources([new], now)
    if not stored:
        raise ConstraintError(f"somebody else added {new.name} a moment ago; try again")
    return stored[new.identity]


def _prefix(facts: TypeFacts) -> str:
    return facts.mark.prefix if facts.mark else ""


def _candidate(gone: Source, new: NewSource) -> Source:
    """*new* as a source that is not stored yet, seen by the readers of *gone*."""
    return Source(
        id=NOT_STORED,
        type=new.type,
        name=new.name,
        config=new.config,
        is_public=gone.is_public,
        created_by=gone.created_by,
    )


def audit_text(result: RepairResult) -> str:
    """One line for the log: ids and figures, no config."""
    source = result.source
    match result.kind:
        case RepairKind.MERGE:
            into = result.into.id if result.into else 0
            return f"source {source.id} into {into}: {result.moved.items} items"
        case RepairKind.SPLIT:
            return f"source {source.id} into {len(result.added) + len(result.found)}"
        case RepairKind.RENAME:
            # Every admin reads the log; what somebody follows in private is not theirs to know.
            return f"source {source.id}" + (f" to {result.name}" if source.is_public else "")

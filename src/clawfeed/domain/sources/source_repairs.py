"""What would mend a data fault: merge, split or rename (S001-22). `storage` carries it out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from clawfeed.domain.sources.source import Source
from clawfeed.domain.sources.source_faults import FaultKind, Lookalikes, SourceFault, faults_of
from clawfeed.domain.sources.type_facts import KnownTypes, SeveralNames, TypeFacts


class RepairKind(StrEnum):
    """Shown as it is in JSON."""

    MERGE = "merge"
    SPLIT = "split"
    RENAME = "rename"


@dataclass(frozen=True, slots=True, kw_only=True)
class Merge:
    """*source* goes, and all that hangs on it moves to *into*.

    *is_certain*: they are the same thing; otherwise they look alike, and a person must say so.
    """

    source: Source
    into: Source
    is_certain: bool
    kind = RepairKind.MERGE


@dataclass(frozen=True, slots=True, kw_only=True)
class Split:
    """*source* goes, and each of its names becomes a source that all its readers follow."""

    source: Source
    names: SeveralNames
    is_certain = True
    kind = RepairKind.SPLIT


@dataclass(frozen=True, slots=True, kw_only=True)
class Rename:
    """*source* is called by the name that it follows."""

    source: Source
    name: str
    is_certain = True
    kind = RepairKind.RENAME


Repair = Merge | Split | Rename


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundFault:
    """A fault, and what would mend it; None: a person has to think about it."""

    source: Source
    fault: SourceFault
    repair: Repair | None


def findings_among(types: KnownTypes[TypeFacts], sources: Iterable[Source]) -> list[FoundFault]:
    """Every fault of *sources*, in their order, with its repair."""
    others, known = Lookalikes(types), dict[int, Source]()
    found: list[FoundFault] = []
    for source in sources:
        facts = types.facts(source.type)
        for fault in faults_of(source, facts, others):
            repair = _repair_of(source, fault, facts, known)
            found.append(FoundFault(source=source, fault=fault, repair=repair))
        others.add(source)
        known[source.id] = source
    return found


def repair_for(findings: Iterable[FoundFault]) -> Repair | None:
    """The one to begin with, of a single source's *findings*: whoever goes needs no new name."""
    repairs = {each.repair.kind: each.repair for each in findings if each.repair}
    return next((repairs[kind] for kind in RepairKind if kind in repairs), None)


def _repair_of(
    source: Source, fault: SourceFault, facts: TypeFacts, known: dict[int, Source]
) -> Repair | None:
    match fault.kind:
        case FaultKind.DUPLICATE | FaultKind.LOOKALIKE if fault.twin:
            return _merge(source, known[fault.twin], is_same=fault.kind is FaultKind.DUPLICATE)
        case FaultKind.ABSURD:
            names = facts.several(source.config)
            return Split(source=source, names=names) if names.good else None
        case FaultKind.MISNAMED:
            value = source.config.get(facts.main_key or "")
            name = f"{facts.mark.prefix}{facts.mark.bare(str(value))}" if facts.mark else ""
            return Rename(source=source, name=name) if name else None
    return None


def _merge(source: Source, into: Source, *, is_same: bool) -> Merge | None:
    # What headers opened for one person is not shown to all because the addresses look alike.
    if not is_same and into.is_public and not source.is_public:
        return None
    return Merge(source=source, into=into, is_certain=is_same)

"""What is wrong with the sources people follow, although each of them could be stored (S001-17)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from urllib.parse import urlsplit

from clawfeed.domain.default_ports import DEFAULT_PORTS
from clawfeed.domain.ids import JsonValue, SourceId
from clawfeed.domain.sources.source import Source
from clawfeed.domain.sources.type_facts import OWN_INTERVAL, KnownTypes, NameMark, TypeFacts

# The most generous type has 20 headers and 30 fields; one source once held 600 handles.
MOST_VALUES = 100
LARGEST_CONFIG = 10_000  # bytes of JSON
# How often to poll and what to say at the door do not make it another thing to poll.
NOT_LIKENESS = frozenset({OWN_INTERVAL, "headers"})


class FaultKind(StrEnum):
    """Shown as it is in JSON."""

    DUPLICATE = "duplicate"
    LOOKALIKE = "looks_like"
    ABSURD = "absurd_config"
    MISNAMED = "misnamed"


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFault:
    """*text* is what follows "this source …". *twin* is the other source, if there is one."""

    kind: FaultKind
    text: str
    twin: SourceId | None = None


class Lookalikes:
    """Finds the source that another one repeats, in constant time each.

    A source is compared with all that were added, so it is added after it was compared.
    """

    def __init__(self, types: KnownTypes[TypeFacts], sources: Iterable[Source] = ()) -> None:
        self._types = types
        self._by_likeness: dict[str, list[Source]] = {}
        for source in sources:
            self.add(source)

    def add(self, source: Source) -> None:
        self._by_likeness.setdefault(self._likeness(source), []).append(source)

    def same_as(self, source: Source) -> Source | None:
        """The first one with the same type and config; names, aliases and marks aside."""
        wanted = self._identity(source)
        found = self._candidates(source)
        return next((twin for twin in found if self._identity(twin) == wanted), None)

    def fault_of(self, source: Source) -> SourceFault | None:
        """The same thing, or one that differs only in spelling; None if it stands alone."""
        twin = self.same_as(source)
        if twin:
            text = f"is the same thing as source {twin.id} ({twin.name})"
            return SourceFault(kind=FaultKind.DUPLICATE, text=text, twin=twin.id)
        twin = next(self._candidates(source), None)
        if twin:
            differ = "they differ only in spelling, defaults, headers or interval"
            text = f"looks like source {twin.id} ({twin.name}): {differ}"
            return SourceFault(kind=FaultKind.LOOKALIKE, text=text, twin=twin.id)
        return None

    def _candidates(self, source: Source) -> Iterator[Source]:
        """Those alike that *source* would repeat: the public ones, and its owner's own.

        What somebody else follows in private stands in nobody's way, and is not told.
        """
        for twin in self._by_likeness.get(self._likeness(source), ()):
            is_own = not source.is_public and twin.created_by == source.created_by
            if twin.is_public or is_own:
                yield twin

    def _likeness(self, source: Source) -> str:
        return likeness(self._types.facts(source.type), source.config)

    def _identity(self, source: Source) -> str:
        facts, config = self._types.facts(source.type), dict(source.config)
        name = config.get(facts.main_key or "")
        if facts.main_key and isinstance(name, str):
            # "@Ann" and "ann" are one account, billed twice.
            config[facts.main_key] = _plain_name(facts, facts.main_key, name)
        return _to_json([facts.name, config])


def faults_of(source: Source, facts: TypeFacts, others: Lookalikes) -> list[SourceFault]:
    """All that is odd about *source*, one of the type *facts* tell of, seen beside *others*."""
    repeated = others.fault_of(source)
    return ([repeated] if repeated else []) + own_faults(source, facts)


def faults_among(
    types: KnownTypes[TypeFacts], sources: Iterable[Source]
) -> list[tuple[Source, SourceFault]]:
    """The faults of all *sources*; of two that repeat each other the later one has the fault."""
    others = Lookalikes(types)
    found: list[tuple[Source, SourceFault]] = []
    for source in sources:
        faults = faults_of(source, types.facts(source.type), others)
        found += [(source, fault) for fault in faults]
        others.add(source)
    return found


def own_faults(source: Source, facts: TypeFacts) -> list[SourceFault]:
    """What is odd about *source* whatever else is followed: its size, its name."""
    texts = [(FaultKind.ABSURD, text) for text in _oversizes(source, facts)]
    texts += [(FaultKind.MISNAMED, text) for text in _wrong_names(source, facts)]
    return [SourceFault(kind=kind, text=text) for kind, text in texts]


def _oversizes(source: Source, facts: TypeFacts) -> Iterator[str]:
    too_large = list(absurdities(source.config))
    names = facts.several(source.config)
    if names.good and not too_large:
        yield f"holds {sum(map(len, names))} names where one belongs: split it"
    yield from too_large


def likeness(facts: TypeFacts, config: Mapping[str, JsonValue]) -> str:
    """Equal for sources that mean the same thing.

    An address's scheme, `www.`, default port, fragment, trailing slash and the case of its host
    do not count, nor do "@", "r/" and case in a name, nor headers, nor the interval, nor what
    would be the same without being said.
    """
    kept = {
        key: _plain_spelling(facts, key, value)
        for key, value in config.items()
        if key not in NOT_LIKENESS and value is not None and value != facts.defaults.get(key)
    }
    return _to_json([facts.name, kept])


def _to_json(value: JsonValue) -> str:
    return json.dumps(value, sort_keys=True)


def _plain_spelling(facts: TypeFacts, key: str, value: JsonValue) -> JsonValue:
    if not isinstance(value, str):
        return value
    text = value.strip()
    if text.lower().startswith(("http://", "https://")):
        return _plain_address(text)
    return _plain_name(facts, key, text)


def _plain_name(facts: TypeFacts, key: str, text: str) -> str:
    bare = facts.bare(key, text)
    return bare.lower() if key in facts.caseless else bare


def _plain_address(url: str) -> str:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return url
    host = (parts.hostname or "").rstrip(".").removeprefix("www.")
    place = host if port in (None, DEFAULT_PORTS[parts.scheme]) else f"{host}:{port}"
    query = f"?{parts.query}" if parts.query else ""
    return f"//{place}{parts.path.rstrip('/')}{query}"


def absurdities(config: Mapping[str, JsonValue]) -> Iterator[str]:
    """What no honest config is, as what follows "this source …"; nothing for all others."""
    size = len(json.dumps(config, ensure_ascii=False).encode("utf-8", "surrogatepass"))
    count = _count(dict(config))
    if count > MOST_VALUES:
        yield f"has a config of {count} values: one source follows one thing, so split it"
    if size > LARGEST_CONFIG:
        yield f"has a config of {-(-size // 1000)} KB; {LARGEST_CONFIG // 1000} KB is plenty"


def _count(value: JsonValue) -> int:
    """How many values there are, those in a list written as one text included."""
    total, waiting = 0, [value]
    while waiting:
        match waiting.pop():
            case dict(inner):
                waiting.extend(inner.values())
            case list(inner):
                waiting.extend(inner)
            case str(text):
                total += 1 if "://" in text else max(1, len(re.split(r"[,;\s]+", text)))
            case _:
                total += 1
    return total


def _wrong_names(source: Source, facts: TypeFacts) -> Iterator[str]:
    value = source.config.get(facts.main_key or "")
    if facts.mark and isinstance(value, str) and not facts.several(source.config).good:
        yield from _wrong_name(source.name, facts.mark, facts.mark.bare(value))


def _wrong_name(name: str, mark: NameMark, real: str) -> Iterator[str]:
    # Only marks make a name a claim: "Sam" says nothing about the handle, "@sam" does.
    claimed = [each.lower() for each in mark.in_text.findall(name[:500])]
    if claimed and real.lower() not in claimed:
        yield f'is named "{name[:60]}" but follows {mark.prefix}{real[:60]}'

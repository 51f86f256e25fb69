"""OPML, in and out: outlines become sources, sources become outlines without their secrets."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape

from clawfeed.domain.errors import InvalidInputError, RefusalCode
from clawfeed.domain.ids import JsonValue, SourceId
from clawfeed.domain.sources.source import Source
from clawfeed.domain.sources.source_secrets import mask_url, public_part
from clawfeed.domain.sources.type_facts import KnownTypes, TypeFacts
from clawfeed.sources.discovery.new_source import SourceRequest, read_config
from clawfeed.sources.documents.opml import INSIDE, NAMESPACE, OpmlDocument, Outline
from clawfeed.sources.documents.text_cleaning import without_controls
from clawfeed.sources.parsing.pool import ParsePool
from clawfeed.sources.source_types.feed import RSS
from clawfeed.storage.sources.imported_folders import Folder


async def read_opml(parse: ParsePool, body: bytes) -> OpmlDocument:
    """The list in *body*, read in a parse worker; `SourceError(UNREADABLE)` says why not."""
    return await parse.run("opml", body, {}, OpmlDocument)


def to_wanted(outline: Outline, types: KnownTypes[TypeFacts]) -> SourceRequest:
    """The source an outline asks for, a feed unless it says; `InvalidInputError` if not which."""
    kind = outline.type or RSS.name
    address = address_of(outline, types)
    config = read_config(outline.config) if outline.config else {}
    if not outline.config and not address:
        raise InvalidInputError("it has no address", RefusalCode.LIST_ENTRY_ADDRESS)
    if not outline.config:
        config = {"url": address}
    return SourceRequest(
        type=kind, config=config, name=outline.name, is_public=not outline.is_private
    )


def address_of(outline: Outline, types: KnownTypes[TypeFacts]) -> str:
    """Its feed's address; of a page, that of the page itself, if it is there."""
    is_page = types.facts(outline.type).is_page
    return (outline.page if is_page else "") or outline.address


@dataclass(frozen=True, slots=True, kw_only=True)
class OpmlExport:
    """An OPML document, and one sentence for each source that is not wholly in it."""

    document: str
    notes: tuple[str, ...] = ()


def render_opml(
    sources: Iterable[Source],
    types: KnownTypes[TypeFacts],
    *,
    title: str,
    folders: Sequence[Folder] = (),
) -> OpmlExport:
    """An OPML 2.0 list of *sources* without their secrets (T17), in *folders*.

    Headers are left out; a source whose very address holds a secret is left out altogether. One
    in several folders is written in each of them.
    """
    outlines: dict[SourceId, str] = {}
    notes: list[str] = []
    for source in sources:
        config = public_part(source.config)
        label = f"source {source.id} ({source.name})"
        if config is None:
            notes.append(f"{label} was left out: its address holds a secret")
            continue
        if len(config) < len(source.config):
            notes.append(f"{label} is listed without its headers and other secrets")
        pairs = _attributes(source, types.facts(source.type), config)
        outlines[source.id] = f"<outline {_written(pairs)}/>"
    lines = _filed(outlines, folders)
    return OpmlExport(document=_document(title, lines), notes=tuple(notes))


def _written(attributes: Mapping[str, str]) -> str:
    pairs = attributes.items()
    return " ".join(f'{key}="{escape(without_controls(text))}"' for key, text in pairs)


@dataclass(slots=True)
class _Branch:
    """A folder with its own outlines and the folders in it."""

    lines: list[str] = field(default_factory=list)
    inner: dict[str, _Branch] = field(default_factory=dict)


def _filed(outlines: Mapping[SourceId, str], folders: Sequence[Folder]) -> list[str]:
    """The lines of all *outlines*: those of no folder, then each folder with its own."""
    known = {id_ for folder in folders for id_ in folder.source_ids}
    root = _Branch(lines=[line for id_, line in outlines.items() if id_ not in known])
    for folder in folders:
        own = [outlines[id_] for id_ in folder.source_ids if id_ in outlines]
        branch = root
        for name in folder.name.split(INSIDE) if own else ():
            branch = branch.inner.setdefault(name, _Branch())
        branch.lines += own
    return list(_lines(root, "    "))


def _lines(branch: _Branch, indent: str) -> Iterator[str]:
    yield from (f"{indent}{line}" for line in dict.fromkeys(branch.lines))
    for name, inner in branch.inner.items():
        yield f"{indent}<outline {_written({'text': name, 'title': name})}>"
        yield from _lines(inner, indent + "  ")
        yield f"{indent}</outline>"


def _document(title: str, lines: list[str]) -> str:
    return "\n".join(
        [
            '<?xml version="1.0" encoding="UTF-8"?>',
            f'<opml version="2.0" xmlns:clawfeed="{NAMESPACE}">',
            f"  <head><title>{escape(title)}</title></head>",
            "  <body>",
            *lines,
            "  </body>",
            "</opml>",
            "",
        ]
    )


def _attributes(
    source: Source, facts: TypeFacts, config: Mapping[str, JsonValue]
) -> dict[str, str]:
    name = source.name
    attributes = {"text": name, "title": name}
    url = str(config.get("url") or "")
    if facts.is_feed:
        attributes |= {"type": "rss", "xmlUrl": url}
    elif facts.is_page:
        attributes |= _page(source, url)
    if facts.name != RSS.name:
        attributes["clawfeed:type"] = source.type
    if not (facts.is_feed or facts.is_page) or set(config) != {"url"}:
        text = json.dumps(config, ensure_ascii=True, sort_keys=True)
        attributes["clawfeed:config"] = text
    if not source.is_public:
        attributes["clawfeed:private"] = "true"
    return attributes


def _page(source: Source, url: str) -> dict[str, str]:
    """The page, and the feed we found on it if we did: that is what other readers can use."""
    attributes = {"htmlUrl": url}
    feed = source.cursor.get("feed_url")
    if isinstance(feed, str) and mask_url(feed) == feed:
        attributes |= {"type": "rss", "xmlUrl": feed}
    return attributes

"""RSS and Atom in feedparser's vocabulary: each value from the element that holds it.

A value comes from the feed's own element if there is one, wherever it stands; else from the module
that is known to say the same (`dc:date`, `itunes:summary`). Children of other elements never count:
the title of an entry's `<source>` is not the entry's.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from lxml import etree  # type: ignore[import-untyped] # it ships no types

from clawfeed.sources.documents.feed_element_names import FOREIGN_NAME, name_of, split_tag
from clawfeed.sources.documents.feed_values import VALUES, Element, Found, ValueReader, WantedNames

# Around more of an entry's own elements.
_GROUPS: Final = frozenset({"media:group", "media:content"})
_ITEMS: Final = frozenset({"item", "entry"})
_READ: Final = frozenset(
    {
        *(name for names in VALUES for name in names),
        *_GROUPS, *_ITEMS, "feed", "channel", "items", "enclosure", "comments",
    }
)  # fmt: skip
# Remembered of the tags that we do not read: hostile documents have a million.
MOST_NAMES: Final = 1000


def parse_tree(document: bytes) -> tuple[Element | None, bool]:
    """The root of the document, if any, and whether it is well-formed, or nearly.

    Nearly: a prefix nobody declared, or something after the end. No entity is ever expanded: the
    caller has mended all references, and brings no document with entities of its own.
    """
    parser = etree.XMLParser(
        recover=True, huge_tree=True, resolve_entities=False, no_network=True,
        remove_comments=True, remove_pis=True, collect_ids=False,
    )  # fmt: skip
    root = etree.fromstring(document, parser)
    is_whole = root is not None and all(map(_is_harmless, parser.error_log))
    if root is not None and not is_whole:
        # References that nobody mended, for they seemed to be in CDATA: no elements to read.
        etree.strip_elements(root, etree.Entity, with_tail=False)
    return root, is_whole


def _is_harmless(error: Any) -> bool:  # noqa: ANN401 - lxml's
    return (
        error.level < etree.ErrorLevels.ERROR
        or error.domain == etree.ErrorDomains.NAMESPACE
        or error.type in {etree.ErrorTypes.ERR_DOCUMENT_END, etree.ErrorTypes.NS_ERR_XML_NAMESPACE}
    )


def read_tree(root: Element, base_url: str, *, has_bases: bool) -> dict[str, Any]:
    """The feed and its entries (`RawEntry`), as `feedparser.parse` would name them.

    *has_bases* says whether an element may bring its own `xml:base`: then links are made absolute
    here, against *base_url* at last.
    """
    names = _Names(split_tag(root.tag)[0])
    is_atom = names[root.tag] == "feed"
    channel: Found = {}
    for child in _channel_children(root, names):
        channel.setdefault(names[child.tag], []).append(child)
    items = [item for name in _ITEMS for item in channel.get(name, ())]
    # As many as begin in the document: some stand in a wrapper, or in an item that was not closed.
    everywhere = list(root.iter("{*}item", "{*}entry"))
    if len(everywhere) > len(items):
        items = [item for item in everywhere if _is_item(item, root, names)]
    inside = [_children(item, names) for item in items]
    reader = ValueReader(WantedNames.of(names), base_url if has_bases else "", is_atom=is_atom)
    entries = [reader.entry(item, found) for item, found in zip(items, inside, strict=True)]
    return {"feed": reader.feed(channel), "entries": entries}


class _Names(dict[str, str]):
    """The name of each tag of a document, if it is one we read, else `FOREIGN_NAME`."""

    def __init__(self, own: str) -> None:
        self._own = own

    def __missing__(self, tag: str) -> str:
        name = name_of(tag, self._own)
        if name not in _READ:
            name = FOREIGN_NAME
        if name or len(self) < MOST_NAMES:
            self[tag] = name
        return name


def _channel_children(root: Element, names: _Names) -> Iterator[Element]:
    """What stands in the root and its channel; RSS 1.0 has items beside it, 1.1 in `items`."""
    for child in root:
        if names[child.tag] in {"channel", "items"}:
            yield from child
        else:
            yield child


def _children(item: Element, names: _Names) -> Found:
    """The children by name, those of groups last: what stands in the entry itself goes first.

    Level by level without recursion: groups nest as deep as they like.
    """
    found: Found = {}
    level: Iterable[Element] = item
    while True:
        for child in level:
            name = names[child.tag]
            if name in found:
                found[name].append(child)
            elif name:
                found[name] = [child]
        if _GROUPS.isdisjoint(found):
            return found
        groups = [group for name in _GROUPS & found.keys() for group in found.pop(name)]
        level = [child for group in groups for child in group]


def _is_item(element: Element, root: Element, names: _Names) -> bool:
    """Whether it is an item of this feed: none of a foreign namespace, or of a feed quoted here."""
    parent = element.getparent()
    if names[element.tag] not in _ITEMS or parent is None:
        return False
    around = names[parent.tag]
    return around != "content" and (around != "feed" or parent is root)

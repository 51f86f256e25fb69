"""RSS and Atom in feedparser's vocabulary: each value from the element that holds it.

A value comes from the feed's own element if there is one, wherever it stands; else from the module
that is known to say the same (`dc:date`, `itunes:summary`). Children of other elements never count:
the title of an entry's `<source>` is not the entry's.
"""

from __future__ import annotations

import binascii
from collections.abc import Iterator, Sequence
from typing import Any, Final, TypeAlias

from lxml import etree  # type: ignore[import-untyped] # it ships no types

from clawfeed.sources.documents.feed_names import FOREIGN, name_of, split_tag
from clawfeed.sources.documents.inline_markup import text_or_markup
from clawfeed.sources.documents.text import clean_url

# lxml's elements; it ships no types.
Element: TypeAlias = Any
Found: TypeAlias = dict[str, list[Element]]

_ABOUT: Final = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}about"
_BASE: Final = "{http://www.w3.org/XML/1998/namespace}base"

# Each from the one that says it best to the one that will do.
_TITLE: Final = ("title", "atom:title", "dc:title", "dcterms:title", "media:title", "itunes:title")
_ID: Final = ("guid", "id", "atom:id")
_CONTENT: Final = (
    "content:encoded", "content", "xhtml:body", "body", "fullitem", "atom:content", "xhtml:div",
)  # fmt: skip
_SUMMARY: Final = (
    "description", "summary", "atom:summary", "dc:description", "dcterms:abstract",
    "itunes:summary", "media:description", "itunes:subtitle",
)  # fmt: skip
_DATES: Final = (
    "pubdate", "published", "issued", "atom:published", "dcterms:issued", "dc:date",
    "dcterms:created", "created", "updated", "modified", "atom:updated", "dcterms:modified",
    "lastbuilddate", "date",
)  # fmt: skip
_AUTHOR: Final = ("author", "dc:creator", "atom:author", "creator", "itunes:author")
_TAGS: Final = ("category", "dc:subject", "atom:category")
_LINKS: Final = ("link", "atom:link")
# Relations that are for machines, or about the entry.
_NO_PAGES: Final = frozenset({"edit", "edit-media", "replies", "license", "hub"})
# Around more of an entry's own elements.
_GROUPS: Final = frozenset({"media:group", "media:content"})
_ITEMS: Final = frozenset({"item", "entry"})
_MARKUP: Final = frozenset({"xhtml:body", "xhtml:div", "body"})


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
    """The feed and its entries, as `feedparser.parse` would name them.

    *has_bases* says whether an element may bring its own `xml:base`: then links are made absolute
    here, against *base_url* at last.
    """
    own = split_tag(root.tag)[0]
    is_atom = name_of(root.tag, own) == "feed"
    reader = _Reader(own, base_url if has_bases else "", is_atom=is_atom)
    channel: Found = {}
    for child in reader.channel_children(root):
        channel.setdefault(name_of(child.tag, own), []).append(child)
    items = [item for name in _ITEMS for item in channel.get(name, ())]
    # As many as begin in the document: some stand in a wrapper, or in an item that was not closed.
    everywhere = list(root.iter("{*}item", "{*}entry"))
    if len(everywhere) > len(items):
        items = [item for item in everywhere if _is_item(item, root, own)]
    return {"feed": reader.feed(channel), "entries": [reader.entry(item) for item in items]}


def _is_item(element: Element, root: Element, own: str) -> bool:
    """Whether it is an item of this feed: none of a foreign namespace, or of a feed quoted here."""
    parent = element.getparent()
    if name_of(element.tag, own) not in _ITEMS or parent is None:
        return False
    around = name_of(parent.tag, own)
    return around != "content" and (around != "feed" or parent is root)


class _Reader:
    """Reads the elements of one document."""

    def __init__(self, own: str, base_url: str, *, is_atom: bool) -> None:
        self._own, self._base_url, self._is_atom = own, base_url, is_atom

    def channel_children(self, root: Element) -> Iterator[Element]:
        """What stands in the root and its channel; RSS 1.0 has items beside it, 1.1 in `items`."""
        for child in root:
            if name_of(child.tag, self._own) in {"channel", "items"}:
                yield from child
            else:
                yield child

    def feed(self, found: Found) -> dict[str, Any]:
        raw: dict[str, Any] = {"author": self._author(found)}
        self._put_title(raw, found)
        self._put_links(raw, found)
        return raw

    def entry(self, item: Element) -> dict[str, Any]:
        found: Found = {}
        self._collect(item, found)
        raw = self.feed(found)
        raw["dates"] = [e.text for name in _DATES for e in found.get(name, ()) if e.text]
        self._put_texts(raw, found, item)
        if guid := _first_text(found, _ID) or item.get(_ABOUT, "").strip() or raw.get("link"):
            raw["id"] = guid
        if tags := [{"term": t} for name in _TAGS for e in found.get(name, ()) if (t := _term(e))]:
            raw["tags"] = tags
        if comments := _first_text(found, ("comments",)):
            raw["comments"] = comments
        return raw

    def _collect(self, parent: Element, found: Found) -> None:
        """The children by name, those of groups last: what stands in the entry itself goes first.

        Level by level without recursion: groups nest as deep as they like.
        """
        level = [parent]
        while level:
            for child in (child for each in level for child in each):
                name = name_of(child.tag, self._own)
                if name in found:
                    found[name].append(child)
                elif name is not FOREIGN:
                    found[name] = [child]
            level = [group for name in _GROUPS & found.keys() for group in found.pop(name)]

    def _put_title(self, raw: dict[str, Any], found: Found) -> None:
        for name in _TITLE:
            for element in found.get(name, ()):
                if title := text_or_markup(element).strip():
                    raw["title"] = title
                    raw["title_detail"] = {"type": _type(element)}
                    return

    def _put_links(self, raw: dict[str, Any], found: Found) -> None:
        """The first link that leads to the page itself, else any that leads to something to read.

        Entries without an alternate are real: some have the page as `self`, podcasts a recording.
        """
        other = ""
        raw["enclosures"] = enclosures = [
            dict(e.attrib) for e in found.get("enclosure", ()) if e.get("url")
        ]
        for element in (link for name in _LINKS for link in found.get(name, ())):
            href, rel = self._href(element), element.get("rel", "alternate")
            if rel == "alternate" and href:
                raw.setdefault("link", href)
            elif rel == "enclosure" and href:
                enclosures.append({**element.attrib, "url": href})
            if self._is_atom and rel not in _NO_PAGES:
                other = other or href
        if other:
            raw.setdefault("link", other)

    def _href(self, element: Element) -> str:
        href = (element.get("href") or "").strip()
        if not href and not self._is_atom:
            href = (element.text or "").strip()
        if href and self._base_url:
            base = clean_url(self._base_url, element.base or "") or self._base_url
            return clean_url(base, href) or href
        return href

    def _put_texts(self, raw: dict[str, Any], found: Found, item: Element) -> None:
        for name in _CONTENT:
            for element in found.get(name, ()):
                if value := _content_value(element):
                    raw["content"] = [self._part(name, element, item, value)]
                    return
        for name in _SUMMARY:
            for element in found.get(name, ()):
                if value := text_or_markup(element).strip():
                    raw["content"] = [self._part(name, element, item, value)]
                    return

    def _part(self, name: str, element: Element, item: Element, value: str) -> dict[str, str]:
        part = {"value": value}
        if (self._is_atom or name.startswith("atom:")) and name not in _MARKUP:
            part["type"] = _type(element)
        if self._base_url and (element.get(_BASE) or item.get(_BASE)):
            part["base"] = element.base or ""
        return part

    def _author(self, found: Found) -> str:
        for name in _AUTHOR:
            for element in found.get(name, ()):
                people = [c for c in element if split_tag(c.tag)[1].lower() == "name"]
                if author := _first_of(people) or ("" if len(element) else _plain(element)):
                    return author
        return ""


def _plain(element: Element) -> str:
    return text_or_markup(element).strip()


def _first_of(elements: Sequence[Element]) -> str:
    return next(filter(None, map(_plain, elements)), "")


def _first_text(found: Found, names: Sequence[str]) -> str:
    for name in names:
        if name in found and (text := _first_of(found[name])):
            return text
    return ""


def _term(element: Element) -> str:
    return (element.get("term") or element.text or element.get("label") or "").strip()


def _type(element: Element) -> str:
    """Text, unless it says otherwise (RFC 4287, 3.1.1) or has elements in it."""
    kind = element.get("type") or "text"
    return "text/html" if len(element) or "html" in kind.lower() else "text/plain"


_TEXTUAL: Final = ("text", "html", "xml")


def _content_value(element: Element) -> str:
    """The content as text; base64 decoded, b"" for what is no text (RFC 4287, 4.1.3.3)."""
    value = text_or_markup(element).strip()
    kind = (element.get("type") or "text").lower()
    is_data = "/" in kind and not any(word in kind for word in _TEXTUAL)
    if not value or (element.get("mode") != "base64" and not is_data):
        return value
    try:
        return binascii.a2b_base64(value.encode()).decode()
    except ValueError:
        return ""

"""What the elements of a feed, or of one entry, say: each value from the element that holds it."""

from __future__ import annotations

import binascii
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final, NamedTuple, TypeAlias

from clawfeed.sources.documents.feed_element_names import split_tag
from clawfeed.sources.documents.inline_markup import text_or_markup
from clawfeed.sources.documents.raw_entry import RawEntry
from clawfeed.sources.documents.text_cleaning import clean_url

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
_MARKUP: Final = frozenset({"xhtml:body", "xhtml:div", "body"})
VALUES: Final = (_TITLE, _ID, _CONTENT, _SUMMARY, _DATES, _AUTHOR, _TAGS, _LINKS)


class WantedNames(NamedTuple):
    """The names that a document has of those we read.

    Most documents have ten of the forty: the others need not be looked for in every entry.
    """

    title: tuple[str, ...]
    id: tuple[str, ...]
    content: tuple[str, ...]
    summary: tuple[str, ...]
    dates: tuple[str, ...]
    author: tuple[str, ...]
    tags: tuple[str, ...]
    links: tuple[str, ...]

    @classmethod
    def of(cls, names: Mapping[str, str]) -> WantedNames:
        there = frozenset(names.values())
        return cls(*(tuple(name for name in some if name in there) for some in VALUES))


class ValueReader:
    """Reads the elements of one document."""

    def __init__(self, wanted: WantedNames, base_url: str, *, is_atom: bool) -> None:
        self._wanted, self._base_url, self._is_atom = wanted, base_url, is_atom

    def feed(self, found: Found) -> dict[str, Any]:
        raw: dict[str, Any] = {"author": self._author(found), "link": self._link(found)}
        self._put_title(raw, found)
        return raw

    def entry(self, item: Element, found: Found) -> RawEntry:
        link = self._link(found)
        guid = _first_text(found, self._wanted.id) or item.get(_ABOUT, "").strip() or link
        return RawEntry({"id": guid, "link": link}, partial(self._rest, item, found))

    def _rest(self, item: Element, found: Found) -> dict[str, Any]:
        """What an entry that is known already is not asked for."""
        wanted = self._wanted
        raw: dict[str, Any] = {"author": self._author(found)}
        self._put_title(raw, found)
        raw["dates"] = [e.text for name in wanted.dates for e in found.get(name, ()) if e.text]
        self._put_texts(raw, found, item)
        if enclosures := self._enclosures(found):
            raw["enclosures"] = enclosures
        if tags := [_term(e) for name in wanted.tags for e in found.get(name, ())]:
            raw["tags"] = [{"term": term} for term in tags if term]
        if "comments" in found:
            raw["comments"] = _first_text(found, ("comments",))
        return raw

    def _put_title(self, raw: dict[str, Any], found: Found) -> None:
        for name in self._wanted.title:
            for element in found.get(name, ()):
                if title := text_or_markup(element).strip():
                    raw["title"] = title
                    raw["title_detail"] = {"type": _type(element)}
                    return

    def _link(self, found: Found) -> str:
        """The first link that leads to the page itself, else any that leads to something to read.

        Entries without an alternate are real: some have the page as `self`, podcasts a recording.
        """
        other = ""
        for name in self._wanted.links:
            for element in found.get(name, ()):
                href, rel = self._href(element), element.get("rel", "alternate")
                if rel == "alternate" and href:
                    return href
                if self._is_atom and rel not in _NO_PAGES:
                    other = other or href
        return other

    def _enclosures(self, found: Found) -> list[dict[str, str]]:
        attached = [
            link
            for name in self._wanted.links
            for link in found.get(name, ())
            if link.get("rel") == "enclosure"
        ]
        if not attached and "enclosure" not in found:  # nearly always
            return []
        return [
            *(dict(e.attrib) for e in found.get("enclosure", ()) if e.get("url")),
            *({**e.attrib, "url": href} for e in attached if (href := self._href(e))),
        ]

    def _href(self, element: Element) -> str:
        href = (element.get("href") or "").strip()
        if not href and not self._is_atom:
            href = (element.text or "").strip()
        if href and self._base_url:
            base = clean_url(self._base_url, element.base or "") or self._base_url
            return clean_url(base, href) or href
        return href

    def _put_texts(self, raw: dict[str, Any], found: Found, item: Element) -> None:
        for name in self._wanted.content:
            for element in found.get(name, ()):
                if value := _content_value(element):
                    raw["content"] = [self._part(name, element, item, value)]
                    return
        for name in self._wanted.summary:
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
        for name in self._wanted.author:
            for element in found.get(name, ()):
                if author := _person(element):
                    return author
        return ""


def _person(element: Element) -> str:
    """The `name` in it, which Atom has, or its text."""
    if not len(element):
        return _plain(element)
    return _first_of([c for c in element if split_tag(c.tag)[1].lower() == "name"])


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

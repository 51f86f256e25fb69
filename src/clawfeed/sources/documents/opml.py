"""A list of feeds as readers exchange them (OPML), read without trust.

What other readers do not know travels in attributes of a namespace of our own, so that a list of
ours comes back as it was.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, NoReturn
from xml.parsers import expat

from clawfeed.sources.documents.errors import UnreadableError
from clawfeed.sources.documents.text_cleaning import clean_text, decode, shorten, without_controls

NAMESPACE: Final = "urn:clawfeed:opml"
# T26: no honest list is larger.
LARGEST_DOCUMENT: Final = 5_000_000
MOST_FEEDS: Final = 5_000
# Folders in folders; people use two.
DEEPEST_ELEMENT: Final = 100
MOST_FOLDERS: Final = 500
LONGEST_NAME: Final = 200
LONGEST_ADDRESS: Final = 8_192

# Between the names of a folder and one in it.
INSIDE: Final = " / "

_ENCODING = re.compile(rb"\A\s*<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([\w.:-]{1,40})")
_DECLARATION = re.compile(r"<!(?:DOCTYPE|ENTITY|ELEMENT|ATTLIST|NOTATION)", re.IGNORECASE)
_WEB_PAGE = re.compile(r"\s*(?:<!doctype\s+html\b|<html\b)", re.IGNORECASE)
# Addresses with a bare "&" are the most common fault of real lists. Without a DTD there are no
# entities but XML's own five, so everything else was meant as a plain "&".
_BARE_AMPERSAND = re.compile(r"&(?!(?:amp|lt|gt|quot|apos|#[0-9]{1,7}|#x[0-9a-fA-F]{1,6});)")
_FEED_SCHEME = re.compile(r"\Afeed:(?=https?://)|\Afeed:(?=//)", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outline:
    """One entry of a list that is meant as a source. *config* is JSON text, "" if there is none."""

    name: str
    address: str
    page: str = ""  # for people
    type: str = ""
    config: str = ""
    is_private: bool = False
    folder: str = ""  # where it stands; "Outer / Inner" for a folder in a folder


@dataclass(frozen=True, slots=True, kw_only=True)
class OpmlDocument:
    """A list in its order. *without_feed* entries lead to something else."""

    outlines: tuple[Outline, ...] = ()
    without_feed: int = 0


def parse_opml(body: bytes, _options: Mapping[str, Any] | None = None) -> OpmlDocument:
    """The sources listed in *body*.

    Raises `UnreadableError` for what is not OPML, and for all that is hostile in XML: document
    types, entities, endless nesting, more than 5 MB or 5,000 feeds (T8, T26).
    """
    if len(body) > LARGEST_DOCUMENT:
        raise UnreadableError(f"the list is larger than {LARGEST_DOCUMENT // 10**6} MB")
    found = _ENCODING.search(body[:512])
    text = decode(body, (found[1].decode() if found else None,)).replace("\r", "\n")
    if _WEB_PAGE.match(text):
        raise UnreadableError("this is a web page, not an OPML list")
    if _DECLARATION.search(text):
        _refuse_document_type()
    reader = _Reader()
    reader.read(_BARE_AMPERSAND.sub("&amp;", without_controls(text)).strip())
    return OpmlDocument(outlines=tuple(reader.outlines), without_feed=reader.without_feed)


class _Reader:
    """Takes the outlines out of a document as it streams by; no tree is built.

    Namespaces are read by hand: real lists use prefixes they never declare, and that would cost
    a strict reader the whole list.
    """

    def __init__(self) -> None:
        self.outlines: list[Outline] = []
        self.without_feed = 0
        self._depth = 0
        self._folders: list[str] = []  # of the elements that are open; "" for what is none
        self._seen_folders: set[str] = set()
        self._prefix = "clawfeed:"

    def read(self, text: str) -> None:
        parser = expat.ParserCreate("utf-8")  # whatever the document claims: these bytes are ours
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.StartDoctypeDeclHandler = _refuse_document_type
        try:
            parser.Parse(text.encode(), True)
        except expat.ExpatError as error:
            raise UnreadableError(
                f"the list is not well-formed XML (line {error.lineno})"
            ) from None

    def _start(self, tag: str, attributes: Mapping[str, str]) -> None:
        name = tag.rpartition(":")[2].lower()
        if not self._depth and name != "opml":
            raise UnreadableError("this is XML, but no OPML list")
        self._depth += 1
        if self._depth > DEEPEST_ELEMENT:
            raise UnreadableError("the list is nested too deeply")
        lower = self._lower_case(attributes)
        self._folders.append("")
        if name == "outline":
            self._take(lower)
        if len(self.outlines) > MOST_FEEDS:
            raise UnreadableError(f"the list has more than {MOST_FEEDS} feeds")

    def _take(self, attributes: Mapping[str, str]) -> None:
        if "xmlurl" in attributes or "clawfeed:type" in attributes:
            self.outlines.append(_outline(attributes, self._folder()))
        elif attributes.get("url") or attributes.get("htmlurl"):
            # A link, another list to include, a page. A folder has no address.
            self.without_feed += 1
        else:
            self._folders[-1] = _name(attributes).replace(INSIDE, INSIDE.strip())

    def _folder(self) -> str:
        folder = shorten(INSIDE.join(filter(None, self._folders)), LONGEST_NAME)
        self._seen_folders.add(folder)
        if len(self._seen_folders) > MOST_FOLDERS:
            raise UnreadableError(f"the list has more than {MOST_FOLDERS} folders")
        return folder

    def _end(self, _tag: str) -> None:
        self._depth -= 1
        self._folders.pop()

    def _lower_case(self, attributes: Mapping[str, str]) -> dict[str, str]:
        """The attributes by lower-case name: `xmlUrl`, `xmlurl` and `XMLURL` are all about."""
        found: dict[str, str] = {}
        for name, value in attributes.items():
            if name.startswith("xmlns:") and value == NAMESPACE:
                self._prefix = name.removeprefix("xmlns:") + ":"
        for name, value in attributes.items():
            own = name.removeprefix(self._prefix)
            key = name.rpartition(":")[2] if own == name else f"clawfeed:{own}"
            found.setdefault(key.lower(), value)
        return found


def _refuse_document_type(*_declaration: object) -> NoReturn:
    raise UnreadableError("the list declares a document type (DTD), and those are refused")


def _name(attributes: Mapping[str, str]) -> str:
    names = (attributes.get("title"), attributes.get("text"))
    return next(filter(None, (clean_text(name, LONGEST_NAME) for name in names)), "")


def _outline(attributes: Mapping[str, str], folder: str) -> Outline:
    address = (attributes.get("xmlurl") or "").strip()
    kind = attributes.get("clawfeed:type", "")
    page = (attributes.get("htmlurl") or "").strip()
    return Outline(
        name=_name(attributes),
        folder=folder,
        address=_web_scheme(address)[:LONGEST_ADDRESS],
        page=_web_scheme(page)[:LONGEST_ADDRESS],
        type=kind[:LONGEST_NAME],
        config=attributes.get("clawfeed:config", ""),
        is_private=attributes.get("clawfeed:private") == "true",
    )


def _web_scheme(address: str) -> str:
    """`feed:https://…` and `feed://…` as some readers write them, as what they mean."""
    found = _FEED_SCHEME.match(address)
    if not found:
        return address
    rest = address[found.end() :]
    return f"http:{rest}" if rest.startswith("//") else rest

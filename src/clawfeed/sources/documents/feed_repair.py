"""A malformed feed made well-formed, as far as its bytes tell what was meant.

All of it is linear in the document: hostile ones are read here, too.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import Final

from clawfeed.sources.documents.feed_decoding import mend_references

# An element of text in which tags may stand that nobody closed, or that was not closed itself;
# `media:content` holds elements.
_MARKED = re.compile(
    rb"<!--|<!\[CDATA\[|<((?:(?:atom|dc|itunes|content):)?(?:title|description|summary|encoded"
    rb"|subtitle)|content|fullitem|body|media:description|media:title|link|guid|id|pubDate|category"
    rb"|comments|published|updated|enclosure|atom:link|itunes:image|media:thumbnail)"
    rb"(?:\s[^<>]*)?(?<!/)>"
)
_ENDS: Final = {b"<!--": b"-->", b"<![CDATA[": b"]]>"}
# What XML forbids and UTF-8 does not.
_NO_CHARACTERS: Final = ("\ufffe".encode(), "\uffff".encode())
# What holds everything up to its end: without one, the rest of the document.
_SECTIONS: Final = (
    (b"<![CDATA[", b"]]>", b""),
    (b"<!--", b"-->", b"&lt;!--"),
    (b"<?", b"?>", b"&lt;?"),
)
# Past these no text goes on: where an item begins or ends; if need be, at its next element.
_SKIPPED: Final = rb"<!\[CDATA\[.*?\]\]>|<!--.*?-->"
_WALL = re.compile(
    _SKIPPED + rb"|(</?(?:[\w.-]{1,20}:)?(?:item|entry)[\s>])", re.DOTALL | re.IGNORECASE
)
_FIELD = re.compile(
    _SKIPPED + rb"|(<(?:(?:dc|dcterms|content|itunes|media|atom|slash|wfw):\w|(?:title|link|guid|id"
    rb"|description|summary|content|pubdate|published|updated|issued|modified|author|category"
    rb"|comments|source|enclosure)[\s/>]))",
    re.DOTALL | re.IGNORECASE,
)

# "<guid isPermaLink=true>"; one with quotes in it may hold "=" as text.
_UNQUOTED_TAG = re.compile(rb"<[A-Za-z][^<>\"'=]*=[^<>\"']*>")
_UNQUOTED = re.compile(rb"(\s[\w:.-]{1,40}=)([^\s>]+)")


def escape_markup(document: bytes) -> bytes:
    """A malformed document with the markup inside its titles and texts made text.

    "<description>one<br>two</description>" loses every item after it to a parser of XML, and so
    does a title, a comment or a CDATA section without end.
    """
    document = _well_formed_bytes(document)
    walls = [found.start() for found in _WALL.finditer(document) if found[1]] + [len(document)]
    parts: list[bytes] = []
    absent: dict[bytes, int] = {}  # up to where an end does not come: nobody looks for it twice
    done = place = 0
    while found := _MARKED.search(document, place):
        place, name = found.end(), found[1]
        if not name:
            place = max(place, document.find(_ENDS[found[0]], place))
            continue
        wall = walls[bisect_left(walls, place)]
        end = -1
        if place >= absent.get(name, 0):
            end = _end_of(document, place, wall, b"</" + name)
        parts += [document[done:place]]
        if end < 0:
            absent[name] = wall
            end = _next_field(document, place, wall)
            parts += [_escaped(document[place:end]), b"</" + name + b">"]
        else:
            parts += [_escaped(document[place:end])]
        done = place = end
    return b"".join((*parts, document[done:]))


def _well_formed_bytes(document: bytes) -> bytes:
    """Without forbidden characters and sections that never end, with quotes around values."""
    for character in _NO_CHARACTERS:
        document = document.replace(character, b"")
    # What was CDATA may be markup now, with references of its own.
    document = mend_references(_without_unclosed_sections(document))
    return _UNQUOTED_TAG.sub(_quoted, document)


def _without_unclosed_sections(document: bytes) -> bytes:
    """The document without the beginning of a section that the next one meets before its end."""
    for opening, closing, instead in _SECTIONS:
        head, *sections = document.split(opening)
        kept = [(opening if closing in each else instead) + each for each in sections]
        document = b"".join((head, *kept))
    return document


def _quoted(tag: re.Match[bytes]) -> bytes:
    return _UNQUOTED.sub(rb'\1"\2"', tag[0])


def _end_of(document: bytes, place: int, wall: int, end_mark: bytes) -> int:
    """Where the next *end_mark* before *wall* begins that is not inside CDATA; -1 if none does."""
    end = document.find(end_mark, place, wall)
    data = document.find(b"<![CDATA[", place, max(end, place))
    while 0 <= data < end:
        after = document.find(b"]]>", data)
        if after < 0:
            return -1
        end = document.find(end_mark, max(after, end) if after > end else end, wall)
        data = document.find(b"<![CDATA[", after, max(end, after))
    return end


def _next_field(document: bytes, place: int, wall: int) -> int:
    """Where the next element of an item begins, *wall* at last."""
    starts = (each.start() for each in _FIELD.finditer(document, place, wall) if each[1])
    return next(starts, wall)


def _escaped(markup: bytes) -> bytes:
    """Markup as text, CDATA as it is; a text without elements stays."""
    head, *sections = markup.split(b"<![CDATA[")
    pieces = [section.partition(b"]]>") for section in sections]
    if b"<" not in head and not any(b"<" in rest for _, _, rest in pieces):
        return markup
    escaped = [_as_text(head)]
    for data, end, rest in pieces:
        escaped += [b"<![CDATA[", data, end, _as_text(rest)]
    return b"".join(escaped)


def _as_text(markup: bytes) -> bytes:
    return markup.replace(b"&", b"&amp;").replace(b"<", b"&lt;")


_GIANT_TAG = re.compile(rb"<[A-Za-z][^<>]{8192}")


def has_giant_tag(document: bytes) -> bool:
    """Whether a tag holds more than any generator writes.

    feedparser compares each attribute of a tag with all others: 50,000 of them take it 16 s.
    """
    return _GIANT_TAG.search(document) is not None


def count_items(document: bytes) -> int:
    """How many items begin in the document, outside of comments and CDATA."""
    document = _without_unclosed_sections(document)
    return sum(1 for found in _WALL.finditer(document) if found[1] and found[1][1:2] != b"/")

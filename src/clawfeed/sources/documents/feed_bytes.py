"""A feed's bytes before any parser sees them: what they are, in UTF-8, with mended references."""

from __future__ import annotations

import re
from typing import Final

from clawfeed.domain.html_entities import unescape
from clawfeed.sources.documents.errors import UnreadableError
from clawfeed.sources.documents.text import charset_of, clean_url, to_utf8

_CONTROLS: Final = bytes(c for c in range(32) if c not in {9, 10, 13})
_DECLARED = re.compile(rb"<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([\w.:-]{1,40})")
# The start of the first element, and what may stand before it. Read within the first 8 KB only,
# where "<!--" without end cannot cost much.
HEAD: Final = 8192
_PROLOG = re.compile(
    rb"<!--.*?-->|<\?.*?\?>|<(?:[\w.-]+:)?([A-Za-z_][\w.-]*)|(<!DOCTYPE\b)",
    re.DOTALL | re.IGNORECASE,
)
_FEED_START = re.compile(rb"<(?:[\w.-]+:)?(rss|feed|rdf|channel)[\s>]", re.IGNORECASE)
_FEED_ROOTS: Final = frozenset({b"rss", b"feed", b"rdf", b"channel"})


def as_utf8(body: bytes, content_type: str) -> bytes:
    """The body in UTF-8, without byte order mark, leading space and controls that XML forbids."""
    found = _DECLARED.search(body[:1024])
    declared = found[1].decode() if found else None
    text = to_utf8(body, (declared, charset_of(content_type)))
    clean = text.translate(None, _CONTROLS).lstrip()
    if not clean:
        raise UnreadableError("the document is empty")
    return clean


def feed_root(text: bytes) -> tuple[bytes, bytes, bool]:
    """The root's name, the document from there on, and whether it brings entities of its own.

    Declarations, comments and a plain DOCTYPE before the root are left out: nobody needs them, and
    an external DTD is never loaded. Warnings some servers print before their feed go the same way.
    """
    doctype = -1
    name, start = b"", len(text)
    for token in _PROLOG.finditer(text[:HEAD]):
        if token[2]:
            doctype = token.start()
        elif token[1]:
            name, start = token[1].lower(), token.start()
            break
    # Some send "<!DOCTYPE html>" before their <rss>.
    is_page = text[doctype : doctype + 14].lower() == b"<!doctype html"
    if name == b"html" or (is_page and name not in _FEED_ROOTS):
        raise UnreadableError("this is a web page, not a feed")
    if name not in _FEED_ROOTS:
        found = _FEED_START.search(text, 0, len(text) if not name else HEAD)
        if not found:
            raise UnreadableError("this is not a feed")
        name, start = found[1].lower(), found.start()
    if doctype >= 0 and b"[" in text[doctype:start]:
        return name, text[doctype:], True
    return name, text[start:], False


# A reference that XML may not know, or an "&" that begins none. The common good ones are told here,
# the rest by `_mend`.
_BAD_REFERENCE = re.compile(
    rb"&(?!amp;|lt;|gt;|quot;|apos;|#0?3[2-9];|#[4-9]\d;|#(?:1[6-9]|[2-9]\d)\d;|#[1-9]\d{3};"
    rb"|#x(?:[2-7a-fA-F][0-9a-fA-F]|[1-9a-cA-C][0-9a-fA-F]{3});)(?:(#?\w{1,31});)?"
)


def mend_references(document: bytes) -> bytes:
    """The document with every reference outside CDATA as one XML knows, or as the text it is.

    "&eacute;" becomes a number, "AT&T" gets its "&amp;", "&#0;" goes. One left as it is makes the
    fast parser lose the rest of its element.
    """
    if not _BAD_REFERENCE.search(document):
        return document
    head, *sections = document.split(b"<![CDATA[")
    mended = [_BAD_REFERENCE.sub(_mend, head)]
    for section in sections:
        data, end, rest = section.partition(b"]]>")
        mended += [b"<![CDATA[", data, end, _BAD_REFERENCE.sub(_mend, rest)]
    return b"".join(mended)


def _mend(match: re.Match[bytes]) -> bytes:
    reference = match[0].decode("utf-8", "replace")
    known = unescape(reference)
    if known == reference:
        return b"&amp;" + match[0][1:]
    return "".join(f"&#{ord(char)};" for char in known).encode()


# A text element in which tags may stand that nobody closed; `media:content` holds elements.
_MARKED = re.compile(
    rb"<!--|<!\[CDATA\[|<((?:(?:atom|dc|itunes|content):)?(?:title|description|summary|encoded"
    rb"|subtitle)|content|fullitem|body|media:description|media:title)(?:\s[^<>]*)?(?<!/)>"
)
_ENDS: Final = {b"<!--": b"-->", b"<![CDATA[": b"]]>"}
# What XML forbids and UTF-8 does not.
_NO_CHARACTERS: Final = ("\ufffe".encode(), "\uffff".encode())


# "<guid isPermaLink=true>"; one with quotes in it may hold "=" as text.
_UNQUOTED_TAG = re.compile(rb"<[A-Za-z][^<>\"'=]*=[^<>\"']*>")
_UNQUOTED = re.compile(rb"(\s[\w:.-]{1,40}=)([^\s>]+)")


def _quoted(tag: re.Match[bytes]) -> bytes:
    return _UNQUOTED.sub(rb'\1"\2"', tag[0])


def escape_markup(document: bytes) -> bytes:
    """A malformed document with the markup inside its titles and texts made text.

    "<description>one<br>two</description>" loses every item after it to a parser of XML.
    """
    for character in _NO_CHARACTERS:
        document = document.replace(character, b"")
    document = _UNQUOTED_TAG.sub(_quoted, document)
    parts: list[bytes] = []
    missing: set[bytes] = set()  # ends that do not come again: nobody looks for them twice
    done = place = 0
    while found := _MARKED.search(document, place):
        place = found.end()
        end_mark = _ENDS.get(found[0]) or b"</" + found[1]
        if end_mark in missing:
            continue
        end = _end_of(document, place, end_mark)
        if end < 0:
            missing.add(end_mark)
        elif found[1]:
            parts += [document[done:place], _escaped(document[place:end])]
            done = place = end
        else:
            place = end
    return b"".join((*parts, document[done:]))


def _end_of(document: bytes, place: int, end_mark: bytes) -> int:
    """Where the next *end_mark* begins that is not inside CDATA."""
    end = document.find(end_mark, place)
    data = document.find(b"<![CDATA[", place, max(end, place))
    while 0 <= data < end:
        after = document.find(b"]]>", data)
        if after < 0:
            return -1
        end = document.find(end_mark, max(after, end) if after > end else end)
        data = document.find(b"<![CDATA[", after, max(end, after))
    return end


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


_START = re.compile(rb"<!--|<!\[CDATA\[|<(?:[\w.-]{1,20}:)?(?:item|entry)[\s>]")


def count_items(document: bytes) -> int:
    """How many items begin in the document, outside of comments and CDATA."""
    count = place = 0
    while found := _START.search(document, place):
        place = found.end()
        if end_mark := _ENDS.get(found[0]):
            end = document.find(end_mark, place)
            if end < 0:
                break
            place = end
        else:
            count += 1
    return count


_BASE = re.compile(rb"""\sxml:base\s*=\s*["']([^"'<>]{1,2048})["']""")


def declared_base(document: bytes, base_url: str) -> str:
    """What relative links are read against: the root's `xml:base` if it is http(s), or our URL."""
    found = _BASE.search(document[: document.find(b">") + 1])
    return (clean_url(base_url, found[1].decode()) if found else None) or base_url

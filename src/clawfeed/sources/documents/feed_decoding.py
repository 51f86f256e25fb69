"""A feed's bytes before any parser sees them: what they are, in UTF-8, with mended references."""

from __future__ import annotations

import re
from typing import Final

from clawfeed.domain.html_entities import unescape
from clawfeed.sources.documents.errors import UnreadableError
from clawfeed.sources.documents.text_cleaning import charset_of, clean_url, to_utf8

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
# Any but those that are known to be the same character everywhere.
_ODD_NUMBER = re.compile(
    rb"&#(?!(?:9|1[03]|0?3[2-9]|0?[4-9]\d|1[01]\d|12[0-6]|(?:1[6-9]|[2-9]\d)\d|[1-9]\d{3}"
    rb"|12[6-9]\d{3}"
    rb"|x(?:0?[9aAdD]|[2-6][0-9a-fA-F]|[a-fA-F][0-9a-fA-F]|[1-9a-cA-CeE][0-9a-fA-F]{3}"
    rb"|[fF][0-9a-cA-CeE][0-9a-fA-F]{2}|1[fF][0-9a-eA-E][0-9a-fA-F]{2}));)"
)


def has_odd_numbers(document: bytes) -> bool:
    """Whether a number may mean something else to XML than to HTML: "&#146;" is an apostrophe.

    Any other reference that `mend_references` would change makes the document malformed.
    """
    return _ODD_NUMBER.search(document) is not None


def mend_references(document: bytes) -> bytes:
    """The document with every reference outside CDATA as one XML knows, or as the text it is.

    "&eacute;" becomes a number, "AT&T" gets its "&amp;", "&#0;" goes. One left as it is makes the
    whole document malformed.
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


_BASE = re.compile(rb"""\sxml:base\s*=\s*["']([^"'<>]{1,2048})["']""")


def declared_base(document: bytes, base_url: str) -> str:
    """What relative links are read against: the root's `xml:base` if it is http(s), or our URL."""
    found = _BASE.search(document[: document.find(b">") + 1])
    return (clean_url(base_url, found[1].decode()) if found else None) or base_url

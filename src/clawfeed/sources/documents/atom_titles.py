"""Which titles of an Atom feed are HTML and which plain text, where the fast parser does not say.

"List<String>" is a title in plain text (RFC 4287, 3.1.1.1: also without a `type`), and in HTML one
that has lost a word.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_MARKUP = re.compile(r"[<&][^ ]")
_HTML = re.compile(rb"""\btype\s*=\s*["'][^"']*html""", re.IGNORECASE)


def note_title_types(raw: Mapping[str, Any], document: bytes) -> None:
    """Write into *raw*, feed and entries, what *document* says: `title_detail`, as feedparser does.

    Read only if there is a title to which it matters. Where the entries cannot be told this way,
    all titles count as HTML.
    """
    owners = [raw["feed"], *raw["entries"]]
    if not any(_MARKUP.search(owner.get("title") or "") for owner in owners):
        return
    types = title_types(document)
    if len(types) != len(owners):
        types = ["text/html"] * len(owners)
    for owner, kind in zip(owners, types, strict=True):
        owner["title_detail"] = {"type": kind}


def title_types(document: bytes) -> list[str]:
    """The type of the feed's own title, then of each entry's: "text/html" or "text/plain"."""
    return [_title_type(part) for part in _without_data(document).split(b"<entry")]


def _title_type(part: bytes) -> str:
    """The type of the title in *part*; one of the feed an entry was taken from does not count."""
    start = part.find(b"<title")
    if (source := part.find(b"<source", 0, max(start, 0))) >= 0:
        start = part.find(b"<title", part.find(b"</source", source))
    tag = part[start : part.find(b">", start)]
    return "text/html" if _HTML.search(tag) else "text/plain"


def _without_data(document: bytes) -> bytes:
    """The document without its CDATA sections, in which tags are text."""
    head, *sections = document.split(b"<![CDATA[")
    return b"".join((head, *(section.partition(b"]]>")[2] for section in sections)))

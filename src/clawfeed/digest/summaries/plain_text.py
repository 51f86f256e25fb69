"""An item's HTML as plain text that can be read in sentences: one line for each paragraph."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from clawfeed.sources.documents.text_cleaning import clean_text, shorten

# What is looked at, before and after its tags are gone: leads are at the beginning.
_LONGEST_HTML: Final = 40_000
LONGEST_TEXT: Final = 4_000
# Not read aloud: code, tables, captions, headings, notes. `[^<>]` keeps "<a<a<a" linear.
_SKIPPED: Final = "pre|table|figcaption|figure|h[1-6]|script|style|dl"
_SKIPPED_TAG = re.compile(rf"<(/?)({_SKIPPED})\b[^<>]*>", re.IGNORECASE)
_BLOCK = re.compile(
    r"</?(?:p|div|li|ul|ol|blockquote|br|hr|details|summary|section|article|tr)\b[^<>]*>",
    re.IGNORECASE,
)
# "said so<sup><a>1</a></sup>" points to a note; "10<sup>4</sup>" says something.
_NOTE = re.compile(
    r"<sup\b[^<>]*>\s?(?:<a\b[^<>]*>[^<>]{0,20}</a>|\[[^<>]{0,10}\])\s?</sup>", re.IGNORECASE
)
# A line that a plain text was wrapped at, not a paragraph.
_WRAPPED = re.compile(r"(?<=[\w,;]) ?\r?\n(?=[a-z(])")
_HTML = re.compile(r"</?[a-zA-Z][^<>]*>")


def plain_text(html: str, limit: int = LONGEST_TEXT) -> str:
    """The paragraphs of *html*, or of plain text, each on a line of its own.

    Without headings, code, tables and captions. HTML that was escaped twice is read all the same.
    """
    text = html[:_LONGEST_HTML]
    if "<" not in text and "&lt;" in text:
        text = text.replace("&lt;", "<").replace("&gt;", ">")
    if _HTML.search(text):
        # Lines within a paragraph are how its author's editor wrapped it.
        text = _BLOCK.sub("\n", " ".join(_without_skipped(_NOTE.sub("", text)).split()))
    else:
        text = _WRAPPED.sub(" ", text)
    lines = (clean_text(line, limit) for line in text.splitlines())
    return shorten_lines([line for line in lines if line], limit)


def shorten_lines(lines: Iterable[str], limit: int) -> str:
    """The first of *lines* that fit into *limit* characters, and the beginning of the next."""
    kept: list[str] = []
    for line in lines:
        if limit < 2:
            break
        kept.append(shorten(line, limit))
        limit -= len(line) + 1
    return "\n".join(kept)


def _without_skipped(html: str) -> str:
    """All but what stands inside skipped elements; one that is not closed ends with the text."""
    kept: list[str] = []
    depth, start = 0, 0
    for tag in _SKIPPED_TAG.finditer(html):
        if not depth:
            kept.append(html[start : tag.start()])
        depth = max(0, depth - 1) if tag[1] else depth + 1
        start = tag.end()
    if not depth:
        kept.append(html[start:])
    return " <br> ".join(kept) if len(kept) > 1 else "".join(kept)

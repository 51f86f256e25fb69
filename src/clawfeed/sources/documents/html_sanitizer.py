"""Strangers' HTML made safe to show (T9, T10): an allow-list, and links that leave our house."""

from __future__ import annotations

import html
import re
from typing import Final

from clawfeed.domain.html_entities import unescape
from clawfeed.sources.documents.text_cleaning import without_controls

LONGEST_HTML: Final = 256 * 1024
# Links made absolute against a long base may blow a text up a hundredfold.
LONGEST_RESULT: Final = 2 * LONGEST_HTML

_MARKUP = re.compile(r"<[/!?]?[a-zA-Z][^<>]*>")


def sanitize_html(markup: str, base_url: str) -> str:
    """An HTML fragment of allowed tags only, every link absolute http(s) or mailto.

    Text without "<" comes back as it is: it is already HTML without tags. What grows too long loses
    its markup, never its safety. Elements nest 512 deep at most, as in browsers: the parser puts
    deeper ones beside each other. CPU-bound: call it in a parse worker.
    """
    if "<" not in markup:
        return without_controls(markup[:LONGEST_HTML])
    # Loaded where it is needed: only parse processes ever come here.
    from clawfeed.sources.documents.html_allowlist import parse_and_clean

    markup = markup[:LONGEST_HTML]
    try:
        result = parse_and_clean(markup, base_url)
    except UnicodeError:  # half a character, in the name of a tag or an attribute
        result = parse_and_clean(without_controls(markup), base_url)
    return without_controls(result) if len(result) <= LONGEST_RESULT else words_only(markup)


def escape_text(text: str) -> str:
    """Plain text as the HTML that shows it."""
    return without_controls(html.escape(text[:LONGEST_HTML], quote=False))


def words_only(markup: str, limit: int = LONGEST_HTML) -> str:
    """The words alone, as HTML; *limit* characters at most, as people count them."""
    return escape_text(unescape(_MARKUP.sub(" ", markup)).strip()[:limit])

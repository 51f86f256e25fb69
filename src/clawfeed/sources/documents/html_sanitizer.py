"""Strangers' HTML made safe to show (T9, T10): an allow-list, and links that leave our house."""

from __future__ import annotations

import html
import re
from collections import Counter
from typing import Final

from clawfeed.domain.html_entities import unescape
from clawfeed.sources.documents.text_cleaning import without_controls

LONGEST_HTML: Final = 256 * 1024
# Links made absolute against a long base may blow a text up a hundredfold.
LONGEST_RESULT: Final = 2 * LONGEST_HTML

# Formatting that is left open is opened again in every block that follows: n of each are n * n
# elements. Below so many tags these are no more than a million, 40 MB and a tenth of a second.
_FEW_TAGS: Final = 2048
_SHORTEST_TAG: Final = len("<b>")
_MOST_ELEMENTS: Final = 1_000_000
_FORMATTING = re.compile(
    r"<(/?)(a|b|big|code|em|font|i|nobr|s|small|strike|strong|tt|u)(?=[\s/>])", re.IGNORECASE
)
_MARKUP = re.compile(r"<[/!?]?[a-zA-Z][^<>]*>")


def sanitize_html(markup: str, base_url: str) -> str:
    """An HTML fragment of allowed tags only, every link absolute http(s) or mailto.

    Text without "<" comes back as it is: it is already HTML without tags. What grows too long or
    takes too much memory loses its markup, never its safety. Elements nest 512 deep at most, as in
    browsers: the parser puts deeper ones beside each other. CPU-bound: call it in a parse worker.
    """
    if "<" not in markup:
        return without_controls(markup[:LONGEST_HTML])
    markup = markup[:LONGEST_HTML]
    if _grows_by_squares(markup):
        return words_only(markup)
    try:
        result = _parsed(markup, base_url)
    except MemoryError:  # whoever counts tags can be fooled; the process's limit cannot
        return words_only(markup)
    return without_controls(result) if len(result) <= LONGEST_RESULT else words_only(markup)


def _parsed(markup: str, base_url: str) -> str:
    # Loaded where it is needed: only parse processes ever come here.
    from clawfeed.sources.documents.html_allowlist import parse_and_clean

    try:
        return parse_and_clean(markup, base_url)
    except UnicodeError:  # half a character, in the name of a tag or an attribute
        return parse_and_clean(without_controls(markup), base_url)


def _grows_by_squares(markup: str) -> bool:
    """Whether formatting left open would be opened again too often."""
    # Counting takes 0.03 ms a feed, and most of its texts are shorter than so many tags.
    if len(markup) <= _SHORTEST_TAG * _FEW_TAGS:
        return False
    tags = markup.count("<")
    if tags <= _FEW_TAGS:
        return False
    still_open: Counter[str] = Counter()
    opened = most = 0
    for end, name in _FORMATTING.findall(markup):
        tag = name.lower()
        if not end:
            still_open[tag] += 1
            opened += 1
            most = max(most, opened)
        elif still_open[tag]:
            still_open[tag] -= 1
            opened -= 1
    return most * tags > _MOST_ELEMENTS


def escape_text(text: str) -> str:
    """Plain text as the HTML that shows it."""
    return without_controls(html.escape(text[:LONGEST_HTML], quote=False))


def words_only(markup: str, limit: int = LONGEST_HTML) -> str:
    """The words alone, as HTML; *limit* characters at most, as people count them."""
    return escape_text(unescape(_MARKUP.sub(" ", markup)).strip()[:limit])

"""Strangers' HTML made safe to show (T9, T10): an allow-list, and links that leave our house."""

from __future__ import annotations

import html
import re
from collections import Counter
from typing import Final

from clawfeed.domain.html_entities import unescape
from clawfeed.sources.documents.text_cleaning import without_controls

LONGEST_HTML: Final = 256 * 1024
# Browsers nest no deeper, and whoever walks a stored text may recurse. Long articles have 256 start
# tags, few have 512: below that nobody need look how they nest.
DEEPEST_HTML: Final = 512
# Links made absolute against a long base may blow a text up a hundredfold.
LONGEST_RESULT: Final = 2 * LONGEST_HTML

# `br` and friends never hold anything; `p`, `li` and cells close each other.
_FLAT: Final = frozenset(
    {
        "area", "br", "col", "dd", "dt", "hr", "img", "input", "li", "link", "meta", "option",
        "p", "source", "td", "th", "tr", "wbr"
    }
)  # fmt: skip
_TAG = re.compile(r"<(/?)([a-zA-Z][^\s/>]*)")
# An element without elements in it.
_LEAF = re.compile(r"<([a-z]++[1-6]?)(?:\s[^<>]*+)?+>[^<]*+</\1>")
_MARKUP = re.compile(r"<[/!?]?[a-zA-Z][^<>]*>")


def sanitise_html(markup: str, base_url: str) -> str:
    """An HTML fragment of allowed tags only, every link absolute http(s) or mailto.

    Text without "<" comes back as it is: it is already HTML without tags. What is nested too deeply
    or grows too long loses its markup, never its safety. CPU-bound: call it in a parse worker.
    """
    if "<" not in markup:
        return without_controls(markup[:LONGEST_HTML])
    # Loaded where it is needed: only parse processes ever come here.
    from clawfeed.sources.documents.html_allowlist import parse_and_clean

    markup = markup[:LONGEST_HTML]
    if _is_deep(markup):
        return words_only(markup)
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


def _is_deep(markup: str) -> bool:
    """Whether elements may nest beyond the limit.

    Counts start tags not yet ended, by name; a text made to fool the count still meets the
    worker's own limits.
    """
    # Half of all elements hold text alone. Taken away in one go, they leave a twentieth of the long
    # texts to be looked at tag by tag: 0.08 ms a real feed instead of 0.13.
    if _start_tags(markup) <= DEEPEST_HTML or _start_tags(_LEAF.sub("", markup)) < DEEPEST_HTML:
        return False
    still_open: Counter[str] = Counter()
    depth = 0
    for end, name in _TAG.findall(markup):
        tag = name.lower()
        if tag in _FLAT:
            continue
        if not end:
            still_open[tag] += 1
            depth += 1
        elif still_open[tag]:
            still_open[tag] -= 1
            depth -= 1
        if depth > DEEPEST_HTML:
            return True
    return False


def _start_tags(markup: str) -> int:
    """How many there are at most."""
    tags = markup.count("<")
    return tags if tags <= DEEPEST_HTML else tags - markup.count("</")

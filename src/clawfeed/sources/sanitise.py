"""Strangers' HTML made safe to show (T9, T10): an allow-list, and links that leave our house."""

from __future__ import annotations

import html
import re
import threading
from collections import Counter
from typing import Final

import nh3

from clawfeed.sources.text import clean_url, without_controls

# nh3 needs 0.9 s for 10,000 nested <div> and over a minute for 100,000; no article comes near.
LONGEST_HTML: Final = 256 * 1024
DEEPEST_HTML: Final = 256
# Links made absolute against a long base may blow a text up a hundredfold.
LONGEST_RESULT: Final = 2 * LONGEST_HTML

# `br` and friends never hold anything; `p`, `li` and cells close each other.
_FLAT: Final = frozenset(
    {
        "area", "br", "col", "dd", "dt", "hr", "img", "input", "li", "link", "meta", "option",
        "p", "source", "td", "th", "tr", "wbr"
    }
)  # fmt: skip
_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)")
_MARKUP = re.compile(r"<[/!?]?[a-zA-Z][^<>]*>")

ALLOWED_TAGS: Final = frozenset(
    {
        "a", "abbr", "b", "blockquote", "br", "caption", "cite", "code", "col", "colgroup",
        "dd", "del", "details", "dfn", "div", "dl", "dt", "em", "figcaption", "figure", "h1",
        "h2", "h3", "h4", "h5", "h6", "hr", "i", "img", "ins", "kbd", "li", "mark", "ol", "p",
        "pre", "q", "rp", "rt", "ruby", "s", "samp", "small", "span", "strong", "sub",
        "summary", "sup", "table", "tbody", "td", "tfoot", "th", "thead", "time", "tr", "u",
        "ul", "var", "wbr"
    }
)  # fmt: skip
# No id, name, class or style: they reach into the page around the text.
ALLOWED_ATTRIBUTES: Final = {
    "*": {"lang", "dir"},
    "a": {"href", "title"},
    "abbr": {"title"},
    "blockquote": {"cite"},
    "img": {"src", "alt", "title", "width", "height"},
    "ol": {"start"},
    "q": {"cite"},
    "td": {"colspan", "rowspan"},
    "th": {"colspan", "rowspan", "scope"},
    "time": {"datetime"},
}
_LINKS: Final = frozenset({"href", "src", "cite"})
_NUMBERS: Final = frozenset({"width", "height", "start", "colspan", "rowspan"})
_NUMBER = re.compile(r"[0-9]{1,5}")
_CLOSED: Final = {
    "script",
    "style",
    "svg",
    "math",
    "template",
    "iframe",
    "object",
    "textarea",
    "title",
}


class _Base(threading.local):
    """The address relative links of the text at hand are read against.

    One cleaner serves all texts: building one per item would cost 13 µs each, and a base per item.
    """

    url = ""


_base = _Base()


def _keep_attribute(tag: str, name: str, value: str) -> str | None:
    """What becomes of one allowed attribute; None drops it."""
    if name in _LINKS:
        mail = value.lstrip()[:7].lower() == "mailto:" and tag == "a"
        return _mail_link(value) if mail else clean_url(_base.url, value)
    if name in _NUMBERS:
        return value if _NUMBER.fullmatch(value) else None
    return value


def _mail_link(value: str) -> str | None:
    """The address alone: a query could fill in a subject, a body and a blind copy."""
    address = value.strip()[7:].partition("?")[0]
    return f"mailto:{address}" if address.isascii() and address.isprintable() else None


_cleaner = nh3.Cleaner(
    tags=set(ALLOWED_TAGS),
    clean_content_tags=_CLOSED,
    attributes=ALLOWED_ATTRIBUTES,
    attribute_filter=_keep_attribute,
    url_schemes={"http", "https", "mailto"},
    link_rel="noopener noreferrer nofollow",
)


def sanitise_html(markup: str, base_url: str) -> str:
    """An HTML fragment of allowed tags only, every link absolute http(s) or mailto.

    Text without "<" comes back as it is: it is already HTML without tags. What is nested too deeply
    or grows too long loses its markup, never its safety. CPU-bound: call it in a parse worker.
    """
    if "<" not in markup:
        return without_controls(markup[:LONGEST_HTML])
    markup = markup[:LONGEST_HTML]
    if _is_deep(markup):
        return _without_markup(markup)
    _base.url = base_url
    result = _cleaner.clean(markup)
    return without_controls(result) if len(result) <= LONGEST_RESULT else _without_markup(markup)


def escape_text(text: str) -> str:
    """Plain text as the HTML that shows it."""
    return without_controls(html.escape(text[:LONGEST_HTML], quote=False))


def _without_markup(markup: str) -> str:
    """The words alone, as HTML."""
    return escape_text(html.unescape(_MARKUP.sub(" ", markup)).strip())


def _is_deep(markup: str) -> bool:
    """Whether elements may nest beyond the limit.

    Counts start tags not yet ended, by name; a text made to fool the count still meets the
    worker's own limits.
    """
    if markup.count("<") <= DEEPEST_HTML:
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

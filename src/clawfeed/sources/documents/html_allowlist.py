"""What may stay of strangers' HTML (T9, T10): an allow-list, and a parser that keeps nothing else.

`sanitize` is the door to this: it bounds what comes here.
"""

from __future__ import annotations

import re
import threading
from typing import Final

import nh3

from clawfeed.sources.documents.text import clean_url

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
LINKS: Final = frozenset({"href", "src", "cite"})
LINK_REL: Final = "noopener noreferrer nofollow"
NUMBERS: Final = frozenset({"width", "height", "start", "colspan", "rowspan"})
_JUDGED: Final = LINKS | NUMBERS
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
    if name not in _JUDGED:
        return value
    if name in NUMBERS:
        return value if _NUMBER.fullmatch(value) else None
    if tag == "a" and not value.startswith("http") and value.lstrip()[:7].lower() == "mailto:":
        return _mail_link(value)
    return clean_url(_base.url, value)


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
    link_rel=LINK_REL,
)


def parse_and_clean(markup: str, base_url: str) -> str:
    """The fragment as a browser would read it, without all that is not allowed."""
    _base.url = base_url
    return _cleaner.clean(markup)

"""What may stay of strangers' HTML (T9, T10): an allow-list, and a parser that keeps nothing else.

`html_sanitizer` is the door to this: it bounds what comes here.
"""

from __future__ import annotations

import re
import threading
from typing import Final

from turbohtml.clean import OnDisallowed, Policy, Sanitizer

from clawfeed.sources.documents.text_cleaning import clean_url

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
    "*": frozenset({"lang", "dir"}),
    "a": frozenset({"href", "title"}),
    "abbr": frozenset({"title"}),
    "blockquote": frozenset({"cite"}),
    "img": frozenset({"src", "alt", "title", "width", "height"}),
    "ol": frozenset({"start"}),
    "q": frozenset({"cite"}),
    "td": frozenset({"colspan", "rowspan"}),
    "th": frozenset({"colspan", "rowspan", "scope"}),
    "time": frozenset({"datetime"}),
}
LINKS: Final = frozenset({"href", "src", "cite"})
LINK_REL: Final = "noopener noreferrer nofollow"
NUMBERS: Final = frozenset({"width", "height", "start", "colspan", "rowspan"})
_JUDGED: Final = LINKS | NUMBERS
_NUMBER = re.compile(r"[0-9]{1,5}")
# What goes with all it holds; of any other tag that is not allowed, the words stay.
_CLOSED: Final = frozenset(
    {"iframe", "math", "object", "script", "style", "svg", "template", "textarea", "title"}
)


class _Base(threading.local):
    """The address relative links of the text at hand are read against.

    One sanitizer serves all texts: its filter learns here which one it looks at.
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


_sanitizer = Sanitizer(
    Policy(
        tags=ALLOWED_TAGS,
        attributes=ALLOWED_ATTRIBUTES,
        url_schemes=frozenset({"http", "https", "mailto"}),
        on_disallowed_tag=OnDisallowed.STRIP,
        remove_with_content=_CLOSED,
        attribute_filter=_keep_attribute,
        set_attributes={"a": {"rel": LINK_REL}},
        allow_svg=False,
        allow_mathml=False,
    )
)


def parse_and_clean(markup: str, base_url: str) -> str:
    """The fragment as a browser would read it, without all that is not allowed."""
    _base.url = base_url
    return _sanitizer.sanitize(markup)

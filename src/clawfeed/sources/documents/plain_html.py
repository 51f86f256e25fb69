"""HTML written so plainly that it needs no parser to be made safe: most of what feeds carry.

A fragment is plain if it is text and tags of `_ELEMENTS`, each tag written in the one form of
`_TAG`, nested so that no rule of HTML's tree construction closes, opens or moves an element by
itself. Then the tree is what the tags say, and each can be rewritten where it stands, at a third of
the price of parsing. What becomes of a tag or a reference is the parser's own answer, remembered
(`allowed_html`); only the most usual links are written here. Whatever else there is, is not plain,
and left to the parser as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from clawfeed.sources.documents.html_allowlist import (
    ALLOWED_ATTRIBUTES,
    LINK_REL,
    LINKS,
    NUMBERS,
    parse_and_clean,
)
from clawfeed.sources.documents.text import is_plain_url

# No article comes near it, and it is far below what `sanitise` calls deep.
DEEPEST: Final = 32
# A picture in ten sizes names them all. With the number remembered, a bound on memory.
LONGEST_TAG: Final = 2048
LONGEST_REFERENCE: Final = 40
REMEMBERED: Final = 2048

# What stands between "<" and ">", and so holds neither: a name, attributes in double quotes, maybe
# a slash. A browser reads it as this one tag. Linear: no part may begin where another could go on.
_TAG = re.compile(r'([a-z][a-z0-9]*)((?:[ \t\n]+[a-z][a-z0-9:_-]*="[^"]*")*)[ \t\n]*/?')
_ATTRIBUTE = re.compile(r'([a-z][a-z0-9:_-]*)="')
# The same for a comment, but for "<!-->" and "<!--->", which are whole ones.
_COMMENT = re.compile(r"!--[^-].*--", re.DOTALL)
# As far as one may reach: what comes after cannot change what it means.
_REFERENCE = re.compile(r"&#?[A-Za-z0-9]*;?")
_NUMBER = re.compile(r"[0-9]{1,5}")
_WORDS = re.compile(r"[^&\0]*")


class _NotPlainError(ValueError):
    """The fragment is left to the parser."""


@dataclass(frozen=True, slots=True)
class _Element:
    """Where an element may start without HTML touching those that are open.

    *end* is its end tag; "" for one that holds nothing. *never_in* are the ends of those that it
    would close or split wherever they were opened, *only_in* of the parents it is sure to leave.
    """

    name: str
    end: str = ""
    never_in: frozenset[str] = frozenset()
    only_in: frozenset[str] = frozenset()


def _ends(*names: str) -> frozenset[str]:
    return frozenset(f"/{name}" for name in names)


def _elements() -> dict[str, _Element]:
    """The closed list of what may be plain: no table, no ruby, nothing that is not allowed.

    Blocks and <hr> close an open <p>, headings also a heading, <li> and <dd> their siblings.
    """
    phrases = (
        "abbr", "b", "cite", "code", "del", "dfn", "em", "i", "ins", "kbd", "mark", "q", "s",
        "samp", "small", "span", "strong", "sub", "sup", "time", "u", "var",
    )  # fmt: skip
    blocks = (
        "blockquote", "details", "div", "dl", "figcaption", "figure", "ol", "p", "pre", "summary",
        "ul",
    )  # fmt: skip
    headings = ("h1", "h2", "h3", "h4", "h5", "h6")
    found = (
        *(_Element(name) for name in ("br", "img", "wbr")),
        _Element("hr", never_in=_ends("p")),
        *(_Element(name, f"/{name}") for name in phrases),
        _Element("a", "/a", never_in=_ends("a")),
        *(_Element(name, f"/{name}", never_in=_ends("p")) for name in blocks),
        *(_Element(name, f"/{name}", never_in=_ends("p", *headings)) for name in headings),
        _Element("li", "/li", only_in=_ends("ol", "ul")),
        *(_Element(name, f"/{name}", only_in=_ends("dl")) for name in ("dd", "dt")),
    )
    return {element.name: element for element in found}


_ELEMENTS: Final = _elements()
_COMMENT_ELEMENT: Final = _Element("!--")
# Tags with a link seldom come twice, and mean what their base makes of them; all others do.
_LINKED: Final = ("a ", "blockquote ", "img ", "q ")


def clean_plain_html(markup: str, base_url: str) -> str | None:
    """What `parse_and_clean` makes of a plain fragment; None if it is not plain."""
    if "\r" in markup:
        markup = markup.replace("\r\n", "\n").replace("\r", "\n")
    if "\xa0" in markup:
        markup = markup.replace("\xa0", "&nbsp;")
    try:
        return _rewritten(markup, base_url)
    except ValueError:
        return None


def _rewritten(markup: str, base_url: str) -> str:
    """The fragment tag by tag; `ValueError` where it is not plain.

    From one "<" to the next there must be a tag, one ">", and text.
    """
    first, *parts = markup.split("<")
    if ">" in first or first.startswith("\ufeff"):  # a byte order mark goes
        raise _NotPlainError
    written = [_text(first)]
    still_open = [">"]  # their end tags, on a ground that is none
    for part in parts:
        tag, text = part.split(">")
        if "&" in text:
            text = _text(text)
            part = f"{tag}>{text}"  # noqa: PLW2901 - the same part, with other spelling
        if tag == still_open[-1]:
            still_open.pop()
            written.append(part)
            continue
        start, end, never_in, only_in = _starts.get(tag) or _start(tag, text, base_url)
        if not never_in.isdisjoint(still_open) or (only_in and still_open[-1] not in only_in):
            raise _NotPlainError  # HTML would not simply let it start here
        if end:
            if len(still_open) > DEEPEST:
                raise _NotPlainError
            still_open.append(end)
        if start:
            written.append(start + text)
        else:
            written[-1] += text
    written += [f"{end}>" for end in reversed(still_open[1:])]
    return "<".join(written)


def _text(text: str) -> str:
    return _REFERENCE.sub(_character, text) if "&" in text else text


def _character(found: re.Match[str]) -> str:
    reference = found[0]
    return (
        _known(reference) if len(reference) <= LONGEST_REFERENCE else parse_and_clean(reference, "")
    )


@lru_cache(maxsize=REMEMBERED)
def _known(reference: str) -> str:
    return parse_and_clean(reference, "")


# What is written for a start tag behind its "<", "" for nothing, and what counts of its element:
# *end*, *never_in* and *only_in*.
_Start = tuple[str, str, frozenset[str], frozenset[str]]
# The tags read so far, but for those that depend on what is around them. Full, it starts anew: the
# usual ones are back in no time.
_starts: dict[str, _Start] = {}


def _start(tag: str, text: str, base_url: str) -> _Start:
    """What becomes of a tag that is not among those, with *text* behind it."""
    if len(tag) > LONGEST_TAG:
        raise _NotPlainError
    element, start = _outlined(tag) if tag.startswith(_LINKED) else _unlinked(tag)
    if element.name == "pre" and text.startswith("\n"):
        raise _NotPlainError  # HTML drops this line break
    depends = start is None or element.name == "pre"
    written = _asked(element, tag, base_url) if start is None else start
    found = written[1:], element.end, element.never_in, element.only_in
    if not depends:
        if len(_starts) >= REMEMBERED:
            _starts.clear()
        _starts[tag] = found
    return found


def _unlinked(tag: str) -> tuple[_Element, str]:
    if _COMMENT.fullmatch(tag):
        return _COMMENT_ELEMENT, ""
    found = _TAG.fullmatch(tag)
    element = _ELEMENTS.get(found[1]) if found else None
    if not found or not element or (found[2] and f"{element.name} " in _LINKED):
        raise _NotPlainError
    return element, _asked(element, tag, "")


def _asked(element: _Element, tag: str, base_url: str) -> str:
    """The tag as the parser writes it; what it adds is the end."""
    return parse_and_clean(f"<{tag}>", base_url).removesuffix(f"<{element.end}>")


# --- tags with links ----------------------------------------------------------------------------

# An allowed attribute: where its value is, how it begins, and whether a value may stay as it is.
_Kept = tuple[int, str, Callable[[str], object]]
# All of a tag but its values: the same in each article of a site. Element, attributes, how it ends.
_Outline = tuple[_Element, tuple[_Kept, ...], str]


def _outlined(tag: str) -> tuple[_Element, str | None]:
    """The same for a tag whose attributes may be links: None unless all may stay as they are."""
    pieces = tag.split('"')
    if len(pieces) % 2 == 0:
        raise _NotPlainError
    element, kept, end = _outline('"'.join(pieces[::2]))
    start = f"<{element.name}"
    for position, opening, is_plain in kept:
        value = pieces[position]
        if not is_plain(value):
            return element, None
        start += f'{opening}{value}"'
    return element, start + end


@lru_cache(maxsize=REMEMBERED)
def _outline(hollow: str) -> _Outline:
    """The outline of a tag whose values were taken out, with one quote left of each pair."""
    found = _TAG.fullmatch(hollow.replace('"', '""'))
    names = _ATTRIBUTE.findall(found[2]) if found else []
    if not found or len(set(names)) < len(names):
        raise _NotPlainError
    element = _ELEMENTS[found[1]]
    allowed = ALLOWED_ATTRIBUTES["*"] | ALLOWED_ATTRIBUTES[element.name]
    places = ((2 * n + 1, name) for n, name in enumerate(names) if name in allowed)
    kept = tuple((position, f' {name}="', _kind(name)) for position, name in places)
    return element, kept, f' rel="{LINK_REL}">' if element.name == "a" else ">"


def _kind(name: str) -> Callable[[str], object]:
    if name in LINKS:
        return _is_plain_link
    return _NUMBER.fullmatch if name in NUMBERS else _WORDS.fullmatch


def _is_plain_link(value: str) -> bool:
    """Whether it is its own `clean_url`, with each "&" escaped as the parser would do it."""
    escaped = "&" not in value or value.count("&") == value.count("&amp;")
    return escaped and is_plain_url(value)

"""Telegram's HTML as its servers read it: strictly, and with what they find in the text besides.

Written after the cases of TDLib's own tests; offsets and lengths are in UTF-16 units.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

TAGS = {
    "b": "bold", "strong": "bold", "i": "italic", "em": "italic", "u": "underline",
    "ins": "underline", "s": "strikethrough", "strike": "strikethrough", "del": "strikethrough",
    "tg-spoiler": "spoiler", "code": "code", "pre": "pre", "blockquote": "blockquote",
    "a": "text_link",
}  # fmt: skip
_NAMED = {"lt": "<", "gt": ">", "amp": "&", "quot": '"'}
_PIECE = re.compile(
    r"<(/?)([^\s<>/]*)([^<>]*)>|&(?:(lt|gt|amp|quot)|#(\d+)|#x([0-9a-f]+));?", re.IGNORECASE
)
_HREF = re.compile(r'\s*href\s*=\s*(?:"([^"]*)"|\'([^\']*)\'|([^\s"\'>]+))\s*', re.IGNORECASE)
# What becomes an entity without being asked to. Not inside links and code.
_FOUND = {
    "mention": re.compile(r"(?<!\w)@[A-Za-z0-9_]{2,32}(?!\w)"),
    "bot_command": re.compile(r"(?<![\w/<>])/[A-Za-z0-9_]{1,64}(?:@[A-Za-z0-9_]{3,32})?(?![\w/])"),
    "email": re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+"),
    "url": re.compile(r"\b(?:https?|tg|ton)://[^\s<>\"]+", re.IGNORECASE),
}
_CLOSED = frozenset({"text_link", "code", "pre"})


class UnreadableHtmlError(Exception):
    """What stands behind `Bad Request: can't parse entities: `."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entity:
    type: str
    offset: int
    length: int
    url: str = ""

    def as_json(self) -> dict[str, Any]:
        found: dict[str, Any] = {"type": self.type, "offset": self.offset, "length": self.length}
        return found | ({"url": self.url} if self.url else {})


@dataclass(frozen=True, slots=True)
class _Open:
    tag: str
    start: int
    url: str


def read_html(html: str) -> tuple[str, list[Entity]]:
    """The text and its entities. Raises `UnreadableHtmlError` as Telegram refuses."""
    text, entities, opened, place = "", [], list[_Open](), 0
    for piece in _PIECE.finditer(html):
        text += _plain(html, place, piece.start())
        place = piece.end()
        if not piece[0].startswith("<"):
            text += _character(piece)
        elif piece[1]:
            entities.append(_closed(opened, piece, html, units(text)))
        else:
            opened.append(_opened(piece, html, units(text)))
    text += _plain(html, place, len(html))
    if opened:
        raise UnreadableHtmlError(
            f'Can\'t find end tag corresponding to start tag "{opened[-1].tag}"'
        )
    known = [each for each in entities if each.length and (each.url or each.type != "text_link")]
    return text, sorted([*known, *_found(text, known)], key=lambda each: each.offset)


def found_in(text: str) -> list[Entity]:
    """What Telegram makes of plain text by itself."""
    return _found(text, [])


def units(text: str) -> int:
    """UTF-16 units."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _offset(html: str, place: int) -> int:
    return len(html[:place].encode("utf-8", "surrogatepass"))


def _plain(html: str, start: int, end: int) -> str:
    """What lies between two pieces; a `<` in it begins a tag that does not end."""
    found = html.find("<", start, end)
    if found >= 0:
        raise UnreadableHtmlError(f"Unclosed start tag at byte offset {_offset(html, found)}")
    return html[start:end]


def _character(piece: re.Match[str]) -> str:
    if piece[4]:
        return _NAMED[piece[4].lower()]
    number = int(piece[5]) if piece[5] else int(piece[6], 16)
    is_character = 0 < number < 0x110000 and not 0xD800 <= number < 0xE000
    return chr(number) if is_character else piece[0]


def _opened(piece: re.Match[str], html: str, start: int) -> _Open:
    tag, rest = piece[2].lower(), piece[3]
    offset = _offset(html, piece.start())
    if tag not in TAGS:
        raise UnreadableHtmlError(f'Unsupported start tag "{tag}" at byte offset {offset}')
    if not rest.strip():
        return _Open(tag, start, "")
    found = _HREF.fullmatch(rest)
    if found is None:
        raise UnreadableHtmlError(
            f'Expected equal sign in declaration of an attribute of the tag "{tag}" '
            f"at byte offset {offset}"
        )
    url = next(filter(None, found.groups()), "")
    url = _PIECE.sub(lambda each: each[0] if each[0][0] == "<" else _character(each), url)
    return _Open(tag, start, url if _is_link(url) else "")


def _is_link(url: str) -> bool:
    """What is no link is left out without a word."""
    parts = urlsplit(url)
    return parts.scheme in {"http", "https", "tg", "mailto"} and bool(parts.netloc or parts.path)


def _closed(opened: list[_Open], piece: re.Match[str], html: str, end: int) -> Entity:
    tag, offset = piece[2].lower(), _offset(html, piece.start())
    if not opened:
        raise UnreadableHtmlError(f"Unexpected end tag at byte offset {offset}")
    last = opened.pop()
    if tag != last.tag:
        raise UnreadableHtmlError(
            f'Unmatched end tag at byte offset {offset}, expected "</{last.tag}>", found "</{tag}>"'
        )
    return Entity(type=TAGS[tag], offset=last.start, length=end - last.start, url=last.url)


def _found(text: str, known: list[Entity]) -> list[Entity]:
    taken = [each for each in known if each.type in _CLOSED]
    found: list[Entity] = []
    for kind, pattern in _FOUND.items():
        for each in pattern.finditer(text):
            start, length = units(text[: each.start()]), units(each[0])
            is_free = all(
                start >= other.offset + other.length or start + length <= other.offset
                for other in (*taken, *found)
            )
            if is_free:
                found.append(Entity(type=kind, offset=start, length=length))
    return found

"""An edition as messages of Telegram: in its HTML, split between stories, each small enough."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from clawfeed.domain.editions.digest import DigestContent
from clawfeed.rendering.edition_view import (
    CitedSource,
    EditionView,
    SectionView,
    SentenceView,
    StoryView,
    view_of,
)
from clawfeed.rendering.safe_text import host_of, inert, one_line, safe_link
from clawfeed.rendering.utf16 import utf16_units

# What a message may show, in UTF-16 units, "after entities parsing" (Bot API, sendMessage).
MOST_SHOWN: Final = 4_096
# Addresses are not shown, but past some 9,500 of everything Telegram says "Entities_too_long"
# (tdlib/telegram-bot-api#165).
MOST_WRITTEN: Final = 9_000
# What is formatted beyond the hundredth time is plain.
MOST_MARKS: Final = 100
# Longer ones are for machines; one alone could fill a message.
LONGEST_LINK: Final = 1_000

# What the counter at a part's end takes: "\n\n123/123".
_COUNTER: Final = 9
# The most of one text; stories of our own making stay far below.
_LONGEST_TITLE, _LONGEST_LINE = 400, 600
# The most that a story's sources may take of its message.
_SOURCES_SHOWN, _SOURCES_WRITTEN = 1_500, 4_000
_MARK: Final = re.compile(r"<[^>]*>")
# All that Telegram's HTML has to have escaped; `&` is the first to be, and the last to come back.
_ESCAPES: Final = (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Markup:
    """HTML with its measures. *shown* counts escapes as they are written: never too little."""

    html: str = ""
    shown: int = 0
    marks: int = 0

    def __add__(self, other: Markup) -> Markup:
        return Markup(
            html=self.html + other.html,
            shown=self.shown + other.shown,
            marks=self.marks + other.marks,
        )

    @property
    def is_small_enough(self) -> bool:
        """Whether it can be a message, with a counter at its end."""
        return (
            self.shown <= MOST_SHOWN - _COUNTER
            and utf16_units(self.html) <= MOST_WRITTEN - _COUNTER
            and self.marks <= MOST_MARKS
        )


def render_telegram(content: DigestContent, link: str) -> list[str]:
    """The edition's messages in their order; the last one leads to its page at *link*.

    Only `<b>`, `<i>` and `<a>` to http(s); texts arrive as the texts they are.
    """
    view = view_of(content)
    blocks = [_head(view), *_stories(view), _foot(view, link)]
    return _counted(_parts(block for block in blocks if block.html))


def render_telegram_notice(title: str, lines: Sequence[str], link: str) -> str:
    """A short word as one message."""
    block = _bold(_clipped(one_line(title), _LONGEST_TITLE))
    last = _page(link)
    for line in filter(None, map(one_line, lines)):
        longer = block + _NEXT + _text(_clipped(line, _LONGEST_LINE))
        if not (longer + _NEXT + last).is_small_enough:
            break
        block = longer
    return (block + _NEXT + last if last.html else block).html


def plain_of(html: str) -> str:
    """What can be read in a message of ours."""
    text = _MARK.sub("", html)
    for character, escape in reversed(_ESCAPES):
        text = text.replace(escape, character)
    return text


def _escaped(text: str) -> str:
    for character, escape in _ESCAPES:
        text = text.replace(character, escape)
    return text


def _text(text: str) -> Markup:
    html = _escaped(inert(text))
    return Markup(html=html, shown=utf16_units(html))


def _marked(opening: str, inside: Markup, closing: str) -> Markup:
    html = f"{opening}{inside.html}{closing}"
    return Markup(html=html, shown=inside.shown, marks=inside.marks + 1)


def _bold(text: str) -> Markup:
    return _marked("<b>", _text(text), "</b>")


def _italic(text: str) -> Markup:
    return _marked("<i>", _text(text), "</i>")


def _link(label: str, link: str | None) -> Markup:
    if link is None or len(link) > LONGEST_LINK:
        return _text(label)
    return _marked(f'<a href="{_escaped(link)}">', _text(label), "</a>")


_NEXT, _GAP, _SPACE = _text("\n"), _text("\n\n"), _text(" ")


def _joined(between: Markup, blocks: Iterable[Markup]) -> Markup:
    whole = Markup()
    for block in blocks:
        whole = whole + between + block if whole.html else block
    return whole


def _clipped(text: str, units: int) -> str:
    """*text*, or its beginning up to a word if it takes more than *units* to write."""
    if _text(text).shown <= units:
        return text
    left, end = units - 1, 0
    for end, character in enumerate(text):  # noqa: B007 -- where it stopped is what we want
        # A name or a command takes one more: what keeps it from being one.
        left -= utf16_units(_escaped(character)) + (character in "@/:")
        if left < 0:
            break
    short = text[:end]
    at_word = short.rpartition(" ")[0]
    return (at_word if 2 * len(at_word) > len(short) else short).rstrip() + "…"


def _head(view: EditionView) -> Markup:
    lines = [_bold(_clipped(view.title, _LONGEST_TITLE)), _text(view.facts), _text(view.covers)]
    summary = (_text(f"• {_clipped(line, _LONGEST_LINE)}") for line in view.summary[:5])
    blocks = [_joined(_NEXT, lines), _joined(_NEXT, summary), _text(view.nothing)]
    return _joined(_GAP, (block for block in blocks if block.html))


def _stories(view: EditionView) -> Iterator[Markup]:
    for section in view.sections:
        for story in section.stories:
            yield _story(story, section, is_first=story is section.stories[0])


def _story(story: StoryView, section: SectionView, *, is_first: bool) -> Markup:
    """One story; of one that would take more than a message, as many sentences as there is room."""
    head = _bold(f"{story.number}. {_clipped(story.headline, _LONGEST_TITLE)}")
    if is_first:
        head = _bold(section.name.upper()) + _GAP + head
    changed = _clipped(" ".join(story.changed), _LONGEST_LINE)
    why = _clipped(f"{story.why}{story.first_seen}", _LONGEST_LINE)
    tail = [_text(changed), _italic(why), *_sources(story.sources)]
    rest = _joined(_NEXT, (line for line in tail if line.shown))
    room = MOST_SHOWN - _COUNTER - head.shown - rest.shown - 2 * _NEXT.shown
    told = _sentences(story.sentences, room)
    return _joined(_NEXT, (block for block in (head, told, rest) if block.html))


def _sentences(sentences: Sequence[SentenceView], room: int) -> Markup:
    """As many whole sentences as fit; of the first, if it does not, its beginning."""
    told = Markup()
    for sentence in sentences:
        cites = "".join(f" [{cite.number}]" for cite in sentence.cites)
        longer = _joined(_SPACE, [*([told] if told.html else []), _text(sentence.text + cites)])
        if longer.shown > room:
            return told if told.html else _text(_clipped(sentence.text, room))
        told = longer
    return told


def _sources(sources: Sequence[CitedSource]) -> Iterator[Markup]:
    """One line each. The host stands beside the title: a title may read like another address."""
    shown = written = 0
    for source in sources:
        label = _clipped(source.title or source.name, _LONGEST_TITLE)
        host = f" ({host_of(source.link)})" if source.link else ""
        about = f"{host}, {_clipped(source.name, 100)} · {source.when}"
        line = _text(f"[{source.number}] ") + _link(label, source.link) + _text(about)
        shown, written = shown + line.shown, written + utf16_units(line.html)
        if shown > _SOURCES_SHOWN or written > _SOURCES_WRITTEN:
            yield _text("…")
            return
        yield line


def _foot(view: EditionView, link: str) -> Markup:
    notes = _italic(_clipped(" ".join(view.notes), _LONGEST_LINE))
    return _joined(_GAP, (each for each in (notes, _page(link)) if each.shown))


def _page(link: str) -> Markup:
    """Where the edition can be read; spelled out, so that it is there in plain text, too."""
    address = safe_link(link)
    return Markup() if address is None else _link(address, address)


def _parts(blocks: Iterable[Markup]) -> list[Markup]:
    parts: list[Markup] = []
    for block in blocks:
        longer = parts[-1] + _GAP + block if parts else block
        if parts and longer.is_small_enough:
            parts[-1] = longer
        else:
            parts.append(block)
    return parts


def _counted(parts: Sequence[Markup]) -> list[str]:
    if len(parts) == 1:
        return [parts[0].html]
    return [f"{part.html}\n\n{number}/{len(parts)}" for number, part in enumerate(parts, 1)]

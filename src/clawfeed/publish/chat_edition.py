"""An edition as a chat tells it: short lines with links, in pieces that fit into messages.

What is said is decided here, once; each kind of channel only writes it down in its own format.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from clawfeed.domain.ids import JsonValue
from clawfeed.publish.channel_type import Notice, OutgoingEdition
from clawfeed.rendering.edition_view import (
    CitedSource,
    EditionView,
    SentenceView,
    StoryView,
    view_of,
)
from clawfeed.rendering.safe_text import one_line, safe_link

ELLIPSIS: Final = "…"


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A piece of a line: one line of plain text that steers nothing, still to be escaped."""

    text: str
    link: str | None = None
    is_bold: bool = False


Line: TypeAlias = tuple[Span, ...]
# What stays together in one message if it can: the head, a story, the foot.
Block: TypeAlias = tuple[Line, ...]
Fits: TypeAlias = Callable[[Sequence[Block]], bool]


def edition_blocks(edition: OutgoingEdition) -> list[Block]:
    """The whole edition: its head, a block for each story, and who wrote it."""
    view = view_of(edition.content)
    blocks = [_head(view, edition.link)]
    for section in view.sections:
        first, *others = section.stories
        blocks.append(((_bold(section.name),), *_story(first)))
        blocks += [tuple(_story(story)) for story in others]
    if view.notes:
        blocks.append(tuple((Span(text=note),) for note in view.notes))
    return blocks


def headline_blocks(edition: OutgoingEdition) -> list[Block]:
    """What fits a notification: the summary, and one line for each story."""
    view = view_of(edition.content)
    stories = (story for section in view.sections for story in section.stories)
    return [
        tuple((Span(text=line),) for line in view.summary or (view.nothing or view.facts,)),
        *(((Span(text=_numbered(story)),),) for story in stories),
    ]


def edition_title(edition: OutgoingEdition) -> str:
    return one_line(edition.content.title)


def notice_block(notice: Notice) -> Block:
    """A short word: its title, and its lines."""
    title = Span(text=one_line(notice.title), link=safe_link(notice.link), is_bold=True)
    return ((title,), *((Span(text=one_line(line)),) for line in notice.lines))


def in_parts(blocks: Iterable[Block], fits: Fits) -> Iterator[list[Block]]:
    """*blocks* in as few messages as they fit into, torn apart between blocks if at all possible.

    A block that is too long for a message of its own is torn between its lines; a line that is
    too long is cut.
    """
    part: list[Block] = []
    for block in _small_enough(blocks, fits):
        if part and not fits([*part, block]):
            yield part
            part = []
        part.append(block)
    if part:
        yield part


def _small_enough(blocks: Iterable[Block], fits: Fits) -> Iterator[Block]:
    for block in blocks:
        if fits([block]):
            yield block
        else:
            yield from ((_shortened(line, fits),) for line in block)


def _shortened(line: Line, fits: Fits) -> Line:
    """*line*, its longest text cut as often as it takes; spans that never fit are left out."""
    while not fits([(line,)]) and line:
        longest = max(range(len(line)), key=lambda place: len(line[place].text))
        span = line[longest]
        if len(span.text) <= 1:
            line = line[:-1]
            continue
        cut = replace(
            span, text=span.text.removesuffix(ELLIPSIS)[: len(span.text) * 3 // 4 - 1] + ELLIPSIS
        )
        line = (*line[:longest], cut, *line[longest + 1 :])
    return line


def _head(view: EditionView, link: str) -> Block:
    title = Span(text=view.title, link=safe_link(link), is_bold=True)
    lines = (view.facts, *view.summary, view.nothing)
    return ((title,), *((Span(text=line),) for line in lines if line))


def _story(story: StoryView) -> Iterator[Line]:
    yield (_bold(_numbered(story)),)
    told = " ".join([*map(_sentence, story.sentences), *story.changed])
    if told:
        yield (Span(text=told),)
    if story.sources:
        yield _sources(story.sources)


def _numbered(story: StoryView) -> str:
    return f"{story.number}. {story.headline}"


def _sentence(sentence: SentenceView) -> str:
    return " ".join([sentence.text, *(f"[{cite.number}]" for cite in sentence.cites)])


def _sources(sources: Sequence[CitedSource]) -> Line:
    spans: list[Span] = []
    for source in sources:
        spans.append(Span(text=f"{' · ' if spans else ''}[{source.number}] "))
        spans.append(Span(text=source.name or source.title or "?", link=source.link))
    return tuple(spans)


def _bold(text: str) -> Span:
    return Span(text=text, is_bold=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class InParts:
    """Editions and notices in as few messages as *fits* allows, each written by *payload*."""

    payload: Callable[[Sequence[Block]], str]
    fits: Fits

    def messages(self, edition: OutgoingEdition, _config: Mapping[str, JsonValue]) -> Sequence[str]:
        return [self.payload(part) for part in in_parts(edition_blocks(edition), self.fits)]

    def notice(self, notice: Notice, _config: Mapping[str, JsonValue]) -> str:
        return self.payload(next(in_parts([notice_block(notice)], self.fits)))

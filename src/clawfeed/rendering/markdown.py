"""An edition as CommonMark."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from clawfeed.domain.editions.digest import DigestContent
from clawfeed.rendering.edition_view import (
    CitedSource,
    EditionView,
    SentenceView,
    StoryView,
    view_of,
)
from clawfeed.rendering.safe_text import host_of

# What means something inside a line, to CommonMark, to GitHub's dialect, or to what reads a page
# before either (Liquid's `{%`); the colon of a bare address or an emoji's name; a bare `www.`.
_INLINE: Final = re.compile(
    r"[\\`*_\[\]<>~|$#{}@]|&(?=#?\w)|:(?=[^\s\d])|(?<=\{)%|(?<=\bwww)\.", re.IGNORECASE
)
# What makes a list or an underline at the beginning of one.
_AT_START: Final = re.compile(r"^(\d{1,9})([.)])|^([-+=])")
# In an address only what would be read as a character's name.
_ENTITY: Final = re.compile(r"&(?=#?[A-Za-z0-9]+;)")


def render_markdown(content: DigestContent) -> str:
    """The edition as CommonMark; texts arrive as the texts they are, whatever they contain."""
    view = view_of(content)
    return "\n\n".join([*_head(view), *_stories(view), *_foot(view)]) + "\n"


def escaped(text: str) -> str:
    """One line of plain text as CommonMark that reads the same; it may stand anywhere."""
    inline = _INLINE.sub(lambda found: "\\" + found[0], text)
    return _AT_START.sub(lambda found: f"{found[1] or ''}\\{found[2] or found[3]}", inline)


def _head(view: EditionView) -> Iterator[str]:
    yield f"# {escaped(view.title)}"
    yield escaped(view.facts)
    yield escaped(view.covers)
    if view.summary:
        yield f"## {escaped(view.summary_name)}"
        yield "\n".join(f"- {escaped(line)}" for line in view.summary)


def _stories(view: EditionView) -> Iterator[str]:
    if view.nothing:
        yield escaped(view.nothing)
    for section in view.sections:
        yield f"## {escaped(section.name)}"
        for story in section.stories:
            yield from _story(story)


def _story(story: StoryView) -> Iterator[str]:
    yield f"### {story.number}\\. {escaped(story.headline)}"
    if story.sentences:
        yield " ".join(map(_sentence, story.sentences))
    if story.changed:
        yield " ".join(map(escaped, story.changed))
    yield f"{escaped(story.why)}{escaped(story.first_seen)}"
    if story.sources:
        yield "\n".join(map(_source, story.sources))


def _sentence(sentence: SentenceView) -> str:
    return " ".join([escaped(sentence.text), *map(_cite, sentence.cites)])


def _cite(source: CitedSource) -> str:
    return _link(f"\\[{source.number}\\]", source.link)


def _source(source: CitedSource) -> str:
    """A line of a list; its number is text, so that nobody counts the lines anew.

    The host stands beside the title: a title may read like an address that is not the link's.
    """
    title = _link(escaped(source.title or source.name), source.link)
    host = f" ({escaped(host_of(source.link))})" if source.link else ""
    about = f"{escaped(source.name)} · {escaped(source.when)}"
    return f"- \\[{source.number}\\] {title}{host}, {about}"


def _link(label: str, link: str | None) -> str:
    if link is None:
        return label
    # Between < and > nothing else ends an address, and `safe_link` leaves neither in it.
    return f"[{label}](<{_ENTITY.sub('&amp;', link)}>)"


def _foot(view: EditionView) -> Iterator[str]:
    if view.left_out_lines:
        yield f"## {escaped(view.left_out_name)}"
        lines = view.left_out_lines
        yield "\n".join(f"- {escaped(line)}" for line in lines)
    if view.notes:
        yield "---"
        yield " ".join(map(escaped, view.notes))

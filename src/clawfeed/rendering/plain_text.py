"""An edition as plain text: for a terminal, and for letters."""

from __future__ import annotations

from collections.abc import Iterator

from clawfeed.domain.editions.digest import DigestContent
from clawfeed.rendering.edition_view import CitedSource, EditionView, StoryView, view_of
from clawfeed.rendering.text_width import cells, wrapped

# A letter's usual width (RFC 5322 asks for 78 at most).
LETTER = 76
# Beyond this eyes lose the line, however wide the terminal.
WELL_READ = 100
# Narrower than this only words would be left, one a line.
NARROWEST_TEXT = 24


def render_text(content: DigestContent, width: int = LETTER) -> str:
    """The edition in lines of at most *width* cells; addresses are left whole."""
    return "\n".join(_lines(view_of(content), max(width, NARROWEST_TEXT))) + "\n"


def _lines(view: EditionView, width: int) -> Iterator[str]:
    title = wrapped(view.title, width)
    yield from title
    yield "=" * min(width, max(map(cells, title)))
    yield from wrapped(view.facts, width)
    yield from wrapped(view.covers, width)
    if view.summary:
        yield ""
    for line in view.summary:
        yield from wrapped(line, width, first="  * ", rest="    ")
    if view.nothing:
        yield from ("", *wrapped(view.nothing, width))
    for section in view.sections:
        yield from ("", "", section.name, "-" * cells(section.name))
        for story in section.stories:
            yield ""
            yield from _story(story, width)
    yield from _foot(view, width)


def _story(story: StoryView, width: int) -> Iterator[str]:
    yield from wrapped(story.headline, width, first=f"{story.number:2}. ", rest="    ")
    told = " ".join(
        " ".join([each.text, *(f"[{cite.number}]" for cite in each.cites)])
        for each in story.sentences
    )
    for text in (told, *story.changed, f"{story.why}{story.first_seen}"):
        if text:
            yield from wrapped(text, width, first="    ", rest="    ")
    for source in story.sources:
        yield from _source(source, width)


def _source(source: CitedSource, width: int) -> Iterator[str]:
    number = f"    [{source.number}] "
    hang = " " * len(number)
    about = " · ".join(filter(None, [source.name, source.title, source.when]))
    yield from wrapped(about, width, first=number, rest=hang)
    if source.link:
        yield hang + source.link


def _foot(view: EditionView, width: int) -> Iterator[str]:
    if view.left_out_lines:
        yield from ("", "", view.left_out_name, "-" * cells(view.left_out_name))
        for line in view.left_out_lines:
            yield from wrapped(line, width, first="  - ", rest="    ")
    if view.notes:
        yield ""
    for note in view.notes:
        yield from wrapped(note, width)

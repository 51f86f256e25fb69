"""An edition as HTML: a fragment for our pages, and a document of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from html import escape

from clawfeed.domain.editions.digest import DigestContent
from clawfeed.domain.ids import StoryId
from clawfeed.rendering.edition_view import (
    CitedSource,
    EditionView,
    LeftOutView,
    SentenceView,
    StoryView,
    view_of,
)
from clawfeed.rendering.inline_styled_html import foreign

# What our own pages are dressed with; the policy for content lets in no other.
STYLES = ("/static/clawfeed.css",)
_OUTWARD = 'rel="noopener noreferrer nofollow"'


@dataclass(frozen=True, slots=True, kw_only=True)
class PageParts:
    """What our pages put into an edition: HTML behind each story, and where more is told of one."""

    behind: Callable[[StoryView], str]
    address: Callable[[StoryId], str]


def render_html(content: DigestContent, parts: PageParts | None = None) -> str:
    """An `<article>`: no script, no style, links only to http(s); `story-N` leads to a story.

    Of *parts* what stands behind a story is taken as it is: its maker has escaped it.
    """
    view = view_of(content)
    lines = [*_head(view), *_stories(view, parts), *_foot(view, parts)]
    return "\n".join([f'<article class="edition" lang="{view.language}">', *lines, "</article>"])


def render_html_page(content: DigestContent, styles: Iterable[str] = STYLES) -> str:
    """A whole document around the same; *styles* are addresses of style sheets."""
    view = view_of(content)
    links = (f'<link rel="stylesheet" href="{escape(each)}">' for each in styles)
    return "\n".join(
        [
            "<!doctype html>",
            f'<html lang="{view.language}">',
            "<head>",
            '<meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{_text(view.title)}</title>",
            *links,
            "</head>",
            "<body>",
            "<main>",
            render_html(content),
            "</main>",
            "</body>",
            "</html>",
            "",
        ]
    )


def _text(text: str) -> str:
    return escape(text, quote=True)


def _head(view: EditionView) -> Iterator[str]:
    yield "<header>"
    yield f"<h1>{_text(view.title)}</h1>"
    yield f'<p class="facts">{_text(view.facts)}</p>'
    yield f'<p class="covers">{_text(view.covers)}</p>'
    yield "</header>"
    if view.summary:
        yield f'<section class="summary" aria-label="{_text(view.summary_name)}">'
        yield "<ul>"
        yield from (f"<li>{foreign(line)}</li>" for line in view.summary)
        yield "</ul>"
        yield "</section>"


def _stories(view: EditionView, parts: PageParts | None) -> Iterator[str]:
    if view.nothing:
        yield f'<p class="nothing">{_text(view.nothing)}</p>'
    for section in view.sections:
        yield "<section>"
        yield f"<h2>{_text(section.name)}</h2>"
        for story in section.stories:
            yield from _story(story, view, parts)
        yield "</section>"


def _story(story: StoryView, view: EditionView, parts: PageParts | None) -> Iterator[str]:
    walkable = " data-item" if parts else ""  # by keyboard, with the script of our pages
    yield f'<article class="story" id="story-{story.number}"{walkable}>'
    yield f'<h3><a href="#story-{story.number}">{foreign(story.headline)}</a></h3>'
    if story.sentences:
        yield f"<p>{' '.join(_sentence(each, story.number) for each in story.sentences)}</p>"
    if story.changed:
        yield f'<p class="changed">{" ".join(map(foreign, story.changed))}</p>'
    yield f'<p class="why">{foreign(story.why)}{_text(story.first_seen)}</p>'
    if story.sources:
        yield f'<ol class="sources" aria-label="{_text(view.sources_name)}">'
        yield from (_source(each, story.number) for each in story.sources)
        yield "</ol>"
    if parts:
        yield parts.behind(story)
    yield "</article>"


def _sentence(sentence: SentenceView, story: int) -> str:
    cites = (
        f'<a class="cite" href="#{_anchor(story, cite.number)}">[{cite.number}]</a>'
        for cite in sentence.cites
    )
    # Never at the beginning of a line, apart from what it proves.
    return "&nbsp;".join([foreign(sentence.text), *cites])


def _anchor(story: int, source: int) -> str:
    return f"story-{story}-source-{source}"


def _source(source: CitedSource, story: int) -> str:
    title = foreign(source.title or source.name)
    if source.link:
        title = f'<a href="{_text(source.link)}" {_OUTWARD}>{title}</a>'
    at = source.published_at.isoformat()
    return (
        f'<li id="{_anchor(story, source.number)}" value="{source.number}">{title} '
        f'<span class="source">{foreign(source.name)}</span> '
        f'<time datetime="{at}">{_text(source.when)}</time></li>'
    )


def _foot(view: EditionView, parts: PageParts | None) -> Iterator[str]:
    yield "<footer>"
    if view.left_out_lines:
        yield "<details>"
        yield f"<summary>{_text(view.left_out_name)}</summary>"
        yield "<ul>"
        yield from (f"<li>{_text(line)}</li>" for line in view.left_out_counts)
        yield from (f"<li>{_left_out(each, parts)}</li>" for each in view.left_out)
        yield "</ul>"
        yield "</details>"
    yield from (f'<p class="note">{_text(note)}</p>' for note in view.notes)
    yield "</footer>"


def _left_out(left_out: LeftOutView, parts: PageParts | None) -> str:
    line = foreign(left_out.line)
    if parts is None or left_out.story_id is None:
        return line
    return f'<a href="{_text(parts.address(left_out.story_id))}">{line}</a>'

"""An edition as HTML for other people's programs: mail, feed readers.

They know no style sheet of ours, resolve no address within the page and fetch nothing. So every
link is whole, and what it looks like is written at each element, or nowhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape

from clawfeed.rendering.edition_view import CitedSource, EditionView, SentenceView, StoryView
from clawfeed.rendering.safe_text import host_of


@dataclass(frozen=True, slots=True, kw_only=True)
class InlineStyles:
    """What a `style` attribute says, by the part of the edition it is for; empty: no attribute."""

    title: str = ""
    section: str = ""
    headline: str = ""
    text: str = ""
    small: str = ""


NO_STYLES = InlineStyles()


def inline_styled_html(view: EditionView, styles: InlineStyles = NO_STYLES) -> str:
    """The edition from its title to its notes: no script, no image, no anchor, http(s) links."""
    return "\n".join([*_head(view, styles), *_stories(view, styles), *_foot(view, styles)])


def element(name: str, style: str, inner: str) -> str:
    """*inner* is HTML; *style* is ours."""
    dressed = f' style="{style}"' if style else ""
    return f"<{name}{dressed}>{inner}</{name}>"


def foreign(text: str) -> str:
    """A stranger's text: whichever way it is written, what stands beside it stays in place."""
    return f"<bdi>{escape(text)}</bdi>"


def anchor(label: str, link: str | None) -> str:
    """*label* is HTML; without a *link* it stays what it is."""
    if not link:
        return label
    return f'<a href="{escape(link)}">{label}</a>'


def _head(view: EditionView, styles: InlineStyles) -> Iterator[str]:
    yield element("h1", styles.title, foreign(view.title))
    yield element("p", styles.small, f"{escape(view.facts)}<br>{escape(view.covers)}")
    if view.summary:
        yield element(
            "ul", styles.text, "".join(f"<li>{foreign(each)}</li>" for each in view.summary)
        )


def _stories(view: EditionView, styles: InlineStyles) -> Iterator[str]:
    if view.nothing:
        yield element("p", styles.text, escape(view.nothing))
    for section in view.sections:
        yield element("h2", styles.section, escape(section.name))
        for story in section.stories:
            yield from _story(story, styles)


def _story(story: StoryView, styles: InlineStyles) -> Iterator[str]:
    yield element("h3", styles.headline, f"{story.number}. {foreign(story.headline)}")
    if story.sentences:
        yield element("p", styles.text, " ".join(map(_sentence, story.sentences)))
    if story.changed:
        yield element("p", styles.text, " ".join(map(foreign, story.changed)))
    why = f"{foreign(story.why)}{escape(story.first_seen)}"
    yield element("p", styles.small, "<br>\n".join([why, *map(_source, story.sources)]))


def _sentence(sentence: SentenceView) -> str:
    cites = (anchor(f"[{cite.number}]", cite.link) for cite in sentence.cites)
    return " ".join([foreign(sentence.text), *cites])


def _source(source: CitedSource) -> str:
    """With the host a link leads to: mail programs do not show it, and a title may lie (T21)."""
    title = anchor(foreign(source.title or source.name), source.link)
    host = f" ({escape(host_of(source.link))})" if source.link else ""
    return f"[{source.number}] {title}{host} · {foreign(source.name)} · {escape(source.when)}"


def _foot(view: EditionView, styles: InlineStyles) -> Iterator[str]:
    lines = view.left_out_lines
    if lines:
        yield element("h2", styles.section, escape(view.left_out_name))
        yield element("ul", styles.small, "".join(f"<li>{foreign(each)}</li>" for each in lines))
    yield from (element("p", styles.small, escape(note)) for note in view.notes)

"""Titles that want to be more than titles arrive as the text they are, in all three renderings."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from clawfeed.domain.editions.digest import DigestContent, LeftOutStory, Sentence, WhatChanged
from clawfeed.domain.editions.selection import DropReason
from clawfeed.rendering.html_edition import render_html, render_html_page
from clawfeed.rendering.markdown import render_markdown
from clawfeed.rendering.plain_text import render_text
from clawfeed.rendering.safe_text import one_line, safe_link
from tests.support.clocks import NOON
from tests.support.digests import a_story, an_edition, told_by
from tests.support.hostile_text import (
    header_injections,
    markup_texts,
    odd_texts,
    redirects_away,
)
from tests.support.html_pages import HtmlPage

# Of nothing to see nothing is shown; that has a test of its own.
HOSTILE = [text for text in (*markup_texts(), *odd_texts(), *header_injections()) if one_line(text)]
COMMONMARK = MarkdownIt("commonmark")
DIALECT = MarkdownIt("commonmark").enable(["table", "strikethrough"])
OURS = {"https://news.example/1", "https://news.example/2"}
KNOWN_ATTRIBUTES = {
    "aria-label", "charset", "class", "content", "datetime", "href", "id", "lang", "name", "rel",
    "value",
}  # fmt: skip


def _edition(text: str) -> DigestContent:
    """One that has *text* wherever a stranger's text can be."""
    story = a_story(
        text,
        sources=(told_by(1, text, text, publisher=text), told_by(2, "Plain", text)),
        what_changed=WhatChanged(told_at=NOON, headline=text, news=text),
    )
    words = replace(story.words, sentences=(Sentence(text=text, cites=(1, 2)),))
    reason = replace(story.reason, loud_at=text, interests=(text, text))
    told = replace(story, words=words, reason=reason)
    left = LeftOutStory(headline=text, because=DropReason.MUTED, score=1.0)
    return an_edition(told, title=text, summary=(text, "plain"), left_out=(left,))


def _squeezed(text: str) -> str:
    return "".join(text.split())


PLAIN = _edition("plain")


@pytest.mark.parametrize("dialect", [COMMONMARK, DIALECT], ids=["commonmark", "dialect"])
def test_a_text_in_markdown_is_read_as_that_text_and_adds_nothing(dialect: MarkdownIt) -> None:
    shape = HtmlPage(dialect.render(render_markdown(PLAIN))).elements()

    for text in HOSTILE:
        page = HtmlPage(dialect.render(render_markdown(_edition(text))))

        assert page.elements() == shape, text
        assert page.texts("h1") == [one_line(text)]
        assert page.texts("h3") == [f"1. {one_line(text)}"]
        assert set(page.values("a", "href")) == OURS


def test_a_text_in_html_is_read_as_that_text_and_adds_nothing() -> None:
    shape = HtmlPage(render_html_page(PLAIN)).elements()

    for text in HOSTILE:
        page = HtmlPage(render_html_page(_edition(text)))

        assert page.elements() == shape, text
        assert page.texts("title, h1, h3") == [one_line(text)] * 3
        assert set(page.values("a[rel]", "href")) == OURS
        assert page.attributes() <= KNOWN_ATTRIBUTES


def test_a_text_on_a_terminal_is_read_as_that_text_and_steers_nothing() -> None:
    for text in HOSTILE:
        shown = render_text(_edition(text), 60)

        assert _squeezed(one_line(text)) in _squeezed(shown)
        assert all(character.isprintable() or character in "\n\u3000" or ord(character) > 0x9F
                   for character in shown)  # fmt: skip
        assert not set(shown) & set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


@given(st.text(max_size=60))
def test_any_title_comes_back_from_every_rendering(text: str) -> None:
    title = f"{text}z"  # one that can be seen
    content = _edition(title)

    markdown = HtmlPage(COMMONMARK.render(render_markdown(content)))
    html = HtmlPage(render_html(content))
    plain = render_text(content, 40)

    assert markdown.texts("h1") == html.texts("h1") == [one_line(title)]
    assert _squeezed(one_line(title)) in _squeezed(plain)


@pytest.mark.parametrize(
    "url",
    [
        *redirects_away(), "javascript:alert(1)", "data:text/html,x", "ftp://a.example/", "urn:x:1",
        "/local", "//evil.example", "https://", "https:///x", "http://bank.example@evil.example/",
        "http://[::1", "http://a.example:99999/", "http://a b.example/",
        "http://a.example" + "x" * 5000,
    ],
)  # fmt: skip
def test_nobody_is_sent_where_an_address_does_not_plainly_lead(url: str) -> None:
    """An address of ours only if a browser would go to the host that stands in it."""
    link = safe_link(url)

    if link is not None:
        assert link.startswith(("http://", "https://"))
        assert link.isascii()
        assert not set(link) & set('<>"\\ `\n\r\t')
    assert not (url.startswith(("javascript", "data", "/", "urn", "ftp")) and link)


@pytest.mark.parametrize(
    ("url", "link"),
    [
        ("https://bank.example@evil.example/", None),
        ("https://a.example/ä b?q=“&y=%41#z", "https://a.example/%C3%A4%20b?q=%E2%80%9C&y=%41#z"),
        ("HTTPS://A.Example:8080/(x)", "https://a.example:8080/(x)"),
        ("https://bücher.example/", "https://xn--bcher-kva.example/"),
        ("http://[2001:db8::1]:80/x", "http://[2001:db8::1]:80/x"),
        ("https://evil.example\\@a.example/", None),
    ],
)
def test_an_address_is_written_in_plain_ascii(url: str, link: str | None) -> None:
    assert safe_link(url) == link


@given(st.text(max_size=40))
def test_whatever_an_address_ends_with_it_ends_nothing_else(rest: str) -> None:
    url = f"https://news.example/{rest}"
    content = an_edition(a_story(sources=(told_by(1, "A", "t", url=url), told_by(2, "B", "u"))))
    link = safe_link(url)
    assert link is not None

    markdown = HtmlPage(COMMONMARK.render(render_markdown(content)))
    html = HtmlPage(render_html(content))

    assert link in html.values("a", "href")
    assert all(
        str(href).startswith("https://news.example/") for href in markdown.values("a", "href")
    )


def test_an_address_of_another_kind_is_no_link() -> None:
    story = a_story(sources=(told_by(1, "A", "t", url="javascript:alert(1)"),))
    content = an_edition(story)

    assert "javascript" not in render_markdown(content)
    assert "javascript" not in render_html(content)
    assert "javascript" not in render_text(content)

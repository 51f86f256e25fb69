"""How an edition looks: as Markdown, as HTML, as plain text."""

from __future__ import annotations

from dataclasses import replace

import pytest

from clawfeed.domain.editions.digest import Section
from clawfeed.rendering.html_edition import render_html, render_html_page
from clawfeed.rendering.markdown import render_markdown
from clawfeed.rendering.plain_text import render_text
from clawfeed.rendering.text_width import cells
from tests.support.digests import CHANGED, a_story, an_edition, told_by
from tests.support.html_pages import HtmlPage

EDITION = an_edition(
    a_story(what_changed=CHANGED),
    a_story("What people say", story_id=2, section=Section.COMMUNITY),
)


def test_markdown_reads_well_as_it_stands() -> None:
    """Escapes only where they are needed: people read Markdown raw."""
    lines = render_markdown(EDITION).splitlines()

    assert lines[0] == "# Rust, chips and the weather"
    assert lines[2] == "From 312 items of 41 sources: 2 stories, 3 minutes"
    assert "### 1\\. Rust 1.90 is out" in lines
    assert (
        "The release brings a faster linker. [\\[1\\]](<https://news.example/1>) "
        "Builds are a third quicker. [\\[1\\]](<https://news.example/1>) "
        "[\\[2\\]](<https://news.example/2>)" in lines
    )
    assert (
        "- \\[1\\] [Announcing Rust 1.90](<https://news.example/1>) (news.example), "
        "Rust Blog · 15 Nov 12:00 · 1 h old" in lines
    )


def test_html_has_an_anchor_for_every_story_and_every_citation() -> None:
    page = HtmlPage(render_html(EDITION))
    ids = set(page.values("[id]", "id"))
    cites = [str(href).removeprefix("#") for href in page.values("a.cite", "href")]

    assert {"story-1", "story-2", "story-1-source-1", "story-2-source-2"} <= ids
    assert len(cites) == 6
    assert set(cites) <= ids


def test_links_outward_tell_nobody_where_from() -> None:
    page = HtmlPage(render_html(EDITION))

    outward = page.values("a[href^=http]", "rel")

    assert outward == ["noopener noreferrer nofollow"] * 4


def test_a_page_of_its_own_brings_no_script_and_no_style_of_its_own() -> None:
    page = HtmlPage(render_html_page(EDITION))

    assert page.values("html", "lang") == ["en"]
    assert page.texts("title") == ["Rust, chips and the weather"]
    assert page.values("link", "href") == ["/static/clawfeed.css"]
    assert page.count("script, style, [style]") == 0
    assert HtmlPage(render_html_page(EDITION, ())).count("link") == 0


@pytest.mark.parametrize("width", [24, 40, 76, 200])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_plain_text_keeps_within_its_width(width: int, language: str) -> None:
    title = "很长的标题，" * 12 + "and some words of another script"
    edition = replace(EDITION, language=language, title=title, zone="UTC")

    lines = render_text(edition, width).splitlines()

    too_wide = [line for line in lines if cells(line) > width]
    assert not [line for line in too_wide if "://" not in line]
    assert not [line for line in lines if line.strip().startswith(("，", "。", "；"))]


def test_plain_text_leaves_an_address_whole() -> None:
    url = "https://news.example/" + "long/" * 30
    text = render_text(an_edition(a_story(sources=(told_by(1, "A", "t", url=url),))), 40)

    assert f"        {url}\n" in text


def test_plain_text_begins_like_this() -> None:
    assert render_text(EDITION, 76).startswith(
        """\
Rust, chips and the weather
===========================
From 312 items of 41 sources: 2 stories, 3 minutes
Daily edition, Sunday 15 November 2026. It tells of 14 Nov 13:00 to 15 Nov
13:00 (Europe/Berlin).

  * Rust has a new release.
  * Chips get cheaper.


Top stories
-----------

 1. Rust 1.90 is out
    The release brings a faster linker. [1] Builds are a third quicker. [1]
    [2]
"""
    )

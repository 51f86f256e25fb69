"""An edition as a file of a repository: what programs read of it, and that its texts do nothing."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from clawfeed.domain.editions.edition_period import EditionType
from clawfeed.rendering.repository_file import file_name, render_file, slug
from clawfeed.rendering.safe_text import JOINER, one_line
from tests.rendering.test_hostile_texts import HOSTILE, OURS, PLAIN, _edition
from tests.support.clocks import NOON
from tests.support.digests import a_story, an_edition, told_by
from tests.support.html_pages import HtmlPage

PAGE = "https://clawfeed.example/digests/7"
COMMONMARK = MarkdownIt("commonmark")
# Besides what is hostile anywhere.
HERE = (
    "@octocat please look", "fixes #1 closes #2 resolves owner/repo#3", "${{ secrets.TOKEN }}",
    "![track](https://evil.example/p.gif?u=1)", "::set-output name=x::y", "/close", "---", "=1+1",
    "\\@anna", "a: b # c", "'\"\\", "@org/team", "{% raw %}", "- x\n---\n# y",
)  # fmt: skip


def _parts(file: str) -> tuple[dict[str, object], str]:
    """The front matter as YAML reads it, and the Markdown."""
    nothing, head, body = file.split("---\n", 2)
    assert nothing == ""
    return yaml.safe_load(head), body


def _as_given(text: str) -> str:
    return text.replace(JOINER, "")


def test_programs_find_what_they_want_to_know() -> None:
    head, _ = _parts(render_file(an_edition(), edition_id=7, link=PAGE))

    assert head.pop("date") == NOON
    assert isinstance(head.pop("covers_from"), datetime)
    assert head.pop("covers_until") == NOON
    assert head == {
        "title": "Rust, chips and the weather",
        "type": "daily",
        "period": "2026-11-15",
        "language": "en",
        "items": 312,
        "sources": 41,
        "stories": 1,
        "minutes": 3,
        "link": PAGE,
        "clawfeed_edition": 7,
    }


def test_a_text_in_a_file_is_read_as_that_text_and_adds_nothing() -> None:
    """By a parser of YAML and a renderer of CommonMark."""
    shape = HtmlPage(COMMONMARK.render(_parts(render_file(PLAIN, edition_id=7, link=PAGE))[1]))

    for text in (*HERE, *HOSTILE[:90]):
        file = render_file(_edition(text), edition_id=7, link=PAGE)
        head, body = _parts(file)
        page = HtmlPage(COMMONMARK.render(body))

        assert head["title"] == one_line(text)
        assert page.elements() == shape.elements(), text
        assert _as_given(page.texts("h3")[0]) == _as_given(f"1. {one_line(text)}")
        assert set(page.values("a", "href")) == OURS


def test_nothing_in_a_file_calls_anybody_or_is_a_template() -> None:
    for text in HERE:
        file = render_file(_edition(text), edition_id=7, link=PAGE)
        _, body = _parts(file)
        shown = HtmlPage(COMMONMARK.render(body)).texts("body")[0]

        assert not re.search(r"@\w|#\d", shown), text
        assert not re.search(r"\{\{|\{%", file), text
        assert "![" not in body


def test_where_a_link_leads_is_said_beside_it() -> None:
    sources = (told_by(1, "A", "https://bank.example/login", url="https://evil.example/x"),)

    file = render_file(an_edition(a_story(sources=sources)), edition_id=7, link=PAGE)

    shown = HtmlPage(COMMONMARK.render(file)).texts("li")
    assert any("https://bank.example/login (evil.example), A" in each for each in shown)


@pytest.mark.parametrize(
    ("kind", "period", "name"),
    [
        ("daily", "2026-11-18", "2026/2026-11-18-daily.md"),
        ("4h", "2026-11-18T08:00", "2026/2026-11-18t08-00-4h.md"),
        ("weekly", "2026-W46", "2026/2026-w46-weekly.md"),
        ("monthly", "2026-11", "2026/2026-11-monthly.md"),
        ("daily", "../../.github/workflows/x", "2026/github-workflows-x-daily.md"),
    ],
)
def test_a_file_is_named_by_its_dates(kind: str, period: str, name: str) -> None:
    assert file_name(an_edition(type=EditionType(kind), period=period)) == name


@given(st.text(max_size=200))
def test_a_name_is_harmless_whatever_it_is_made_of(text: str) -> None:
    assert re.fullmatch(r"[a-z0-9](?:[a-z0-9-]{0,78}[a-z0-9])?", slug(text))
    name = file_name(replace(PLAIN, period=text))
    assert re.fullmatch(r"\d{4}/[a-z0-9-]{1,80}\.md", name)

"""An edition in Telegram's HTML: texts stay texts, and every part is small enough."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import count

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clawfeed.domain.editions.digest import (
    DigestContent,
    DigestStory,
    Section,
    Sentence,
    WhatChanged,
)
from clawfeed.rendering.safe_text import JOINER, inert, one_line
from clawfeed.rendering.telegram import LONGEST_LINK, plain_of, render_telegram
from clawfeed.simulator.services.telegram_html import (
    UnreadableHtmlError,
    found_in,
    read_html,
    units,
)
from tests.support.clocks import NOON
from tests.support.digests import a_story, an_edition, told_by
from tests.support.hostile_text import header_injections, markup_texts, odd_texts
from tests.support.html_pages import HtmlPage

PAGE = "https://clawfeed.example/digests/7"
OURS = {"https://news.example/1", "https://news.example/2", PAGE}
# What Telegram and its neighbours make something of.
LIVELY = (
    "/start@demo_bot now", "tg://resolve?domain=x", "TON://x", "@octocat please look",
    "a@b.example",
    '<a href="tg://user?id=1">x</a>', "</code></pre><b>x", "=1+1", "+1", "-1", "@SUM(A1)",
    "<tg-spoiler>x</tg-spoiler>", "&quot;&lt;", "<t:0:R> <@123> <#456>", "/a /b/c //d and/or",
    "\u202e@gnp.exe", "🦀" * 120, "http://a.example/)_(x", "${{ secrets.TOKEN }}",
)  # fmt: skip
HOSTILE = [
    text
    for text in (*markup_texts(), *odd_texts()[:70], *header_injections()[:20], *LIVELY)
    if one_line(text) and len(text) < 350  # longer ones are cut; that has a test of its own
]


def _edition(text: str) -> DigestContent:
    """One that has *text* wherever a stranger's text can be."""
    story = a_story(
        text,
        sources=(told_by(1, text, text, publisher=text), told_by(2, "Plain", text)),
        what_changed=WhatChanged(told_at=NOON, headline=text, news=text),
    )
    words = replace(story.words, sentences=(Sentence(text=text, cites=(1, 2)),))
    return an_edition(replace(story, words=words), title=text, summary=(text, "plain"))


def _as_given(text: str) -> str:
    return text.replace(JOINER, "")


def test_a_text_is_read_as_that_text_and_adds_nothing() -> None:
    """By a real parser of HTML and by one as strict as Telegram's own."""
    shape = HtmlPage("".join(render_telegram(_edition("plain"), PAGE))).elements()

    for text in HOSTILE:
        parts = render_telegram(_edition(text), PAGE)
        page = HtmlPage("".join(parts))

        assert page.elements() == shape, text
        assert {str(each) for each in page.values("a", "href")} == OURS
        assert _as_given(page.texts("b")[0]) == _as_given(one_line(text))
        assert _as_given(page.texts("b")[2]) == _as_given(f"1. {one_line(text)}")
        for part in parts:
            read, _ = read_html(part)
            assert read == plain_of(part)
            assert HtmlPage(part).texts("body") == [read]


def test_nothing_in_a_text_rings_runs_or_opens_a_program() -> None:
    for text in HOSTILE:
        for part in render_telegram(_edition(text), PAGE):
            read, entities = read_html(part)
            links = {each.url for each in entities if each.type == "text_link"}
            found = {each.type for each in (*entities, *found_in(read))}

            assert links <= OURS
            assert found <= {"bold", "italic", "text_link", "url"}, text
            assert not re.search(r"(?i)\b(?:tg|ton)://", read)


def test_what_is_no_call_stays_as_it_is() -> None:
    for text in ("and/or", "24/7", "https://a.example/x", "a @ b", "C++ :// x", "1:2", "</b>"):
        assert inert(text) == text


@pytest.mark.parametrize(
    "html",
    [
        "<b>x",
        "x</b>",
        "<b>x</i>",
        "a < b",
        "<p>x</p>",
        "<b",
        '<a href="x>y</a>',
        "<b onclick>x</b>",
    ],
)
def test_the_strict_parser_is_strict(html: str) -> None:
    with pytest.raises(UnreadableHtmlError):
        read_html(html)


def test_where_a_link_leads_is_said_beside_it() -> None:
    sources = (told_by(1, "A", "https://bank.example/login", url="https://evil.example/x"),)

    [part] = render_telegram(an_edition(a_story(sources=sources)), PAGE)

    assert ">https://bank.example/login</a> (evil.example), A" in part


def test_an_address_of_another_kind_or_endless_is_no_link() -> None:
    sources = (
        told_by(1, "A", "one", url="javascript:alert(1)"),
        told_by(2, "B", "two", url="https://news.example/" + "x" * LONGEST_LINK),
    )

    [part] = render_telegram(an_edition(a_story(sources=sources)), PAGE)

    assert HtmlPage(part).values("a", "href") == [PAGE]


def _told(number: int, text: str) -> DigestStory:
    story = a_story(f"story {number} {text}", story_id=number)
    sentences = tuple(Sentence(text=f"{text} s{each}.", cites=(1,)) for each in range(3))
    return replace(story, words=replace(story.words, sentences=sentences))


texts = st.one_of(
    st.text(max_size=40),
    st.builds(
        lambda sign, often: sign * often,
        st.sampled_from(["x", "word ", "🦀", "&", '"', "<b>", "田", "@a ", "e\u0301", "/x "]),
        st.integers(0, 5_000),
    ),
)


@settings(max_examples=40)
@given(st.lists(texts, min_size=1, max_size=6), st.lists(texts, max_size=4))
def test_every_part_is_small_enough_and_all_stories_are_told_in_order(
    told: list[str], summary: list[str]
) -> None:
    stories = [_told(number, text) for number, text in zip(count(1), told, strict=False)]
    content = an_edition(*stories, summary=tuple(summary), title=told[0] + "z")

    parts = render_telegram(content, PAGE)

    read = [read_html(part)[0] for part in parts]  # raises if a tag or an entity is cut
    assert max(map(units, read)) <= 4_096
    assert max(map(units, parts)) <= 9_500
    numbers = [int(each) for each in re.findall(r"(?m)^(\d+)\. story", "\n\n".join(read))]
    assert numbers == list(range(1, len(told) + 1))
    assert [PAGE in part for part in parts] == [False] * (len(parts) - 1) + [True]
    if len(parts) > 1:
        assert [part.rsplit("\n", 1)[1] for part in parts] == [
            f"{number}/{len(parts)}" for number in range(1, len(parts) + 1)
        ]


def test_long_addresses_fill_a_message_although_nobody_sees_them() -> None:
    """Past some 9,500 units of everything Telegram takes no message."""
    links = [f"https://news.example/{'x' * 900}{number}" for number in range(3)]
    sources = tuple(told_by(number, "A", "t", url=link) for number, link in enumerate(links, 1))
    stories = [a_story(f"story {number}", story_id=number, sources=sources) for number in range(6)]

    parts = render_telegram(an_edition(*stories), PAGE)

    assert max(map(units, parts)) <= 9_500
    assert sum(part.count("<a href") for part in parts) == 6 * 3 + 1


def test_a_story_is_never_split_and_its_section_stays_with_it() -> None:
    stories = [
        replace(_told(number, "word " * 150), section=section)
        for number, section in enumerate([Section.TOP, Section.TOP, Section.COMMUNITY], 1)
    ]

    parts = [read_html(each)[0] for each in render_telegram(an_edition(*stories), PAGE)]

    assert len(parts) > 1
    for number in (1, 2, 3):
        [part] = [each for each in parts if re.search(rf"(?m)^{number}\. story", each)]
        assert part.index(f"{number}. story") < part.rindex("[2] Rust 1.90")
    assert re.search(r"WHAT PEOPLE TALK ABOUT\n\n3\. story", "\n".join(parts))


def test_a_story_longer_than_a_message_ends_at_a_sentence() -> None:
    words = replace(
        a_story().words,
        sentences=tuple(Sentence(text=f"{'word ' * 280}end{each}.") for each in range(5)),
    )

    told = "".join(render_telegram(an_edition(a_story(words=words)), PAGE))

    assert "word end0. word" in told
    assert "end1.\n" in told
    assert "end2" not in told
    assert "[2] <a" in told  # its sources are there all the same


def test_one_sentence_longer_than_a_message_ends_at_a_word() -> None:
    words = replace(a_story().words, sentences=(Sentence(text="word " * 2_000),))

    told = "".join(render_telegram(an_edition(a_story(words=words)), PAGE))

    assert "word word…\n" in told

"""Each format, each element, each oddity: a document in, its values out (S001-5, S001-6).

Written from RSS 0.9x, 1.0 and 2.0, RFC 4287 and their modules, and from what parsers got wrong.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clawfeed.sources.documents.dates import read_date
from clawfeed.sources.documents.feed import FeedDocument, parse_feed

NOW = datetime(2026, 11, 1, 12, tzinfo=UTC)
SPACES = (
    'xmlns:atom="http://www.w3.org/2005/Atom" xmlns:dc="http://purl.org/dc/elements/1.1/" '
    'xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:x="http://x.example/" '
    'xmlns:media="http://search.yahoo.com/mrss/" '
    'xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"'
)


def read(body: str) -> FeedDocument:
    return parse_feed(body.encode(), content_type="", base_url="https://s.example/f", now=NOW)


def rss(item: str) -> str:
    return (
        f'<rss version="2.0" {SPACES}><channel><title>S</title><item>{item}</item></channel></rss>'
    )


def rdf(item: str) -> str:
    return (
        '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" '
        f'xmlns="http://purl.org/rss/1.0/" {SPACES}><channel><title>S</title></channel>'
        f"<item>{item}</item></rdf:RDF>"
    )


def atom(entry: str) -> str:
    return f'<feed xmlns="http://www.w3.org/2005/Atom" {SPACES}><entry>{entry}</entry></feed>'


def atom03(entry: str) -> str:
    return f'<feed version="0.3" xmlns="http://purl.org/atom/ns#"><entry>{entry}</entry></feed>'


T = "<title>T</title>"
DIV = '<div xmlns="http://www.w3.org/1999/xhtml">'
TABLE = [
    # format, element(s) of one item, field, value
    (rss, "<title>Using <i>foo</i> in Python</title>", "title", "Using foo in Python"),
    (rss, "<x:title>no</x:title><title>T</title>", "title", "T"),
    (rss, "<itunes:title>no</itunes:title><title>T</title>", "title", "T"),
    (rss, "<media:title>no</media:title><title>T</title>", "title", "T"),
    (rss, "<title> </title><dc:title>D</dc:title>", "title", "D"),
    (rss, "<media:content url='u'><media:title>no</media:title></media:content>" + T, "title", "T"),
    (rss, '<atom:link rel="self" href="/self"/><link>/p</link>', "url", "https://s.example/p"),
    (rss, '<link>/p</link><atom:link rel="replies" href="/r"/>', "url", "https://s.example/p"),
    (rss, T + '<atom:link href="/p"/>', "url", "https://s.example/p"),
    (rss, T + "<x:link>/no</x:link>", "url", None),
    (rss, "<link>https://-blog.example/1</link>", "url", "https://-blog.example/1"),
    (rss, T + "<description><p>One</p> two</description>", "content", "<p>One</p> two"),
    (rss, T + "<description>a <b>&lt;i></b></description>", "content", "a <b>&lt;i&gt;</b>"),
    (rss, T + "<description>d</description><content:encoded>c</content:encoded>", "content", "c"),
    (rdf, T + "<description>d</description><content:encoded>c</content:encoded>", "content", "c"),
    (rss, T + '<body xmlns="http://www.w3.org/1999/xhtml"><p>b</p></body>', "content", "<p>b</p>"),
    (rss, T + "<fullitem>f</fullitem>", "content", "f"),
    (rss, T + "<itunes:summary>s</itunes:summary><description>d</description>", "content", "d"),
    (rss, "<media:group><media:description>m</media:description></media:group>", "content", "m"),
    (rss, T + "<description>a&lt;iframe src='/v'/&gt;b</description>", "content", "ab"),
    (rss, T + f"<description>{DIV}a<iframe src='/v'/>b</div></description>", "content", "ab"),
    (rss, T + "<itunes:author>i</itunes:author><author>a</author>", "author", "a"),
    (rss, T + "<dc:creator>c</dc:creator>", "author", "c"),
    (rss, T + "<atom:author><atom:name>n</atom:name></atom:author>", "author", "n"),
    (rss, T + "<guid>a?b=1&amp;copy=2</guid>", "guid", "a?b=1&copy=2"),
    (atom, "<source><title>no</title></source><title>T</title>", "title", "T"),
    (atom, f'<title type="xhtml">{DIV}a <b>b</b> &lt;c></div></title>', "title", "a b <c>"),
    (atom, T + f'<content type="xhtml">{DIV}<p>c</p></div></content>', "content", "<p>c</p>"),
    (atom, T + "<summary>1 &lt; 2</summary>", "content", "1 &lt; 2"),
    (atom, T + '<content src="/c"/><summary>s</summary>', "content", "s"),
    (atom, T + '<content type="image/png">iVBORw0K</content><summary>s</summary>', "content", "s"),
    (atom, T + '<content type="application/x-h">PHA+SGk8L3A+</content>', "content", "<p>Hi</p>"),
    (atom, T + '<link rel="enclosure" href="/e"/><link href="/p"/>', "url", "https://s.example/p"),
    (atom, T + '<link xml:base="/a/" href="p"/>', "url", "https://s.example/a/p"),
    (atom03, T + '<content mode="base64">PHA+SGk8L3A+</content>', "content", "<p>Hi</p>"),
]  # fmt: skip


@pytest.mark.parametrize(("wrap", "elements", "field", "value"), TABLE)
def test_each_element_gives_its_value(
    wrap: Callable[[str], str], elements: str, field: str, value: str | None
) -> None:
    (entry,) = read(wrap(elements)).entries

    assert (entry.metadata["guid"] if field == "guid" else getattr(entry, field)) == value


BROKEN = [
    "<description>one<br>two</description>",
    "<description><p>one<p>two</description>",
    '<description>one<img src="/a.png">two</description>',
    "<title>one<br>two</title>",
    "<title>1 < 2</title>",
    "<title><![CDATA[</title>]]><br></title>",
    "<!-- <item> --><description>one<hr></description>",
    "<description><![CDATA[<item>]]><hr></description>",
]


@pytest.mark.parametrize("broken", BROKEN)
def test_an_unclosed_tag_costs_no_other_item(broken: str) -> None:
    items = "".join(f"<item><title>n{n}</title><link>/{n}</link></item>" for n in range(49))
    body = f"<rss><channel><item><link>/x</link>{broken}</item>{items}</channel></rss>"

    document = read(body)

    assert (len(document.entries), document.dropped) == (50, 0)
    assert document.entries[0].url == "https://s.example/x"
    assert [entry.title for entry in document.entries[1:]] == [f"n{n}" for n in range(49)]


def test_a_doctype_of_html_does_not_make_a_feed_a_page() -> None:
    assert read("<!DOCTYPE html>" + rss(T)).entries[0].title == "T"


def test_prefixes_nobody_declared_mean_what_they_always_do() -> None:
    item = "<rss:item><rss:title>T</rss:title><dc:creator>c</dc:creator></rss:item>"
    body = f"<rss rss:version=2.0><rss:channel>{item}</rss:channel></rss>"

    (entry,) = read(body).entries

    assert (entry.title, entry.author) == ("T", "c")


MAY = datetime(2024, 5, 6, 7, 8, 9, tzinfo=UTC)
DATES = {
    "Mon, 06 May 2024 08:08:09 GMT+0100": MAY,
    "Mon, 06 May 2024 08:08:09 MET": MAY,
    "Mon, 06 May 2024 03:08:09 ET": MAY,
    "Mon, 06 May 2024 02:08:09 -0500 EST": MAY,
    "Mon, 06 May 24 07:08:09 +0000": MAY,
    "Mon May 06 2024 09:08:09 GMT+0200 (CEST)": MAY,
    "Mon May  6 00:08:09 PDT 2024": MAY,
    "May 6, 2024 7:08:09 AM": MAY,
    "lun., 06 mai 2024 09:08:09 +0200": MAY,
    "2024-05-06 07:08:09": MAY,
    "20240506T070809Z": MAY,
    "2024년 05월 06일 16:08:09": MAY,
    "2024-05-06 오후 4:08:09": MAY,
    "1714979289": MAY,
    "06 Okt 2003 00:00:00 GMT": datetime(2003, 10, 6, tzinfo=UTC),
    "Mar 7, 2024": datetime(2024, 3, 7, tzinfo=UTC),
    "mar. 7 mai 2024": datetime(2024, 5, 7, tzinfo=UTC),
    "2003-12": datetime(2003, 12, 1, tzinfo=UTC),
    "31.12.2003": datetime(2003, 12, 31, tzinfo=UTC),
    "12/31/2003": datetime(2003, 12, 31, tzinfo=UTC),
    "2003-12-31T24:00:00Z": datetime(2004, 1, 1, tzinfo=UTC),
    "04/05/2003": None,
    "31 Feb 2024 07:08:09 GMT": None,
    "2023-02-29T10:00:00Z": None,
    "Mon, 06 May 2024 07:08:09 XYZ": None,
    "Mon, 06 May 2024 25:08:09 GMT": None,
    "yesterday": None,
    "May": None,
    "7": None,
}


@pytest.mark.parametrize("text", DATES)
def test_a_date_is_right_or_absent(text: str) -> None:
    assert read_date(text) == DATES[text]


TEXT = st.text("ab <&>\"'é", max_size=12)


@settings(max_examples=100)
@given(st.lists(st.tuples(TEXT, TEXT), max_size=5))
def test_both_parsers_read_the_same_items(items: list[tuple[str, str]]) -> None:
    """A document with entities of its own goes to feedparser."""
    parts = [
        f"<item><title>t{n} {_escape(title)}</title><link>/{n}</link>"
        f"<description>{_escape(text)}</description></item>"
        for n, (title, text) in enumerate(items)
    ]
    body = f"<rss version='2.0'><channel>{''.join(parts)}</channel></rss>"

    ours, theirs = read(body), read('<!DOCTYPE rss [<!ENTITY own "own">]>' + body)

    values = [[(e.title, e.url, e.content) for e in one.entries] for one in (ours, theirs)]
    assert values[0] == values[1]


def _escape(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")

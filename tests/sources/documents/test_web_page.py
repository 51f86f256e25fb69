"""What a web page says of itself and which feeds it offers (S001-7)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clawfeed.sources.documents.web_page import FeedLink, PageDocument, parse_page

BASE = "https://site.example/blog/"


def page(head: str) -> PageDocument:
    return parse_page(f"<!doctype html><head>{head}</head><body>x</body>".encode(), "", BASE)


def test_a_page_names_itself() -> None:
    found = page(
        "<title> A &amp; B\n </title>"
        '<meta property="og:title" content="Open <b>A</b>">'
        '<meta property="og:description" content="About A">'
        '<meta property="og:site_name" content="Site">'
        '<meta name="Description" content="Plain">'
    )

    assert found == PageDocument(
        title="A & B",
        og_title="Open A",
        og_description="About A",
        description="Plain",
        site_name="Site",
    )


def test_feeds_are_found_in_order_each_once() -> None:
    """As the page lists them (S001-7)."""
    found = page(
        '<link rel=alternate type=application/rss+xml title="All" href="feed.xml">'
        '<link rel="ALTERNATE home" type="Application/Atom+XML; charset=utf-8" href=/atom>'
        "<link rel=alternate type=application/feed+json href=https://cdn.example/f.json>"
        '<link rel=alternate type=application/rss+xml href="/blog/feed.xml">'
        '<link rel="feed" href="/other">'
    )

    assert found.feeds == (
        FeedLink("https://site.example/blog/feed.xml", "application/rss+xml", "All"),
        FeedLink("https://site.example/atom", "application/atom+xml", ""),
        FeedLink("https://cdn.example/f.json", "application/feed+json", ""),
        FeedLink("https://site.example/other", "", ""),
    )


@pytest.mark.parametrize(
    "link",
    [
        "<link rel=alternate type=application/json href=/wp-json/1>",
        "<link rel=alternate type=application/json+oembed href=/o>",
        "<link rel=alternate hreflang=de href=/de/>",
        '<link rel="alternate stylesheet" type=text/xml href=/x.css>',
        '<link rel=alternate type=application/rss+xml href="javascript:alert(1)">',
        '<link rel=alternate type=application/rss+xml href="file:///etc/passwd">',
        '<link rel=alternate type=application/rss+xml href="">',
        "<!-- <link rel=alternate type=application/rss+xml href=/old> -->",
    ],
)
def test_what_is_not_a_feed_link(link: str) -> None:
    assert page(link).feeds == ()


def test_links_follow_the_base_element_unless_it_is_hostile() -> None:
    feed = "<link rel=alternate type=application/rss+xml href=f>"

    moved = page(f"<base href='https://cdn.example/x/'>{feed}")
    hostile = page(f"<base href='javascript:alert(1)//'>{feed}")

    assert moved.feeds[0].url == "https://cdn.example/x/f"
    assert hostile.feeds[0].url == "https://site.example/blog/f"


def test_an_images_title_is_not_the_pages_title() -> None:
    assert parse_page(b"<body><svg><title>icon</title></svg>", "", BASE).title in {"", "icon"}
    assert page("<title>Page</title></head><svg><title>icon</title></svg>").title == "Page"


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        ("<title>新闻</title>".encode("gb18030"), "text/html; charset=gb2312"),
        ("<meta charset='gbk'><title>新闻</title>".encode("gb18030"), "text/html"),
        ("<meta content='text/html; charset=big5'><title>新聞</title>".encode("big5"), ""),
        ("<title>新闻</title>".encode(), "text/html"),
        ("<title>新闻</title>".encode("utf-16"), ""),
        ("<meta charset=utf-8><title>新闻</title>".encode("gb18030"), "text/html; charset=gbk"),
    ],
)
def test_the_title_is_read_in_the_pages_encoding(body: bytes, content_type: str) -> None:
    assert parse_page(body, content_type, BASE).title in {"新闻", "新聞"}


def test_a_page_offers_at_most_twenty_feeds() -> None:
    links = "".join(f"<link rel=alternate type=text/xml href=/{n}>" for n in range(100))

    assert len(page(links).feeds) == 20


@given(st.binary(max_size=300))
def test_any_bytes_are_some_page(body: bytes) -> None:
    assert isinstance(parse_page(b"<title>" + body, "", BASE), PageDocument)

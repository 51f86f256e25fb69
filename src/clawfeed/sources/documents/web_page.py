"""A web page's head read into clean values: its names and the feeds it offers (S001-7)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from clawfeed.sources.documents.parsed_drafts import LONGEST_TITLE
from clawfeed.sources.documents.text_cleaning import (
    charset_of,
    clean_text,
    clean_url,
    decode,
    without_controls,
)

if TYPE_CHECKING:
    from turbohtml import Document, Element

# Everything we ask for stands in the head; a page that hides it behind a megabyte goes without.
READ_BYTES: Final = 2**20
MOST_FEEDS: Final = 20
LONGEST_DESCRIPTION: Final = 5000
# Not application/json: there it is an API far more often than a JSON Feed.
FEED_TYPES: Final = frozenset(
    {
        "application/rss+xml",
        "application/atom+xml",
        "application/feed+json",
        "application/rdf+xml",
        "application/xml",
        "text/xml",
    }
)
_META_CHARSET = re.compile(
    rb"<meta[^>]{0,300}?charset\s*=\s*[\"']?\s*([\w.:-]{1,40})", re.IGNORECASE
)


class FeedLink(NamedTuple):
    """A feed a page says it has."""

    url: str
    type: str
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PageDocument:
    """What a page says of itself; what it does not say is an empty text."""

    title: str = ""
    og_title: str = ""
    og_description: str = ""
    description: str = ""
    site_name: str = ""
    feeds: tuple[FeedLink, ...] = ()


def parse_page(body: bytes, content_type: str, base_url: str) -> PageDocument:
    """The page in *body*. Any bytes make some page, if an empty one, as in a browser."""
    from turbohtml import parse  # the service needs the values above, and no parser

    page = parse(page_text(body[:READ_BYTES], content_type))
    base = _base(page, base_url)
    meta = _meta(page)
    title = page.select_one("head title") or page.select_one("title")
    return PageDocument(
        title=clean_text(title.text, LONGEST_TITLE) if title else "",
        og_title=clean_text(meta.get("og:title"), LONGEST_TITLE),
        og_description=clean_text(meta.get("og:description"), LONGEST_DESCRIPTION),
        description=clean_text(meta.get("description"), LONGEST_DESCRIPTION),
        site_name=clean_text(meta.get("og:site_name"), LONGEST_TITLE),
        feeds=_feeds(page, base),
    )


def page_text(body: bytes, content_type: str) -> str:
    """The page as text; the server's charset outranks the page's own (HTML, 13.2.3.2)."""
    found = _META_CHARSET.search(body[:4096])
    declared = found[1].decode() if found else None
    return without_controls(decode(body, (charset_of(content_type), declared)))


def _base(page: Document, base_url: str) -> str:
    node = page.select_one("base[href]")
    return (_href(node, base_url) if node else None) or base_url


def _href(node: Element, base: str) -> str | None:
    href = node.attr("href")
    return clean_url(base, href) if href else None


def _meta(page: Document) -> dict[str, str]:
    """The first value of each `<meta>` by its lower-case name or property."""
    found: dict[str, str] = {}
    for node in page.select("meta[content]"):
        name = (node.attr("property") or node.attr("name") or "").lower()
        found.setdefault(name, node.attr("content") or "")
    return found


def _feeds(page: Document, base: str) -> tuple[FeedLink, ...]:
    """The feeds in the page's order, each URL once."""
    unique: dict[str, FeedLink] = {}
    for feed in _feed_links(page, base):
        unique.setdefault(feed.url, feed)
        if len(unique) == MOST_FEEDS:
            break
    return tuple(unique.values())


def _feed_links(page: Document, base: str) -> Iterator[FeedLink]:
    for node in page.select("link[rel][href]"):
        rel = (node.attr("rel") or "").lower().split()
        kind = (node.attr("type") or "").partition(";")[0].strip().lower()
        is_feed = ("alternate" in rel and kind in FEED_TYPES) or "feed" in rel
        if is_feed and "stylesheet" not in rel and (url := _href(node, base)):
            yield FeedLink(url, kind, clean_text(node.attr("title"), LONGEST_TITLE))

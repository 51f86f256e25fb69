"""Editions as RSS 2.0, with the whole text of each (`content:encoded`)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from email.utils import format_datetime
from html import escape, unescape

from clawfeed.rendering.feed_view import FeedEntry, FeedView

_HEAD = (
    '<?xml version="1.0" encoding="utf-8"?>\n'
    '<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom" '
    'xmlns:content="http://purl.org/rss/1.0/modules/content/">'
)


def render_rss(view: FeedView) -> bytes:
    """The feed in UTF-8; the same for the same editions, so that its ETag holds."""
    lines = [_HEAD, "<channel>", *_about(view)]
    for entry in view.entries:
        lines += ["<item>", *_item(entry), "</item>"]
    return "\n".join([*lines, "</channel>", "</rss>", ""]).encode()


def _about(view: FeedView) -> Iterator[str]:
    yield _element("title", view.title)
    yield _element("link", view.home)
    yield _element("description", view.description)
    yield _element("language", view.language)
    yield _element("generator", "ClawFeed")
    yield _element("docs", "https://www.rssboard.org/rss-specification")
    if view.updated_at is not None:
        yield _element("lastBuildDate", _date(view.updated_at))
    if view.address is not None:
        where = escape(view.address)
        yield f'<atom:link rel="self" type="application/rss+xml" href="{where}"/>'


def _item(entry: FeedEntry) -> Iterator[str]:
    yield _element("title", _markup_for(entry.title))
    yield _element("link", entry.link)
    yield f'<guid isPermaLink="false">{escape(entry.id)}</guid>'
    yield _element("pubDate", _date(entry.published_at))
    # It is HTML for those who read it, so a text is escaped once more.
    yield _element("description", escape(entry.summary))
    yield _element("content:encoded", entry.html)


def _markup_for(title: str) -> str:
    """A title as HTML where it would be taken for some, else as it is.

    The specification does not say which a title is: most readers take it for HTML, some for text,
    and both show nearly every title as it is written.
    """
    is_like_markup = re.search("<[a-z/!?]", title, re.IGNORECASE) or unescape(title) != title
    return escape(title, quote=False) if is_like_markup else title


def _element(name: str, text: str) -> str:
    return f"<{name}>{escape(text, quote=False)}</{name}>"


def _date(moment: datetime) -> str:
    return format_datetime(moment.astimezone(UTC).replace(microsecond=0), usegmt=True)

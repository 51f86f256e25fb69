"""Editions as JSON Feed 1.1."""

from __future__ import annotations

import json

from clawfeed.domain.moments import iso
from clawfeed.rendering.feed_view import FeedEntry, FeedView

_VERSION = "https://jsonfeed.org/version/1.1"


def render_json_feed(view: FeedView) -> bytes:
    """The feed in UTF-8; the same for the same editions, so that its ETag holds."""
    feed: dict[str, object] = {
        "version": _VERSION,
        "title": view.title,
        "home_page_url": view.home,
        "description": view.description,
        "language": view.language,
        "items": [_item(each) for each in view.entries],
    }
    if view.address is not None:
        feed["feed_url"] = view.address
    return json.dumps(feed, ensure_ascii=False).encode()


def _item(entry: FeedEntry) -> dict[str, object]:
    return {
        "id": entry.id,
        "url": entry.link,
        "title": entry.title,
        "summary": entry.summary,
        "content_html": entry.html,
        "date_published": iso(entry.published_at),
        "language": entry.language,
    }

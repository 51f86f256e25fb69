"""A JSON Feed 1.0 or 1.1 in feedparser's vocabulary, so that it is read through XML's door."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from clawfeed.sources.documents.errors import UnreadableError
from clawfeed.sources.documents.html_sanitizer import escape_text
from clawfeed.sources.documents.json_values import list_of, read_json, text_of
from clawfeed.sources.documents.raw_entry import RawEntry, whole_entry

# The specification calls titles plain text.
_PLAIN = {"type": "text/plain"}


def read_json_feed(text: bytes) -> dict[str, Any]:
    """The feed with its items as they stand there, for `json_entries`; or `UnreadableError`."""
    data = read_json(text)
    if "jsonfeed.org/version/" not in text_of(data.get("version")):
        raise UnreadableError("this is JSON, but not a JSON Feed")
    feed = {
        "title": text_of(data.get("title")),
        "title_detail": _PLAIN,
        "link": text_of(data.get("home_page_url")),
        "author": _author(data),
    }
    return {"feed": feed, "entries": list_of(data.get("items"))}


def json_entries(items: Iterable[object]) -> Iterator[RawEntry]:
    """The items that are objects."""
    return (whole_entry(_entry(item)) for item in items if isinstance(item, dict))


def _entry(item: Mapping[str, Any]) -> dict[str, Any]:
    markup = text_of(item.get("content_html")) or escape_text(text_of(item.get("content_text")))
    guid = item.get("id")
    return {
        "id": text_of(str(guid)) if isinstance(guid, (str, int)) else "",
        "title": text_of(item.get("title")),
        "title_detail": _PLAIN,
        "link": text_of(item.get("url")) or text_of(item.get("external_url")),
        "author": _author(item),
        "content": [{"value": markup}],
        "description": escape_text(text_of(item.get("summary"))),
        "dates": [text_of(item.get("date_published")), text_of(item.get("date_modified"))],
        "tags": [{"term": text_of(tag)} for tag in list_of(item.get("tags"))],
        "enclosures": [_attachment(part) for part in _objects(item.get("attachments"))],
    }


def _author(data: Mapping[str, Any]) -> str:
    """The first author's name; version 1.0 knew only one."""
    people = _objects(data.get("authors")) or _objects([data.get("author")])
    return text_of(people[0].get("name")) if people else ""


def _attachment(part: Mapping[str, Any]) -> dict[str, Any]:
    size = part.get("size_in_bytes")
    return {"url": text_of(part.get("url")), "type": text_of(part.get("mime_type")), "length": size}


def _objects(value: object) -> list[dict[str, Any]]:
    return [part for part in list_of(value) if isinstance(part, dict)]

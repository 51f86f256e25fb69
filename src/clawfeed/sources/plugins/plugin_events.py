"""What plug-ins yield, read into one shape. Nothing here is believed to be of the right type."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

import orjson

from clawfeed.domain.ids import JsonValue
from clawfeed.sources.documents.html_sanitizer import LONGEST_HTML
from clawfeed.sources.documents.text_cleaning import LONGEST_URL, clean_text

# A feed of our own making must be one the parse workers take (10 MB).
LARGEST_DOCUMENT: Final = 8 * 2**20
LONGEST_TITLE: Final = 2000
LONGEST_AUTHOR: Final = 500
LARGEST_METADATA: Final = 16_384
DEEPEST_METADATA: Final = 5
MOST_VALUES: Final = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One event, its values still dirty; the metadata is clean JSON."""

    number: int
    title: str
    url: str
    content: str
    author: str
    published_at: datetime | None
    metadata: Mapping[str, JsonValue] = field(default_factory=dict)

    @property
    def size(self) -> int:
        """At most so many bytes in the document, escapes aside."""
        return 4 * (len(self.title) + len(self.url) + len(self.content) + len(self.author)) + 200


def read_event(raw: object, *, number: int) -> Event:
    """The event in a mapping or a dataclass; `TypeError` for anything else."""
    values = _values(raw)
    return Event(
        number=number,
        title=_text(values.get("title"), LONGEST_TITLE),
        url=_text(values.get("url"), LONGEST_URL),
        content=_text(values.get("content"), LONGEST_HTML),
        author=_text(values.get("author"), LONGEST_AUTHOR),
        published_at=_moment(values.get("published_at")),
        metadata=_metadata(values.get("metadata")),
    )


def as_document(events: Sequence[Event]) -> bytes:
    """The events as a JSON Feed: one road through the parse workers for everything.

    Its titles are plain text, while a plug-in may have copied one out of a page.
    """
    items = [
        {
            "id": str(event.number),
            "title": clean_text(event.title, LONGEST_TITLE),
            "url": event.url,
            "content_html": event.content,
            "authors": [{"name": event.author}],
            "date_published": event.published_at.isoformat() if event.published_at else None,
        }
        for event in events
    ]
    return orjson.dumps({"version": "https://jsonfeed.org/version/1.1", "items": items})


def _values(raw: object) -> Mapping[str, Any]:
    if isinstance(raw, Mapping):
        return raw
    if dataclasses.is_dataclass(raw) and not isinstance(raw, type):
        return {f.name: getattr(raw, f.name) for f in dataclasses.fields(raw)}
    raise TypeError(f"an event must be a mapping or a dataclass, not {type(raw).__name__}")


def _text(value: object, limit: int) -> str:
    """A text of a sane length that JSON can hold; a longer URL is no URL, and is cut too."""
    return value[:limit].encode("utf-8", "ignore").decode() if isinstance(value, str) else ""


def _moment(value: object) -> datetime | None:
    """The date meant; naive means UTC, an unreadable one is none."""
    try:
        match value:
            case bool():
                return None
            case datetime():
                moment = value
            case str():
                moment = datetime.fromisoformat(value.strip())
            case int() | float():
                moment = datetime.fromtimestamp(value, UTC)
            case _:
                return None
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError, OSError):
        return None


def _metadata(value: object) -> dict[str, JsonValue]:
    """What of the metadata is JSON, if it is of a sane size."""
    plain = _plain(value, DEEPEST_METADATA) if isinstance(value, Mapping) else {}
    if not isinstance(plain, dict) or len(orjson.dumps(plain)) > LARGEST_METADATA:
        return {}
    return plain


def _plain(value: object, depth: int) -> JsonValue:
    """*value* as JSON; what has no place there becomes null, what is too deep or many is cut."""
    if depth and isinstance(value, Mapping):
        pairs = list(value.items())[:MOST_VALUES]
        return {clean_text(_escaped(str(k)), 200): _plain(v, depth - 1) for k, v in pairs}
    if depth and isinstance(value, list | tuple | set | frozenset):
        return [_plain(each, depth - 1) for each in list(value)[:MOST_VALUES]]
    return _scalar(value)


def _scalar(value: object) -> JsonValue:
    match value:
        case str():
            return clean_text(_escaped(value), LARGEST_METADATA)
        case bool():
            return value
        case int() if abs(value) < 2**53:
            return value
        case float() if math.isfinite(value):
            return value
        case datetime() if moment := _moment(value):
            return moment.isoformat()
    return None


def _escaped(text: str) -> str:
    """So that `clean_text`, which reads HTML, gives back the text as it was."""
    return text[:LARGEST_METADATA].replace("&", "&amp;").replace("<", "&lt;")

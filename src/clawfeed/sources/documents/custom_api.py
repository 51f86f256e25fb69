"""Anybody's JSON read into drafts by dotted paths. Runs in a parse worker."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from clawfeed.domain.ids import JsonValue
from clawfeed.domain.sources.item import Draft
from clawfeed.sources.documents.errors import UnreadableError
from clawfeed.sources.documents.html_sanitizer import sanitize_html
from clawfeed.sources.documents.json_values import LARGEST_NUMBER, moment_of, read_json, text_of
from clawfeed.sources.documents.parsed_drafts import (
    LONGEST_LEAD,
    LONGEST_NAME,
    LONGEST_TITLE,
    ParsedDrafts,
)
from clawfeed.sources.documents.size_limit import bounded
from clawfeed.sources.documents.text_cleaning import clean_text, clean_url

MOST_ITEMS: Final = 1000
MOST_VALUES: Final = 10  # of a list in the metadata

# Where a field is looked for when the config does not say; the first that holds a text wins.
# `html_url` stands before `url`: where both exist, `url` is the machine's door. `date_gmt` stands
# before `date`: WordPress writes both without a zone, and only the first is UTC.
DEFAULTS: Final[Mapping[str, Sequence[str]]] = {
    "title": ("title", "title.rendered", "name", "headline"),
    "url": ("html_url", "url", "link", "permalink"),
    "author": ("author", "author.name", "author.login", "by", "user.name", "user.login"),
    "content": ("content", "content.rendered", "summary", "description", "body"),
    "published_at": ("published_at", "date_gmt", "date", "created_at", "pubDate", "time"),
}
_NO_VALUE = object()


def parse_api(body: bytes, options: Mapping[str, Any]) -> ParsedDrafts:
    """The items under `options["items_path"]`; those with neither title nor URL are dropped."""
    items = _items(read_json(body, options["content_type"]), options["items_path"])
    now = datetime.fromisoformat(options["now"])
    reader = _ItemReader(options["fields"], options["base_url"], now)
    found = (draft for item in items[:MOST_ITEMS] if (draft := reader.draft(item)))
    drafts, shortened = bounded(found)
    return ParsedDrafts(drafts=drafts, dropped=len(items) - len(drafts), shortened=shortened)


def follow(value: object, path: str) -> object:
    """What lies at a dotted path; numbers step into lists. A private marker if nothing does."""
    for step in path.split(".") if path else ():
        if isinstance(value, dict) and step in value:
            value = value[step]
        elif isinstance(value, list) and _is_index(step, len(value)):
            value = value[int(step)]
        else:
            return _NO_VALUE
    return value


def _is_index(step: str, length: int) -> bool:
    return step.isascii() and step.isdecimal() and len(step) < 8 and int(step) < length


def _items(document: object, path: str) -> list[Any]:
    found = follow(document, path)
    where = f"at items_path {path!r}" if path else "at its top; items_path can say where it is"
    if found is None and path:  # how some languages write an empty list
        return []
    if found is _NO_VALUE:
        raise UnreadableError(f"the JSON has nothing {where}")
    if not isinstance(found, list):
        raise UnreadableError(f"the JSON has no list {where}")
    return found


class _ItemReader:
    """Reads item after item of one answer."""

    def __init__(self, fields: Mapping[str, str], base_url: str, now: datetime) -> None:
        self._paths: dict[str, Sequence[str]] = {
            name: (fields[name],) if name in fields else usual for name, usual in DEFAULTS.items()
        }
        self._extra = {name: path for name, path in fields.items() if name not in DEFAULTS}
        self._base_url = base_url
        self._now = now

    def draft(self, item: object) -> Draft | None:
        link = self._text(item, "url").strip()
        url = clean_url(self._base_url, link) if link else None
        title = clean_text(self._text(item, "title"), LONGEST_TITLE)
        if not title and not url:
            return None
        content = sanitize_html(self._text(item, "content").strip(), url or self._base_url)
        lead = clean_text(content[: 64 * LONGEST_LEAD], LONGEST_LEAD)
        return Draft(
            title=title or lead or str(url)[:LONGEST_TITLE],
            url=url,
            author=clean_text(self._text(item, "author"), LONGEST_NAME) or None,
            content=content,
            published_at=self._moment(item),
            metadata=self._metadata(item),
        )

    def _text(self, item: object, name: str) -> str:
        return next(filter(None, (text_of(v) for v in self._values(item, name))), "")

    def _moment(self, item: object) -> datetime | None:
        moments = (moment_of(v, self._now) for v in self._values(item, "published_at"))
        return next(filter(None, moments), None)

    def _values(self, item: object, name: str) -> Iterator[object]:
        return (follow(item, path) for path in self._paths[name])

    def _metadata(self, item: object) -> dict[str, JsonValue]:
        found = {name: _plain(follow(item, path)) for name, path in self._extra.items()}
        return {name: value for name, value in found.items() if value is not None}


def _plain(value: object) -> JsonValue:
    """A value that every database and JSON reader takes; None for one that cannot be made so."""
    if isinstance(value, str):
        return clean_text(value, LONGEST_TITLE) or None
    if isinstance(value, list):
        kept = [plain for part in value[:MOST_VALUES] if (plain := _scalar(part)) is not None]
        return list[JsonValue](kept)
    return _scalar(value)


def _scalar(value: object) -> str | int | float | bool | None:
    if isinstance(value, str):
        return clean_text(value, LONGEST_NAME) or None
    if isinstance(value, bool):
        return value
    # NaN compares false with everything.
    if isinstance(value, int | float) and abs(value) <= LARGEST_NUMBER:
        return value
    return None

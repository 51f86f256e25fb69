"""A feed's bytes read into clean values: RSS, Atom and JSON Feed (S001-5, S001-6).

Hostile input can keep a parser busy for minutes, so this runs in a parse worker
(`sources.parsing`). The parsers are imported on use: the service itself only needs the values.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from itertools import islice
from typing import Any, Final, NamedTuple

from clawfeed.domain.ids import JsonValue
from clawfeed.domain.sources.item import Draft, fingerprint
from clawfeed.sources.documents.dates import read_date
from clawfeed.sources.documents.entry_keys import content_key, entry_key, pack_keys, unpack_keys
from clawfeed.sources.documents.errors import UnreadableError
from clawfeed.sources.documents.feed_bytes import (
    as_utf8,
    declared_base,
    feed_root,
)
from clawfeed.sources.documents.feed_hints import channel_only, skip_days_of, skip_hours_of, ttl_of
from clawfeed.sources.documents.feed_parsers import read_feed, read_leniently
from clawfeed.sources.documents.feed_text import RawEntry
from clawfeed.sources.documents.json_feed import json_entries, read_json_feed
from clawfeed.sources.documents.sanitize import escape_text, sanitise_html
from clawfeed.sources.documents.shared_links import has_shared_links, split_shared_links
from clawfeed.sources.documents.size_limit import bounded
from clawfeed.sources.documents.text_cleaning import clamp_date, clean_text, clean_url

LARGEST_BODY: Final = 10 * 2**20
MOST_ENTRIES: Final = 1000
MOST_CATEGORIES: Final = 10
LONGEST_TITLE: Final = 500
LONGEST_NAME: Final = 200
LONGEST_UNCLEAN_NAME: Final = 4000  # with markup; a bound on what is remembered
LONGEST_GUID: Final = 512
LONGEST_LEAD: Final = 120
# An entry that is a picture and nothing else.
UNTITLED: Final = "(untitled)"


# Where a title says whether it is text, and an entry without an author has the feed's (RFC 4287,
# 4.2.1; JSON Feed 1.1). In RSS titles are HTML in practice, and a channel's editor or podcaster is
# not said to have written every item: of arXiv's papers it would be the help desk.
_EXACT: Final = frozenset({b"feed", b"json"})


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedDocument:
    """A feed in its document's order.

    *dropped* entries were empty, beyond the thousandth, or lost in XML that nobody could mend.
    Entries have plain titles and authors, sanitised HTML as content, the guid in their metadata,
    and a version where they share a link. *shortened* ones lost their markup (`size_limit`).
    *known* more are stored already. *keys* name all of them to the next poll (`entry_keys`).
    """

    title: str
    entries: tuple[Draft, ...] = ()
    ttl: timedelta | None = None  # <ttl>, or sy:updatePeriod / sy:updateFrequency
    skip_hours: frozenset[int] = frozenset()  # UTC
    skip_days: frozenset[int] = frozenset()  # 0 = Monday
    dropped: int = 0
    shortened: int = 0
    known: int = 0
    keys: str = ""


def parse_feed(
    body: bytes, *, content_type: str, base_url: str, now: datetime, keys: str = ""
) -> FeedDocument:
    """The feed in *body*, or `UnreadableError`; nothing else is raised, whatever the bytes.

    1. Refuse what is too large, a web page, or no feed at all, before any parser sees it.
    2. Make it UTF-8.
    3. Read its elements; where that would lose something, mend it, or ask feedparser.
    4. Clean every value of the entries that *keys* (`FeedDocument.keys` of an earlier poll) do not
       name. *now* serves to judge dates and for nothing else.
    """
    if len(body) > LARGEST_BODY:
        raise UnreadableError(f"the document is larger than {LARGEST_BODY >> 20} MB")
    text = as_utf8(body, content_type)
    if text.startswith(b"{"):
        raw: Mapping[str, Any] = read_json_feed(text)
        around = _FeedContext(root=b"json", base=base_url, now=now, author=_author(raw["feed"]))
        items = json_entries(raw["entries"][:MOST_ENTRIES])
        return _feed_document(raw, b"", around, items, unpack_keys(keys))
    name, document, has_entities = feed_root(text)
    base = declared_base(document, base_url)
    raw = read_leniently(document) if has_entities else read_feed(document, base_url)
    author = _inherited_author(name, document, raw["feed"])
    around = _FeedContext(root=name, base=base, now=now, author=author)
    return _feed_document(raw, document, around, raw["entries"], unpack_keys(keys))


@dataclass(frozen=True, slots=True, kw_only=True)
class _FeedContext:
    """What all entries of a document share; *author* wrote those that name nobody."""

    root: bytes
    base: str
    now: datetime
    author: str


def _feed_document(
    raw: Mapping[str, Any],
    document: bytes,
    around: _FeedContext,
    items: Iterable[RawEntry],
    stored: frozenset[bytes],
) -> FeedDocument:
    channel = channel_only(document)
    link = _text(raw["feed"].get("link"))
    home_url = clean_url(around.base, link) if link else None
    found = [_outline(item, around) for item in islice(items, MOST_ENTRIES)]
    if has_shared_links((outline.url for outline in found), home_url):
        found = _with_versions(found, around, home_url)
    keys: list[bytes] = []
    entries = bounded(_new_entries(found, around, stored, keys))
    known = len(keys) - len(entries.drafts)
    return FeedDocument(
        title=_title(raw["feed"], around.root),
        entries=entries.drafts,
        ttl=ttl_of(channel),
        skip_hours=skip_hours_of(channel),
        skip_days=skip_days_of(channel),
        dropped=len(raw["entries"]) + raw.get("lost", 0) - known - len(entries.drafts),
        shortened=entries.shortened,
        known=known,
        keys=pack_keys(keys),
    )


def _inherited_author(root: bytes, document: bytes, feed: Mapping[str, Any]) -> str:
    """The author of the entries that name none.

    Nobody where entries come from other feeds: theirs are the first to ask, and we do not
    read them.
    """
    return _author(feed) if root in _EXACT and b"<source" not in document else ""


class _Outline(NamedTuple):
    """What an entry is told by, and no more: its URL and guid."""

    raw: RawEntry
    url: str | None
    guid: str
    version: str | None = None


def _outline(raw: RawEntry, around: _FeedContext) -> _Outline:
    guid = _text(raw.name.get("id")).strip()
    link = _link(raw.name)
    url = clean_url(around.base, link) if link else None
    if url is None and guid.startswith(("http://", "https://")):
        url = clean_url(around.base, guid)
    return _Outline(raw, url, guid)


def _with_versions(
    found: Sequence[_Outline], around: _FeedContext, home_url: str | None
) -> list[_Outline]:
    """The same, with a version for those whose link does not name them alone."""
    drafts = tuple(
        Draft(
            title="",
            url=outline.url,
            published_at=clamp_date(_date(outline.raw.rest()), around.now),
            metadata={"guid": _guid_name(outline.guid)},
        )
        for outline in found
    )
    versions = (draft.version for draft in split_shared_links(drafts, home_url))
    return [o._replace(version=version) for o, version in zip(found, versions, strict=True)]


def _new_entries(
    found: Iterable[_Outline],
    around: _FeedContext,
    stored: frozenset[bytes],
    keys: list[bytes],
) -> Iterator[Draft]:
    """Those that are not *stored*, cleaned; the keys of all that are not empty go into *keys*."""
    for outline in found:
        key = entry_key(outline.url, outline.version)
        if key in stored:
            keys.append(key)
            continue
        raw = {**outline.raw.name, **outline.raw.rest()}
        key = key or content_key(raw, around.base, around.author)
        if key in stored:
            keys.append(key)
        elif entry := _entry(raw, outline, around):
            keys.append(key)
            yield entry


# What browsers decode without its ";" too: "&copy=1" in an address is no "©=1".
_BARE_REFERENCE = re.compile(r"&(?=[a-zA-Z]+(?![a-zA-Z0-9]*;))")


def _guid_name(guid: str) -> str:
    if len(guid) > LONGEST_GUID:
        return fingerprint(guid)
    if "&" in guid:
        guid = _BARE_REFERENCE.sub("&amp;", guid)
    return clean_text(guid, LONGEST_GUID)


def _entry(raw: Mapping[str, Any], outline: _Outline, around: _FeedContext) -> Draft | None:
    """One clean entry, or None if nothing is left to show."""
    url = outline.url
    content = _content(raw, around.base, url)
    title = _title(raw, around.root)
    title = title or clean_text(content[: 64 * LONGEST_LEAD], LONGEST_LEAD) or url or ""
    title = title or (UNTITLED if content else "")
    if not title:
        return None
    return Draft(
        title=title,
        url=url,
        author=_name(_author(raw) or around.author) or None,
        content=content,
        published_at=clamp_date(_date(raw), around.now),
        metadata=_metadata(raw, outline.guid, around.base),
        version=outline.version,
    )


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _title(raw: Mapping[str, Any], root: bytes) -> str:
    """The title of a feed or an entry as one line of text."""
    title = _text(raw.get("title"))
    if root in _EXACT and (raw.get("title_detail") or {}).get("type") == "text/plain":
        title = escape_text(title)
    return clean_text(title, LONGEST_TITLE)


def _author(raw: Mapping[str, Any]) -> str:
    return _text(raw.get("author"))[:LONGEST_UNCLEAN_NAME]


def _link(raw: Mapping[str, Any]) -> str:
    """The entry's own link."""
    link = _text(raw.get("link"))
    # feedparser offers any permalink guid as the link, even "e1", which is no address.
    is_guid = link == raw.get("id") and raw.get("guidislink")
    return "" if is_guid and not link.startswith(("http://", "https://")) else link


def _content(raw: Mapping[str, Any], base: str, url: str | None) -> str:
    """The fullest text of the entry as safe HTML.

    Relative links follow the text's own `xml:base`; without one, the page the text was taken from:
    generators copy "img/1.png" from the article as it stands.
    """
    part = _content_part(raw)
    value = _text(part.get("value")) or _text(raw.get("description")) or _media_text(raw)
    if part.get("type") in {"text", "text/plain"} and not _TAG.search(value):
        return escape_text(value.strip())
    own_base = _text(part.get("base"))
    against = clean_url(base, own_base) if own_base else url
    return sanitise_html(_close_frames(value.strip()), against or base)


# Generators that call HTML text.
_TAG = re.compile(r"</|<(?:br|img|p|hr|a)\b|&(?:#\d|#x|[a-zA-Z]{2,8};)")
_FRAME = re.compile(r"<(?:iframe|script|object)")
_SELF_CLOSED = re.compile(r"<(iframe|script|style|textarea|title|object)(\s[^<>]*)?/>")


def _close_frames(markup: str) -> str:
    """Let "<iframe/>" end where XHTML ends it: in HTML it would hold the rest of the text."""
    # One pattern: to look for three words took 0.1 ms a real feed, this takes 0.04.
    return _SELF_CLOSED.sub(r"<\1\2></\1>", markup) if _FRAME.search(markup) else markup


def _content_part(raw: Mapping[str, Any]) -> Mapping[str, Any]:
    for part in raw.get("content") or ():
        if part.get("value"):
            return part  # type: ignore[no-any-return]  # a parser's dictionary
    return {}


def _media_text(raw: Mapping[str, Any]) -> str:
    """`media:description`, where video feeds put their words."""
    media = raw.get("media_content") or ()
    texts = (_text(m.get("description") or m.get("text")) for m in media if isinstance(m, Mapping))
    return next(filter(None, texts), "")


def _date(raw: Mapping[str, Any]) -> datetime | None:
    """The first that can be read; feedparser's own reading of dates guesses."""
    for date in raw.get("dates") or ():
        if moment := read_date(_text(date)):
            return moment
    return None


def _metadata(raw: Mapping[str, Any], guid: str, base: str) -> dict[str, JsonValue]:
    """The entry's own signals, only those present: categories and the like (S001-3)."""
    metadata: dict[str, JsonValue] = {}
    if name := _guid_name(guid):
        metadata["guid"] = name
    if (tags := raw.get("tags")) and (categories := _categories(tags)):
        metadata["categories"] = categories
    comments = _text(raw.get("comments"))
    if comments and (url := clean_url(base, comments)):
        metadata["comments"] = url
    if (raw.get("enclosures") or raw.get("links")) and (enclosure := _enclosure(raw, base)):
        metadata["enclosure"] = enclosure
    return metadata


@lru_cache(maxsize=1024)
def _name(value: str) -> str:
    """An author's or category's: the same few in every entry of a feed."""
    return clean_text(value, LONGEST_NAME)


def _categories(tags: Iterable[Any]) -> list[JsonValue]:
    names: dict[JsonValue, None] = {}
    for tag in tags:
        if name := _name(_text(tag.get("term"))[:LONGEST_UNCLEAN_NAME]):
            names[name] = None
    return list(names)[:MOST_CATEGORIES]


def _enclosure(raw: Mapping[str, Any], base: str) -> dict[str, JsonValue] | None:
    """The first attachment with a usable URL."""
    linked = (link for link in raw.get("links") or () if link.get("rel") == "enclosure")
    for found in (*(raw.get("enclosures") or ()), *linked):
        url = clean_url(base, _text(found.get("url") or found.get("href")) or "about:blank")
        if url:
            length = str(found.get("length") or "")
            return {
                "url": url,
                "type": clean_text(_text(found.get("type")), 100),
                "length": int(length) if length.isdecimal() and len(length) < 16 else None,
            }
    return None

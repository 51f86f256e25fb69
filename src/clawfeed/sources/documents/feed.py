"""A feed's bytes read into clean values: RSS, Atom and JSON Feed (S001-5, S001-6).

Hostile input can keep a parser busy for minutes, so this runs in a parse worker
(`sources.parsing`). The parsers are imported on use: the service itself only needs the values.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice
from typing import Any, Final

from clawfeed.domain.sources.item import Draft
from clawfeed.sources.documents.duplicate_links import has_shared_links, split_shared_links
from clawfeed.sources.documents.entry_keys import content_key, entry_key, pack_keys, unpack_keys
from clawfeed.sources.documents.errors import UnreadableError
from clawfeed.sources.documents.feed_decoding import (
    as_utf8,
    declared_base,
    feed_root,
)
from clawfeed.sources.documents.feed_entry import (
    EXACT_FORMATS,
    EntryIdentity,
    FeedContext,
    author_of,
    clean_entry,
    date_of,
    guid_name,
    outline_of,
    text_of,
    title_of,
)
from clawfeed.sources.documents.feed_hints import channel_only, skip_days_of, skip_hours_of, ttl_of
from clawfeed.sources.documents.feed_parsers import read_feed, read_leniently
from clawfeed.sources.documents.json_feed import json_entries, read_json_feed
from clawfeed.sources.documents.raw_entry import RawEntry
from clawfeed.sources.documents.size_limit import bounded
from clawfeed.sources.documents.text_cleaning import clamp_date, clean_url

LARGEST_BODY: Final = 10 * 2**20
MOST_ENTRIES: Final = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedDocument:
    """A feed in its document's order.

    *dropped* entries were empty, beyond the thousandth, or lost in XML that nobody could mend.
    Entries have plain titles and authors, sanitized HTML as content, the guid in their metadata,
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
        around = FeedContext(root=b"json", base=base_url, now=now, author=author_of(raw["feed"]))
        items = json_entries(raw["entries"][:MOST_ENTRIES])
        return _feed_document(raw, b"", around, items, unpack_keys(keys))
    name, document, has_entities = feed_root(text)
    base = declared_base(document, base_url)
    raw = read_leniently(document) if has_entities else read_feed(document, base_url)
    author = _inherited_author(name, document, raw["feed"])
    around = FeedContext(root=name, base=base, now=now, author=author)
    return _feed_document(raw, document, around, raw["entries"], unpack_keys(keys))


def _feed_document(
    raw: Mapping[str, Any],
    document: bytes,
    around: FeedContext,
    items: Iterable[RawEntry],
    stored: frozenset[bytes],
) -> FeedDocument:
    channel = channel_only(document)
    link = text_of(raw["feed"].get("link"))
    home_url = clean_url(around.base, link) if link else None
    found = [outline_of(item, around) for item in islice(items, MOST_ENTRIES)]
    if has_shared_links((outline.url for outline in found), home_url):
        found = _with_versions(found, around, home_url)
    keys: list[bytes] = []
    entries = bounded(_new_entries(found, around, stored, keys))
    known = len(keys) - len(entries.drafts)
    return FeedDocument(
        title=title_of(raw["feed"], around.root),
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
    author = author_of(feed) if root in EXACT_FORMATS else ""
    return author if author and b"<source" not in document else ""


def _with_versions(
    found: Sequence[EntryIdentity], around: FeedContext, home_url: str | None
) -> list[EntryIdentity]:
    """The same, with a version for those whose link does not name them alone."""
    drafts = tuple(
        Draft(
            title="",
            url=outline.url,
            published_at=clamp_date(date_of(outline.raw.rest()), around.now),
            metadata={"guid": guid_name(outline.guid)},
        )
        for outline in found
    )
    versions = (draft.version for draft in split_shared_links(drafts, home_url))
    return [o._replace(version=version) for o, version in zip(found, versions, strict=True)]


def _new_entries(
    found: Iterable[EntryIdentity],
    around: FeedContext,
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
        elif entry := clean_entry(raw, outline, around):
            keys.append(key)
            yield entry

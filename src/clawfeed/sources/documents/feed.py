"""A feed's bytes read into clean values: RSS, Atom and JSON Feed (S001-5, S001-6).

Hostile input can keep a parser busy for minutes, so this runs in a parse worker
(`sources.parsing`). The parsers are imported on use: the service itself only needs the values.
"""

from __future__ import annotations

import io
import re
from calendar import timegm
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from itertools import islice
from typing import Any, Final

from clawfeed.domain.ids import JsonValue
from clawfeed.domain.item import Draft, fingerprint
from clawfeed.sources.documents.atom_titles import note_title_types
from clawfeed.sources.documents.entry_keys import content_key, entry_key, pack_keys, unpack_keys
from clawfeed.sources.documents.errors import UnreadableError
from clawfeed.sources.documents.feed_bytes import (
    as_utf8,
    declared_base,
    feed_root,
    mend_offsets,
    mend_references,
    needs_feedparser,
)
from clawfeed.sources.documents.feed_hints import channel_only, skip_days_of, skip_hours_of, ttl_of
from clawfeed.sources.documents.json_feed import json_entry, read_json_feed
from clawfeed.sources.documents.sanitize import escape_text, sanitise_html
from clawfeed.sources.documents.shared_links import split_shared_links
from clawfeed.sources.documents.size_limit import bounded
from clawfeed.sources.documents.text import clamp_date, clean_text, clean_url

LARGEST_BODY: Final = 10 * 2**20
# feedparser needs 9 s for 1.8 MB of ordinary items.
LARGEST_FOR_FEEDPARSER: Final = 2**20
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
    """A feed in its document's order. *dropped* entries were empty or beyond the thousandth.

    Entries have plain titles and authors, sanitised HTML as content, the guid in their metadata,
    and a version where they share a link. *shortened* ones lost their markup (`volume`). *known*
    more are stored already. *keys* name all of them to the next poll (`entry_keys`).
    """

    title: str
    home_url: str | None = None
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
    2. Make it UTF-8 and mend its references, so that both parsers read the same document.
    3. Try the fast parser; where it is known to lose something, or fails, the thorough one.
    4. Clean every value of the entries that *keys* (`FeedDocument.keys` of an earlier poll) do not
       name. *now* serves to judge dates and for nothing else.
    """
    if len(body) > LARGEST_BODY:
        raise UnreadableError(f"the document is larger than {LARGEST_BODY >> 20} MB")
    text = as_utf8(body, content_type)
    if text.startswith(b"{"):
        raw: Mapping[str, Any] = read_json_feed(text)
        around = _FeedContext(root=b"json", base=base_url, now=now, author=_author(raw["feed"]))
        items = map(json_entry, raw["entries"])
        return _feed_document(raw, b"", around, items, unpack_keys(keys))
    name, document, has_entities = feed_root(text)
    document = mend_offsets(document if has_entities else mend_references(document))
    raw = _read(name, document, slow=has_entities or needs_feedparser(name, document))
    base = declared_base(document, base_url)
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


# --- the parsers --------------------------------------------------------------------------------


def _read(root: bytes, document: bytes, *, slow: bool) -> Mapping[str, Any]:
    """The document as the first parser that finds entries reads it, in feedparser's vocabulary."""
    quick = None if slow else _attempt(_fast, document)
    if quick and root == b"feed":
        note_title_types(quick, document)
    if quick and quick["entries"]:
        return quick
    if len(document) > LARGEST_FOR_FEEDPARSER:
        raise UnreadableError("the feed is malformed and too large to be mended")
    thorough = _attempt(_thorough, document)
    if thorough and (thorough["entries"] or thorough.get("version")):
        return thorough
    if quick:
        return quick
    raise UnreadableError("the feed cannot be read: its XML is broken")


def _attempt(
    parser: Callable[[bytes], Mapping[str, Any]], document: bytes
) -> Mapping[str, Any] | None:
    """What the parser makes of the document; None if it gives up, in whichever way."""
    try:
        return parser(document)
    except MemoryError:
        raise  # our limit, not their syntax
    except Exception:  # noqa: BLE001 - parsers raise all sorts on hostile input; the next one may do
        return None


def _fast(document: bytes) -> Mapping[str, Any]:
    import fastfeedparser

    raw: Mapping[str, Any] = fastfeedparser.parse(document)
    _forget_guessed_dates(raw["entries"], fastfeedparser.parse)
    return raw


_DIGITS = re.compile(r"[\d\s:/.,+TZ-]{1,32}")


def _forget_guessed_dates(entries: Iterable[dict[str, Any]], parse: Callable[..., Any]) -> None:
    """Remove dates the fast parser made up from guids.

    An item without a readable date and with the guid "7" would be of the seventh of this month.
    What it makes of a guid it says itself, when asked.
    """
    guessed = [e for e in entries if e.get("published") and _DIGITS.fullmatch(e.get("id", ""))]
    if not guessed:
        return
    items = "".join(f"<item><pubDate>{entry['id']}</pubDate></item>" for entry in guessed)
    answers = parse(f"<rss><channel>{items}</channel></rss>".encode())["entries"]
    for entry, answer in zip(guessed, answers, strict=True):
        if entry["published"] == answer.get("published"):
            del entry["published"]


def _thorough(document: bytes) -> Mapping[str, Any]:
    import feedparser

    raw: dict[str, Any] = feedparser.parse(
        io.BytesIO(document),  # a string could name a file or a URL, and it would be opened
        response_headers={"content-type": "application/xml; charset=utf-8"},
        sanitize_html=False,
        resolve_relative_uris=False,
    )
    # Plain dictionaries: feedparser's own answer for one key with another, and warn about it.
    raw["entries"] = [{**entry, "description": entry.get("summary")} for entry in raw["entries"]]
    return raw


# --- the values ---------------------------------------------------------------------------------


def _feed_document(
    raw: Mapping[str, Any],
    document: bytes,
    around: _FeedContext,
    items: Iterable[Any],
    stored: frozenset[bytes],
) -> FeedDocument:
    channel = channel_only(document)
    link = _text(raw["feed"].get("link"))
    home_url = clean_url(around.base, link) if link else None
    found = [item for item in islice(items, MOST_ENTRIES) if isinstance(item, dict)]
    outlines = split_shared_links(tuple(_outline(item, around) for item in found), home_url)
    keys: list[bytes] = []
    entries = bounded(_new_entries(zip(found, outlines, strict=True), around, stored, keys))
    known = len(keys) - len(entries.drafts)
    return FeedDocument(
        title=_title(raw["feed"], around.root),
        home_url=home_url,
        entries=entries.drafts,
        ttl=ttl_of(channel),
        skip_hours=skip_hours_of(channel),
        skip_days=skip_days_of(channel),
        dropped=len(raw["entries"]) - known - len(entries.drafts),
        shortened=entries.shortened,
        known=known,
        keys=pack_keys(keys),
    )


def _inherited_author(root: bytes, document: bytes, feed: Mapping[str, Any]) -> str:
    """The author of the entries that name none.

    Nobody where entries come from other feeds: theirs are the first to ask, and the fast parser
    does not tell them.
    """
    return _author(feed) if root in _EXACT and b"<source" not in document else ""


def _new_entries(
    found: Iterable[tuple[Mapping[str, Any], Draft]],
    around: _FeedContext,
    stored: frozenset[bytes],
    keys: list[bytes],
) -> Iterator[Draft]:
    """Those that are not *stored*, cleaned; the keys of all that are not empty go into *keys*."""
    for raw, outline in found:
        key = entry_key(outline) or content_key(raw, around.base, around.author)
        if key in stored:
            keys.append(key)
        elif entry := _entry(raw, outline, around):
            keys.append(key)
            yield entry


def _outline(raw: Mapping[str, Any], around: _FeedContext) -> Draft:
    """What an entry is told by, and no more: its URL, date and guid."""
    guid = _text(raw.get("id")).strip()
    link = _link(raw, around.root)
    url = clean_url(around.base, link) if link else None
    if url is None and guid.startswith(("http://", "https://")):
        url = clean_url(around.base, guid)
    name = clean_text(guid, LONGEST_GUID) if len(guid) <= LONGEST_GUID else fingerprint(guid)
    return Draft(
        title="",
        url=url,
        published_at=clamp_date(_date(raw), around.now),
        metadata={"guid": name} if name else {},
    )


def _entry(raw: Mapping[str, Any], outline: Draft, around: _FeedContext) -> Draft | None:
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
        published_at=outline.published_at,
        metadata={**outline.metadata, **_metadata(raw, around.base)},
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


def _link(raw: Mapping[str, Any], root: bytes) -> str:
    """The entry's own link.

    An Atom link without `rel` is one (RFC 4287, 4.2.7.2); the fast parser takes the first of any
    kind instead.
    """
    if root == b"feed":
        for link in raw.get("links") or ():
            if link.get("rel") in {None, "alternate"} and link.get("href"):
                return _text(link["href"])
    link = _text(raw.get("link"))
    # feedparser offers any permalink guid as the link, even "e1", which is no address.
    is_guid = raw.get("guidislink") and link == raw.get("id")
    return "" if is_guid and not link.startswith(("http://", "https://")) else link


def _content(raw: Mapping[str, Any], base: str, url: str | None) -> str:
    """The fullest text of the entry as safe HTML.

    Relative links follow the text's own `xml:base`; without one, the page the text was taken from:
    generators copy "img/1.png" from the article as it stands.
    """
    part = _content_part(raw)
    value = _text(part.get("value")) or _text(raw.get("description")) or _media_text(raw)
    if part.get("type") in {"text", "text/plain"} and "</" not in value:
        return escape_text(value.strip())
    own_base = _text(part.get("base"))
    against = clean_url(base, own_base) if own_base else url
    return sanitise_html(value.strip(), against or base)


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
    for name in ("published_parsed", "updated_parsed"):  # feedparser: a UTC time tuple
        if moment := raw.get(name):
            try:
                return datetime.fromtimestamp(timegm(moment), UTC)
            except (OverflowError, ValueError, OSError, TypeError):
                return None
    return _iso_date(raw.get("published") or raw.get("updated"))


def _iso_date(value: object) -> datetime | None:
    try:
        return datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None


def _metadata(raw: Mapping[str, Any], base: str) -> dict[str, JsonValue]:
    """The entry's own signals, only those present: categories and the like (S001-3)."""
    metadata: dict[str, JsonValue] = {}
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

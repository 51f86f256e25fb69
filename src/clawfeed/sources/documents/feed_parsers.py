"""A feed's document read into one vocabulary, feedparser's, whichever parser was needed.

What the values are worth is not judged here: `feed` cleans them.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from typing import Any, Final

from clawfeed.sources.documents.errors import UnreadableError
from clawfeed.sources.documents.feed_decoding import has_odd_numbers, mend_references
from clawfeed.sources.documents.feed_repair import count_items, escape_markup, has_giant_tag
from clawfeed.sources.documents.raw_entry import whole_entry

# feedparser needs 9 s for 1.8 MB of ordinary items.
LARGEST_FOR_FEEDPARSER: Final = 2**20


def read_feed(document: bytes, base_url: str) -> Mapping[str, Any]:
    """The document in feedparser's words, by the first way that loses nothing.

    1. Well-formed: by its elements.
    2. With references that XML does not know: once they are mended, as 1.
    3. Markup that was never closed, or a text: once it is escaped and closed, as 1.
    4. Anything else: feedparser, and what 1 could save if that is more.
    """
    # One real feed in ninety needs 2, and looking for what to mend in all of them took 0.1 ms each.
    if not has_odd_numbers(document):
        raw, is_whole = _by_elements(document, base_url)
        if raw and is_whole:
            return raw
    document = mend_references(document)
    raw, is_whole = _by_elements(document, base_url)
    if raw and is_whole:
        return raw
    mended, is_whole = _by_elements(escape_markup(document), base_url)
    if mended and is_whole:
        return mended
    return read_leniently(document, _fuller(raw, mended))


def _by_elements(document: bytes, base_url: str) -> tuple[Mapping[str, Any] | None, bool]:
    """What the elements say, and whether they are all there is."""
    from clawfeed.sources.documents.feed_xml import parse_tree, read_tree

    root, is_whole = parse_tree(document)
    if root is None:
        return None, False
    return read_tree(root, base_url, has_bases=b"xml:base" in document), is_whole


def _fuller(
    one: Mapping[str, Any] | None, other: Mapping[str, Any] | None
) -> Mapping[str, Any] | None:
    if one is None or (other and len(other["entries"]) > len(one["entries"])):
        return other
    return one


def read_leniently(document: bytes, saved: Mapping[str, Any] | None = None) -> Mapping[str, Any]:
    """What feedparser makes of a malformed document, or *saved*; items nobody read are `lost`."""
    thorough = None
    if len(document) <= LARGEST_FOR_FEEDPARSER and not has_giant_tag(document):
        thorough = _attempt(_thorough, document)
        if thorough and not (thorough["entries"] or thorough.get("version")):
            thorough = None
    elif not (saved and saved["entries"]):
        raise UnreadableError("the feed is malformed and too large to be mended")
    best = _fuller(thorough, saved)
    if best is None:
        raise UnreadableError("the feed cannot be read: its XML is broken")
    return {**best, "lost": max(0, count_items(document) - len(best["entries"]))}


def _attempt(
    parser: Callable[[bytes], Mapping[str, Any]], document: bytes
) -> Mapping[str, Any] | None:
    """What the parser makes of the document; None if it gives up, in whichever way."""
    try:
        return parser(document)
    except MemoryError:
        raise  # our limit, not their syntax
    except Exception:  # noqa: BLE001 - it raises all sorts on hostile input
        return None


def _thorough(document: bytes) -> Mapping[str, Any]:
    import feedparser

    raw: dict[str, Any] = feedparser.parse(
        io.BytesIO(document),  # a string could name a file or a URL, and it would be opened
        response_headers={"content-type": "application/xml; charset=utf-8"},
        sanitize_html=False,
        resolve_relative_uris=False,
    )
    # Plain dictionaries: feedparser's own answer for one key with another, and warn about it.
    raw["entries"] = [whole_entry(_plain_entry({**entry})) for entry in raw["entries"]]
    return raw


def _plain_entry(entry: dict[str, Any]) -> dict[str, Any]:
    dates = [entry.get(name) for name in ("published", "updated", "created")]
    return {**entry, "description": entry.get("summary"), "dates": dates}

"""One thing a source published: what a fetcher brings, and what makes it the same item twice."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from clawfeed.domain.ids import ItemId, JsonValue, SourceId

# PostgreSQL refuses index rows over about 2.7 KB; a longer URL is hashed into the key.
LONGEST_URL_IN_KEY = 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """An item as a fetcher read it: clean text, an absolute http(s) URL and a UTC date, or none.

    *content* is sanitized HTML or plain text. *version* is set only where the same URL may carry
    something new (a website without a feed, a podcast whose episodes link to the show): it becomes
    part of the key.
    """

    title: str
    url: str | None = None
    author: str | None = None
    content: str = ""
    published_at: datetime | None = None
    metadata: Mapping[str, JsonValue] = field(default_factory=dict)
    version: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """A stored `raw_items` row."""

    id: ItemId
    source_id: SourceId
    title: str
    url: str | None
    author: str | None
    content: str
    fetched_at: datetime
    published_at: datetime | None
    dedup_key: str
    metadata: Mapping[str, JsonValue] = field(default_factory=dict)


def dedup_key(source_id: SourceId, draft: Draft) -> str:
    """Name an item so that its second sighting is recognised (S001-2).

    `source_id:url`, or without a URL `source_id:content_hash`. Equal drafts give equal keys,
    on any machine.
    """
    if draft.url is None:
        return f"{source_id}:{fingerprint(draft.title, draft.author or '', draft.content)}"
    return link_key(source_id, draft.url, draft.version)


def link_key(source_id: SourceId, url: str, version: str | None) -> str:
    """The `dedup_key` of whatever has this URL."""
    name = url if len(url) <= LONGEST_URL_IN_KEY else fingerprint(url)
    return f"{source_id}:{name}#{version}" if version else f"{source_id}:{name}"


def fingerprint(*parts: str) -> str:
    """A short stable hash of texts, with their boundaries: ("ab", "c") differs from ("a", "bc")."""
    digest = hashlib.sha256()
    for part in parts:
        raw = part.encode("utf-8", "surrogatepass")
        digest.update(len(raw).to_bytes(8, "big") + raw)
    return digest.hexdigest()[:32]

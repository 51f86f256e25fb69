"""Entries of a feed that share one link, such as all episodes of a podcast the show's home page.

An item's key is its link (S001-2), so without more they would be one item for ever. Here they get a
version out of their guid, by two rules that give an entry the same key at every poll:

* The link is the channel's own: always a version, also for a single entry. What the channel's link
  is does not depend on the other entries.
* Another link that several entries of this document have: a version for all but the oldest. A feed
  of one entry that grows to two goes on with the first one's key; when the oldest leaves the
  document, the next one takes over a key that is taken, and is not new.

Everything else, which is nearly every entry of nearly every feed, keeps its link as its key.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime

from clawfeed.domain.sources.item import Draft, fingerprint


def has_shared_links(urls: Iterable[str | None], home_url: str | None) -> bool:
    """Whether `split_shared_links` would change anything; nearly no feed has any."""
    named = [url for url in urls if url]
    different = frozenset(named)
    return len(different) < len(named) or not different.isdisjoint(_homes(home_url))


def split_shared_links(drafts: tuple[Draft, ...], home_url: str | None) -> tuple[Draft, ...]:
    """*drafts* as they are, with a `version` for those whose link does not name them alone.

    *home_url* is the channel's own link. Entries without a guid stay as they are.
    """
    homes = _homes(home_url)
    first = _first_guids(draft for draft in drafts if draft.url not in homes)
    return tuple(_versioned(draft, homes, first) for draft in drafts)


def _versioned(draft: Draft, homes: frozenset[str], first: dict[str, str]) -> Draft:
    guid, url = _guid(draft), draft.url
    # A guid that is a home page is the link once more: parsers fill it in where there is none.
    if url is None or not guid or guid in homes or first.get(url) == guid:
        return draft
    return replace(draft, version=fingerprint(guid))


def _first_guids(drafts: Iterable[Draft]) -> dict[str, str]:
    """The guid of the oldest entry of each link."""
    sharing: defaultdict[str, list[Draft]] = defaultdict(list)
    for draft in drafts:
        if draft.url:
            sharing[draft.url].append(draft)
    return {url: _guid(_oldest(group)) for url, group in sharing.items()}


def _oldest(group: Sequence[Draft]) -> Draft:
    """The one of the earliest date; without dates the last, for feeds begin with their newest."""
    dates: dict[int, datetime] = {
        place: draft.published_at for place, draft in enumerate(group) if draft.published_at
    }
    if len(dates) < len(group):
        return group[-1]
    return group[min(dates, key=lambda place: (dates[place], -place))]


def _guid(draft: Draft) -> str:
    return str(draft.metadata.get("guid") or "")


def _homes(home_url: str | None) -> frozenset[str]:
    return frozenset(_spellings(home_url)) if home_url else frozenset()


def _spellings(url: str) -> Iterator[str]:
    """The ways to write one home page, which channel and entries do not always agree on."""
    _, _, rest = url.partition("://")
    place = rest.removeprefix("www.").rstrip("/")
    for start in ("https://", "http://", "https://www.", "http://www."):
        yield start + place
        yield f"{start}{place}/"

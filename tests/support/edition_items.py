"""Items as editions read them, for tests; what a test does not care about is filled in."""

from __future__ import annotations

from datetime import timedelta

from clawfeed.domain.editions.edition_item import EditionItem
from clawfeed.domain.ids import ItemId, JsonValue, SourceId
from tests.support.clocks import NOON


def edition_item(
    number: int,
    title: str,
    content: str = "",
    *,
    source: int | None = None,
    publisher: str | None = None,
    author: str | None = None,
    hours: float = 1,
    metadata: dict[str, JsonValue] | None = None,
) -> EditionItem:
    """Item *number*, *hours* old; by default each is of a source and a publisher of its own."""
    at = NOON - timedelta(hours=hours)
    return EditionItem(
        id=ItemId(number),
        source_id=SourceId(number if source is None else source),
        source_name=f"Source {number if source is None else source}",
        source_type="rss",
        publisher=f"p{number}.example" if publisher is None else publisher,
        title=title,
        url=f"https://p{number}.example/{number}",
        author=author,
        content=content,
        published_at=at,
        fetched_at=at,
        metadata=metadata or {},
    )

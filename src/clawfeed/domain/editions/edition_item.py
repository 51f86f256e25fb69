"""An item as editions read it: with its source, and with who published it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from clawfeed.domain.ids import ItemId, JsonValue, SourceId


@dataclass(frozen=True, slots=True, kw_only=True)
class EditionItem:
    """*publisher* is the host it links to, else its source's: an aggregator publishes nothing.

    *metadata* holds the source's own signals (S001-3).
    """

    id: ItemId
    source_id: SourceId
    source_name: str
    source_type: str
    publisher: str
    title: str
    url: str | None
    author: str | None
    content: str
    published_at: datetime | None
    fetched_at: datetime
    metadata: Mapping[str, JsonValue] = field(default_factory=dict)

    @property
    def at(self) -> datetime:
        """When it was published, as far as anybody knows."""
        return self.published_at or self.fetched_at

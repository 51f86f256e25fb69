"""The shapes of answers about items, for the OpenAPI document; answers are made from rows."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pydantic import BaseModel, ConfigDict, Field
from pydantic.config import JsonDict

ITEM: JsonDict = {
    "id": 4711,
    "source_id": 3,
    "source_name": "Example",
    "source_type": "rss",
    "title": "A small release",
    "url": "https://blog.example/small-release",
    "author": "Ada",
    "content": "<p>What changed, and why.</p>",
    "fetched_at": "2026-11-15T12:00:00Z",
    "published_at": "2026-11-15T11:42:00Z",
    "metadata": {"tags": ["release"]},
}
CURSOR = "WzE3OTQ3NDQwMDAuMCw0NzExXQ"


class ItemSchema(BaseModel):
    """A raw item. *content* is sanitized HTML or plain text; *published_at* is the source's."""

    model_config = ConfigDict(json_schema_extra={"example": ITEM})

    id: int
    source_id: int
    source_name: str
    source_type: str
    title: str
    url: str | None
    author: str | None
    content: str
    fetched_at: datetime
    published_at: datetime | None
    metadata: dict[str, Any]


class ItemPage(BaseModel):
    """*next_cursor* is null on the last page."""

    model_config = ConfigDict(
        json_schema_extra={"example": {"items": [ITEM], "next_cursor": CURSOR}}
    )

    items: list[ItemSchema]
    next_cursor: str | None = Field(description="Give it as `cursor` for what follows")


class DigestItems(BaseModel):
    model_config = ConfigDict(json_schema_extra={"example": {"items": [ITEM]}})

    items: list[ItemSchema]


class SourceFigures(BaseModel):
    source_id: int
    name: str
    type: str
    total_items: int
    last_item_at: datetime | None
    items_24h: int


class ItemStats(BaseModel):
    """The sources the caller may see, those without items too."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "sources": [
                    {
                        "source_id": 3,
                        "name": "Example",
                        "type": "rss",
                        "total_items": 31,
                        "last_item_at": "2026-11-15T12:00:00Z",
                        "items_24h": 12,
                    }
                ],
                "next_cursor": None,
            }
        }
    )

    sources: list[SourceFigures]
    next_cursor: str | None

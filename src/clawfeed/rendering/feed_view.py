"""Editions as a feed: what both of its forms say, before any markup."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID, uuid5

from clawfeed.domain.editions.digest import DigestContent
from clawfeed.domain.editions.edition_period import EditionType
from clawfeed.domain.ids import DigestId
from clawfeed.rendering.edition_view import view_of
from clawfeed.rendering.inline_styled_html import inline_styled_html
from clawfeed.rendering.safe_text import one_line
from clawfeed.rendering.wording import wording_of

# Ids are made below it. Never to be changed: every reader would show every edition again.
_IDS: Final = UUID("5f0c8f1e-7d3a-4c55-9b0e-6f1d2a4b8c37")


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedEdition:
    """A finished edition as it is stored."""

    digest_id: DigestId
    content: DigestContent
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedAbout:
    """Whose feed, of which editions, and where. *address* is None where it holds a secret."""

    kind: EditionType
    base_url: str
    address: str | None
    owner: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedEntry:
    """All texts are single lines that steer nothing; *html* is escaped already."""

    id: str
    title: str
    link: str
    published_at: datetime
    summary: str
    html: str
    language: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedView:
    """The newest entry first; *updated_at* is its date."""

    title: str
    description: str
    home: str
    address: str | None
    language: str
    updated_at: datetime | None
    entries: tuple[FeedEntry, ...]


def feed_view(about: FeedAbout, editions: Sequence[FeedEdition]) -> FeedView:
    """*editions* newest first, all of the kind that *about* names."""
    wording = wording_of(editions[0].content.language if editions else "en")
    names = ["ClawFeed", wording.types[about.kind], one_line(about.owner)]
    return FeedView(
        title=" · ".join(filter(None, names)),
        description=_DESCRIPTIONS[str(wording.language)],
        home=f"{about.base_url}/",
        address=about.address,
        language=str(wording.language),
        updated_at=editions[0].created_at if editions else None,
        entries=tuple(_entry(each, about.base_url) for each in editions),
    )


_DESCRIPTIONS: Final = {
    "en": "Many sources, one short edition.",
    "zh": "众多来源，一份简短的刊物。",
}


def _entry(edition: FeedEdition, base_url: str) -> FeedEntry:
    view = view_of(edition.content)
    return FeedEntry(
        id=edition_id(edition),
        title=view.title or view.covers,
        link=f"{base_url}/digests/{edition.digest_id}",
        published_at=edition.created_at,
        summary=" ".join(view.summary) or view.facts,
        html=inline_styled_html(view),
        language=view.language,
    )


def edition_id(edition: FeedEdition) -> str:
    """The same for ever, wherever the house moves to; and another in every other house."""
    name = f"{edition.digest_id} {edition.created_at.timestamp()!r}"
    return f"urn:uuid:{uuid5(_IDS, name)}"

"""An edition as a page: the text, and below each story what its reader may do with it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from markupsafe import Markup

from clawfeed.domain.editions.digest import DigestStory
from clawfeed.domain.editions.edition_period import EditionType
from clawfeed.domain.ids import DigestId, StoryId, UserId
from clawfeed.rendering.dates import period_worded
from clawfeed.rendering.edition_view import StoryView, told_order
from clawfeed.rendering.html_edition import PageParts, render_html
from clawfeed.rendering.safe_text import one_line, safe_link
from clawfeed.rendering.wording import wording_of
from clawfeed.storage.database import Database
from clawfeed.storage.digests.digest_archive import Neighbours, neighbours
from clawfeed.storage.digests.digests import DigestHead, DigestStore, StoredDigest
from clawfeed.storage.readers.story_feedback import Opinions, opinions
from clawfeed.web.frame.page_rendering import PageView, Site

# So many earlier editions of each type are offered beside an edition.
EARLIER_SHOWN = {EditionType.DAILY: 6, EditionType.WEEKLY: 3, EditionType.MONTHLY: 2}
# Of one day there may be two, the reader's own and everybody's.
LOOKED_AT = {kind: 2 * most for kind, most in EARLIER_SHOWN.items()}
Earlier: TypeAlias = Mapping[EditionType, list[DigestHead]]
NO_OPINIONS = Opinions(votes={}, marks={})


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingPages:
    """What the pages of readers need."""

    site: Site
    database: Database

    @property
    def digests(self) -> DigestStore:
        return DigestStore(self.database)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryTools:
    """The buttons below one story. *vote* is 1, -1 or 0; without a *save_url* nothing is saved."""

    digest_id: DigestId
    story_id: StoryId
    number: int
    save_url: str | None
    is_marked: bool
    vote: int


@dataclass(frozen=True, slots=True, kw_only=True)
class EditionLink:
    """One line in a list of editions."""

    address: str
    title: str
    name: str
    type_name: str
    is_own: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class EditionSurroundings:
    """What stands around the text of an edition."""

    said: Opinions
    earlier: Earlier
    beside: Neighbours


def reader_of(page: PageView) -> UserId | None:
    return page.caller.user.id if page.caller else None


def link_to(head: DigestHead, page: PageView) -> EditionLink:
    return EditionLink(
        address=f"/digests/{head.id}",
        title=one_line(head.title),
        name=one_line(period_worded(head.type, head.period, page.language)),
        type_name=wording_of(page.language).types[head.type],
        is_own=not head.is_systems,
    )


def addresses_of(story: DigestStory) -> list[str]:
    """Where it can be read: what is marked of a story is the first of these."""
    return [link for source in story.sources if (link := safe_link(source.url))]


async def opinions_on(
    pages: ReadingPages, page: PageView, stories: tuple[DigestStory, ...]
) -> Opinions:
    reader = reader_of(page)
    if reader is None:
        return NO_OPINIONS
    urls = [url for story in stories for url in addresses_of(story)]
    return await opinions(pages.database, reader, [each.story_id for each in stories], urls)


def tools_for(digest: StoredDigest, story: DigestStory, number: int, said: Opinions) -> StoryTools:
    urls = addresses_of(story)
    return StoryTools(
        digest_id=digest.id,
        story_id=story.story_id,
        number=number,
        save_url=urls[0] if urls else None,
        is_marked=any(url in said.marks for url in urls),
        vote=said.votes[story.story_id][1] if story.story_id in said.votes else 0,
    )


async def earlier_editions(pages: ReadingPages, page: PageView) -> Earlier:
    """The newest few of each type that this reader may read."""
    reader = reader_of(page)
    lists = await asyncio.gather(
        *(pages.digests.list(reader, kind=kind, limit=most) for kind, most in LOOKED_AT.items())
    )
    return dict(zip(LOOKED_AT, lists, strict=True))


def _links(earlier: Earlier, page: PageView) -> dict[EditionType, list[EditionLink]]:
    """Their own before everybody's."""
    return {
        kind: [link_to(head, page) for head in _one_each(heads)][: EARLIER_SHOWN[kind]]
        for kind, heads in earlier.items()
        if heads
    }


def _one_each(heads: list[DigestHead]) -> list[DigestHead]:
    """Of one period the reader's own, if there is one: two of one day would only confuse."""
    own = {head.period for head in heads if not head.is_systems}
    return [head for head in heads if not head.is_systems or head.period not in own]


async def edition_values(
    pages: ReadingPages, page: PageView, digest: StoredDigest
) -> dict[str, object]:
    """What `edition.html` shows: everything beside the text in one round."""
    said, earlier, beside = await asyncio.gather(
        opinions_on(pages, page, digest.content.stories),
        earlier_editions(pages, page),
        neighbours(pages.database, digest, reader_of(page)),
    )
    return values_of(
        pages, page, digest, EditionSurroundings(said=said, earlier=earlier, beside=beside)
    )


def values_of(
    pages: ReadingPages, page: PageView, digest: StoredDigest, around: EditionSurroundings
) -> dict[str, object]:
    """The same of what was read already."""
    stories = {
        number: tools_for(digest, story, number, around.said)
        for number, story in enumerate(told_order(digest.content), 1)
    }

    def behind(story: StoryView) -> str:
        return pages.site.html(
            page, "reading/story_tools.html", {"tools": stories[story.number], "said": ""}
        )

    parts = PageParts(
        behind=behind, address=lambda story_id: f"/stories/{story_id}?edition={digest.id}"
    )
    return {
        # Escaped by its renderer, text by text (`rendering`).
        "edition": Markup(render_html(digest.content, parts)),  # noqa: S704
        "title": one_line(digest.title),
        "digest": digest,
        "earlier": _links(around.earlier, page),
        "older": link_to(around.beside.older, page) if around.beside.older else None,
        "newer": link_to(around.beside.newer, page) if around.beside.newer else None,
    }

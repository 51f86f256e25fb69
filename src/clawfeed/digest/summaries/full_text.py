"""The whole text of stories whose feeds carry a teaser only: fetched politely, for chosen ones."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from http import HTTPStatus
from typing import Final

from clawfeed.digest.summaries.language import is_written_in
from clawfeed.digest.summaries.word_overlap import bag_of, share_in
from clawfeed.digest.writer_interface import SourceText, StoryMaterial, StoryWriter
from clawfeed.domain.editions.digest import StoryWords
from clawfeed.domain.errors import WorldError
from clawfeed.egress.client import Egress
from clawfeed.egress.request_and_response import Request
from clawfeed.egress.response_limits import Limits
from clawfeed.sources.documents.article import READ_BYTES
from clawfeed.sources.parsing.pool import ParsePool

# A text shorter than this, or one that breaks off, is a teaser.
TEASER: Final = 200
# Pages asked for one story: the first may be behind a wall.
MOST_PAGES: Final = 2
LIMITS: Final = Limits(total=timedelta(seconds=10), body=READ_BYTES)
# For both, with our queue at their hosts and the parse workers: an edition has its hour.
FULL_TEXT_TIMEOUT: Final = timedelta(seconds=30)
ACCEPT: Final = "text/html, application/xhtml+xml;q=0.9"
# Of the title's words: a wall, a consent form or a front page has hardly any.
_LEAST_OF_TITLE: Final = 0.3

log = logging.getLogger(__name__)


class FullText:
    """Fetches what feeds left out. Whatever goes wrong leaves the teaser.

    *pool* must know articles (`sources.documents.article.documents`). Addresses are egress's to
    judge: none that is private is asked.
    """

    def __init__(self, egress: Egress, pool: ParsePool, limits: Limits = LIMITS) -> None:
        self._egress, self._pool, self._limits = egress, pool, limits

    async def enrich(self, material: StoryMaterial) -> StoryMaterial:
        """*material*, with one article's text in place of its teaser if it has teasers only."""
        if not has_teasers_only(material):
            return material
        try:
            async with asyncio.timeout(FULL_TEXT_TIMEOUT.total_seconds()):
                return await self._enriched(material)
        except TimeoutError:
            return material

    async def _enriched(self, material: StoryMaterial) -> StoryMaterial:
        for place in _pages(material)[:MOST_PAGES]:
            text = material.texts[place]
            found = await self._article(text)
            if _is_better(found, text):
                enriched = replace(text, text=found)
                return replace(material, texts=_with(material.texts, place, enriched))
        return material

    async def _article(self, text: SourceText) -> str:
        """The text on the page, "" if there is none to be had."""
        headers = {"Accept": ACCEPT}
        request = Request(url=text.source.url or "", headers=headers, limits=self._limits)
        try:
            response = await self._egress.request(request)
            content_type = response.headers.get("content-type", "")
            if response.status != HTTPStatus.OK or "html" not in content_type.lower():
                return ""
            with self._pool.guest():
                article = await self._pool.article(response.body, content_type=content_type)
        except WorldError as error:
            fields = {"item": text.source.item_id, "reason": error.reason}
            log.info("no full text", extra=fields)
            return ""
        return article.text


@dataclass(frozen=True, slots=True, kw_only=True)
class FullTextWriter:
    """A writer that has what feeds left out fetched first."""

    writer: StoryWriter
    enrich: Callable[[StoryMaterial], Awaitable[StoryMaterial]]

    async def write(self, material: StoryMaterial) -> StoryWords:
        return await self.writer.write(await self.enrich(material))


def has_teasers_only(material: StoryMaterial) -> bool:
    """Whether no source tells the story in full, and at least one says where it does."""
    return any(text.source.url for text in material.texts) and all(
        is_teaser(text.text) for text in material.texts
    )


def is_teaser(text: str) -> bool:
    """Whether *text* is too short to tell a story, or breaks off."""
    bare = text.rstrip("])） \n")
    return len(bare) < TEASER or bare.endswith(("...", "…"))


def _pages(material: StoryMaterial) -> list[int]:
    """Which of the texts have a page, those in the readers' language first."""
    texts = material.texts
    places = [place for place, text in enumerate(texts) if text.source.url]
    readable = {
        place: is_written_in(f"{texts[place].source.title} {texts[place].text}", material.language)
        for place in places
    }
    return sorted(places, key=lambda place: not readable[place])


def _is_better(found: str, text: SourceText) -> bool:
    """Whether it says more than the teaser, and of the same."""
    title = bag_of(text.source.title)
    is_same = not title or share_in(title, bag_of(found)) >= _LEAST_OF_TITLE
    return is_same and len(found) >= TEASER and len(found) > len(text.text)


def _with(texts: Sequence[SourceText], place: int, enriched: SourceText) -> tuple[SourceText, ...]:
    return (*texts[:place], enriched, *texts[place + 1 :])

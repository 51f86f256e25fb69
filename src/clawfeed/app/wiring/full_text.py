"""Full text for editions: its parse worker is started when a story first needs it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AsyncExitStack

from clawfeed.digest.summaries.full_text import FullText, has_teasers_only
from clawfeed.digest.writer_interface import StoryMaterial
from clawfeed.egress.client import Egress
from clawfeed.runtime.async_resource import AsyncResource
from clawfeed.runtime.built_once import BuiltOnce
from clawfeed.sources.documents import article
from clawfeed.sources.parsing.pool import ParsePool


class FullTextOnDemand(AsyncResource):
    """Fetches what feeds left out of chosen stories. Use as `async with FullTextOnDemand(...)`.

    *parser* makes a worker of its own: what reads articles takes memory that feeds do not need.
    Most editions need none, and without `clawfeed[fulltext]` there never is one.
    """

    def __init__(self, egress: Egress, parser: Callable[[], ParsePool]) -> None:
        self._egress, self._parser = egress, parser
        self._open = AsyncExitStack()
        self._full_text = BuiltOnce(self._opened)

    async def close(self) -> None:
        await self._open.aclose()
        self._full_text.forget()

    @property
    def is_open(self) -> bool:
        return self._full_text.is_built

    async def enrich(self, material: StoryMaterial) -> StoryMaterial:
        """*material*, with an article's text in place of a teaser where it can be had."""
        if not article.is_available() or not has_teasers_only(material):
            return material
        return await (await self._full_text.get()).enrich(material)

    async def _opened(self) -> FullText:
        return FullText(self._egress, await self._open.enter_async_context(self._parser()))

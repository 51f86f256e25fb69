"""`/operations`: the whole house at a glance, kept up to date while somebody looks."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Final

from fastapi import APIRouter, Request, Response

from clawfeed.auth.authorization import Access, SignedIn, guarded_router, may_still, open_to
from clawfeed.domain.ids import UserId
from clawfeed.web.frame.page_rendering import PageView
from clawfeed.web.operations.event_stream import (
    COME_BACK,
    HEARTBEAT,
    OVER_EVENT,
    EventStream,
    message,
)
from clawfeed.web.operations.live_overview import Reading
from clawfeed.web.operations.overview_context import OperationsPages
from clawfeed.web.operations.overview_view import overview_values

# Each is a template in `operations/live` with one element, whose id is `live-NAME`, with hyphens.
PARTS: Final = (
    "verdict", "time", "figures", "collectors", "failure_reasons", "failed_sources",
    "cadences", "lag", "cooldowns", "budgets", "editions", "outbox", "alarms",
)  # fmt: skip


def overview_routes(pages: OperationsPages) -> APIRouter:
    router = guarded_router("/operations", tag="pages", in_schema=False)
    site, draw = pages.site, _Drawing(pages)

    @router.get("")
    @open_to(Access.ADMIN)
    async def overview(request: Request, caller: SignedIn) -> Response:
        page = await site.page(request, caller)
        found = Reading(overview=await pages.live.once())
        values = {"parts": PARTS, **draw.values(page, found)}
        return site.render(page, "operations/overview.html", values)

    @router.get("/live")
    @open_to(Access.ADMIN)
    async def live(request: Request, caller: SignedIn) -> Response:
        page = await site.page(request, caller)
        return EventStream(_changes(pages, draw, page), _place(pages, caller.user.id))

    return router


@contextmanager
def _place(pages: OperationsPages, user: UserId) -> Iterator[None]:
    with pages.places.held(user), pages.live.watched():
        yield


async def _changes(pages: OperationsPages, draw: _Drawing, page: PageView) -> AsyncIterator[bytes]:
    """What changed, as it changes: until the house stops, or they may not look any more."""
    beat = pages.beat.total_seconds()
    now = asyncio.get_running_loop().time
    sent: dict[str, str] = {}
    seen, asked_at = None, now()
    yield COME_BACK
    while True:
        found = None
        try:
            async with asyncio.timeout(beat):
                found = await pages.live.news(seen)
                if found is None:
                    return
        except TimeoutError:
            yield HEARTBEAT
        if now() - asked_at >= beat:
            if not await may_still(page.request, Access.ADMIN):
                yield OVER_EVENT
                return
            asked_at = now()
        if found:
            seen, drawn = found, draw.parts(page, found)
            changed = [html for name, html in drawn.items() if sent.get(name) != html]
            sent = drawn
            if changed:
                yield message("".join(changed))


class _Drawing:
    """One reading as HTML: once for each language and zone, however many look."""

    def __init__(self, pages: OperationsPages) -> None:
        self._pages = pages
        self._reading: Reading | None = None
        self._drawn: dict[tuple[str, str], dict[str, str]] = {}

    def parts(self, page: PageView, reading: Reading) -> dict[str, str]:
        """The parts by their names."""
        if reading is not self._reading:
            self._reading, self._drawn = reading, {}
        variant = (str(page.language), str(page.zone))
        if variant not in self._drawn:
            values = self.values(page, reading)
            # Without a database there is no more to say than that.
            names = PARTS if reading.overview else ("verdict",)
            self._drawn[variant] = {
                name: self._pages.site.html(
                    replace(page, now=self._pages.site.now()),
                    f"operations/live/{name}.html",
                    values,
                )
                for name in names
            }
        return self._drawn[variant]

    def values(self, page: PageView, reading: Reading) -> dict[str, object]:
        outage = self._pages.outage()
        return overview_values(page, reading.overview, self._pages.allowances, outage)

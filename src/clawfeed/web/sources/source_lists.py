"""`/sources`: what somebody follows and how it is doing, and what there is to follow."""

from __future__ import annotations

from asyncio import gather
from collections.abc import Mapping, Sequence
from typing import Annotated, Final, TypeVar
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request, Response

from clawfeed.auth.authorization import Access, Anyone, SignedIn, guarded_router, open_to
from clawfeed.domain.ids import SourceId, UserId
from clawfeed.domain.people.users import Caller
from clawfeed.rendering.safe_text import one_line
from clawfeed.storage.sources.source_counts import FollowedCounts, followed_by, types_seen_by
from clawfeed.storage.sources.visible_sources import (
    SourceFilter,
    SourceHealth,
    SourceOrder,
    SourceScope,
)
from clawfeed.web.frame.flash import Done, Flash
from clawfeed.web.frame.page_rendering import PageView, wants_fragment
from clawfeed.web.sources.source_context import (
    SourcePages,
    line_of,
    page_number,
    source_ids_in,
    source_tabs,
)

PAGE: Final = 50
MOST_TYPES: Final = 12
LONGEST_SEARCH: Final = 200
Listed = TypeVar("Listed")
Typed = Annotated[str, Query(alias="type")]


def source_list_routes(pages: SourcePages) -> APIRouter:
    router = guarded_router("/sources", tag="pages", in_schema=False)
    _add_followed(router, pages)
    _add_explore(router, pages)
    _add_following(router, pages)
    return router


def _add_followed(router: APIRouter, pages: SourcePages) -> None:
    site = pages.site

    @router.get("")
    @open_to(Access.EVERYONE)
    async def mine(request: Request, caller: Anyone, show: str = "", page: str = "1") -> Response:
        if caller is None:
            return site.go("/sources/explore")
        view, number = await site.page(request, caller), page_number(page)
        health = SourceHealth(show) if show in set(SourceHealth) else SourceHealth.ANY
        wanted = SourceFilter(
            which=SourceScope.SUBSCRIBED,
            order=SourceOrder.FAILING,
            health=health,
            limit=PAGE + 1,
            skip=PAGE * (number - 1),
        )
        followed, rows = await gather(
            followed_by(pages.database, caller.user.id), pages.reads.list(caller.user.id, wanted)
        )
        asked = {} if health is SourceHealth.ANY else {"show": str(health)}
        values = {
            "tabs": source_tabs(view, "/sources"),
            "figures": _figures(followed, health) if followed.total else [],
            "sources": [line_of(view, row) for row in rows[:PAGE]],
            **_neighbours(view, rows, number, "/sources", asked),
        }
        return site.render(view, "sources/sources.html", values)


def _add_explore(router: APIRouter, pages: SourcePages) -> None:
    site = pages.site

    @router.get("/explore")
    @open_to(Access.EVERYONE)
    async def explore(
        request: Request, caller: Anyone, q: str = "", kind: Typed = "", page: str = "1"
    ) -> Response:
        view, number = await site.page(request, caller), page_number(page)
        wanted = SourceFilter(
            text=one_line(q)[:LONGEST_SEARCH],
            type=one_line(kind)[:LONGEST_SEARCH],
            order=SourceOrder.MOST_FOLLOWED,
            limit=PAGE + 1,
            skip=PAGE * (number - 1),
        )
        viewer = caller.user.id if caller else None
        rows = await pages.reads.list(viewer, wanted)
        asked = {"q": wanted.text, "type": wanted.type}
        values = {
            "tabs": source_tabs(view, "/sources/explore"),
            "types": await _types(pages, view, viewer, asked),
            "asked": asked,
            "sources": [line_of(view, row) for row in rows[:PAGE]],
            **_neighbours(view, rows, number, "/sources/explore", asked),
        }
        return site.render(view, "sources/sources_explore.html", values)


def _add_following(router: APIRouter, pages: SourcePages) -> None:
    site = pages.site

    @router.post("/follow")
    @open_to(Access.WRITE)
    async def follow(request: Request, caller: SignedIn) -> Response:
        given = await site.form(request)
        ids = source_ids_in(given.get("thing", ""))
        await pages.subscriptions.change(caller.user.id, add=ids, now=site.now())
        return await told(request, caller, given, ids, Done.FOLLOWED)

    @router.post("/leave")
    @open_to(Access.WRITE)
    async def leave(request: Request, caller: SignedIn) -> Response:
        given = await site.form(request)
        ids = source_ids_in(given.get("thing", ""))
        await pages.subscriptions.change(caller.user.id, remove=ids, now=site.now())
        return await told(request, caller, given, ids, Done.LEFT)

    async def told(
        request: Request,
        caller: Caller,
        given: Mapping[str, str],
        ids: Sequence[SourceId],
        done: Done,
    ) -> Response:
        """What was done; for the script the button that takes it back."""
        following = given.get("next", "/sources")
        if not wants_fragment(request):
            return site.go(following, Flash(done=done, thing="-".join(map(str, ids))))
        view, row = await gather(
            site.page(request, caller), pages.reads.get(ids[0], caller.user.id)
        )
        said = view.say(f"done.{done}")
        values = {"source": line_of(view, row), "next": following, "said": said}
        return site.fragment(view, "sources/source_follow_button.html", values)


def _figures(followed: FollowedCounts, chosen: SourceHealth) -> list[tuple[str, int, str, bool]]:
    """How what somebody follows is doing: each number is the way to those it counts."""
    counts = {
        SourceHealth.ANY: (followed.total, "sources.total"),
        SourceHealth.FINE: (followed.fine, "sources.fine"),
        SourceHealth.FAILING: (followed.failing, "sources.failing"),
        SourceHealth.PAUSED: (followed.paused, "sources.paused"),
    }
    return [
        (
            "/sources" if each is SourceHealth.ANY else f"/sources?show={each}",
            n,
            key,
            each is chosen,
        )
        for each, (n, key) in counts.items()
        if n or each is not SourceHealth.PAUSED
    ]


async def _types(
    pages: SourcePages, view: PageView, viewer: UserId | None, asked: dict[str, str]
) -> list[tuple[str, str, bool]]:
    """The types there are, as links that keep the search; the rare ones are found by it."""
    counts: dict[str, int] = {}
    known = pages.fetchers.types
    for written, count in (await types_seen_by(pages.database, viewer)).items():
        name = known.key(written)
        counts[name] = counts.get(name, 0) + count
    links: list[tuple[str, str]] = [
        (_address("/sources/explore", {**asked, "type": ""}), view.say("sources.every_type"))
    ]
    links += [
        (_address("/sources/explore", {**asked, "type": name}), f"{name} ({count})")
        for name, count in list(counts.items())[:MOST_TYPES]
    ]
    chosen = _address("/sources/explore", asked)
    return [(address, name, address == chosen) for address, name in links]


def _neighbours(
    view: PageView, rows: Sequence[Listed], number: int, path: str, asked: dict[str, str]
) -> dict[str, object]:
    """The parts of the list before and after this one."""

    def part(other: int) -> str:
        return _address(path, {**asked, "page": str(other)})

    before = (part(number - 1), view.say("sources.back")) if number > 1 else None
    after = (part(number + 1), view.say("sources.more")) if len(rows) > PAGE else None
    return {"before": before, "after": after}


def _address(path: str, asked: dict[str, str]) -> str:
    query = urlencode({name: value for name, value in asked.items() if value})
    return f"{path}?{query}" if query else path

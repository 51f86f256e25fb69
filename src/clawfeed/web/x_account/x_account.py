"""`/x`: letting ClawFeed read one's own X, what it may read, and taking it back (S001-20).

No token is ever on a page. What leads to X is a link and no form: browsers hold the redirects of a
form to our policy's `form-action`, which names us alone.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Final

from fastapi import APIRouter, Request, Response

from clawfeed.auth.authorization import Access, SignedIn, guarded_router, open_to
from clawfeed.auth.client_address import TrustedProxies
from clawfeed.auth.limits.action_rate_limits import RateLimit
from clawfeed.auth.request_actor import Doorkeeper
from clawfeed.auth.x_authorisation import XAuthorisationFlow
from clawfeed.domain.errors import InvalidInputError, NotFoundError, RefusalCode
from clawfeed.domain.ids import UserId
from clawfeed.rendering.safe_text import one_line, safe_link
from clawfeed.sources.discovery.new_source import SourceRequest, prepare
from clawfeed.sources.registry import Fetchers
from clawfeed.storage.database import Database
from clawfeed.storage.people.x_authorisations import XAuthorisation
from clawfeed.storage.source_changes.source_changes import SourceChanges, SourceExists, identities
from clawfeed.storage.sources.source_quota import MOST_SOURCES
from clawfeed.storage.sources.source_row import SourceRow
from clawfeed.storage.sources.sources import NewSource
from clawfeed.storage.sources.subscriptions import SubscriptionStore
from clawfeed.storage.sources.visible_sources import VisibleSources
from clawfeed.web.frame.flash import Done, Flash
from clawfeed.web.frame.page_rendering import PageView, Site

# What X's names for what is allowed mean; of any other we only know the name.
_SCOPES: Final = {
    "tweet.read": "x_scope.posts",
    "users.read": "x_scope.person",
    "bookmark.read": "x_scope.bookmarks",
    "like.read": "x_scope.likes",
    "offline.access": "x_scope.renewal",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class XAccountPages(Doorkeeper):
    """What the page needs. *beginnings* are counted together with those of the API."""

    site: Site
    authorising: XAuthorisationFlow
    database: Database
    fetchers: Fetchers
    beginnings: RateLimit
    trusted_proxies: TrustedProxies = ()

    def wanted(self, kind: str, name: str = "") -> NewSource:
        """The source of one's own of that *kind*, as it will be stored."""
        return prepare(self.fetchers, SourceRequest(type=kind, name=name, is_public=False))

    @property
    def own_types(self) -> list[str]:
        """What belongs to the reader at X (S001-20)."""
        return [each.name for each in self.fetchers.types if each.is_personal]

    async def known(self, kind: str, user: UserId) -> SourceRow | None:
        reads = VisibleSources(self.database, self.fetchers.types)
        return await reads.find(identities(self.wanted(kind), self.fetchers.types), user)


def x_account_routes(pages: XAccountPages) -> APIRouter:
    router = guarded_router("/x", tag="pages", in_schema=False)
    _add_account(router, pages)
    _add_authorising(router, pages)
    _add_following(router, pages)
    return router


def _add_account(router: APIRouter, pages: XAccountPages) -> None:
    site, authorising = pages.site, pages.authorising

    @router.get("")
    @open_to(Access.READ)
    async def account(request: Request, caller: SignedIn) -> Response:
        page, granted, known = await asyncio.gather(
            site.page(request, caller),
            authorising.status(caller.user.id),
            asyncio.gather(*(pages.known(each, caller.user.id) for each in pages.own_types)),
        )
        values = {
            "is_set_up": authorising.is_set_up,
            "granted": _shown(page, granted) if granted else None,
            "sources": [
                {"type": kind, "id": row.id if row else None, "is_followed": _follows(row)}
                for kind, row in zip(pages.own_types, known, strict=True)
            ],
        }
        return site.render(page, "x_account/account.html", values)


def _add_authorising(router: APIRouter, pages: XAccountPages) -> None:
    site, authorising = pages.site, pages.authorising

    @router.post("/begin")
    @open_to(Access.WRITE)
    async def begin(request: Request, caller: SignedIn) -> Response:
        """The way to X. Nobody keeps it: it works once, for this session, for ten minutes."""
        await site.form(request)
        pages.beginnings.take(caller.user.id)
        begun = await authorising.begin(caller.user.id, caller.session)
        page = await site.page(request, caller)
        return site.render(
            page,
            "x_account/redirect.html",
            {"link": safe_link(begun.url), "until": page.when(begun.ends_at)},
            headers={"Referrer-Policy": "no-referrer"},
        )

    @router.post("/revoke")
    @open_to(Access.WRITE)
    async def revoke(request: Request, caller: SignedIn) -> Response:
        await site.form(request)
        client = str(pages.client(request))
        ended = await authorising.revoke(caller.user.id, client=client)
        return site.go("/x", Flash(done=Done.X_REVOKED if ended.at_x else Done.X_REVOKED_HERE))


def _add_following(router: APIRouter, pages: XAccountPages) -> None:
    site, authorising = pages.site, pages.authorising

    @router.post("/follow")
    @open_to(Access.WRITE)
    async def follow(request: Request, caller: SignedIn) -> Response:
        kind = (await site.form(request)).get("type", "")
        if kind not in pages.own_types:
            raise NotFoundError("there is no such source")
        if await authorising.status(caller.user.id) is None:
            raise InvalidInputError("connect your X account first", RefusalCode.X_NOT_CONNECTED)
        page = await site.page(request, caller)
        new = pages.wanted(kind, one_line(page.say(f"x_source.{kind}")))
        changes = SourceChanges(pages.database, pages.fetchers.types)
        result = await changes.add(new, caller.user.id, most=MOST_SOURCES, now=site.now())
        if isinstance(result, SourceExists):
            store = SubscriptionStore(pages.database)
            await store.change(caller.user.id, add=[result.row.id], now=site.now())
        return site.go("/x", Flash(done=Done.X_FOLLOWED))


def _follows(row: SourceRow | None) -> bool:
    return row is not None and bool(row.is_subscribed)


def _shown(page: PageView, granted: XAuthorisation) -> dict[str, object]:
    """All that is told of it: whose it is, since when, what it opens, whether it renews itself."""
    return {
        "handle": one_line(granted.handle),
        "since": page.when(granted.authorised_at),
        "is_ended": granted.ended_because is not None,
        "scopes": [(_SCOPES.get(each), one_line(each)) for each in granted.pair.scopes],
        "is_renewed": granted.pair.refresh is not None,
        "until": page.when(granted.pair.expires_at),
    }

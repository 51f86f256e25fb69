"""Following something new: paste an address, see what was found there, then keep it."""

from __future__ import annotations

import json
from collections.abc import Mapping

from fastapi import APIRouter, Request, Response

from clawfeed.auth.authorization import Access, SignedIn, guarded_router, open_to
from clawfeed.auth.permissions.source_permissions import require_no_secret, require_shareable
from clawfeed.domain.errors import InvalidInputError, NotFoundError, Reason, RefusalCode, UserError
from clawfeed.domain.ids import JsonValue
from clawfeed.domain.people.users import Caller
from clawfeed.domain.sources.source_secrets import mask_config
from clawfeed.domain.sources.type_facts import TypeFacts
from clawfeed.rendering.safe_text import one_line, safe_link
from clawfeed.sources.discovery.new_source import SourceRequest, prepare, read_config
from clawfeed.sources.discovery.resolution import ResolvedSource, UnreadableAddressError, resolve
from clawfeed.storage.source_changes.source_changes import SourceExists, identities
from clawfeed.storage.sources.sources import NewSource
from clawfeed.web.frame.flash import Done, Flash
from clawfeed.web.frame.form_errors import refusal
from clawfeed.web.frame.page_rendering import PageView
from clawfeed.web.sources.source_context import SourcePages, line_of

LONGEST_ADDRESS = 4_096
NOT_YET_A_CAUSE = frozenset({Reason.GONE, Reason.MISCONFIGURED})


def source_adding_routes(pages: SourcePages) -> APIRouter:
    router = guarded_router("/sources", tag="pages", in_schema=False)
    _add_asking(router, pages)
    _add_keeping(router, pages)
    return router


def _add_asking(router: APIRouter, pages: SourcePages) -> None:
    site = pages.site

    async def form(
        request: Request,
        caller: Caller,
        url: str = "",
        error: UserError | None = None,
        wanted: str = "",
    ) -> Response:
        """The question, with what was typed and why that was nothing."""
        page = await site.page(request, caller)
        unread = error if isinstance(error, UnreadableAddressError) else None
        values = {
            "url": url[:LONGEST_ADDRESS],
            "unread": unread and _unread(unread),
            "mistake": "" if unread else refusal(page, error),
            "next": wanted,
        }
        return site.render(page, "sources/source_add.html", values, status=422 if error else 200)

    @router.get("/add")
    @open_to(Access.READ)
    async def ask(request: Request, caller: SignedIn) -> Response:
        return await form(request, caller)

    @router.post("/add")
    @open_to(Access.WRITE)
    async def preview(request: Request, caller: SignedIn) -> Response:
        """Nothing is stored: the next form holds all that is needed to."""
        given = await site.form(request)
        url, wanted = given.get("url", "").strip(), given.get("next", "")
        if not url or len(url) > LONGEST_ADDRESS or one_line(url) != url:
            missing = InvalidInputError(
                "give an address, or an account like @example", RefusalCode.ADDRESS_MISSING
            )
            return await form(request, caller, url, missing, wanted)
        pages.limits.resolving.take(caller.user.id)
        try:
            with pages.limits.resolving_now.held(caller.user.id):
                found = await resolve(url, pages.discoverer, pages.fetchers, owner=caller.user.id)
        except UserError as error:
            return await form(request, caller, url, error, wanted)
        page = await site.page(request, caller)
        values = {**await _preview(pages, page, caller, found), "next": wanted}
        return site.render(page, "sources/source_preview.html", values)


def _add_keeping(router: APIRouter, pages: SourcePages) -> None:
    site = pages.site

    @router.post("/new")
    @open_to(Access.WRITE)
    async def save(request: Request, caller: SignedIn) -> Response:
        given = await site.form(request)
        try:
            new = _wanted(pages, given)
            result = await pages.changes.add(
                new, caller.user.id, most=pages.most_sources, now=site.now()
            )
        except NotFoundError:
            raise
        except UserError as error:
            page = await site.page(request, caller)
            wrong = {"mistake": refusal(page, error), "next": given.get("next", "")}
            values = {**_again(pages, given), **wrong}
            return site.render(page, "sources/source_preview.html", values, status=422)
        if isinstance(result, SourceExists):
            await pages.subscriptions.change(caller.user.id, add=[result.row.id], now=site.now())
        done = Flash(done=Done.SOURCE_ADDED)
        return site.go(given.get("next") or f"/sources/{result.row.id}", done)


def _unread(error: UnreadableAddressError) -> dict[str, str]:
    """Why an address cannot be read: keys of plain words, and what its server said."""
    return {
        "place": one_line(error.shown),
        # Of what never was nobody says that it is there no more, or that its settings are wrong.
        "cause": "" if error.reason in NOT_YET_A_CAUSE else f"cause.{error.reason}",
        "advice": f"try.{error.reason}",
        "detail": one_line(error.detail),
    }


def _wanted(pages: SourcePages, given: Mapping[str, str]) -> NewSource:
    """What the form asks for, held to the same rules as anybody's request to the API."""
    kind, is_public = given.get("type", ""), given.get("is_public") == "1"
    if is_public:
        require_shareable(pages.fetchers.types.facts(kind))
    new = prepare(
        pages.fetchers,
        SourceRequest(
            type=kind,
            config=read_config(given.get("config", "")),
            name=given.get("name", ""),
            is_public=is_public,
        ),
    )
    if is_public:
        require_no_secret(new.config)
    return new


def _offer(facts: TypeFacts, config: Mapping[str, JsonValue]) -> dict[str, object]:
    place = mask_config(config).get(facts.main_key or "")
    return {
        "type": facts.name,
        "config": json.dumps(dict(config)),
        "place": one_line(str(place or "")),
        "can_share": not facts.is_personal,
    }


def _again(pages: SourcePages, given: Mapping[str, str]) -> dict[str, object]:
    """The same form with what was typed; nobody is asked anew."""
    try:
        config = read_config(given.get("config", ""))
    except InvalidInputError:
        config = {}
    return {
        **_offer(pages.fetchers.types.facts(given.get("type", "")), config),
        "name": given.get("name", ""),
        "is_public": given.get("is_public") == "1",
        "note": None,
        "others": [],
        "items": [],
        "twin": None,
    }


async def _preview(
    pages: SourcePages, page: PageView, caller: Caller, found: ResolvedSource
) -> dict[str, object]:
    new, types = found.new, pages.fetchers.types
    twin = await pages.reads.find(identities(new, types), caller.user.id)
    return {
        **_offer(types.facts(new.type), new.config),
        "name": new.name,
        "is_public": False,
        "mistake": "",
        "note": found.note,
        "others": [
            {"url": feed.url, "title": one_line(feed.title) or feed.url}
            for feed in found.found.feeds
            if feed.url != new.config.get("url")
        ],
        "items": [
            {
                "title": one_line(each.title) or each.url,
                "link": safe_link(each.url),
                "when": page.when(each.published_at) if each.published_at else None,
            }
            for each in found.preview
        ],
        "twin": line_of(page, twin) if twin else None,
    }

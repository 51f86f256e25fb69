"""`/channels/new`: choose a kind, fill in what it wants to know, and have a channel."""

from __future__ import annotations

from collections.abc import Mapping

from fastapi import APIRouter, Request, Response

from clawfeed.auth.authorization import Access, SignedIn, guarded_router, open_to
from clawfeed.domain.errors import NotAllowedError, RefusalCode, UserError
from clawfeed.domain.people.users import Caller
from clawfeed.publish.channel_type import ChannelType
from clawfeed.web.channels.channel_context import ChannelPages, kind_label
from clawfeed.web.channels.channel_form import (
    CHECKED_BOX,
    form_of,
    labels_of,
    read_draft,
    values_of,
)
from clawfeed.web.frame.flash import Done, Flash
from clawfeed.web.frame.form_errors import refusal
from clawfeed.web.frame.page_rendering import PageView
from clawfeed.web.texts.all_texts import TEXTS


def channel_adding_routes(pages: ChannelPages) -> APIRouter:
    router = guarded_router("/channels", tag="pages", in_schema=False)
    site, admin = pages.site, pages.admin

    async def choose(request: Request, caller: Caller) -> Response:
        page = await site.page(request, caller)
        kinds = [_card(page, pages, kind) for kind in admin.types]
        kinds.sort(key=lambda each: bool(each["missing"]))  # what can be had comes first
        values = {"kinds": kinds}
        return site.render(page, "channels/channel_kinds.html", values)

    async def ask(
        request: Request,
        caller: Caller,
        kind: ChannelType,
        given: Mapping[str, str] | None = None,
        error: UserError | None = None,
    ) -> Response:
        page = await site.page(request, caller)
        if given is None:
            default_draft = await admin.default_draft(caller.user)
            given = values_of(default_draft)
        form = form_of(page, kind, given, may_be_house=caller.is_admin)
        values = {
            "form": form,
            "is_house": False,
            "kind": _card(page, pages, kind),
            "is_admin": caller.is_admin,
            "own_address": caller.user.email,
            "mistake": refusal(page, error, labels_of(page, form)),
        }
        return site.render(page, "channels/channel_add.html", values, status=422 if error else 200)

    @router.get("/new")
    @open_to(Access.READ)
    async def new(request: Request, caller: SignedIn, kind: str = "") -> Response:
        if kind not in admin.types:
            return await choose(request, caller)
        return await ask(request, caller, admin.types[kind])

    @router.post("/new")
    @open_to(Access.WRITE)
    async def add(request: Request, caller: SignedIn) -> Response:
        given = await site.form(request)
        kind = admin.types[given.get("kind", "")]
        is_house = given.get("for_everybody") == CHECKED_BOX
        if is_house and not caller.is_admin:
            raise NotAllowedError(
                "only admins add channels of the house", RefusalCode.HOUSE_FOR_ADMINS
            )
        owner = None if is_house else caller.user
        try:
            draft = read_draft(kind, given, await admin.default_draft(owner), owner)
            added = await admin.add(owner, draft, may_get_alarms=caller.is_admin, now=site.now())
        except UserError as error:
            return await ask(request, caller, kind, given, error)
        return site.go(f"/channels/{added.id}", Flash(done=Done.CHANNEL_ADDED))

    return router


def _card(page: PageView, pages: ChannelPages, kind: ChannelType) -> dict[str, object]:
    """A kind in a sentence; *missing* says why nobody can have one here now."""
    missing = kind.missing(pages.admin.config)
    needs, how = f"channel_needs.{kind.kind}", f"channel_how.{kind.kind}"
    hint = f"channel_missing.{kind.kind}"
    return {
        "kind": kind.kind,
        "label": kind_label(page, pages.admin.types, kind.kind),
        "needs": page.say(needs) if needs in TEXTS else "",
        "how": page.say(how) if how in TEXTS else "",
        "missing": missing and (page.say(hint) if hint in TEXTS else missing),
    }

"""`GET /my-edition`, and votes taken back there."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from clawfeed.auth.authorization import Access, SignedIn, guarded_router, open_to
from clawfeed.domain.errors import NotFoundError
from clawfeed.domain.ids import StoryId, VoteId
from clawfeed.web.frame.address_numbers import number_in, number_or_none
from clawfeed.web.frame.flash import Done, Flash
from clawfeed.web.my_edition.my_edition_context import MyEditionPages, TriedForm, draw


def my_edition_routes(pages: MyEditionPages) -> APIRouter:
    router = guarded_router("/my-edition", tag="pages", in_schema=False)

    @router.get("")
    @open_to(Access.READ)
    async def my_edition(request: Request, caller: SignedIn, before: str = "") -> Response:
        older = number_or_none(before)
        shown = TriedForm(before=VoteId(older) if older else None)
        return await draw(pages, request, caller, shown)

    @router.post("/votes/{vote_id}/remove")
    @open_to(Access.WRITE)
    async def take_back(request: Request, caller: SignedIn, vote_id: str) -> Response:
        given = await pages.site.form(request)
        vote = VoteId(number_in(vote_id, "vote"))
        gone = await pages.votes.remove(caller.user.id, vote)
        # Nobody votes again on a story that is forgotten: there is nothing to look it up by.
        way = "more" if gone.vote > 0 else "less"
        flash = Flash(done=Done.UNVOTED, thing=f"{gone.story_id}-{way}" if gone.story_id else "")
        return pages.site.go(given.get("next", "/my-edition"), flash)

    @router.post("/votes/undo")
    @open_to(Access.WRITE)
    async def vote_again(request: Request, caller: SignedIn) -> Response:
        given = await pages.site.form(request)
        story, _, way = given.get("thing", "").partition("-")
        number = number_or_none(story)
        if number is None or way not in {"more", "less"}:
            raise NotFoundError("there is no such vote")
        vote = 1 if way == "more" else -1
        await pages.votes.vote_again(caller.user.id, StoryId(number), vote, now=pages.site.now())
        return pages.site.go(given.get("next", "/my-edition"), Flash(done=Done.VOTED))

    return router

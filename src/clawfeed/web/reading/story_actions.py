"""The buttons below a story: save, more and less like this. Forms; in place with the script."""

from __future__ import annotations

from dataclasses import dataclass

from fastapi import APIRouter, Request, Response

from clawfeed.auth.authorization import Access, SignedIn, guarded_router, open_to
from clawfeed.auth.refused import RefusedError
from clawfeed.domain.editions.digest import DigestStory
from clawfeed.domain.errors import NotFoundError, RefusalCode
from clawfeed.domain.ids import UserId
from clawfeed.rendering.edition_view import told_order
from clawfeed.rendering.safe_text import one_line
from clawfeed.storage.digests.digests import StoredDigest
from clawfeed.storage.readers.marks import MarkStore, NewMark
from clawfeed.storage.readers.story_feedback import Opinions
from clawfeed.storage.readers.votes import VoteStore
from clawfeed.web.frame.flash import Done, Flash
from clawfeed.web.frame.page_rendering import PageView, wants_fragment
from clawfeed.web.reading.edition_page import ReadingPages, addresses_of, opinions_on, tools_for
from clawfeed.web.reading.editions import readable

_VOTES = {"1": 1, "-1": -1, "0": 0}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Target:
    """One story of an edition that its reader looks at."""

    page: PageView
    reader: UserId
    digest: StoredDigest
    story: DigestStory
    number: int


def story_action_routes(pages: ReadingPages) -> APIRouter:
    router = guarded_router("/digests/{digest_id}/stories/{story_id}", tag="pages", in_schema=False)

    @router.post("/mark")
    @open_to(Access.WRITE)
    async def mark(request: Request, caller: SignedIn, digest_id: str, story_id: str) -> Response:
        given = await pages.site.form(request)
        page = await pages.site.page(request, caller)
        target = await _target(pages, page, caller.user.id, digest_id, story_id)
        done = await _mark(pages, target, is_wanted=given.get("marked") != "0")
        return await _answer(pages, target, done, given.get("next", ""))

    @router.post("/vote")
    @open_to(Access.WRITE)
    async def vote(request: Request, caller: SignedIn, digest_id: str, story_id: str) -> Response:
        given = await pages.site.form(request)
        page = await pages.site.page(request, caller)
        target = await _target(pages, page, caller.user.id, digest_id, story_id)
        wanted = _VOTES.get(given.get("vote", ""))
        if wanted is None:
            raise RefusedError(422, "a vote is 1, -1 or 0", RefusalCode.CHOICE_MISSING)
        done = await _vote(pages, target, wanted)
        return await _answer(pages, target, done, given.get("next", ""))

    return router


async def _target(
    pages: ReadingPages, page: PageView, reader: UserId, digest_id: str, story_id: str
) -> _Target:
    digest = await readable(pages, page, digest_id)
    for number, story in enumerate(told_order(digest.content), 1):
        if str(story.story_id) == story_id:
            return _Target(page=page, reader=reader, digest=digest, story=story, number=number)
    raise NotFoundError("this edition tells no such story")


async def _mark(pages: ReadingPages, target: _Target, *, is_wanted: bool) -> Done:
    """One mark for the story: its first address. Taken back, none of its addresses stays."""
    store, urls = MarkStore(pages.database), addresses_of(target.story)
    if is_wanted:
        if not urls:
            raise NotFoundError("this story has no address to save")
        new = NewMark(url=urls[0], title=one_line(target.story.words.headline))
        await store.save(target.reader, new, now=target.page.now)
        return Done.MARKED
    said = await opinions_on(pages, target.page, (target.story,))
    for mark in said.marks.values():
        await store.remove(target.reader, mark)
    return Done.UNMARKED


async def _vote(pages: ReadingPages, target: _Target, wanted: int) -> Done:
    store = VoteStore(pages.database)
    if wanted:
        await store.save(
            target.reader, target.digest.id, target.story.story_id, wanted, now=target.page.now
        )
        return Done.VOTED
    said = await opinions_on(pages, target.page, (target.story,))
    for vote, _ in said.votes.values():
        await store.remove(target.reader, vote)
    return Done.UNVOTED


async def _answer(pages: ReadingPages, target: _Target, done: Done, back: str) -> Response:
    """The buttons as they are now, for the script; else back to the story."""
    if not wants_fragment(target.page.request):
        anchor = f"#story-{target.number}"
        return pages.site.go(f"{back.partition('#')[0] or '/'}{anchor}", Flash(done=done))
    said: Opinions = await opinions_on(pages, target.page, (target.story,))
    tools = tools_for(target.digest, target.story, target.number, said)
    sentence = target.page.say(Flash(done=done).text)
    return pages.site.fragment(
        target.page, "reading/story_tools.html", {"tools": tools, "said": sentence}
    )

"""`/stories/{id}`: why a story is in an edition or was left out, and how it went over the days."""

from __future__ import annotations

from dataclasses import dataclass, fields

from fastapi import APIRouter, Request, Response

from clawfeed.auth.authorization import Access, Anyone, guarded_router, open_to
from clawfeed.domain.editions.digest import DigestContent
from clawfeed.domain.editions.selection import Score
from clawfeed.domain.errors import NotFoundError
from clawfeed.domain.ids import DigestId, StoryId
from clawfeed.rendering.dates import period_worded
from clawfeed.rendering.safe_text import one_line, safe_link
from clawfeed.rendering.story_reasons import reasons_listed
from clawfeed.rendering.wording import wording_of
from clawfeed.storage.digests.digests import StoredDigest
from clawfeed.storage.digests.story_outcomes import StoryReport, story_report
from clawfeed.storage.digests.story_timelines import StoryTimeline, story_timeline
from clawfeed.web.frame.address_numbers import number_in, number_or_none
from clawfeed.web.frame.page_rendering import PageView
from clawfeed.web.reading.edition_page import ReadingPages, link_to, reader_of


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryExplanation:
    """Why it is in an edition, or is not, in the edition's *language*; *score* while it is kept."""

    is_in: bool
    reasons: str
    language: str
    score: Score | None


def story_routes(pages: ReadingPages) -> APIRouter:
    router = guarded_router(tag="pages", in_schema=False)

    @router.get("/stories/{story_id}")
    @open_to(Access.EVERYONE)
    async def story(request: Request, caller: Anyone, story_id: str, edition: str = "") -> Response:
        page = await pages.site.page(request, caller)
        number = StoryId(number_in(story_id, "story"))
        found = await story_timeline(pages.database, number, reader_of(page))
        if found is None:
            raise NotFoundError("there is no such story")
        digest = await _edition_of(pages, page, found, edition)
        report = await story_report(pages.database, found.story.id, digest.id) if digest else None
        reason = reason_in(digest.content, found.story.id, report) if digest else None
        return pages.site.render(page, "reading/story.html", _values(page, found, digest, reason))

    return router


async def _edition_of(
    pages: ReadingPages, page: PageView, found: StoryTimeline, wanted: str
) -> StoredDigest | None:
    """The edition that was come from, else the last one that told the story."""
    if number := number_or_none(wanted):
        return await pages.digests.get(DigestId(number), reader_of(page))
    if not found.tellings:
        return None
    return await pages.digests.get(found.tellings[-1].digest_id, reader_of(page))


def reason_in(
    content: DigestContent, story_id: StoryId, report: StoryReport | None
) -> StoryExplanation | None:
    """Why *content* tells the story or does not; None if it never came up there."""
    wording = wording_of(content.language)
    language = str(wording.language)
    told = next((each for each in content.stories if each.story_id == story_id), None)
    if told:
        reasons = reasons_listed(told, content.made_at, wording)
        return StoryExplanation(
            is_in=True, reasons=reasons, language=language, score=told.reason.score
        )
    named = next((each for each in content.left_out if each.story_id == story_id), None)
    dropped = named.because if named else report.dropped if report else None
    if dropped is None:
        return None
    return StoryExplanation(
        is_in=False,
        reasons=wording.dropped[dropped],
        language=language,
        score=report.score if report else None,
    )


def _values(
    page: PageView,
    found: StoryTimeline,
    digest: StoredDigest | None,
    reason: StoryExplanation | None,
) -> dict[str, object]:
    last = found.tellings[-1].headline if found.tellings else found.story.title
    return {
        "headline": one_line(last),
        "first_seen": page.when(found.story.first_seen_at),
        "edition": link_to(digest, page) if digest else None,
        "reason": reason,
        "score": _score_parts(reason.score) if reason and reason.score else [],
        "tellings": [
            {
                "address": f"/digests/{each.digest_id}",
                "name": one_line(period_worded(each.type, each.period, page.language)),
                "headline": one_line(each.headline),
                "news": one_line(each.what_changed),
                "at": each.told_at,
            }
            for each in reversed(found.tellings)
        ],
        "reports": [
            {
                "title": one_line(each.title) or one_line(each.source_name),
                "link": safe_link(each.url),
                "source": one_line(each.source_name),
                "at": each.fetched_at,
            }
            for each in found.reports
        ],
    }


def _score_parts(score: Score) -> list[tuple[str, float]]:
    """The parts that counted, the strongest first, each with the key of its name."""
    parts = ((f"score.{each.name}", float(getattr(score, each.name))) for each in fields(score))
    return sorted(((key, value) for key, value in parts if value > 0), key=lambda each: -each[1])

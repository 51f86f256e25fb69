"""`/sources/{id}`: one source, its week, why it is polled when it is, and what came of it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final

from fastapi import APIRouter, Request, Response

from clawfeed.auth.authorization import Access, Anyone, guarded_router, open_to
from clawfeed.auth.source_permissions import insist_on_changing, insist_on_fetching
from clawfeed.domain.because_wording import render_because
from clawfeed.domain.cadence import Cadence
from clawfeed.domain.errors import NotAllowedError, NotFoundError, Reason
from clawfeed.domain.forecast_report import ForecastReport
from clawfeed.domain.people import Caller
from clawfeed.domain.source_secrets import mask_config
from clawfeed.rendering.safe_text import one_line, safe_link
from clawfeed.storage.poll_log import PollRow, latest_polls
from clawfeed.storage.source_admin import SourceAdmin, SourceState
from clawfeed.storage.source_changes import Rule
from clawfeed.storage.source_items import ItemRow, latest_items, published_since
from clawfeed.storage.source_row import SourceRow
from clawfeed.web.frame.site import PageView
from clawfeed.web.sources.source_pages import SourcePages, line_of, source_id_in
from clawfeed.web.sources.week_map import week_map

ITEMS: Final = 15
POLLS: Final = 50
POLLS_SHOWN: Final = 12
WEEK: Final = timedelta(days=7)


def source_page_routes(pages: SourcePages) -> APIRouter:
    router = guarded_router("/sources", tag="pages", in_schema=False)
    site = pages.site

    @router.get("/{source_id}")
    @open_to(Access.EVERYONE)
    async def source(request: Request, caller: Anyone, source_id: str) -> Response:
        page = await site.page(request, caller)
        row = await pages.reads.get(source_id_in(source_id), caller.user.id if caller else None)
        items = await latest_items(pages.database, row.id, limit=ITEMS)
        values: dict[str, object] = {
            "source": line_of(page, row),
            "place": _place(pages, row),
            "items": [_item(page, each) for each in items],
            "is_reader": caller is not None,
        }
        if caller:
            values |= await _for_readers(pages, page, caller, row)
        return site.render(page, "sources/source.html", values)

    return router


async def _for_readers(
    pages: SourcePages, page: PageView, caller: Caller, row: SourceRow
) -> dict[str, object]:
    """What the API tells people who are signed in, and no stranger: polls, plans, buttons."""
    state, report = await _outlook(pages, page, row)
    polls = await latest_polls(pages.database, row.id, limit=POLLS)
    came = await published_since(pages.database, row.id, page.now - WEEK, page.now)
    now = page.now.timestamp()
    return {
        "outlook": report.described.told(page.language) if report else "",
        "is_stale": report is not None and report.is_stale,
        "next_poll": page.when(state.next_poll) if state.next_poll else None,
        "is_due": state.next_poll is not None and state.next_poll.timestamp() <= now,
        "because": render_because(state.because, page.language),
        "week": week_map(report.described, came, state.next_poll, page.zone) if report else None,
        "polls": [_poll(page, each) for each in polls[:POLLS_SHOWN]],
        "hits": sum(each.inserted > 0 for each in polls),
        "polled": len(polls),
        "cadence": row.cadence,
        "is_cadence_set": bool(row.is_cadence_set),
        "cadences": [(each, int(each.base.total_seconds() // 60)) for each in Cadence],
        "is_active": bool(row.is_active),
        "may_change": _may(row, lambda each: insist_on_changing(each, caller)),
        "may_fetch": _may(row, lambda each: insist_on_fetching(each, caller)),
    }


async def _outlook(
    pages: SourcePages, page: PageView, row: SourceRow
) -> tuple[SourceState, ForecastReport | None]:
    """What we believe about it; nothing before its first poll, when nobody could know."""
    try:
        return await pages.outlook(row.id, page.zone)
    except NotFoundError:
        return await SourceAdmin(pages.database).state(row.id), None


def _may(row: SourceRow, rule: Rule) -> bool:
    try:
        rule(row)
    except NotAllowedError:
        return False
    return True


def _place(pages: SourcePages, row: SourceRow) -> dict[str, str | None]:
    """Where it is: what its config follows, without its secrets."""
    key = pages.fetchers.types.facts(row.type).main_key or ""
    value = mask_config(row.settings()).get(key)
    text = one_line(str(value)) if isinstance(value, str | int) else ""
    return {"text": text, "link": safe_link(text) if "***" not in text else None}


def _item(page: PageView, item: ItemRow) -> dict[str, object]:
    return {
        "title": one_line(item.title) or item.url,
        "link": safe_link(item.url),
        "when": page.when(_moment(item.at)),
    }


def _poll(page: PageView, poll: PollRow) -> dict[str, object]:
    reason = poll.reason if poll.reason in set(Reason) else None
    return {
        "at": page.when(_moment(poll.started_at)),
        "seconds": max(0.0, poll.finished_at - poll.started_at),
        "is_failed": poll.outcome == "failed",
        "is_put_off": poll.outcome in {"postponed", "skipped"},
        "inserted": poll.inserted,
        "cause": f"cause.{reason}" if reason else None,
        "detail": one_line(poll.detail or ""),
    }


def _moment(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)

"""`/sources/{id}`: one source, its week, why it is polled when it is, and what came of it."""

from __future__ import annotations

from asyncio import gather
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Final

from fastapi import APIRouter, Request, Response

from clawfeed.auth.authorization import Access, Anyone, guarded_router, open_to
from clawfeed.auth.permissions.source_permissions import require_changing, require_polling
from clawfeed.domain.errors import NotAllowedError, NotFoundError
from clawfeed.domain.forecast.forecast_report import ForecastReport
from clawfeed.domain.people.users import Caller
from clawfeed.domain.schedule.cadence import Cadence
from clawfeed.domain.sources.source_secrets import mask_config
from clawfeed.domain.wording.because_wording import render_because
from clawfeed.rendering.safe_text import one_line, safe_link
from clawfeed.storage.items.source_items import ItemRow, latest_items, published_since
from clawfeed.storage.polling.poll_history import latest_polls
from clawfeed.storage.source_changes.source_changes import Rule
from clawfeed.storage.sources.source_row import SourceRow
from clawfeed.storage.sources.source_status import SourceState, SourceStates
from clawfeed.web.frame.page_rendering import PageView, wants_fragment
from clawfeed.web.sources.poll_watch import poll_line, watch_of
from clawfeed.web.sources.recent_days_chart import RecentPublishing, recent_days
from clawfeed.web.sources.source_context import SourcePages, line_of, source_id_in
from clawfeed.web.sources.week_heatmap import week_heatmap

ITEMS: Final = 15
POLLS: Final = 50
POLLS_SHOWN: Final = 12
WEEK: Final = timedelta(days=7)


def source_page_routes(pages: SourcePages) -> APIRouter:
    router = guarded_router("/sources", tag="pages", in_schema=False)
    site = pages.site

    @router.get("/{source_id}")
    @open_to(Access.EVERYONE)
    async def source(request: Request, caller: Anyone, source_id: str, asked: str = "") -> Response:
        """*asked* is when a poll was asked for here: the page then tells how it went."""
        page = await site.page(request, caller)
        row = await pages.reads.get(source_id_in(source_id), caller.user.id if caller else None)
        values: dict[str, object] = {
            "source": line_of(page, row),
            "place": _place(pages, row),
            "is_reader": caller is not None,
        }
        if caller is None:
            items = await latest_items(pages.database, row.id, limit=ITEMS)
            return site.render(
                page, "sources/source.html", {**values, "items": _items(page, items)}
            )
        values |= await _for_readers(pages, page, caller, row, asked)
        if wants_fragment(request):
            return site.fragment(page, "sources/source_live.html", values)
        return site.render(page, "sources/source.html", values)

    return router


async def _for_readers(
    pages: SourcePages, page: PageView, caller: Caller, row: SourceRow, asked: str
) -> dict[str, object]:
    """What the API tells people who are signed in, and no stranger: polls, plans, buttons."""
    (state, report), polls, came, items = await gather(
        _outlook(pages, page, row),
        latest_polls(pages.database, row.id, limit=POLLS),
        published_since(pages.database, row.id, page.now - WEEK, page.now),
        latest_items(pages.database, row.id, limit=ITEMS),
    )
    now = page.now.timestamp()
    return {
        **(_forecast(page, row, state, report, came) if report else NO_FORECAST),
        "items": _items(page, items),
        "next_poll": page.when(state.next_poll) if state.next_poll else None,
        "is_due": state.next_poll is not None and state.next_poll.timestamp() <= now,
        "because": render_because(state.because, page.language),
        "polls": [poll_line(page, each) for each in polls[:POLLS_SHOWN]],
        "watch": watch_of(polls[0] if polls else None, asked, page.now),
        "hits": sum(each.inserted > 0 for each in polls),
        "polled": len(polls),
        "cadence": row.cadence,
        "is_cadence_set": bool(row.is_cadence_set),
        "cadences": [(each, int(each.base.total_seconds() // 60)) for each in Cadence],
        "is_active": bool(row.is_active),
        "may_change": _may(row, lambda each: require_changing(each, caller)),
        "may_poll": _may(row, lambda each: require_polling(each, caller)),
    }


NO_FORECAST: Final[dict[str, object]] = {
    "outlook": "", "is_stale": False, "week": None, "recent": None, "recent_since": None,
    "later": [],
}  # fmt: skip


def _forecast(
    page: PageView,
    row: SourceRow,
    state: SourceState,
    report: ForecastReport,
    came: list[datetime],
) -> dict[str, object]:
    seen = RecentPublishing(published=came, known_since=datetime.fromtimestamp(row.created_at, UTC))
    recent = recent_days(report.described, seen, page.now, page.zone)
    return {
        "outlook": report.described.told(page.language),
        "is_stale": report.is_stale,
        "week": week_heatmap(report.described, came, state.next_poll, page.zone),
        "recent": recent,
        "recent_since": page.when(recent.since) if recent and recent.since else None,
        # The first is the date that stands.
        "later": [
            (page.when(each.at), render_because(each.because, page.language))
            for each in report.next_polls[1:]
            if each.at
        ],
    }


async def _outlook(
    pages: SourcePages, page: PageView, row: SourceRow
) -> tuple[SourceState, ForecastReport | None]:
    """What we believe about it; nothing before its first poll, when nobody could know."""
    try:
        return await pages.outlook(row.id, page.zone)
    except NotFoundError:
        return await SourceStates(pages.database).state(row.id), None


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


def _items(page: PageView, items: Iterable[ItemRow]) -> list[dict[str, object]]:
    return [
        {
            "title": one_line(each.title) or each.url,
            "link": safe_link(each.url),
            "when": page.when(datetime.fromtimestamp(each.at, UTC)),
        }
        for each in items
    ]

"""`/operations/alarms`: what rings now and what rang, in the reader's language, and what helps."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from fastapi import APIRouter, Request, Response
from markupsafe import Markup

from clawfeed.auth.authorization import Access, SignedIn, guarded_router, open_to
from clawfeed.domain.alarm import Alarm, AlarmCode, NoticeKind, Trouble
from clawfeed.domain.pagination import page_of, place_or_none
from clawfeed.domain.wording.alarm_wording import alarm_words
from clawfeed.rendering.dates import age
from clawfeed.rendering.safe_text import one_line
from clawfeed.storage.operations.alarm_messages import AlarmMessage, messages_about
from clawfeed.storage.operations.alarms import AlarmStore
from clawfeed.storage.operations.troubles import source_troubles
from clawfeed.storage.timestamps import seconds
from clawfeed.web.frame.address_numbers import number_or_none
from clawfeed.web.frame.page_rendering import PageView
from clawfeed.web.operations.admin_context import PAGE, AdminPages
from clawfeed.web.operations.alarm_links import LINKS, address_of

PAGE_PATH: Final = "/operations/alarms"
# More would ring only where everything is wrong, and then for one reason.
MOST_RINGING: Final = 100
# Of one alarm, beside each other; the next ones follow when these are resumed.
MOST_RESUMED: Final = 20


def alarm_routes(pages: AdminPages) -> APIRouter:
    router = guarded_router(PAGE_PATH, tag="pages", in_schema=False)
    site, store = pages.site, AlarmStore(pages.database)

    @router.get("")
    @open_to(Access.ADMIN)
    async def alarms(request: Request, caller: SignedIn, before: str = "") -> Response:
        place = place_or_none(before)
        page, ringing, every, sources = await asyncio.gather(
            site.page(request, caller),
            store.list(is_raised=True, limit=MOST_RINGING),
            store.list(limit=PAGE + 1, before=place),
            source_troubles(pages.database),
        )
        paused = {each.subject: each for each in sources if each.code is AlarmCode.SOURCE_PAUSED}
        listed, more = page_of(every, PAGE, lambda each: (seconds(each.raised_at), each.id))
        past = [alarm for alarm in listed if not alarm.is_raised]
        told = await messages_about(pages.database, {each.id for each in (*ringing, *past)})
        served: frozenset[str] = request.app.state.paths

        def shown(some: Iterable[Alarm]) -> list[dict[str, object]]:
            return [_alarm(page, one, told.get(one.id, ()), served, paused) for one in some]

        values = {
            "ringing": shown(ringing),
            "past": shown(past),
            "older": f"{PAGE_PATH}?before={more}" if more else None,
            "newest": PAGE_PATH if place else None,
        }
        return site.render(page, "operations/alarms.html", values)

    return router


def _alarm(
    page: PageView,
    alarm: Alarm,
    told: Sequence[AlarmMessage],
    served: frozenset[str],
    paused: Mapping[str, Trouble],
) -> dict[str, object]:
    words = alarm_words(alarm.trouble, page.language)
    is_personal = alarm.trouble.owner_id is not None
    # What rang for one person names what is theirs alone: of that we tell the kind.
    end = alarm.cleared_at or page.now
    return {
        "id": alarm.id,
        "is_personal": is_personal,
        "text": one_line(words.kind if is_personal else words.text),
        "way_out": [] if is_personal else one_line(words.way_out).split("`"),
        "help": None if is_personal else _help(alarm.trouble, served),
        "paused": _resumable(page, alarm, paused),
        "began": page.when(alarm.raised_at),
        "ended": page.when(alarm.cleared_at) if alarm.cleared_at else "",
        "lasted": age(end - alarm.raised_at, page.language),
        "told": _channels(told, NoticeKind.RAISED),
    }


def _help(trouble: Trouble, served: frozenset[str]) -> str | None:
    """The source itself where others may see it; nothing where nobody serves the page."""
    is_one_source = trouble.code in {AlarmCode.SOURCE_PAUSED, AlarmCode.SOURCE_STALE}
    if is_one_source and number_or_none(trouble.subject):
        return f"/sources/{trouble.subject}" if "name" in trouble.parameters else None
    link = LINKS[trouble.code]
    return link if address_of(link) in served else None


def _resumable(
    page: PageView, alarm: Alarm, paused: Mapping[str, Trouble]
) -> list[tuple[str, str | Markup]]:
    """What it rings for and is still paused (S001-9): also what has no page for others."""
    if not alarm.is_raised or alarm.trouble.code is not AlarmCode.SOURCE_PAUSED:
        return []
    found = [paused[each] for each in alarm.trouble.subjects if each in paused]
    return [
        (each.subject, one_line(str(name)) if name else page.say("operations.private", id=number))
        for each in found[:MOST_RESUMED]
        for number, name in [(each.subject, each.parameters.get("name"))]
    ]


def _channels(told: Sequence[AlarmMessage], notice: NoticeKind) -> list[dict[str, object]]:
    return [
        {"name": one_line(each.name) or each.kind, "kind": each.kind, "state": each.state}
        for each in told
        if each.notice is notice
    ]

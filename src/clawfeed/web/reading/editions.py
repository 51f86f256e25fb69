"""`/digests`: every edition one may read, month by month, and each by itself."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, tzinfo

from fastapi import APIRouter, Request, Response

from clawfeed.auth.authorization import Access, Anyone, guarded_router, open_to
from clawfeed.domain.editions.edition_period import EditionType
from clawfeed.domain.errors import NotFoundError
from clawfeed.domain.ids import DigestId
from clawfeed.rendering.dates import period_worded
from clawfeed.storage.digests.digest_archive import ArchivePage, archive_page
from clawfeed.storage.digests.digests import StoredDigest
from clawfeed.web.frame.address_numbers import number_in
from clawfeed.web.frame.page_rendering import PageView
from clawfeed.web.reading.edition_page import ReadingPages, edition_values, link_to, reader_of

_TABS = (
    None, EditionType.DAILY, EditionType.WEEKLY, EditionType.MONTHLY, EditionType.FOUR_HOURS,
)  # fmt: skip
_MONTH = re.compile("([0-9]{4})-(0[1-9]|1[0-2])")


@dataclass(frozen=True, slots=True, kw_only=True)
class Month:
    """A month of the reader's calendar."""

    year: int
    month: int

    @property
    def name(self) -> str:
        return f"{self.year:04}-{self.month:02}"

    @property
    def next(self) -> Month:
        years, month = divmod(self.month, 12)
        return Month(year=self.year + years, month=month + 1)

    def begins(self, zone: tzinfo) -> datetime:
        return datetime(self.year, self.month, 1, tzinfo=zone)


def month_named(text: str, now: datetime) -> Month:
    """The month in an address; this month if it is none we could have made an edition in."""
    found = _MONTH.fullmatch(text)
    if found is None or not 1970 <= int(found[1]) <= now.year + 1:
        return Month(year=now.year, month=now.month)
    return Month(year=int(found[1]), month=int(found[2]))


def edition_routes(pages: ReadingPages) -> APIRouter:
    router = guarded_router(tag="pages", in_schema=False)
    site = pages.site

    @router.get("/digests")
    @open_to(Access.EVERYONE)
    async def archive(
        request: Request,
        caller: Anyone,
        type: str = "",  # noqa: A002 -- its name in the address
        month: str = "",
    ) -> Response:
        page = await site.page(request, caller)
        kind = EditionType(type) if type in set(EditionType) else None
        shown = month_named(month, page.now.astimezone(page.zone))
        found = await archive_page(
            pages.database,
            reader_of(page),
            kind,
            since=shown.begins(page.zone),
            until=shown.next.begins(page.zone),
        )
        return site.render(page, "reading/editions.html", _archive_values(page, found, shown, kind))

    @router.get("/digests/{digest_id}")
    @open_to(Access.EVERYONE)
    async def edition(request: Request, caller: Anyone, digest_id: str) -> Response:
        page = await site.page(request, caller)
        digest = await readable(pages, page, digest_id)
        return site.render(page, "reading/edition.html", await edition_values(pages, page, digest))

    return router


async def readable(pages: ReadingPages, page: PageView, text: str) -> StoredDigest:
    """The edition with this id; 404 if it is not theirs, as if it were not there (T13)."""
    number = DigestId(number_in(text, "edition"))
    digest = await pages.digests.get(number, reader_of(page))
    if digest is None:
        raise NotFoundError("there is no such edition")
    return digest


def _archive_values(
    page: PageView, found: ArchivePage, shown: Month, kind: EditionType | None
) -> dict[str, object]:
    def month_link(at: datetime | None) -> tuple[str, str] | None:
        if at is None:
            return None
        there = at.astimezone(page.zone)
        month = Month(year=there.year, month=there.month)
        return _address(kind, month), _named(month, page)

    return {
        "month": _named(shown, page),
        "links": [link_to(head, page) for head in found.heads],
        "tabs": [
            (_address(each, shown), page.say(f"editions.{each or 'every'}"), each == kind)
            for each in _TABS
        ],
        "older": month_link(found.older_at),
        "newer": month_link(found.newer_at),
    }


def _address(kind: EditionType | None, month: Month) -> str:
    chosen = f"type={kind}&" if kind else ""
    return f"/digests?{chosen}month={month.name}"


def _named(month: Month, page: PageView) -> str:
    return period_worded(EditionType.MONTHLY, month.name, page.language)

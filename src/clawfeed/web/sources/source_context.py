"""What the pages about sources have in common: what they need, and a source as a line of a list."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import tzinfo
from typing import Final

from clawfeed.auth.client_address import TrustedProxies
from clawfeed.auth.limits.action_rate_limits import SourceLimits
from clawfeed.auth.request_actor import Doorkeeper
from clawfeed.domain.errors import Reason
from clawfeed.domain.forecast.forecast_report import ForecastReport
from clawfeed.domain.ids import SourceId
from clawfeed.domain.sources.source_status import Status
from clawfeed.rendering.safe_text import one_line
from clawfeed.sources.discovery.discoverer import Discoverer
from clawfeed.sources.parsing.pool import ParsePool
from clawfeed.sources.registry import Fetchers
from clawfeed.storage.database import Database
from clawfeed.storage.source_changes.source_changes import SourceChanges
from clawfeed.storage.source_changes.source_repairs import SourceRepairs
from clawfeed.storage.sources.source_quota import MOST_SOURCES
from clawfeed.storage.sources.source_row import SourceRow
from clawfeed.storage.sources.source_status import SourceState
from clawfeed.storage.sources.subscriptions import SubscriptionStore
from clawfeed.storage.sources.visible_sources import VisibleSources
from clawfeed.storage.timestamps import moment_or_none
from clawfeed.web.frame.address_numbers import number_in, number_or_none
from clawfeed.web.frame.page_rendering import PageView, Site

Outlook = Callable[[SourceId, tzinfo], Awaitable[tuple[SourceState, ForecastReport]]]

# A page further on is nobody's who reads; each is skipped over row by row.
LAST_PAGE: Final = 200
_KINDS: Final = {
    Status.OK: "good",
    Status.PAUSED: "",
    Status.PAUSED_BY_ERROR: "bad",
    Status.AUTH_REQUIRED: "bad",
    Status.BACKING_OFF: "warn",
    Status.NEVER_FETCHED: "",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SourcePages(Doorkeeper):
    """What these pages need. *outlook* says what we believe about a source, its week in a zone."""

    site: Site
    database: Database
    fetchers: Fetchers
    discoverer: Discoverer
    parse: ParsePool
    limits: SourceLimits
    outlook: Outlook
    repairs: SourceRepairs
    trusted_proxies: TrustedProxies = ()
    most_sources: int = MOST_SOURCES

    @property
    def reads(self) -> VisibleSources:
        return VisibleSources(self.database, self.fetchers.types)

    @property
    def changes(self) -> SourceChanges:
        return SourceChanges(self.database, self.fetchers.types)

    @property
    def subscriptions(self) -> SubscriptionStore:
        return SubscriptionStore(self.database)


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceHealthView:
    """How a source is doing: keys of texts, a colour, and what was said when it failed."""

    status: Status
    kind: str
    reason: Reason | None = None
    message: str = ""

    @property
    def text(self) -> str:
        return f"status.{self.status}"

    @property
    def cause(self) -> str | None:
        """The key of what failed, in plain words; None if nothing did, or nobody knows."""
        return f"cause.{self.reason}" if self.reason else None

    @property
    def advice(self) -> str | None:
        """The key of what to do about it; None where all is well."""
        if self.reason:
            return f"advice.{self.reason}"
        is_fine = self.status in {Status.OK, Status.NEVER_FETCHED}
        return None if is_fine else f"todo.{self.status}"


def health_of(row: SourceRow, now: float) -> SourceHealthView:
    status = row.status(now)
    error = row.error()
    is_fine = status in {Status.OK, Status.NEVER_FETCHED}
    kind = "warn" if is_fine and row.is_failing else _KINDS[status]
    if error is None or not row.is_failing:
        return SourceHealthView(status=status, kind=kind)
    return SourceHealthView(
        status=status, kind=kind, reason=error.reason, message=one_line(error.message)
    )


def line_of(page: PageView, row: SourceRow) -> dict[str, object]:
    """A source as lists show it."""
    checked = moment_or_none(row.last_check_at or row.last_fetched_at)
    return {
        "id": row.id,
        "name": one_line(row.name) or f"{row.type} {row.id}",
        "type": row.type,
        "host": row.host,
        "is_private": not row.is_public,
        "is_followed": bool(row.is_subscribed),
        "followers": row.subscribers,
        "health": health_of(row, page.now.timestamp()),
        "checked": page.when(checked) if checked else None,
    }


def source_tabs(view: PageView, here: str) -> list[tuple[str, str, bool]]:
    """The lists of sources: what is somebody's own for who is signed in, faults for admins."""
    places = {
        "/sources": "sources.mine",
        "/sources/explore": "sources.explore",
        "/sources/packs": "sources.packs",
        "/sources/faults": "faults.title",
    }
    hidden = set() if view.caller else {"/sources"}
    if view.caller is None or not view.caller.is_admin:
        hidden |= {"/sources/faults"}
    return [
        (path, view.say(key), path == here) for path, key in places.items() if path not in hidden
    ]


def source_id_in(text: str) -> SourceId:
    """An id as it stands in an address; what is none is the id of nothing."""
    return SourceId(number_in(text, "source"))


def source_ids_in(thing: str) -> list[SourceId]:
    """Ids as forms and "Undo" carry them: with hyphens between them."""
    return [source_id_in(each) for each in thing.split("-")]


def page_number(text: str) -> int:
    """Which part of a list is meant; the first if that makes no sense."""
    return min(number_or_none(text) or 1, LAST_PAGE)

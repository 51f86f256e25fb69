"""The pages' frame, and the pages of readers, for tests that serve some of them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from fastapi import APIRouter

from clawfeed.app.wiring.pages import page_routers
from clawfeed.storage.database import Database
from clawfeed.web.frame.page_rendering import Site, SiteConfig
from tests.support.clocks import FakeClock

SITE = "http://127.0.0.1:8767"


def a_site(
    database: Database, base_url: str = SITE, clock: Callable[[], datetime] | None = None
) -> Site:
    return Site(SiteConfig(version="9.9", base_url=base_url), database, clock or FakeClock())


def reading_room(site: Site, database: Database) -> list[APIRouter]:
    """Static files, the footer's switches, the reference, and all that readers have."""
    return page_routers(site, database)

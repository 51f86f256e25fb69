"""The overview of the house, wired: which figures, and what may be spent."""

from __future__ import annotations

from clawfeed.app.clock import system_clock
from clawfeed.app.settings.config import Config
from clawfeed.app.settings.model_settings import spend_cap
from clawfeed.app.settings.x_reads import x_reads_a_month
from clawfeed.app.status.trouble_thresholds import trouble_thresholds
from clawfeed.publish.alarm_watcher import DatabaseOutage
from clawfeed.runtime.stop import Stop
from clawfeed.storage.database import Database
from clawfeed.storage.operations.overview import HouseOverview, house_overview
from clawfeed.web.frame.page_rendering import Site
from clawfeed.web.operations.live_overview import LiveOverview
from clawfeed.web.operations.overview_context import Allowances, OperationsPages


def operations_pages_of(
    config: Config, database: Database, site: Site, outage: DatabaseOutage, closing: Stop
) -> OperationsPages:
    rules, opened_at = trouble_thresholds(config), system_clock()

    async def read() -> HouseOverview:
        now = system_clock()
        return await house_overview(database, rules, now=now, up_for=now - opened_at)

    return OperationsPages(
        site=site,
        live=LiveOverview(read, closing),
        allowances=allowances_of(config),
        outage=lambda: outage.trouble,
    )


def allowances_of(config: Config) -> Allowances:
    return Allowances(
        polls_per_day=config.collector.polls_per_day,
        x_reads=x_reads_a_month(config),
        model=config.model.name if config.model.api_url else None,
        model_cap=spend_cap(config),
        edition_interval=config.editions.interval,
    )

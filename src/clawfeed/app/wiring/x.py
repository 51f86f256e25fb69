"""X, wired: our application there, whose token reads what, and the pace of what reads cost."""

from __future__ import annotations

from clawfeed.app.clock import system_clock
from clawfeed.app.processes.worker_names import is_dead, worker_name
from clawfeed.app.settings.config import Config
from clawfeed.collector.read_budget import ReadBudgetPacer, ReadCounter
from clawfeed.domain.schedule.interval import IntervalRules
from clawfeed.egress.client import Egress
from clawfeed.sources.source_types.twitter import ENDPOINTS, twitter_config
from clawfeed.sources.x.fetcher import least_costs
from clawfeed.sources.x.oauth import XApplication, XOAuth
from clawfeed.sources.x.personal_tokens import XTokens
from clawfeed.sources.x.settings import (
    X_API_BASE_URL,
    X_AUTHORIZE_URL,
    X_CLIENT_ID,
    X_CLIENT_SECRET,
    X_MONTHLY_READS,
    X_USER_TOKEN,
)
from clawfeed.storage.database import Database
from clawfeed.storage.people.x_authorisations import XAuthorisations
from clawfeed.storage.spending.api_reads import X_API, ReadStore

# Where X sends people back to; an X application must list it under BASE_URL.
X_CALLBACK = "/auth/x/callback"


def x_oauth(config: Config, egress: Egress) -> XOAuth | None:
    """X's doors for tokens; None if we are no application there (S001-20)."""
    settings = config.type_settings
    client_id = settings.get(X_CLIENT_ID)
    if not client_id:
        return None
    application = XApplication(
        client_id=client_id,
        client_secret=settings.get(X_CLIENT_SECRET),
        redirect_uri=f"{config.server.base_url}{X_CALLBACK}",
        api_base_url=settings[X_API_BASE_URL],
        authorize_url=settings[X_AUTHORIZE_URL],
    )
    return XOAuth(application, egress=egress, clock=system_clock)


def x_tokens_of(config: Config, database: Database, egress: Egress) -> XTokens:
    """Whose token reads what is somebody's own at X."""
    return XTokens(
        store=XAuthorisations(database),
        oauth=x_oauth(config, egress),
        clock=system_clock,
        worker=worker_name(),
        is_dead=is_dead,
        house=config.type_settings.get(X_USER_TOKEN),
    )


def x_read_pacer(
    config: Config, database: Database, intervals: IntervalRules
) -> ReadBudgetPacer | None:
    """The pace of X's monthly reads; None if nothing of X is read by its API alone."""
    settings = config.type_settings
    least = least_costs(ENDPOINTS, twitter_config(settings))
    meter = ReadCounter(api=X_API, limit=settings[X_MONTHLY_READS], least=least)
    if not (meter.limit and meter.least):
        return None
    return ReadBudgetPacer(ReadStore(database), system_clock, meter, intervals)

"""What this installation's settings mean for whether something is wrong."""

from __future__ import annotations

from clawfeed.app.settings.config import Config
from clawfeed.app.settings.timezone import timezone_of
from clawfeed.domain.editions.edition_period import Calendar
from clawfeed.storage.operations.troubles import TroubleRules


def trouble_thresholds(config: Config) -> TroubleRules:
    """The same for alarms, probes, figures and commands."""
    sources = config.sources
    reads_x = bool(sources.x_bearer_token or sources.x_user_token) and sources.x_monthly_reads > 0
    return TroubleRules(
        trigger_every=config.editions.interval,
        edition_types=config.editions.types,
        calendar=Calendar(zone=timezone_of(config)),
        x_monthly_reads=sources.x_monthly_reads if reads_x else None,
    )

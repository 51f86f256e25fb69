"""What this installation's settings mean for whether something is wrong."""

from __future__ import annotations

from clawfeed.app.settings.config import Config
from clawfeed.app.settings.timezone import timezone_of
from clawfeed.app.settings.x_reads import x_reads_a_month
from clawfeed.domain.editions.edition_period import Calendar
from clawfeed.storage.operations.troubles import TroubleRules


def trouble_thresholds(config: Config) -> TroubleRules:
    """The same for alarms, probes, figures and commands."""
    return TroubleRules(
        trigger_every=config.editions.interval,
        edition_types=config.editions.types,
        calendar=Calendar(zone=timezone_of(config)),
        x_reads_a_month=x_reads_a_month(config) or None,
    )

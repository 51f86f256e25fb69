"""Whether the house reads X's API, and how much of it."""

from __future__ import annotations

from clawfeed.app.settings.config import Config
from clawfeed.sources.x.settings import X_BEARER_TOKEN, X_MONTHLY_READS, X_USER_TOKEN


def x_reads_a_month(config: Config) -> int | None:
    """How many posts may be read in a month; None where the house has no token."""
    settings = config.type_settings
    if not (settings.get(X_BEARER_TOKEN) or settings.get(X_USER_TOKEN)):
        return None
    return settings[X_MONTHLY_READS]

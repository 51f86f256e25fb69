"""The operator's time zone: it rules days, hours and digests (settled question 10)."""

from __future__ import annotations

from datetime import UTC, tzinfo
from zoneinfo import ZoneInfo

from clawfeed.app.settings.config import Config


def timezone_of(config: Config) -> tzinfo:
    return UTC if config.timezone == "UTC" else ZoneInfo(config.timezone)

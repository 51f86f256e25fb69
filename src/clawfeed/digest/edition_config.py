"""What the operator may say about editions."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from zoneinfo import ZoneInfo

from clawfeed.domain.editions.edition import BATCH_SIZE
from clawfeed.domain.editions.edition_decision import MAX_RETRY_COUNT
from clawfeed.domain.editions.edition_period import Calendar, EditionType
from clawfeed.domain.editions.edition_scope import ReaderSettings
from clawfeed.storage.sources.subscriptions import DefaultContent


@dataclass(frozen=True, slots=True, kw_only=True)
class EditionConfig:
    """*edition_types*, *zone* and *language* are the system's; *defaults* are for readers."""

    zone: str = "UTC"
    language: str = "en"
    edition_types: tuple[EditionType, ...] = (EditionType.DAILY,)
    interval: timedelta = timedelta(minutes=10)
    batch_size: int = BATCH_SIZE
    max_retries: int = MAX_RETRY_COUNT
    defaults: ReaderSettings = field(default_factory=ReaderSettings)
    default_content: DefaultContent = field(default_factory=DefaultContent)

    @property
    def calendar(self) -> Calendar:
        """The system's days begin at midnight (S002-13)."""
        return Calendar(zone=ZoneInfo(self.zone))

"""How the system's edition of today is doing."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from clawfeed.app.settings.config import Config
from clawfeed.app.settings.timezone import timezone_of
from clawfeed.domain.editions.edition_period import system_day
from clawfeed.storage.database import Database
from clawfeed.storage.editions.edition_metrics import (
    EditionFigures,
    edition_figures,
    is_trigger_missed,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TodaysEdition:
    """*is_missed*: nobody triggers it, so it will not go on."""

    date: str
    figures: EditionFigures
    is_missed: bool


async def todays_edition(config: Config, database: Database, *, now: datetime) -> TodaysEdition:
    today = system_day(now, timezone_of(config))
    figures = await edition_figures(database, period=today)
    every = config.editions.interval
    return TodaysEdition(
        date=today,
        figures=figures,
        is_missed=is_trigger_missed(figures.triggered_at, now, every=every),
    )

"""What the overview of the house is made with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final

from clawfeed.domain.alarm import Trouble
from clawfeed.storage.spending.model_spend import SpendCap
from clawfeed.web.frame.page_rendering import Site
from clawfeed.web.operations.event_stream import StreamPlaces
from clawfeed.web.operations.live_overview import LiveOverview

# More tabs than anybody looks at; and what a small server holds open beside its work.
STREAMS_EACH: Final = 6
STREAMS_IN_ALL: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowances:
    """What may be spent, as the settings say. 0 means no limit, None that it is not used at all."""

    polls_per_day: int
    x_reads: int | None
    model: str | None
    model_cap: SpendCap
    edition_interval: timedelta


@dataclass(frozen=True, slots=True, kw_only=True)
class OperationsPages:
    """*outage* tells what this process knows of a database that cannot be written.

    A stream says within *beat* that it lives, and asks as often whether it still may.
    """

    site: Site
    live: LiveOverview
    allowances: Allowances
    outage: Callable[[], Trouble | None]
    beat: timedelta = timedelta(seconds=15)
    places: StreamPlaces = field(
        default_factory=lambda: StreamPlaces(each=STREAMS_EACH, in_all=STREAMS_IN_ALL)
    )

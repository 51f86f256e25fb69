"""What tells whether the house is well, and is shown besides."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from pathlib import Path

import pytest

from clawfeed.app.settings.config_loading import load_config
from clawfeed.app.status.collector_status import current_status
from clawfeed.storage.database import Database
from clawfeed.storage.operations.collector_metrics import fleet_figures
from clawfeed.storage.operations.health_facts import health_facts
from clawfeed.storage.operations.overview import house_overview
from clawfeed.storage.operations.troubles import TroubleRules, find_troubles
from tests.support.clocks import NOON
from tests.support.counting_database import CountingDatabase

RULES = TroubleRules(x_reads_a_month=100)


@pytest.fixture
def counting(database: Database) -> CountingDatabase:
    return CountingDatabase(database)


def repeated(counting: CountingDatabase) -> list[str]:
    """Statements that were sent more than once; of the log several spans of time are asked."""
    times = Counter(text for text in counting.statements if "FROM fetch_log" not in text)
    return [text for text, sent in times.items() if sent > 1]


async def test_an_overview_reads_nothing_twice(counting: CountingDatabase) -> None:
    """It is read every few seconds while somebody looks."""
    await house_overview(counting, RULES, now=NOON, up_for=timedelta(hours=9))

    assert repeated(counting) == []


async def test_a_status_reads_nothing_twice(counting: CountingDatabase, tmp_path: Path) -> None:
    config = load_config({"X_BEARER_TOKEN": "t"}, directory=tmp_path)

    status = await current_status(config, counting, now=NOON)

    assert status.x_reads is not None
    assert repeated(counting) == []


async def test_who_hands_the_facts_over_has_them_read_once(counting: CountingDatabase) -> None:
    """As `/metrics` does."""
    facts = await health_facts(counting, now=NOON, reads_x=True)

    await fleet_figures(counting, now=NOON, facts=facts)
    await find_troubles(counting, RULES, now=NOON, facts=facts)

    assert repeated(counting) == []

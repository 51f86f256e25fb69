"""What is asked of editions is found by an index, however many readers there are."""

from __future__ import annotations

import re
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from clawfeed.domain.editions.edition_period import EditionType
from clawfeed.domain.ids import UserId
from clawfeed.storage.database import Database, Row, Statement, Steps
from clawfeed.storage.dead_workers import holders
from clawfeed.storage.digests.digests import DigestStore
from clawfeed.storage.drivers.connect import StorageConfig, open_database
from clawfeed.storage.editions.edition_claims import EDITION_TABLES
from clawfeed.storage.editions.edition_metrics import edition_figures
from clawfeed.storage.editions.edition_retention import remove_old_stories, remove_old_workings
from clawfeed.storage.editions.editions import EditionStore
from clawfeed.storage.editions.stories import known_stories
from clawfeed.storage.spending.model_spend import spend_by_month
from tests.support.clocks import NOON
from tests.support.counting_database import CountingDatabase

# Months are few; of the rest nothing may be read from its first row to its last.
WHOLE_READ = re.compile(r"SCAN (?!m\b|always\b|everybodys\b|own\b|CONSTANT)\w+(?! USING)")
Ask = Callable[[Database], Awaitable[object]]
# Each with the index that it must be answered by.
QUESTIONS: dict[str, tuple[Ask, str]] = {
    "a stranger's list": (lambda db: DigestStore(db).list(None, limit=9), "digests_of_scope"),
    "a reader's list": (
        lambda db: DigestStore(db).list(UserId(1), kind=EditionType.DAILY, limit=9),
        "edition_readers_by_user",
    ),
    "the latest": (
        lambda db: DigestStore(db).latest("system", EditionType.DAILY),
        "digests_recent",
    ),
    "the operator's list": (lambda db: EditionStore(db).recent(limit=9), "edition_tasks_by_date"),
    "the operator's next page": (
        lambda db: EditionStore(db).recent(limit=9, before=(1e9, 7)),
        "edition_tasks_by_date",
    ),
    "what is unfinished": (
        lambda db: EditionStore(db).unfinished(now=NOON, limit=9),
        "edition_tasks_queue",
    ),
    "who holds something": (lambda db: holders(db, EDITION_TABLES), "edition_tasks_leases"),
    "today's figures": (
        lambda db: edition_figures(db, period="2026-11-15"),
        "(kind=? AND scope=?)",
    ),
    "what is known": (lambda db: known_stories(db, "system", since=NOON), "stories_recent"),
    "what a model cost": (lambda db: spend_by_month(db, at=NOON), "model_calls_reserved"),
    "old workings": (lambda db: remove_old_workings(db, now=NOON), "edition_tasks_workings"),
    "old stories": (lambda db: remove_old_stories(db, now=NOON), "stories_by_age"),
}


@pytest.mark.parametrize("question", QUESTIONS)
async def test_no_question_reads_a_whole_table(sqlite: Database, question: str) -> None:
    """With 400,000 editions the lists took one to two seconds, and a scrape of the metrics five."""
    ask, index = QUESTIONS[question]
    counting = CountingDatabase(sqlite)
    await ask(counting)

    plans = [line for text in counting.statements for line in await plan_of(sqlite, text)]

    assert index in "\n".join(plans)
    assert [line for line in plans if WHOLE_READ.match(line)] == []


@pytest.fixture
async def sqlite(tmp_path: Path, sqlite_template: Path) -> AsyncIterator[Database]:
    """PostgreSQL has the same indexes, and chooses by what it knows of a table's size."""
    path = shutil.copy(sqlite_template, tmp_path / "clawfeed.db")
    database = await open_database(StorageConfig(url=f"sqlite:///{path}"))
    yield database
    await database.close()


async def plan_of(database: Database, sql: str) -> list[str]:
    params = dict.fromkeys(re.findall(r"(?<!:):([a-z_0-9]+)", sql), 1)

    def steps() -> Steps[list[Row]]:
        return (yield Statement(f"EXPLAIN QUERY PLAN {sql}", params))

    return [str(row["detail"]) for row in await database.run(steps)]

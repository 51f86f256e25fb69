"""Databases that kept sentences as reasons keep their meaning as codes (migration 0009)."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from clawfeed.domain.because import Because, Rule, from_text
from clawfeed.domain.schedule.interval import Intervals
from clawfeed.sources.source_types.built_in import BUILT_IN
from clawfeed.storage.database import Database, execute
from clawfeed.storage.drivers.connect import StorageConfig, open_database
from clawfeed.storage.migrate import migrate, migrations
from clawfeed.storage.polling.interval_changes import follow_intervals
from tests.support.clocks import NOON

SENTENCES_UP_TO = 8
MEANT = {
    "": None,
    "every 240 min (the usual for rss)": Because(
        Rule.TYPE_INTERVAL, {"minutes": 240, "type": "rss"}
    ),
    "every 30 min (source's own interval)": Because(Rule.OWN_INTERVAL, {"minutes": 30}),
    "every 60 min (FETCH_INTERVAL_RSS)": Because(
        Rule.INTERVAL_SETTING, {"minutes": 60, "setting": "FETCH_INTERVAL_RSS"}
    ),
    "backing off after failure 3 in a row": Because(Rule.BACK_OFF, {"failures": 3}),
    "waiting for its turn": Because(Rule.HOST_TURN),
    "paused after too many failures in a row; resume it to look again": Because(Rule.PAUSED_ERRORS),
    "publishes about once a day (P2): every 1 h": Because(
        Rule.CADENCE, {"frequency": "daily", "cadence": "P2", "every_minutes": 60}
    ),
    "usually publishes around 09:30 (±1.5 h), so next look 11:00": Because(
        Rule.USUAL_HOUR, {"hour": 9.5, "deviation": 1.5, "poll_at": "11:00"}
    ),
    "usually publishes around 09:30 (±1.5 h); until then every 2 h": Because(
        Rule.BEFORE_USUAL_HOUR, {"hour": 9.5, "deviation": 1.5, "every_minutes": 120}
    ),
    "about 0.4 new items expected by then; publishes about 7.0 times a day": Because(
        Rule.FORECAST, {"expected": 0.4, "per_day": 7.0}
    ),
    "about 0.4 new items expected by then; publishes about 2.0 times a week": Because(
        Rule.OTHER_VERSION
    ),
    "the server asked us to wait": Because(Rule.SERVER_HINT, {"instead_of": "other_version"}),
    "the feed asked us not to come at that hour": Because(
        Rule.SKIP_HOUR, {"instead_of": "other_version"}
    ),
    "the feed asked us not to come on that day": Because(
        Rule.SKIP_DAY, {"instead_of": "other_version"}
    ),
    "news.example asked us to stay away until 02:51 UTC.": Because(Rule.ASKED_HOST_RESTS),
    "the host asked us to wait until then": Because(Rule.ASKED_HOST_RESTS),
    'every 5 min (the usual for odd")': Because(Rule.OTHER_VERSION),
}


@pytest.fixture
async def old(empty_database_url: str) -> AsyncIterator[Database]:
    """A database as it was before reasons were codes."""
    database = await open_database(StorageConfig(url=empty_database_url))
    before = tuple(each for each in migrations() if each.version <= SENTENCES_UP_TO)
    await migrate(database, now=NOON, known=before)
    yield database
    await database.close()


async def add_source(database: Database, number: int, because: str, *, failures: int = 0) -> None:
    await execute(
        database,
        "INSERT INTO sources (id, name, type, config, identity, has_stats, created_at, updated_at) "
        "VALUES (:id, 'A', 'rss', '{}', :identity, 1, 0, 0)",
        {"id": number, "identity": f"rss {number}"},
    )
    await execute(
        database,
        "INSERT INTO source_stats (source_id, source_type, next_due_at, last_check_at, because, "
        "fail_count, frequency_type, cadence, avg_publish_hour, std_publish_hour, "
        "schedule_mode, created_at, updated_at) "
        "VALUES (:id, 'rss', :due, :checked, :because, "
        ":failures, 'daily', 'P2', 9.5, 1.5, 'fixed', 0, 0)",
        {
            "id": number,
            "due": NOON.timestamp() + 14_400,
            "checked": NOON.timestamp(),
            "because": because,
            "failures": failures,
        },
    )


async def test_the_sentences_of_before_become_the_codes_they_said(old: Database) -> None:
    for number, sentence in enumerate(MEANT, start=1):
        await add_source(old, number, sentence)

    await migrate(old, now=NOON)

    rows = await old.read("SELECT because FROM source_stats ORDER BY source_id")
    assert [from_text(row["because"]) for row in rows] == list(MEANT.values())


async def test_the_same_sentence_after_a_failure_is_another_rule(old: Database) -> None:
    await add_source(old, 1, "the server asked us to wait", failures=1)

    await migrate(old, now=NOON)

    [row] = await old.read("SELECT because FROM source_stats")
    assert from_text(row["because"]) == Because(Rule.RETRY_AFTER)


async def test_a_sentence_without_its_figures_is_another_versions(old: Database) -> None:
    """A reason is required: a missing column must not stop the whole migration."""
    await add_source(old, 1, "publishes about once a day (P2): every 1 h")
    await execute(old, "UPDATE source_stats SET frequency_type = NULL, cadence = NULL")

    await migrate(old, now=NOON)

    [row] = await old.read("SELECT because FROM source_stats")
    assert from_text(row["because"]) == Because(Rule.OTHER_VERSION)


async def test_a_source_somebody_paused_says_so(old: Database) -> None:
    await add_source(old, 1, "every 240 min (the usual for rss)")
    await execute(old, "UPDATE sources SET is_active = 0, paused_because = 'person'")

    await migrate(old, now=NOON)

    [row] = await old.read("SELECT because FROM source_stats")
    assert from_text(row["because"]) == Because(Rule.PAUSED_PERSON)


async def test_an_interval_of_before_is_still_followed(old: Database) -> None:
    """(S000-2): the same one changes no date, another one does."""
    await add_source(old, 1, "every 240 min (the usual for rss)")
    await migrate(old, now=NOON)

    same = await follow_intervals(old, Intervals(types=BUILT_IN).of, now=NOON)
    other = await follow_intervals(
        old, Intervals(types=BUILT_IN, overrides={"rss": 60}).of, now=NOON
    )

    assert (same, other) == (0, 1)


async def test_rests_and_the_log_of_before_become_codes(old: Database) -> None:
    for host, because in (("a", "its turn"), ("b", "asked"), ("c", "429")):
        await execute(
            old,
            "INSERT INTO host_cooldowns (host, until, because) VALUES (:host, 0, :because)",
            {"host": host, "because": because},
        )
    await add_source(old, 1, "")
    for outcome, reason in (
        ("unchanged", "not modified"), ("skipped", None), ("postponed", "busy"),
        ("postponed", "offline"), ("failed", "busy"),
    ):  # fmt: skip
        await execute(
            old,
            "INSERT INTO fetch_log (source_id, started_at, finished_at, outcome, reason, worker) "
            "VALUES (1, 0, 0, :outcome, :reason, 'w')",
            {"outcome": outcome, "reason": reason},
        )

    await migrate(old, now=NOON)

    cooldowns = await old.read("SELECT because FROM host_cooldowns ORDER BY host")
    log = await old.read("SELECT reason FROM fetch_log ORDER BY id")
    assert [row["because"] for row in cooldowns] == ["turn", "asked", "asked"]
    assert [row["reason"] for row in log] == [
        "not_modified", "no_fetcher", "host_rests", "offline", "busy",
    ]  # fmt: skip

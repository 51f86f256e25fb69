"""Everything that can be wrong with a house, made wrong and mended, as rows of a real database."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from clawfeed.domain.alarm import AlarmCode
from clawfeed.domain.editions.edition_period import Calendar, EditionType, period_at
from clawfeed.domain.editions.edition_scope import task_of_period
from clawfeed.domain.ids import ChannelId, SourceId
from clawfeed.sources.source_types.built_in import BUILT_IN
from clawfeed.storage.channels.channels import ChannelStore
from clawfeed.storage.database import Database, execute
from clawfeed.storage.editions.edition_metrics import save_trigger_heartbeat
from clawfeed.storage.editions.editions import EditionStore
from clawfeed.storage.outbox.outbox_results import pause_channel
from clawfeed.storage.polling.collector_heartbeats import save_heartbeat
from clawfeed.storage.sources.source_resuming import resume_failed
from clawfeed.storage.sources.sources import NewSource, SourceStore
from clawfeed.storage.spending.api_reads import X_API, ReadStore
from clawfeed.storage.spending.model_spend import Charge, ModelSpend, SpendCap
from tests.support.alarm_channels import add_loft
from tests.support.editions import NEW, Rows

SECOND, MINUTE, HOUR, DAY = (timedelta(seconds=1), timedelta(minutes=1), timedelta(hours=1),
                             timedelta(days=1))  # fmt: skip
X_READS = 100
Work = Callable[[Database, datetime], Awaitable[None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wrong:
    """How it becomes wrong, and how it ends."""

    code: AlarmCode
    cause: Work
    end: Work


async def all_is_well(database: Database, now: datetime) -> None:
    """Somebody collects, and somebody triggers: an empty house at rest."""
    await database.run(lambda: save_heartbeat("well", now=now, owes=DAY))
    await save_trigger_heartbeat(database, now)


async def add_source(database: Database, now: datetime, name: str = "A") -> SourceId:
    """A source with a date in the future: nobody waits for it."""
    source = await SourceStore(database).add(
        NewSource(type="rss", name=name, config={"url": f"https://{name}.example/"}), now=now
    )
    await execute(
        database,
        "INSERT INTO source_stats (source_id, source_type, next_due_at, created_at, updated_at) "
        "VALUES (:id, 'rss', :due, 0, 0)",
        {"id": source.id, "due": (now + 7 * DAY).timestamp()},
    )
    await execute(database, "UPDATE sources SET has_stats = 1 WHERE id = :id", {"id": source.id})
    return source.id


async def pause_sources(database: Database) -> None:
    await execute(database, "UPDATE sources SET is_active = 0, paused_because = 'errors'")


async def _paused(database: Database, now: datetime) -> None:
    await add_source(database, now)
    await pause_sources(database)


async def _resumed(database: Database, now: datetime) -> None:
    await resume_failed(database, BUILT_IN, now=now)


async def _stale(database: Database, now: datetime) -> None:
    await add_source(database, now)
    await execute(database, "UPDATE source_stats SET is_stale = 1")


async def _lively(database: Database, _now: datetime) -> None:
    await execute(database, "UPDATE source_stats SET is_stale = 0")


async def _due_for_hours(database: Database, now: datetime) -> None:
    await add_source(database, now)
    await database.run(lambda: save_heartbeat("busy", now=now - 3 * HOUR, owes=DAY))
    due = {"due": (now - 3 * HOUR).timestamp()}
    await execute(database, "UPDATE source_stats SET next_due_at = :due", due)


async def _polled(database: Database, now: datetime) -> None:
    due = {"due": (now + HOUR).timestamp()}
    await execute(database, "UPDATE source_stats SET next_due_at = :due", due)


async def _failing(database: Database, now: datetime) -> None:
    source = await add_source(database, now)
    for minute in range(10):
        at = (now - minute * MINUTE).timestamp()
        await execute(
            database,
            "INSERT INTO fetch_log (source_id, started_at, finished_at, outcome, worker) "
            "VALUES (:source, :at, :at, 'failed', 'w')",
            {"source": source, "at": at},
        )


async def _succeeding(database: Database, _now: datetime) -> None:
    await execute(database, "UPDATE fetch_log SET outcome = 'new'")


async def _unfinished(database: Database, now: datetime) -> None:
    new = replace(NEW, due_at=now - 3 * HOUR, expires_at=now + DAY)
    await EditionStore(database).get_or_add(new, now=now - 3 * HOUR)
    at = {"at": now.timestamp()}
    await execute(database, "UPDATE edition_tasks SET alarmed_at = :at", at)


async def _published(database: Database, now: datetime) -> None:
    await execute(
        database,
        "UPDATE edition_tasks SET state = 'published', published_at = :at",
        {"at": now.timestamp()},
    )


async def _missing(database: Database, now: datetime) -> None:
    """A day's edition that nobody finished, and then the day was over."""
    calendar = Calendar(zone=UTC)
    before = period_at(EditionType.DAILY, now, calendar).previous
    new = task_of_period("system", before, batch_size=5, language="en")
    await EditionStore(database).get_or_add(new, now=before.starts_at)
    await execute(
        database,
        "UPDATE edition_tasks SET state = 'archived', archived_from = 'processing', "
        "archived_because = 'expired'",
    )


async def _made(database: Database, now: datetime) -> None:
    calendar = Calendar(zone=UTC)
    period = period_at(EditionType.DAILY, now, calendar)
    new = task_of_period("system", period, batch_size=5, language="en")
    await EditionStore(database).get_or_add(new, now=now)
    await execute(
        database,
        "UPDATE edition_tasks SET state = 'published', published_at = :at WHERE state = 'init'",
        {"at": now.timestamp()},
    )


async def _nobody_collects(database: Database, now: datetime) -> None:
    await execute(database, "DELETE FROM collector_heartbeats")
    await add_source(database, now)
    due = {"due": (now - 10 * MINUTE).timestamp()}
    await execute(database, "UPDATE source_stats SET next_due_at = :due", due)


async def _collects(database: Database, now: datetime) -> None:
    await database.run(lambda: save_heartbeat("new", now=now, owes=HOUR))


async def _nobody_triggers(database: Database, now: datetime) -> None:
    await execute(database, "DELETE FROM collector_execution_state")
    await save_trigger_heartbeat(database, now - 3 * HOUR)


async def _waiting(database: Database, now: datetime) -> None:
    task = await EditionStore(database).get_or_add(NEW, now=now)
    await _published(database, now)
    digest = await Rows(database).digest(task)
    channel = await add_loft(database, "nobody", gets_alarms=False)
    since = (now - HOUR).timestamp()
    await Rows(database).message(digest, channel, not_before=since)


async def _sent(database: Database, _now: datetime) -> None:
    await execute(database, "UPDATE outbox SET state = 'sent' WHERE digest_id IS NOT NULL")


async def _refused(database: Database, now: datetime) -> None:
    channel = ChannelId(await add_loft(database, "shut", gets_alarms=False))
    await database.run(lambda: pause_channel(channel, "refused", "it is shut", now))


async def _mended(database: Database, now: datetime) -> None:
    [row] = await database.read("SELECT id FROM channels WHERE address = 'shut'")
    await ChannelStore(database).resume(ChannelId(row["id"]), now=now)


async def _capped(database: Database, now: datetime) -> None:
    purse = ModelSpend(database, SpendCap(tokens=1), model="m")
    await purse.reserve(Charge(tokens=2, cost_micros=0), task_id=None, at=now)


async def _uncapped(database: Database, _now: datetime) -> None:
    await execute(database, "UPDATE model_months SET month = '2000-01'")


async def _spent(database: Database, now: datetime) -> None:
    await ReadStore(database).reserve(X_API, X_READS, limit=X_READS, at=now)


async def _returned(database: Database, now: datetime) -> None:
    await ReadStore(database).give_back(X_API, 1, at=now)


WRONG = (
    Wrong(code=AlarmCode.SOURCE_PAUSED, cause=_paused, end=_resumed),
    Wrong(code=AlarmCode.SOURCE_STALE, cause=_stale, end=_lively),
    Wrong(code=AlarmCode.SOURCES_OVERDUE, cause=_due_for_hours, end=_polled),
    Wrong(code=AlarmCode.POLLS_FAILING, cause=_failing, end=_succeeding),
    Wrong(code=AlarmCode.EDITION_UNFINISHED, cause=_unfinished, end=_published),
    Wrong(code=AlarmCode.EDITION_MISSING, cause=_missing, end=_made),
    Wrong(code=AlarmCode.NO_COLLECTOR, cause=_nobody_collects, end=_collects),
    Wrong(code=AlarmCode.NO_EDITION_TRIGGER, cause=_nobody_triggers, end=save_trigger_heartbeat),
    Wrong(code=AlarmCode.NO_DELIVERY, cause=_waiting, end=_sent),
    Wrong(code=AlarmCode.CHANNEL_FAILED, cause=_refused, end=_mended),
    Wrong(code=AlarmCode.MODEL_CAP_REACHED, cause=_capped, end=_uncapped),
    Wrong(code=AlarmCode.READS_SPENT, cause=_spent, end=_returned),
)

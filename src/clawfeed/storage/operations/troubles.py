"""What is wrong with the house: the one place that decides it.

Alarms, `/readyz`, `/metrics`, `clawfeed doctor` and `clawfeed status` all ask here, so none can
say that all is well while another rings.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from clawfeed.domain.alarm import AlarmCode, Trouble
from clawfeed.domain.channels.channel import NOT_SET
from clawfeed.domain.editions.delivery import PauseReason
from clawfeed.domain.editions.edition_period import Calendar, EditionType
from clawfeed.domain.ids import JsonValue, UserId
from clawfeed.storage.database import Database, Row
from clawfeed.storage.editions.edition_metrics import is_trigger_missed, last_trigger, trigger_grace
from clawfeed.storage.operations.collector_metrics import is_mostly_failing, poll_counts_since
from clawfeed.storage.operations.edition_troubles import edition_troubles
from clawfeed.storage.operations.health_facts import HealthFacts, health_facts
from clawfeed.storage.outbox.delivery_liveness import DELIVERY_GRACE, undelivered_since
from clawfeed.storage.polling.collector_heartbeats import (
    GRACE,
    CollectorLiveness,
    collector_liveness,
)
from clawfeed.storage.sources.status_conditions import PAUSED_BY_ERROR

# So long nobody waits for a slot, unless collectors are too few or hang.
OVERDUE_AFTER = timedelta(hours=2)
HOUR = timedelta(hours=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class TroubleRules:
    """What of the settings decides whether something is wrong."""

    trigger_every: timedelta = timedelta(minutes=10)
    edition_types: tuple[EditionType, ...] = ()
    calendar: Calendar = field(default_factory=lambda: Calendar(zone=UTC))
    x_monthly_reads: int | None = None  # None where nothing of X's API is read

    @property
    def reads_x(self) -> bool:
        return self.x_monthly_reads is not None

    def is_too_early(self, code: AlarmCode, up_for: timedelta) -> bool:
        """Whether a process that is *up_for* so long may not ring yet.

        After a dark night all is late at first: whoever just started gives the others their time.
        """
        waits = {
            AlarmCode.NO_COLLECTOR: GRACE,
            AlarmCode.NO_EDITION_TRIGGER: trigger_grace(self.trigger_every),
            AlarmCode.EDITION_MISSING: trigger_grace(self.trigger_every),
            AlarmCode.NO_DELIVERY: DELIVERY_GRACE,
            AlarmCode.POLLS_FAILING: HOUR,
        }
        return code in waits and up_for <= waits[code]

    def due(self, troubles: Iterable[Trouble], up_for: timedelta) -> list[Trouble]:
        """Those of *troubles* that a process may tell of that is *up_for* so long."""
        return [each for each in troubles if not self.is_too_early(each.code, up_for)]


async def find_troubles(
    database: Database, rules: TroubleRules, *, now: datetime, facts: HealthFacts | None = None
) -> list[Trouble]:
    """Everything that is wrong at this moment, but for a database that cannot be asked.

    Who shows the *facts* too hands them over; with the reads of X, if the rules speak of them.
    """
    facts = facts or await health_facts(database, now=now, reads_x=rules.reads_x)
    return [
        *await _vital_troubles(database, rules, facts.liveness, now),
        *await source_troubles(database),
        *await _poll_troubles(database, now),
        *await edition_troubles(
            database, rules.edition_types, rules.calendar, every=rules.trigger_every, now=now
        ),
        *await _channel_troubles(database),
        *_spending_troubles(rules, facts),
    ]


async def vital_troubles(
    database: Database, rules: TroubleRules, *, now: datetime
) -> list[Trouble]:
    """Whether anybody collects, triggers and delivers: quick, for probes ask it all day."""
    return await _vital_troubles(database, rules, await collector_liveness(database, now), now)


async def _vital_troubles(
    database: Database, rules: TroubleRules, liveness: CollectorLiveness, now: datetime
) -> list[Trouble]:
    last = await last_trigger(database)
    waiting = await undelivered_since(database, now)
    found: list[Trouble] = []
    if liveness.is_missed(now):
        found.append(_since(AlarmCode.NO_COLLECTOR, liveness.due_since))
    if _is_overdue(liveness, now):
        found.append(_since(AlarmCode.SOURCES_OVERDUE, liveness.due_since))
    if is_trigger_missed(last, now, every=rules.trigger_every):
        found.append(_since(AlarmCode.NO_EDITION_TRIGGER, last))
    if waiting is not None:
        found.append(_since(AlarmCode.NO_DELIVERY, waiting))
    return found


def _is_overdue(liveness: CollectorLiveness, now: datetime) -> bool:
    """Whether somebody waits for hours although a collector has been there for as long."""
    limit = now - OVERDUE_AFTER
    is_there = any(each.is_alive and each.started_at < limit for each in liveness.collectors)
    return is_there and liveness.due_since is not None and liveness.due_since < limit


async def source_troubles(database: Database) -> list[Trouble]:
    """Each source that its failures paused, or that fell silent."""
    rows = await database.read(
        f"""
        SELECT s.id, s.name, s.is_public, s.paused_because FROM sources s
        WHERE s.is_deleted = 0 AND {PAUSED_BY_ERROR}
        UNION ALL
        SELECT s.id, s.name, s.is_public, NULL
        FROM source_stats t JOIN sources s ON s.id = t.source_id
        WHERE t.is_stale = 1 AND s.is_active = 1 AND s.is_deleted = 0
        ORDER BY id
        """  # noqa: S608 -- our own constant
    )
    return [_of_source(row) for row in rows]


def _of_source(row: Row) -> Trouble:
    pause = row["paused_because"]
    code = AlarmCode.SOURCE_PAUSED if pause else AlarmCode.SOURCE_STALE
    # A private source's name is its owner's alone.
    name = {"name": str(row["name"])} if row["is_public"] else {}
    because = {"paused_because": str(pause)} if pause else {}
    return Trouble(
        code=code,
        subject=str(row["id"]),
        parameters={"source": int(row["id"]), **name, **because},
    )


async def _poll_troubles(database: Database, now: datetime) -> list[Trouble]:
    counts = await poll_counts_since(database, now - HOUR)
    if not is_mostly_failing(counts):
        return []
    return [Trouble(code=AlarmCode.POLLS_FAILING, parameters={**counts})]


async def _channel_troubles(database: Database) -> list[Trouble]:
    """The house's are the admins' business, a person's their own.

    One that an operator took out of the settings is no trouble.
    """
    rows = await database.read(
        """
        SELECT id, owner_id, kind, last_error_code FROM channels
        WHERE state = 'paused' AND paused_because = :failed
          AND coalesce(last_error_code, '') <> :not_set
        ORDER BY id
        """,
        {"failed": PauseReason.FAILED, "not_set": NOT_SET},
    )
    return [
        Trouble(
            code=AlarmCode.CHANNEL_FAILED,
            subject=str(row["id"]),
            owner_id=None if row["owner_id"] is None else UserId(row["owner_id"]),
            parameters={
                "channel": int(row["id"]),
                "kind": str(row["kind"]),
                "reason": str(row["last_error_code"] or "unknown"),
            },
        )
        for row in rows
    ]


def _spending_troubles(rules: TroubleRules, facts: HealthFacts) -> list[Trouble]:
    found: list[Trouble] = []
    month, used = facts.spend, facts.x_reads
    if month.capped_at is not None:
        capped = {"month": month.month}
        found.append(Trouble(code=AlarmCode.MODEL_CAP_REACHED, parameters=capped))
    limit = rules.x_monthly_reads
    if limit is not None and used >= limit:
        spent: dict[str, JsonValue] = {"api": "X", "used": used, "limit": limit}
        found.append(Trouble(code=AlarmCode.READS_SPENT, parameters=spent))
    return found


def _since(code: AlarmCode, since: datetime | None) -> Trouble:
    return Trouble(
        code=code, parameters={"since": since.isoformat(timespec="seconds")} if since else {}
    )

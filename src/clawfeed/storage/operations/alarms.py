"""Alarms as rows: raised and cleared together with the messages that tell of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TypeAlias

from clawfeed.domain.alarm import (
    AT_MOST_EVERY,
    Alarm,
    AlarmChanges,
    AlarmCode,
    NoticeKind,
    Trouble,
    changes_for,
)
from clawfeed.domain.channels.channel import Channel, ChannelOrigin
from clawfeed.domain.ids import AlarmId, UserId
from clawfeed.storage.bounds import LAST_DATE
from clawfeed.storage.channels.channel_row import CHANNEL_COLUMNS, channel_if_sound
from clawfeed.storage.database import Database, Insert, Row, SqlValue, Statement, Steps, execute
from clawfeed.storage.drivers.write_probe import probe_write
from clawfeed.storage.json_columns import read_object, write_object
from clawfeed.storage.sql_lists import chunks, in_list
from clawfeed.storage.timestamps import moment, moment_or_none, seconds

ALARMS_KEPT = timedelta(days=90)
# Behind every date there is.
_COLUMNS = "id, code, subject, owner_id, parameters, raised_at, recovered_at, cleared_at"
# Of people's channels only those of admins count. Whoever was locked out learns nothing.
_ADMINS_CHANNELS = """
    gets_alarms = 1 AND (owner_id IS NULL OR owner_id IN (
        SELECT id FROM users WHERE role = 'admin' AND disabled_at IS NULL
    ))
"""
_CODES = frozenset(AlarmCode)


@dataclass(frozen=True, slots=True, kw_only=True)
class NoticeText:
    """What is sent to a channel, and who shares its turns."""

    payload: str
    place: str


# Puts a notice into the words and the form of a channel; None if it cannot be.
WriteNotice: TypeAlias = Callable[[Channel, NoticeKind, Trouble], NoticeText | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredAlarms:
    """What was stored: those that rang now, those whose end was told."""

    rung: tuple[Trouble, ...] = ()
    over: tuple[Trouble, ...] = ()


class AlarmStore:
    """What is wrong and what was. However many look at once, each alarm rings once."""

    def __init__(self, database: Database) -> None:
        self._db = database

    async def settle(
        self,
        troubles: Sequence[Trouble],
        write: WriteNotice,
        *,
        now: datetime,
        told_directly: frozenset[AlarmCode] = frozenset(),
    ) -> StoredAlarms:
        """Make the alarms agree with *troubles*; the messages leave with the same commit.

        The house's own channels get no message about codes that are *told_directly*. Where
        nothing changed nothing is written.
        """
        if not changes_for(troubles, await self.known(now=now), now):
            return StoredAlarms()
        return await self._db.run(lambda: _settle(troubles, write, told_directly, now))

    async def known(self, *, now: datetime) -> list[Alarm]:
        """Those that are raised, and those that rang within the hour."""
        rows = await self._db.read(_KNOWN_ALARMS, _since(now))
        return _to_alarms(rows)

    async def list(
        self, *, is_raised: bool = False, limit: int, before: tuple[float, ...] | None = None
    ) -> list[Alarm]:
        """The newest first, everybody's. *before* are date and id of the last seen."""
        raised_at, last = before or (LAST_DATE, 0)
        rows = await self._db.read(
            f"""
            SELECT {_COLUMNS} FROM alarms
            WHERE (raised_at, id) < (:raised_at, :last) AND (cleared_at IS NULL OR :all = 1)
            ORDER BY raised_at DESC, id DESC LIMIT :limit
            """,  # noqa: S608 -- our own constant
            {
                "raised_at": raised_at,
                "last": int(last),
                "all": int(not is_raised),
                "limit": limit,
            },
        )
        return _to_alarms(rows)

    async def note_outage(self, trouble: Trouble, *, since: datetime, now: datetime) -> None:
        """Write down that the database could not be, now that it can: once, whoever noticed."""
        await self._db.run(lambda: _note_outage(trouble, since, now))


def _settle(
    troubles: Sequence[Trouble],
    write: WriteNotice,
    told_directly: frozenset[AlarmCode],
    now: datetime,
) -> Steps[StoredAlarms]:
    yield from probe_write()  # one after another: two that look at once must not both ring
    known = _to_alarms((yield Statement(_KNOWN_ALARMS, _since(now))))
    changes = changes_for(troubles, known, now)
    yield from _clear(changes, now)
    yield from _reopen(changes.reopened)
    mail = _Mail(write=write, now=now)
    for trouble in changes.rung:
        alarm = yield from _raise(trouble, now)
        skips_house = trouble.code in told_directly
        yield from mail.send(alarm, NoticeKind.RAISED, trouble, skips_house=skips_house)
    for ending in changes.endings:
        yield from mail.send(ending.alarm_id, NoticeKind.CLEARED, ending.trouble)
    return StoredAlarms(rung=changes.rung, over=tuple(ending.trouble for ending in changes.endings))


def _clear(changes: AlarmChanges, now: datetime) -> Steps[None]:
    at = seconds(now)
    for column, ids in (("cleared_at", changes.cleared), ("recovered_at", changes.recovered)):
        for some in chunks(list(ids)):
            names, params = in_list(some)
            yield Statement(
                f"UPDATE alarms SET {column} = :now WHERE id IN ({names})",  # noqa: S608
                {"now": at, **params},
            )


def _reopen(ids: Sequence[AlarmId]) -> Steps[None]:
    for some in chunks(list(ids)):
        names, params = in_list(some)
        yield Statement(
            f"UPDATE alarms SET cleared_at = NULL WHERE id IN ({names})",  # noqa: S608
            params,
        )


def _raise(trouble: Trouble, now: datetime, cleared_at: datetime | None = None) -> Steps[AlarmId]:
    over = None if cleared_at is None else seconds(cleared_at)
    [row] = yield Statement(
        """
        INSERT INTO alarms (code, subject, owner_id, parameters, raised_at, recovered_at,
            cleared_at)
        VALUES (:code, :subject, :owner, :parameters, :now, :over, :over) RETURNING id
        """,
        {
            "code": trouble.code,
            "subject": trouble.subject,
            "owner": trouble.owner_id,
            "parameters": write_object(trouble.parameters),
            "now": seconds(now),
            "over": over,
        },
    )
    return AlarmId(row["id"])


def _note_outage(trouble: Trouble, since: datetime, now: datetime) -> Steps[None]:
    yield from probe_write()
    noted = yield Statement(
        "SELECT 1 FROM alarms WHERE code = :code AND cleared_at >= :since",
        {"code": trouble.code, "since": seconds(since)},
    )
    if not noted:
        yield from _raise(trouble, since, cleared_at=now)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Mail:
    """Puts notices into the outbox, within the transaction that they are about."""

    write: WriteNotice
    now: datetime

    def send(
        self, alarm: AlarmId, kind: NoticeKind, trouble: Trouble, *, skips_house: bool = False
    ) -> Steps[None]:
        channels = yield from _channels_for(trouble.owner_id)
        rows = [
            self._row(alarm, kind, channel, text)
            for channel in channels
            if not (skips_house and channel.origin is ChannelOrigin.ENVIRONMENT)
            if (text := self.write(channel, kind, trouble)) is not None
        ]
        if rows:
            yield Insert(table="outbox", columns=_OUTBOX_COLUMNS, rows=rows)

    def _row(
        self, alarm: AlarmId, kind: NoticeKind, channel: Channel, text: NoticeText
    ) -> tuple[SqlValue, ...]:
        at = seconds(self.now)
        key = f"alarm-{alarm}-{kind}-{channel.id}"
        return (channel.id, alarm, kind, 1, 1, key, text.payload, text.place, at, at, at)


_OUTBOX_COLUMNS = (
    "channel_id", "alarm_id", "notice", "part", "parts", "idempotency_key", "payload", "place",
    "not_before", "created_at", "updated_at",
)  # fmt: skip


def _channels_for(owner: UserId | None) -> Steps[list[Channel]]:
    """The admins'; or a person's, those for alarms if they named any."""
    of_whom = _ADMINS_CHANNELS if owner is None else "owner_id = :owner"
    rows = yield Statement(
        f"SELECT {CHANNEL_COLUMNS} FROM channels WHERE state = 'active' AND {of_whom} ORDER BY id",  # noqa: S608
        {} if owner is None else {"owner": owner},
    )
    channels = [channel for row in rows if (channel := channel_if_sound(row)) is not None]
    return [channel for channel in channels if channel.gets_alarms] or channels


async def remove_old_alarms(database: Database, *, now: datetime) -> int:
    """Forget alarms that were over long ago; how many. What is raised stays."""
    rows = await execute(
        database,
        "DELETE FROM alarms WHERE cleared_at < :limit RETURNING id",
        {"limit": seconds(now - ALARMS_KEPT)},
    )
    return len(rows)


_KNOWN_ALARMS = f"""
SELECT {_COLUMNS} FROM alarms WHERE cleared_at IS NULL OR raised_at > :since ORDER BY id
"""  # noqa: S608 -- our own constant


def _since(now: datetime) -> dict[str, SqlValue]:
    return {"since": seconds(now - AT_MOST_EVERY)}


def _to_alarms(rows: Iterable[Row]) -> list[Alarm]:
    """Those whose code we know: another version's are left to it."""
    return [_to_alarm(row) for row in rows if row["code"] in _CODES]


def _to_alarm(row: Row) -> Alarm:
    owner = row["owner_id"]
    return Alarm(
        id=AlarmId(row["id"]),
        trouble=Trouble(
            code=AlarmCode(row["code"]),
            subject=str(row["subject"]),
            owner_id=None if owner is None else UserId(owner),
            parameters=read_object(row["parameters"]),
        ),
        raised_at=moment(row["raised_at"]),
        recovered_at=moment_or_none(row["recovered_at"]),
        cleared_at=moment_or_none(row["cleared_at"]),
    )

"""Looks once a minute for what is wrong, raises alarms and clears them.

It runs in every process that stays: whichever loop died, another process notices. The database
decides who rings. Where it cannot be written, each process says so by itself.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TypeAlias

from clawfeed.domain.alarm import AlarmCode, NoticeKind, Trouble
from clawfeed.domain.errors import StorageError
from clawfeed.runtime.stop import RepeatedWorker
from clawfeed.storage.database import ConstraintError, Database
from clawfeed.storage.drivers.write_probe import try_to_write
from clawfeed.storage.operations.alarms import AlarmStore, StoredAlarms, WriteNotice
from clawfeed.storage.operations.troubles import TroubleRules, find_troubles

log = logging.getLogger(__name__)

LOOK_EVERY = timedelta(minutes=1)
# A database that failed once may have had a long transaction: a second look decides.
LOOK_AGAIN = timedelta(seconds=10)
DATABASE_TIMEOUT = timedelta(seconds=20)
# What cannot wait for somebody to read the outbox.
DIRECTLY_TOLD_CODES = frozenset({AlarmCode.NO_DELIVERY})

DirectNotice: TypeAlias = Callable[[NoticeKind, Trouble], Awaitable[None]]


class DatabaseOutage:
    """What this process knows of a database that cannot be used; its server asks for it."""

    def __init__(self) -> None:
        self.trouble: Trouble | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchTools:
    """What a watcher is given. *direct* reaches the house's channels past the outbox."""

    database: Database
    rules: TroubleRules
    clock: Callable[[], datetime]
    write: WriteNotice
    direct: DirectNotice | None = None


class AlarmWatcher(RepeatedWorker):
    """One process's watcher."""

    name = "alarms"

    def __init__(self, tools: WatchTools, outage: DatabaseOutage | None = None) -> None:
        super().__init__()
        self._tools, self._outage = tools, outage or DatabaseOutage()
        self._store = AlarmStore(tools.database)
        self._started_at = tools.clock()
        self._failing_since: datetime | None = None

    async def look(self) -> timedelta:
        """Look once; answers when to look again. No mistake of ours ends the process's work."""
        try:
            async with asyncio.timeout(DATABASE_TIMEOUT.total_seconds()):
                await self._check_database()
                told = await self._settle()
        except ConstraintError as error:
            # Whom we wanted to tell was removed meanwhile.
            log.info("alarms changed meanwhile; looking again", extra={"why": str(error)})
            return LOOK_AGAIN
        except (StorageError, TimeoutError) as error:
            return await self._database_failed(str(error) or "it does not answer")
        except Exception:
            log.exception("cannot look for what is wrong; will try again")
            return LOOK_EVERY
        await self._database_works()
        await self._tell(told)
        return LOOK_EVERY

    async def _check_database(self) -> None:
        """Whether it takes what is written; an outage that is over is written down."""
        await try_to_write(self._tools.database)
        trouble, since = self._outage.trouble, self._failing_since
        if trouble is not None and since is not None:
            await self._store.note_outage(trouble, since=since, now=self._tools.clock())

    async def _settle(self) -> StoredAlarms:
        tools, now = self._tools, self._tools.clock()
        troubles = await find_troubles(tools.database, tools.rules, now=now)
        known = {key for alarm in await self._store.known(now=now) for key in alarm.trouble.keys}
        up_for = now - self._started_at
        # Whoever just started lets the others begin, but what rang already is not over by that.
        due = [
            trouble
            for trouble in troubles
            if trouble.keys <= known or not tools.rules.is_too_early(trouble.code, up_for)
        ]
        direct = DIRECTLY_TOLD_CODES if tools.direct else frozenset[AlarmCode]()
        return await self._store.settle(due, tools.write, now=now, told_directly=direct)

    async def _tell(self, told: StoredAlarms) -> None:
        """The log gets every alarm; a person's own is no error of the house."""
        for trouble in told.rung:
            level = logging.ERROR if trouble.owner_id is None else logging.WARNING
            log.log(level, "alarm", extra=_as_fields(trouble))
            if trouble.code in DIRECTLY_TOLD_CODES:
                await self._tell_directly(NoticeKind.RAISED, trouble)
        for trouble in told.over:
            log.info("alarm is over", extra=_as_fields(trouble))

    async def _database_failed(self, why: str) -> timedelta:
        """The second failure in a row is an outage: logged and told once, by each process."""
        now = self._tools.clock()
        if self._failing_since is None:
            self._failing_since = now
            return LOOK_AGAIN
        if self._outage.trouble is None:
            since = self._failing_since.isoformat(timespec="seconds")
            parameters = {"since": since, "why": why}
            self._outage.trouble = Trouble(code=AlarmCode.DATABASE_FAILED, parameters=parameters)
            log.error("alarm", extra=_as_fields(self._outage.trouble))
            await self._tell_directly(NoticeKind.RAISED, self._outage.trouble)
        return LOOK_EVERY

    async def _database_works(self) -> None:
        trouble = self._outage.trouble
        self._failing_since = self._outage.trouble = None
        if trouble is not None:
            log.info("alarm is over", extra=_as_fields(trouble))
            await self._tell_directly(NoticeKind.CLEARED, trouble)

    async def _tell_directly(self, kind: NoticeKind, trouble: Trouble) -> None:
        if self._tools.direct:
            await self._tools.direct(kind, trouble)


def _as_fields(trouble: Trouble) -> dict[str, object]:
    """For the log: what stands for many is there with its count and the first few."""
    shown = {name: value for name, value in trouble.parameters.items() if name != "subjects"}
    return {"code": str(trouble.code), "about": trouble.subject, "parameters": shown}

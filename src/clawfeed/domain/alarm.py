"""Alarms: what is wrong with the house now, what was told of it, and what is told next.

A trouble is something that is wrong at this moment, whether or not anybody was told. An alarm is
a trouble as it is stored: it rings once, and once more when it is over.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from clawfeed.domain.ids import AlarmId, JsonValue, UserId

# Nothing rings twice within this time, however often it comes and goes.
AT_MOST_EVERY = timedelta(hours=1)
# More of a kind at once than this are one message.
MOST_SINGLE = 3
# So many of them are named in it.
MOST_NAMED = 5


class AlarmCode(StrEnum):
    """What can be wrong. Stored, shown, and compared by machines."""

    SOURCE_PAUSED = "source_paused"  # by its failures (S000-11)
    SOURCE_STALE = "source_stale"  # silent far beyond its own rhythm
    SOURCES_OVERDUE = "sources_overdue"  # collectors are alive, and somebody waits for hours
    POLLS_FAILING = "polls_failing"  # most of them: the network or a proxy
    EDITION_UNFINISHED = "edition_unfinished"  # after two hours (S002-12)
    EDITION_MISSING = "edition_missing"  # its period came, or went, without it
    NO_COLLECTOR = "no_collector"
    NO_EDITION_TRIGGER = "no_edition_trigger"
    NO_DELIVERY = "no_delivery"
    CHANNEL_FAILED = "channel_failed"  # it refused us for good
    MODEL_CAP_REACHED = "model_cap_reached"
    READS_SPENT = "reads_spent"  # of a paid API
    DATABASE_FAILED = "database_failed"  # full, read-only or out of reach


class NoticeKind(StrEnum):
    """What a message about an alarm tells (`outbox.notice`)."""

    RAISED = "raised"
    CLEARED = "cleared"


# Several at once have one cause: one message.
GROUPED_CODES: Final = frozenset(
    {AlarmCode.SOURCE_PAUSED, AlarmCode.SOURCE_STALE, AlarmCode.EDITION_UNFINISHED}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """Something that is wrong. *subject* tells it from others of its code, such as a source's id.

    Without an owner it is the admins'; their alarms name nothing of one person alone. One that
    stands for several has them in its parameters: `count`, `subjects`, and `some` to be named.
    """

    code: AlarmCode
    subject: str = ""
    owner_id: UserId | None = None
    parameters: Mapping[str, JsonValue] = field(default_factory=dict)

    @property
    def subjects(self) -> tuple[str, ...]:
        several = self.parameters.get("subjects")
        return tuple(map(str, several)) if isinstance(several, list) else (self.subject,)

    @property
    def keys(self) -> frozenset[tuple[AlarmCode, str]]:
        """What it stands for."""
        return frozenset((self.code, subject) for subject in self.subjects)

    @property
    def some(self) -> tuple[Mapping[str, JsonValue], ...]:
        """The parameters of the first few that it stands for."""
        several = self.parameters.get("some")
        if not isinstance(several, list):
            return (self.parameters,)
        return tuple(each for each in several if isinstance(each, dict))


@dataclass(frozen=True, slots=True, kw_only=True)
class Alarm:
    """A stored trouble. *recovered_at* is when its end was told; *cleared_at* when it ended."""

    id: AlarmId
    trouble: Trouble
    raised_at: datetime
    recovered_at: datetime | None = None
    cleared_at: datetime | None = None

    @property
    def is_raised(self) -> bool:
        return self.cleared_at is None

    def is_recent(self, now: datetime) -> bool:
        """Whether it rang less than an hour ago; not one of a clock that was far ahead (F15)."""
        return abs(now - self.raised_at) < AT_MOST_EVERY


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """The end of one alarm or of several, told once, in the name of the first."""

    alarm_id: AlarmId
    trouble: Trouble


@dataclass(frozen=True, slots=True, kw_only=True)
class AlarmChanges:
    """What is to be stored and told.

    *cleared* are over. *reopened* came back within the hour: nobody is told. If they stay beyond
    it they ring anew: they are in *cleared* and in *rung*. *endings* tell of the *recovered* ones.
    """

    rung: tuple[Trouble, ...] = ()
    reopened: tuple[AlarmId, ...] = ()
    cleared: tuple[AlarmId, ...] = ()
    recovered: tuple[AlarmId, ...] = ()
    endings: tuple[Ending, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.rung or self.reopened or self.cleared)


def changes_for(troubles: Iterable[Trouble], known: Sequence[Alarm], now: datetime) -> AlarmChanges:
    """What to do, given what is wrong *now*, and the alarms that are raised or rang lately."""
    true = {key: trouble for trouble in troubles for key in trouble.keys}
    raised = [alarm for alarm in known if alarm.is_raised]
    over = [alarm for alarm in raised if not _holds(alarm, true)]
    returned = [
        alarm
        for alarm in raised
        if _holds(alarm, true) and alarm.recovered_at is not None and not alarm.is_recent(now)
    ]
    cleared = [*over, *returned]
    told = {key for alarm in raised if alarm not in cleared for key in alarm.trouble.keys}
    reopened: list[AlarmId] = []
    for alarm in known:
        came_back = alarm.trouble.keys & true.keys() - told
        if not alarm.is_raised and alarm.is_recent(now) and came_back:
            reopened.append(alarm.id)
            told |= alarm.trouble.keys
    recovered = [alarm for alarm in over if alarm.recovered_at is None]
    return AlarmChanges(
        rung=grouped([trouble for key, trouble in true.items() if key not in told]),
        reopened=tuple(reopened),
        cleared=tuple(alarm.id for alarm in cleared),
        recovered=tuple(alarm.id for alarm in recovered),
        endings=_endings(recovered),
    )


def grouped(troubles: Sequence[Trouble]) -> tuple[Trouble, ...]:
    """*troubles*, with many of a kind put together."""
    by_kind: defaultdict[tuple[AlarmCode, UserId | None], list[Trouble]] = defaultdict(list)
    for trouble in troubles:
        by_kind[trouble.code, trouble.owner_id].append(trouble)
    found: list[Trouble] = []
    for (code, _), some in by_kind.items():
        found += [together(some)] if code in GROUPED_CODES and len(some) > MOST_SINGLE else some
    return tuple(found)


def together(troubles: Sequence[Trouble]) -> Trouble:
    """Several of one code as one."""
    first = troubles[0]
    subjects: list[JsonValue] = [each for trouble in troubles for each in trouble.subjects]
    some: list[JsonValue] = [dict(each) for trouble in troubles for each in trouble.some]
    return Trouble(
        code=first.code,
        subject=f"{subjects[0]}+{len(subjects) - 1}",
        owner_id=first.owner_id,
        parameters={"count": len(subjects), "subjects": subjects, "some": some[:MOST_NAMED]},
    )


def _holds(alarm: Alarm, true: Mapping[tuple[AlarmCode, str], Trouble]) -> bool:
    return any(key in true for key in alarm.trouble.keys)


def _endings(over: Sequence[Alarm]) -> tuple[Ending, ...]:
    by_kind: defaultdict[tuple[AlarmCode, UserId | None], list[Alarm]] = defaultdict(list)
    for alarm in over:
        by_kind[alarm.trouble.code, alarm.trouble.owner_id].append(alarm)
    found: list[Ending] = []
    for (code, _), alarms in by_kind.items():
        if code in GROUPED_CODES and len(alarms) > MOST_SINGLE:
            merged = together([alarm.trouble for alarm in alarms])
            found.append(Ending(alarm_id=alarms[0].id, trouble=merged))
        else:
            found += [Ending(alarm_id=alarm.id, trouble=alarm.trouble) for alarm in alarms]
    return tuple(found)

"""Who was told of an alarm: what the outbox knows of it, while it keeps its messages."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from clawfeed.domain.alarm import NoticeKind
from clawfeed.domain.editions.delivery import MessageState
from clawfeed.domain.ids import AlarmId, ChannelId
from clawfeed.storage.database import Database
from clawfeed.storage.sql_lists import in_list


@dataclass(frozen=True, slots=True, kw_only=True)
class AlarmMessage:
    """One message about an alarm, to one channel."""

    channel_id: ChannelId
    kind: str
    name: str
    notice: NoticeKind
    state: MessageState


async def messages_about(
    database: Database, alarms: Iterable[AlarmId]
) -> dict[AlarmId, list[AlarmMessage]]:
    """By alarm, in the order they were written; one nobody was told of is not in it."""
    wanted = list(alarms)
    if not wanted:
        return {}
    names, params = in_list(wanted)
    rows = await database.read(
        f"""
        SELECT o.alarm_id, o.notice, o.state, c.id AS channel_id, c.kind, c.name
        FROM outbox o JOIN channels c ON c.id = o.channel_id
        WHERE o.alarm_id IN ({names}) ORDER BY o.id
        """,  # noqa: S608 -- only names of parameters
        params,
    )
    found: dict[AlarmId, list[AlarmMessage]] = {}
    for row in rows:
        message = AlarmMessage(
            channel_id=ChannelId(row["channel_id"]),
            kind=row["kind"],
            name=row["name"],
            notice=NoticeKind(row["notice"]),
            state=MessageState(row["state"]),
        )
        found.setdefault(AlarmId(row["alarm_id"]), []).append(message)
    return found

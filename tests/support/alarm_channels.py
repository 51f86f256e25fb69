"""A kind of channel without a service, and what the outbox holds for it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from clawfeed.domain.channels.channel import ChannelDraft
from clawfeed.domain.editions.delivery import Recovery
from clawfeed.domain.errors import Reason
from clawfeed.domain.ids import JsonValue, UserId
from clawfeed.publish.channel_type import ChannelType, ChannelTypes, Notice, SendingTools
from clawfeed.publish.message import Message, Receipt, SendError, Target
from clawfeed.storage.channels.channels import ChannelStore
from clawfeed.storage.database import Database
from tests.support.clocks import NOON


class Loft:
    """A sender that keeps what it was given; *is_shut* refuses."""

    def __init__(self) -> None:
        self.arrived: list[tuple[str, dict[str, str]]] = []
        self.is_shut = False

    async def send(self, target: Target, message: Message) -> Receipt:
        if self.is_shut:
            raise SendError(Reason.UNREACHABLE, "the loft is shut")
        self.arrived.append((target.address, json.loads(message.payload)))
        return Receipt()


def pigeons(loft: Loft | None = None) -> ChannelTypes:
    """A registry with one kind, whose notices can be read back; a config with *bug* breaks it."""
    sender = loft or Loft()

    def notice(notice: Notice, config: Mapping[str, JsonValue]) -> str:
        if "bug" in config:
            raise RuntimeError("a fault of this kind")
        return json.dumps(
            {"title": notice.title, "lines": notice.lines, "language": notice.language}
        )

    def made_by(_tools: SendingTools) -> Loft:
        return sender

    return ChannelTypes(
        [
            ChannelType(
                kind="pigeon",
                label="Pigeon",
                recovery=Recovery.ASK,
                check=lambda draft: draft,
                messages=lambda _edition, _config: (),
                notice=notice,
                sender=made_by,
                place=lambda address, _config: f"loft {address}",
            )
        ]
    )


async def add_loft(
    database: Database,
    address: str,
    owner: UserId | None = None,
    *,
    gets_alarms: bool = True,
    language: str = "en",
) -> int:
    """A channel that may get alarms; its id."""
    draft = ChannelDraft(kind="pigeon", address=address, gets_alarms=gets_alarms, language=language)
    return (await ChannelStore(database).add(owner, draft, now=NOON)).id


async def notices(database: Database) -> list[tuple[str, str, str]]:
    """Address, kind and first line of each notice in the outbox, in order."""
    rows = await database.read(
        """
        SELECT c.address, o.notice, o.payload FROM outbox o JOIN channels c ON c.id = o.channel_id
        WHERE o.alarm_id IS NOT NULL ORDER BY o.id
        """
    )
    return [
        (str(row["address"]), str(row["notice"]), _first_line(json.loads(row["payload"])))
        for row in rows
    ]


def _first_line(payload: dict[str, Sequence[str]]) -> str:
    return payload["lines"][0]

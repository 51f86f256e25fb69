"""What there is in the outbox to choose from: how many are in each state, and to which channels."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

from clawfeed.domain.editions.delivery import MessageState
from clawfeed.domain.ids import ChannelId
from clawfeed.storage.database import Database

# More nobody chooses from; the address takes any other, too.
MOST_CHANNELS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class OutboxOverview:
    """*counts* are of the channel that is looked at; *channels* are all that have messages."""

    counts: Mapping[MessageState, int]
    channels: tuple[tuple[ChannelId, str, str], ...]  # id, kind, name


async def outbox_overview(database: Database, channel: ChannelId | None) -> OutboxOverview:
    counts, channels = await asyncio.gather(
        database.read(
            "SELECT state, count(*) AS n FROM outbox WHERE channel_id = :channel OR :channel = 0 "
            "GROUP BY state",
            {"channel": channel or 0},
        ),
        database.read(
            "SELECT id, kind, name FROM channels c "
            "WHERE EXISTS (SELECT 1 FROM outbox o WHERE o.channel_id = c.id) "
            "ORDER BY id LIMIT :limit",
            {"limit": MOST_CHANNELS},
        ),
    )
    return OutboxOverview(
        counts={MessageState(row["state"]): int(row["n"]) for row in counts},
        channels=tuple(
            (ChannelId(row["id"]), str(row["kind"]), str(row["name"])) for row in channels
        ),
    )

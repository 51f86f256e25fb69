"""The sealed secrets of channels, as bytes nobody here can read: `publish.secrets.secret_box` can.

The names of the secrets stand in the open, so that their owner can see which are set.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeAlias

import orjson

from clawfeed.domain.channels.channel import Channel
from clawfeed.domain.ids import ChannelId
from clawfeed.storage.channels.channel_row import CHANNEL_COLUMNS, to_channel
from clawfeed.storage.database import Database, Row, Statement, Steps
from clawfeed.storage.sql_lists import in_list
from clawfeed.storage.timestamps import seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class SealedSecrets:
    """One channel's secrets, each sealed under its name. *key_id* tells which key opens them."""

    by_name: Mapping[str, bytes] = field(repr=False)
    key_id: str

    @property
    def names(self) -> frozenset[str]:
        return frozenset(self.by_name)


# What becomes of a channel's secrets when it is stored: of what was there, what is there then.
# Called within the transaction, which may run again.
Reseal: TypeAlias = Callable[[ChannelId, "SealedSecrets | None"], "SealedSecrets | None"]


class ChannelSecrets:
    """Reads them; they are written with their channel (`ChannelStore`)."""

    def __init__(self, database: Database) -> None:
        self._db = database

    async def get(self, channel: ChannelId) -> SealedSecrets | None:
        """The channel's sealed secrets; None if it has none."""
        return (await self.of([channel])).get(channel)

    async def with_channel(self, channel: ChannelId) -> tuple[Channel, SealedSecrets | None] | None:
        """The channel and its secrets of one moment; None if it is gone.

        Read one after the other, a new secret could be sent to an old address.
        """
        rows = await self._db.read(
            f"""
            SELECT {CHANNEL_COLUMNS}, s.sealed, s.key_id
            FROM channels LEFT JOIN channel_secrets s ON s.channel_id = channels.id
            WHERE channels.id = :id
            """,  # noqa: S608 -- our own constant
            {"id": channel},
        )
        if not rows:
            return None
        [row] = rows
        return to_channel(row), None if row["key_id"] is None else _to_sealed(row)

    async def of(self, channels: Sequence[ChannelId]) -> dict[ChannelId, SealedSecrets]:
        """Those of a page of channels; who has none is left out."""
        if not channels:
            return {}
        names, params = in_list(channels)
        rows = await self._db.read(
            f"SELECT channel_id, sealed, key_id FROM channel_secrets WHERE channel_id IN ({names})",  # noqa: S608 -- parameter names
            params,
        )
        return {ChannelId(row["channel_id"]): _to_sealed(row) for row in rows}


async def sealing_keys(database: Database) -> set[str]:
    """The ids of the keys that secrets are sealed with; more than one if it was changed."""
    rows = await database.read("SELECT DISTINCT key_id FROM channel_secrets")
    return {str(row["key_id"]) for row in rows}


def reseal_secrets(channel: ChannelId, reseal: Reseal, now: datetime) -> Steps[None]:
    """Let *reseal* say what the channel's secrets are from now on."""
    rows = yield Statement(
        "SELECT sealed, key_id FROM channel_secrets WHERE channel_id = :id", {"id": channel}
    )
    before = _to_sealed(rows[0]) if rows else None
    after = reseal(channel, before)
    if after is None or not after.by_name:
        yield forget_secrets(channel)
    elif after != before:
        yield _save(channel, after, now)


def forget_secrets(channel: ChannelId) -> Statement:
    return Statement("DELETE FROM channel_secrets WHERE channel_id = :id", {"id": channel})


def _save(channel: ChannelId, sealed: SealedSecrets, now: datetime) -> Statement:
    texts = {name: base64.b64encode(each).decode() for name, each in sealed.by_name.items()}
    return Statement(
        """
        INSERT INTO channel_secrets (channel_id, sealed, key_id, updated_at)
        VALUES (:id, :sealed, :key, :now)
        ON CONFLICT (channel_id) DO UPDATE SET sealed = excluded.sealed,
            key_id = excluded.key_id, updated_at = excluded.updated_at
        """,
        {
            "id": channel,
            "sealed": orjson.dumps(texts, option=orjson.OPT_SORT_KEYS),
            "key": sealed.key_id,
            "now": seconds(now),
        },
    )


def _to_sealed(row: Row) -> SealedSecrets:
    """What cannot be read has no secrets: its owner enters them again, and others are unharmed."""
    try:
        texts = orjson.loads(bytes(row["sealed"]))
        by_name = {str(name): base64.b64decode(text) for name, text in texts.items()}
    except (ValueError, TypeError, AttributeError):
        by_name = {}
    return SealedSecrets(by_name=by_name, key_id=row["key_id"])

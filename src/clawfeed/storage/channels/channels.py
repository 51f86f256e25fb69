"""Channels as rows: people's own, and those of the house, which have no owner."""

from __future__ import annotations

import builtins
from datetime import datetime

from clawfeed.domain.channels.channel import NOT_SET, NOT_SET_ANY_MORE, Channel, ChannelDraft
from clawfeed.domain.errors import (
    AlreadyExistsError,
    NotFoundError,
    QuotaError,
    RefusalCode,
)
from clawfeed.domain.ids import ChannelId, UserId
from clawfeed.storage.bounds import NO_LIMIT
from clawfeed.storage.channels.channel_lock import require_unmoved
from clawfeed.storage.channels.channel_row import CHANNEL_COLUMNS, draft_params, to_channel
from clawfeed.storage.channels.channel_secrets import (
    Reseal,
    SealedSecrets,
    forget_secrets,
    reseal_secrets,
)
from clawfeed.storage.database import ConstraintError, Database, Statement, Steps, execute
from clawfeed.storage.person_lock import hold
from clawfeed.storage.timestamps import seconds

# Of one person: every service they use, twice over; each gets every edition (T26).
MOST_CHANNELS = 20
# Of a channel of the environment that is set again.
_WAS_NOT_SET = "channels.last_error_code = :code AND channels.paused_because = 'failed'"
_CHANNELS = f"SELECT {CHANNEL_COLUMNS} FROM channels"  # noqa: S608


def keep_secrets(_channel: ChannelId, before: SealedSecrets | None) -> SealedSecrets | None:
    """For who changes no secret."""
    return before


class ChannelStore:
    """Where editions go. Who may see and change what is for the caller to ask: `owner_id`."""

    def __init__(self, database: Database) -> None:
        self._db = database

    async def add(
        self,
        owner: UserId | None,
        draft: ChannelDraft,
        *,
        reseal: Reseal = keep_secrets,
        now: datetime,
    ) -> Channel:
        """Store a channel; without *owner* it is the house's.

        `AlreadyExistsError` if they have one to the same place, `QuotaError` if they have
        `MOST_CHANNELS`.
        """
        try:
            return await self._db.run(lambda: _add(owner, draft, reseal, now))
        except ConstraintError as error:
            raise _taken(draft) from error

    async def change(
        self,
        channel: ChannelId,
        draft: ChannelDraft,
        *,
        seen: Channel | None = None,
        reseal: Reseal = keep_secrets,
        now: datetime,
    ) -> Channel:
        """Make it what *draft* says, all of it but its kind. Whether it is paused stays.

        `ChangedMeanwhileError` if it leads elsewhere than when it was *seen*: its secrets are
        of another place than *reseal* and *draft* were made for.
        """

        def steps() -> Steps[Channel]:
            if seen is not None:
                yield from require_unmoved(seen)
            return (yield from _change(channel, draft, reseal, now))

        try:
            return await self._db.run(steps)
        except ConstraintError as error:
            raise _taken(draft) from error

    async def get(self, channel: ChannelId) -> Channel:
        """The channel, whosever it is; `NotFoundError` if there is none."""
        rows = await self._db.read(f"{_CHANNELS} WHERE id = :id", {"id": channel})
        if not rows:
            raise no_channel(channel)
        return to_channel(rows[0])

    async def list(
        self,
        owner: UserId | None,
        *,
        with_house: bool = False,
        after: int = 0,
        limit: int = NO_LIMIT,
    ) -> builtins.list[Channel]:
        """One person's channels, oldest first; without *owner*, or *with_house*, the house's."""
        rows = await self._db.read(
            f"""
            {_CHANNELS}
            WHERE (owner_id = :owner OR (owner_id IS NULL AND :house = 1)) AND id > :after
            ORDER BY id LIMIT :limit
            """,
            {
                "owner": 0 if owner is None else owner,
                "house": int(with_house or owner is None),
                "after": after,
                "limit": limit,
            },
        )
        return [to_channel(row) for row in rows]

    async def list_all(self) -> builtins.list[Channel]:
        """Everybody's and the house's, oldest first: for who runs this ClawFeed."""
        rows = await self._db.read(f"{_CHANNELS} ORDER BY id")
        return [to_channel(row) for row in rows]

    async def pause(self, channel: ChannelId, *, now: datetime) -> Channel:
        """As its person wants it, whatever paused it before; what was wrong is not forgotten."""
        return await self._set(channel, "state = 'paused', paused_because = 'person'", now=now)

    async def resume(self, channel: ChannelId, *, now: datetime) -> Channel:
        """Active again, and what was wrong is forgotten."""
        return await self._set(
            channel,
            "state = 'active', paused_because = NULL, last_error_code = NULL, last_error = NULL",
            now=now,
        )

    async def remove(self, channel: ChannelId) -> None:
        """Forget it, with its secrets and its messages; `NotFoundError` if there is none."""
        rows = await execute(
            self._db, "DELETE FROM channels WHERE id = :id RETURNING id", {"id": channel}
        )
        if not rows:
            raise no_channel(channel)

    async def sync_environment(
        self, drafts: builtins.list[ChannelDraft], *, now: datetime
    ) -> builtins.list[Channel]:
        """Make the house's channels of the environment what the settings say (S002-7).

        One that is set no more is paused, and goes on when it is set again. A pause of another
        reason stays: whoever unsubscribed does not come back by a restart. Returns those that
        are set.
        """
        return await self._db.run(lambda: _sync(drafts, now))

    async def _set(
        self,
        channel: ChannelId,
        what: str,
        params: dict[str, str] | None = None,
        *,
        now: datetime,
    ) -> Channel:
        rows = await execute(
            self._db,
            f"UPDATE channels SET {what}, updated_at = :now WHERE id = :id "  # noqa: S608 -- our own constants
            f"RETURNING {CHANNEL_COLUMNS}",
            {"id": channel, "now": seconds(now), **(params or {})},
        )
        if not rows:
            raise no_channel(channel)
        return to_channel(rows[0])


def no_channel(channel: ChannelId) -> NotFoundError:
    return NotFoundError(f"there is no channel {channel}")


def _taken(draft: ChannelDraft) -> AlreadyExistsError:
    return AlreadyExistsError(
        f"there is a {draft.kind} channel to {draft.address} already: change that one",
        RefusalCode.CHANNEL_THERE,
    )


def _add(
    owner: UserId | None, draft: ChannelDraft, reseal: Reseal, now: datetime
) -> Steps[Channel]:
    if owner is not None:
        yield from hold(owner)
        yield from _check_quota(owner)
    rows = yield Statement(
        f"""
        INSERT INTO channels (owner_id, kind, name, address, config, edition_types, deliver_at,
            quiet_from, quiet_until, zone, language, gets_alarms, created_at, updated_at)
        VALUES (:owner, :kind, :name, :address, :config, :edition_types, :deliver_at,
            :quiet_from, :quiet_until, :zone, :language, :gets_alarms, :now, :now)
        RETURNING {CHANNEL_COLUMNS}
        """,  # noqa: S608 -- our own constant
        {"owner": owner, **draft_params(draft), "now": seconds(now)},
    )
    added = to_channel(rows[0])
    yield from reseal_secrets(added.id, reseal, now)
    return added


def _check_quota(owner: UserId) -> Steps[None]:
    [row] = yield Statement(
        "SELECT count(*) AS n FROM channels WHERE owner_id = :owner", {"owner": owner}
    )
    if int(row["n"]) >= MOST_CHANNELS:
        raise QuotaError(
            f"there are {MOST_CHANNELS} channels already: remove one first",
            RefusalCode.TOO_MANY,
            most=MOST_CHANNELS,
        )


def _change(
    channel: ChannelId, draft: ChannelDraft, reseal: Reseal, now: datetime
) -> Steps[Channel]:
    # First: it locks the row, so two changes of secrets come one after another.
    rows = yield Statement(
        f"""
        UPDATE channels SET name = :name, address = :address, config = :config,
            edition_types = :edition_types, deliver_at = :deliver_at, quiet_from = :quiet_from,
            quiet_until = :quiet_until, zone = :zone, language = :language,
            gets_alarms = :gets_alarms, updated_at = :now
        WHERE id = :id AND kind = :kind AND origin = 'stored'
        RETURNING {CHANNEL_COLUMNS}
        """,  # noqa: S608 -- our own constant
        {"id": channel, **draft_params(draft), "now": seconds(now)},
    )
    if not rows:
        raise no_channel(channel)
    yield from reseal_secrets(channel, reseal, now)
    return to_channel(rows[0])


def _sync(drafts: builtins.list[ChannelDraft], now: datetime) -> Steps[builtins.list[Channel]]:
    kept = []
    # In order: two processes that start at once cannot deadlock.
    for draft in sorted(drafts, key=lambda each: (each.kind, each.address)):
        channel = yield from _upsert(draft, now)
        # What an admin stored of the same place is the environment's now.
        yield forget_secrets(channel.id)
        kept.append(channel)
    names = ", ".join(f":v{place}" for place in range(len(kept))) or "0"
    yield Statement(
        f"""
        UPDATE channels SET state = 'paused', paused_because = coalesce(paused_because, 'failed'),
            last_error_code = :code, last_error = :error, updated_at = :now
        WHERE origin = 'environment' AND coalesce(last_error_code, '') <> :code
          AND id NOT IN ({names})
        """,  # noqa: S608 -- parameter names
        {
            **{f"v{place}": each.id for place, each in enumerate(kept)},
            "code": NOT_SET,
            "error": NOT_SET_ANY_MORE,
            "now": seconds(now),
        },
    )
    return kept


def _upsert(draft: ChannelDraft, now: datetime) -> Steps[Channel]:
    rows = yield Statement(
        f"""
        INSERT INTO channels (origin, kind, name, address, config, edition_types, deliver_at,
            quiet_from, quiet_until, zone, language, gets_alarms, created_at, updated_at)
        VALUES ('environment', :kind, :name, :address, :config, :edition_types, :deliver_at,
            :quiet_from, :quiet_until, :zone, :language, :gets_alarms, :now, :now)
        ON CONFLICT (kind, address) WHERE owner_id IS NULL DO UPDATE SET
            origin = 'environment', name = excluded.name, config = excluded.config,
            edition_types = excluded.edition_types, deliver_at = excluded.deliver_at,
            quiet_from = excluded.quiet_from, quiet_until = excluded.quiet_until,
            zone = excluded.zone, language = excluded.language,
            gets_alarms = excluded.gets_alarms, updated_at = excluded.updated_at,
            state = CASE WHEN {_WAS_NOT_SET} THEN 'active' ELSE channels.state END,
            paused_because = CASE WHEN {_WAS_NOT_SET} THEN NULL ELSE channels.paused_because END,
            last_error_code = CASE WHEN channels.last_error_code = :code THEN NULL
                ELSE channels.last_error_code END,
            last_error = CASE WHEN channels.last_error_code = :code THEN NULL
                ELSE channels.last_error END
        RETURNING {CHANNEL_COLUMNS}
        """,  # noqa: S608 -- our own constants
        {**draft_params(draft), "code": NOT_SET, "now": seconds(now)},
    )
    return to_channel(rows[0])

"""Who let us read their own X, and with which tokens (S001-20). Nothing here is ever shown.

X's refresh tokens work once. So a new pair is stored only in the place of the one that it was made
from: whoever is late overwrites nothing, and nobody loses what X has just given out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from clawfeed.domain.ids import SessionId, SourceId, UserId
from clawfeed.domain.secret import Secret
from clawfeed.domain.sources.type_facts import KnownTypes, TypeFacts
from clawfeed.storage.database import Database, Row, Statement, Steps, execute
from clawfeed.storage.dead_workers import IsDead, take_back_from_dead
from clawfeed.storage.leases import (
    REVOKED,
    Condition,
    Held,
    Holder,
    LeasedTable,
    give_back,
    take,
    take_back_lapsed,
)
from clawfeed.storage.sources.source_resuming import resumed
from clawfeed.storage.sources.sources import of_types
from clawfeed.storage.sources.status_conditions import FAILING
from clawfeed.storage.timestamps import moment, seconds

FLOW_LIFETIME = timedelta(minutes=10)
REFUSED, EXPIRED = "refused", "expired"
# Held while it is renewed, a minute at most (`sources.x.personal_tokens`).
X_AUTHORISATIONS = LeasedTable(
    table="x_authorisations",
    key="user_id",
    noun="X authorisation of person",
    longest_lease=timedelta(minutes=2),
)
_UNCHANGED = "refresh_token = :used"
_COLUMNS = (
    "user_id, x_user_id, handle, scopes, access_token, refresh_token, expires_at, "
    "ended_because, authorised_at"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenPair:
    """What X gives out. Without *refresh* nothing can be renewed."""

    access: Secret
    refresh: Secret | None
    expires_at: datetime
    scopes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class XAuthorisation:
    """A person's authorisation. *ended_because*: X takes it no more, and they must give a new."""

    user_id: UserId
    x_user_id: str
    handle: str
    pair: TokenPair
    authorised_at: datetime
    ended_because: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class XFlow:
    """An authorisation under way. *session* is None if an API key began it."""

    state_hash: bytes = field(repr=False)
    user_id: UserId
    session: SessionId | None
    code_verifier: str = field(repr=False)


class XAuthorisations:
    """One person's authorisation at a time."""

    def __init__(self, database: Database) -> None:
        self._db = database

    async def find(self, user: UserId) -> XAuthorisation | None:
        rows = await self._db.read(
            f"SELECT {_COLUMNS} FROM x_authorisations WHERE user_id = :user",  # noqa: S608
            {"user": user},
        )
        return _to_authorisation(rows[0]) if rows else None

    async def save(
        self, new: XAuthorisation, types: KnownTypes[TypeFacts], *, now: datetime
    ) -> None:
        """Store it in the place of an older one; the sources that waited for it are due now."""
        await self._db.run(lambda: _save(new, types, now))

    async def remove(self, user: UserId) -> XAuthorisation | None:
        """Forget it, and tell what it was; None if there was none."""
        rows = await execute(
            self._db,
            f"DELETE FROM x_authorisations WHERE user_id = :user RETURNING {_COLUMNS}",  # noqa: S608
            {"user": user},
        )
        return _to_authorisation(rows[0]) if rows else None

    async def others(self, user: UserId | None) -> int:
        """How many people besides *user* have an account that works."""
        rows = await self._db.read(
            "SELECT count(*) AS n FROM users WHERE disabled_at IS NULL AND id <> :user",
            {"user": 0 if user is None else user},
        )
        return int(rows[0]["n"])

    async def begin_renewal(self, old: XAuthorisation, holder: Holder) -> Held | None:
        """The claim if it is ours to renew: of all collectors one asks X, with each token once."""

        def steps() -> Steps[Held | None]:
            yield from take_back_lapsed(X_AUTHORISATIONS, self._db.dialect)
            taken = yield from take(
                X_AUTHORISATIONS,
                self._db.dialect,
                holder,
                [old.user_id],
                returning="user_id",
                only=Condition(
                    sql=f"{_UNCHANGED} AND ended_because IS NULL", params={"used": _used(old)}
                ),
            )
            row = taken.get(old.user_id)
            return None if row is None else Held(key=old.user_id, claim=row["claim"])

        return await self._db.run(steps)

    async def take_back_from_dead(self, is_dead: IsDead) -> int:
        """Free what dead workers were renewing; how many authorisations."""
        return await take_back_from_dead(self._db, [X_AUTHORISATIONS], is_dead)

    async def leave_renewal(self, old: XAuthorisation, held: Held) -> None:
        """Nothing came of it: the next may try at once."""
        same = Condition(sql=_UNCHANGED, params={"used": _used(old)})
        await self._db.run(lambda: give_back(X_AUTHORISATIONS, held, only=same))

    async def end_renewal(self, old: XAuthorisation, pair: TokenPair, *, now: datetime) -> bool:
        """Store the new pair, if the one that it was made from still stands; whether it did.

        The old token is the fence, not the claim: X gave the only pair there is, and whoever took
        the lease over meanwhile was refused with the old one.
        """
        rows = await execute(
            self._db,
            f"""
            UPDATE x_authorisations SET access_token = :access, refresh_token = :refresh,
                expires_at = :expires, ended_because = NULL, updated_at = :now, {REVOKED}
            WHERE user_id = :user AND refresh_token = :used
            RETURNING user_id
            """,  # noqa: S608 -- our own constant
            {**_pair(pair), "now": seconds(now), "user": old.user_id, "used": _used(old)},
        )
        return bool(rows)

    async def end(self, old: XAuthorisation, because: str, *, now: datetime) -> None:
        """X takes these tokens no more; a newer pair is left alone."""
        await execute(
            self._db,
            f"""
            UPDATE x_authorisations SET ended_because = :because, updated_at = :now, {REVOKED}
            WHERE user_id = :user AND access_token = :access
            """,  # noqa: S608 -- our own constant
            {
                "because": because,
                "now": seconds(now),
                "user": old.user_id,
                "access": old.pair.access.reveal(),
            },
        )

    async def begin(self, flow: XFlow, *, now: datetime) -> None:
        """Remember a flow; the person's one before it can be finished no more."""
        await self._db.run(lambda: _begin(flow, now))

    async def take(self, state_hash: bytes, *, now: datetime) -> XFlow | None:
        """The flow, for the first who asks within its time; it is gone whoever asked."""
        rows = await execute(
            self._db,
            "DELETE FROM x_flows WHERE state_hash = :state "
            "RETURNING state_hash, user_id, session_id, code_verifier, expires_at",
            {"state": state_hash},
        )
        if not rows or moment(rows[0]["expires_at"]) <= now:
            return None
        row = rows[0]
        return XFlow(
            state_hash=bytes(row["state_hash"]),
            user_id=UserId(row["user_id"]),
            session=None if row["session_id"] is None else SessionId(row["session_id"]),
            code_verifier=row["code_verifier"],
        )


def forget_old_flows(now: datetime) -> Statement:
    """For the hourly housekeeping."""
    return Statement("DELETE FROM x_flows WHERE expires_at <= :now", {"now": seconds(now)})


def _save(new: XAuthorisation, types: KnownTypes[TypeFacts], now: datetime) -> Steps[None]:
    yield Statement(
        """
        INSERT INTO x_authorisations (user_id, x_user_id, handle, scopes, access_token,
            refresh_token, expires_at, authorised_at, updated_at)
        VALUES (:user, :x_user, :handle, :scopes, :access, :refresh, :expires, :now, :now)
        ON CONFLICT (user_id) DO UPDATE SET x_user_id = excluded.x_user_id,
            handle = excluded.handle, scopes = excluded.scopes,
            access_token = excluded.access_token, refresh_token = excluded.refresh_token,
            expires_at = excluded.expires_at, ended_because = NULL,
            authorised_at = excluded.authorised_at, updated_at = excluded.updated_at
        """,
        {
            "user": new.user_id,
            "x_user": new.x_user_id,
            "handle": new.handle,
            "scopes": " ".join(new.pair.scopes),
            **_pair(new.pair),
            "now": seconds(now),
        },
    )
    # Whoever renews the pair of before holds nothing any more.
    yield Statement(
        f"UPDATE x_authorisations SET {REVOKED} WHERE user_id = :user",  # noqa: S608 -- our own constant
        {"user": new.user_id},
    )
    waiting = yield from _failed_sources(new.user_id, types)
    yield from resumed(waiting, types, now)


def _failed_sources(user: UserId, types: KnownTypes[TypeFacts]) -> Steps[list[SourceId]]:
    """The person's own sources that failed, most likely for want of this authorisation."""
    personal: Sequence[str] = [each.name for each in types if each.is_personal]
    if not personal:
        return []
    of_type, params = of_types(personal, types)
    rows = yield Statement(
        f"""
        SELECT s.id FROM sources s
        WHERE s.created_by = :user AND s.is_deleted = 0 AND {FAILING} AND {of_type}
        ORDER BY s.id
        """,  # noqa: S608 -- our own constant, and parameter names
        {"user": user, **params},
    )
    return [SourceId(row["id"]) for row in rows]


def _begin(flow: XFlow, now: datetime) -> Steps[None]:
    yield Statement("DELETE FROM x_flows WHERE user_id = :user", {"user": flow.user_id})
    yield Statement(
        """
        INSERT INTO x_flows (state_hash, user_id, session_id, code_verifier, expires_at)
        VALUES (:state, :user, :session, :verifier, :expires)
        """,
        {
            "state": flow.state_hash,
            "user": flow.user_id,
            "session": flow.session,
            "verifier": flow.code_verifier,
            "expires": seconds(now + FLOW_LIFETIME),
        },
    )


def _pair(pair: TokenPair) -> dict[str, str | float | None]:
    return {
        "access": pair.access.reveal(),
        "refresh": pair.refresh.reveal() if pair.refresh else None,
        "expires": seconds(pair.expires_at),
    }


def _used(old: XAuthorisation) -> str:
    return old.pair.refresh.reveal() if old.pair.refresh else ""


def _to_authorisation(row: Row) -> XAuthorisation:
    refresh = row["refresh_token"]
    return XAuthorisation(
        user_id=UserId(row["user_id"]),
        x_user_id=row["x_user_id"],
        handle=row["handle"],
        pair=TokenPair(
            access=Secret(row["access_token"]),
            refresh=Secret(refresh) if refresh else None,
            expires_at=moment(row["expires_at"]),
            scopes=tuple(row["scopes"].split()),
        ),
        authorised_at=moment(row["authorised_at"]),
        ended_because=row["ended_because"],
    )

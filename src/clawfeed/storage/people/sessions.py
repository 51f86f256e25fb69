"""Who is signed in where. A session is known by the SHA-256 of its token alone."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from clawfeed.domain.errors import NotFoundError
from clawfeed.domain.ids import SessionId, UserId
from clawfeed.domain.people.users import User
from clawfeed.storage.database import Database, Row, Statement, Steps, execute
from clawfeed.storage.people.users import USER_COLUMNS, to_user
from clawfeed.storage.timestamps import moment, seconds

# Unused for this long it ends; and however busy, at the latest after the second.
IDLE_TIMEOUT, ABSOLUTE = timedelta(days=14), timedelta(days=60)
# More browsers than anybody has; the one that was quiet longest makes room (T26).
MOST_SESSIONS = 100
# "Last seen" is for people to recognise a session by; a write per request would be a waste.
SEEN_EVERY = timedelta(minutes=5)


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """A living session. *client* is what the browser called itself, and from where."""

    id: SessionId
    user: User
    created_at: datetime
    last_seen_at: datetime
    expires_at: datetime
    client: str


class Sessions:
    """Sessions by themselves; what a browser keeps of them is `auth.cookies`' business."""

    def __init__(self, database: Database) -> None:
        self._db = database

    async def add(
        self, user_id: UserId, token_hash: bytes, *, client: str, now: datetime
    ) -> SessionId:
        """Open one; beyond `MOST_SESSIONS` the one that was quiet longest ends."""
        return await self._db.run(lambda: _add(user_id, token_hash, client, now))

    async def find(self, token_hash: bytes, *, now: datetime) -> Session | None:
        """The session, if it lives: not idle, not too old, its person not disabled."""
        rows = await self._db.read(
            f"""
            SELECT s.id, s.created_at, s.last_seen_at, s.expires_at, s.client, {USER_COLUMNS}
            FROM sessions s JOIN users u ON u.id = s.user_id
            WHERE s.token_hash = :hash AND s.expires_at > :now AND s.last_seen_at > :idle
              AND u.disabled_at IS NULL
            """,  # noqa: S608 -- the only fragment is our own constant
            {"hash": token_hash, "now": seconds(now), "idle": seconds(now - IDLE_TIMEOUT)},
        )
        return _to_session(rows[0]) if rows else None

    async def see(self, session: Session, *, now: datetime) -> None:
        """Remember that it was used; writes at most every `SEEN_EVERY`."""
        if now - session.last_seen_at < SEEN_EVERY:
            return
        await execute(
            self._db,
            "UPDATE sessions SET last_seen_at = :now WHERE id = :id AND last_seen_at < :now",
            {"now": seconds(now), "id": session.id},
        )

    async def list(
        self,
        user_id: UserId,
        *,
        now: datetime,
        limit: int = MOST_SESSIONS,
        before: tuple[float, int] | None = None,
    ) -> list[Session]:
        """A person's living sessions, the last used first; those *before* a use and its id."""
        seen, id_ = before or (float("inf"), 0)
        rows = await self._db.read(
            f"""
            SELECT s.id, s.created_at, s.last_seen_at, s.expires_at, s.client, {USER_COLUMNS}
            FROM sessions s JOIN users u ON u.id = s.user_id
            WHERE s.user_id = :user AND s.expires_at > :now AND s.last_seen_at > :idle
              AND (s.last_seen_at < :seen OR (s.last_seen_at = :seen AND s.id < :id))
            ORDER BY s.last_seen_at DESC, s.id DESC LIMIT :limit
            """,  # noqa: S608 -- the only fragment is our own constant
            {
                "user": user_id,
                "now": seconds(now),
                "idle": seconds(now - IDLE_TIMEOUT),
                "seen": seen,
                "id": id_,
                "limit": limit,
            },
        )
        return [_to_session(row) for row in rows]

    async def revoke(self, user_id: UserId, session_id: SessionId) -> None:
        """End one of this person's sessions; anybody else's is not found."""
        rows = await execute(
            self._db,
            "DELETE FROM sessions WHERE id = :id AND user_id = :user RETURNING id",
            {"id": session_id, "user": user_id},
        )
        if not rows:
            raise NotFoundError(f"there is no session {session_id}")

    async def end(self, token_hash: bytes) -> UserId | None:
        """End the session with this token; whose it was, if it was anybody's."""
        rows = await execute(
            self._db,
            "DELETE FROM sessions WHERE token_hash = :hash RETURNING user_id",
            {"hash": token_hash},
        )
        return UserId(rows[0]["user_id"]) if rows else None

    async def end_all(self, user_id: UserId, *, but: SessionId | None = None) -> None:
        """End every session of this person, except one if it is named."""
        await execute(
            self._db,
            "DELETE FROM sessions WHERE user_id = :user AND id <> :but",
            {"user": user_id, "but": but or 0},
        )


def _add(user_id: UserId, token_hash: bytes, client: str, now: datetime) -> Steps[SessionId]:
    rows = yield Statement(
        """
        INSERT INTO sessions (user_id, token_hash, created_at, last_seen_at, expires_at, client)
        VALUES (:user, :hash, :now, :now, :expires, :client)
        RETURNING id
        """,
        {
            "user": user_id,
            "hash": token_hash,
            "now": seconds(now),
            "expires": seconds(now + ABSOLUTE),
            "client": client,
        },
    )
    added = SessionId(rows[0]["id"])
    yield Statement(
        """
        DELETE FROM sessions WHERE user_id = :user AND id <> :added AND id NOT IN (
            SELECT id FROM sessions WHERE user_id = :user AND id <> :added
            ORDER BY last_seen_at DESC, id DESC LIMIT :others
        )
        """,
        {"user": user_id, "added": added, "others": MOST_SESSIONS - 1},
    )
    return added


def _to_session(row: Row) -> Session:
    return Session(
        id=SessionId(row["id"]),
        user=to_user(row),
        created_at=moment(row["created_at"]),
        last_seen_at=moment(row["last_seen_at"]),
        expires_at=moment(row["expires_at"]),
        client=row["client"],
    )

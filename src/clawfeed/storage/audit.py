"""Who did what, when, from where: sign-ins, what opens doors, and what people changed by hand.

Each has its `Action`; what is not among these leaves no line.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from clawfeed.domain.ids import UserId
from clawfeed.storage.database import Database, Statement, execute
from clawfeed.storage.timestamps import moment, seconds

LONGEST_DETAIL = 200


class Action(StrEnum):
    """What was done, as a code: stored, and shown to programs; pages have words for each."""

    SIGNED_IN = "signed_in"
    SIGN_IN_FAILED = "sign_in_failed"
    SIGNED_OUT = "signed_out"
    SIGNED_OUT_EVERYWHERE = "signed_out_everywhere"
    PASSWORD_SET = "password_set"  # noqa: S105 -- a code
    PASSWORD_CHANGED = "password_changed"  # noqa: S105
    REGISTERED = "registered"
    SESSION_REVOKED = "session_revoked"
    KEY_CREATED = "key_created"
    KEY_REVOKED = "key_revoked"
    FEED_TOKEN_CREATED = "feed_token_created"  # noqa: S105
    FEED_TOKEN_REVOKED = "feed_token_revoked"  # noqa: S105
    USER_ADDED = "user_added"
    USER_CHANGED = "user_changed"
    X_AUTHORISED = "x_authorised"
    X_REVOKED = "x_revoked"
    SOURCES_MERGED = "sources_merged"
    SOURCE_SPLIT = "source_split"
    SOURCE_RENAMED = "source_renamed"
    EDITION_MOVED = "edition_moved"
    MESSAGE_MOVED = "message_moved"
    SETTING_CHANGED = "setting_changed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Hand:
    """Who changes something, and from where; *by* is None for a machine without an admin."""

    by: UserId | None
    client: str
    now: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEvent:
    """One line of the log. *user_id* is who acted; None if nobody knows."""

    id: int
    at: datetime
    user_id: UserId | None
    action: str
    detail: str
    client: str


def audit_line(
    action: Action, *, user_id: UserId | None, detail: str = "", client: str = "", now: datetime
) -> Statement:
    """One line, as part of the transaction that does what it tells of."""
    return Statement(
        """
        INSERT INTO audit_log (at, user_id, action, detail, client)
        VALUES (:at, :user, :action, :detail, :client)
        """,
        {
            "at": seconds(now),
            "user": user_id,
            "action": action,
            "detail": detail[:LONGEST_DETAIL],
            "client": client[:LONGEST_DETAIL],
        },
    )


class AuditLog:
    """Written once, never changed."""

    def __init__(self, database: Database) -> None:
        self._db = database

    async def add(
        self,
        action: Action,
        *,
        user_id: UserId | None,
        detail: str = "",
        client: str = "",
        now: datetime,
    ) -> None:
        line = audit_line(action, user_id=user_id, detail=detail, client=client, now=now)
        await execute(self._db, line.sql, line.params)

    async def note(self, hand: Hand, action: Action, detail: str) -> None:
        """What somebody just did."""
        await self.add(action, user_id=hand.by, detail=detail, client=hand.client, now=hand.now)

    async def list(
        self, *, limit: int, before: int | None = None, by: UserId | None = None
    ) -> list[AuditEvent]:
        """The newest first, of everybody or *by* one; *before* is where the last page ended."""
        rows = await self._db.read(
            """
            SELECT id, at, user_id, action, detail, client FROM audit_log
            WHERE (id < :before OR :before = 0) AND (user_id = :by OR :by = 0)
            ORDER BY id DESC LIMIT :limit
            """,
            {"before": before or 0, "by": by or 0, "limit": limit},
        )
        return [
            AuditEvent(
                id=int(row["id"]),
                at=moment(row["at"]),
                user_id=None if row["user_id"] is None else UserId(row["user_id"]),
                action=row["action"],
                detail=row["detail"],
                client=row["client"],
            )
            for row in rows
        ]

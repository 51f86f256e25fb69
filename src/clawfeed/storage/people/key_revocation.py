"""How API keys end: never alone, but with every key that was made with them."""

from __future__ import annotations

from datetime import datetime

from clawfeed.domain.ids import UserId
from clawfeed.storage.database import SqlValue, Statement, Steps
from clawfeed.storage.timestamps import seconds


def revoke_admin_keys(user_id: UserId, now: datetime) -> Steps[None]:
    """End the keys of somebody who administers no more, and those they made."""
    yield from revoke_with_children(
        "k.user_id = :user AND k.scopes = 'admin'", {"user": user_id}, now
    )


def revoke_with_children(which: str, params: dict[str, SqlValue], now: datetime) -> Steps[None]:
    """End the keys over which *which* holds, and all that were made with them."""
    yield Statement(
        f"""
        WITH RECURSIVE ended (id) AS (
            SELECT k.id FROM api_keys k WHERE {which}
            UNION SELECT k.id FROM api_keys k JOIN ended e ON k.parent_id = e.id
        )
        UPDATE api_keys SET revoked_at = :now
        WHERE revoked_at IS NULL AND id IN (SELECT id FROM ended)
        """,  # noqa: S608 -- the only fragment is our own
        {**params, "now": seconds(now)},
    )
